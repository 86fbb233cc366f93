//! Files that a repository may contain to hang their reader or to fill its memory: pipes, and files of the kernel that look
//! empty and never end.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use crate::env::{TestEnv, finish};
use crate::hook_host::{Host, log_lines};

/// The kernel's view of a process' memory: its size is said to be 0, and it has hundreds of terabytes.
const ENDLESS: &str = "/proc/self/pagemap";
const UNWALKABLE: &str = "an ignore file in";

/// Creates a named pipe without a writer.
fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
    rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, 0).unwrap();
}

/// Whether this kernel has the endless file; elsewhere a pipe alone shows the same.
fn has_endless_file() -> bool {
    let exists = Path::new(ENDLESS).exists();
    if !exists {
        forebay_test_support::skip("no endless file in /proc");
    }
    exists
}

#[test]
fn ignore_files_that_look_empty_are_not_read() {
    if !has_endless_file() {
        return;
    }
    let env = TestEnv::new();
    env.write("a.txt", "text about nothing\n");
    fs::create_dir(env.project().join("deep")).unwrap();
    env.write("deep/b.txt", "other text\n");
    env.write(".ignore", "");
    symlink(ENDLESS, env.project().join("deep/.gitignore")).unwrap();
    let indexed = env.forebay(["index", "."]).ok().text();
    assert!(indexed.contains("1 file"), "an empty ignore file is harmless: {indexed}");
    symlink(ENDLESS, env.project().join(".gitignore")).unwrap();
    env.forebay(["index", "."]).refused(2, UNWALKABLE, "remove or fix");
    env.forebay(["map"]).refused(2, UNWALKABLE, "remove or fix");
}

#[test]
fn walks_do_not_wait_where_a_pointer_of_git_leads() {
    let env = TestEnv::new();
    let root = env.project();
    env.write("a.txt", "text about nothing\n");
    fs::remove_dir_all(root.join(".git")).unwrap();
    env.write(".git", "gitdir: elsewhere\n");
    pipe(&root.join("elsewhere/commondir"));
    env.forebay(["index", "."]).refused(2, UNWALKABLE, "remove or fix");
    fs::remove_file(root.join("elsewhere/commondir")).unwrap();
    for common in [".".to_owned(), root.join("elsewhere").to_str().unwrap().to_owned()] {
        env.write("elsewhere/commondir", common);
        let exclude = root.join("elsewhere/info/exclude");
        pipe(&exclude);
        env.forebay(["index", "."]).refused(2, UNWALKABLE, "remove or fix");
        env.forebay(["peek", "."]).refused(2, UNWALKABLE, "remove or fix");
        fs::remove_file(exclude).unwrap();
    }
    env.forebay(["index", "."]).ok();
}

#[test]
fn a_pointer_of_git_that_never_ends_is_no_pointer() {
    if !has_endless_file() {
        return;
    }
    let env = TestEnv::new();
    fs::remove_dir_all(env.project().join(".git")).unwrap();
    symlink(ENDLESS, env.project().join(".git")).unwrap();
    env.forebay(["note", "kept"]).ok();
    env.forebay(["run", "--", "true"]).ok();
}

#[test]
fn globs_of_files_for_code_do_not_wait_for_ignore_files() {
    let env = TestEnv::new();
    fs::create_dir(env.project().join("logs")).unwrap();
    env.write("logs/a.log", "one\n");
    let code = ["run", "--language", "sh", "--file", "logs/*.log", "--", "echo read"];
    env.forebay(code).ok();
    pipe(&env.project().join("logs/.gitignore"));
    env.forebay(code).refused(2, UNWALKABLE, "remove or fix");
    let deeper = ["run", "--language", "sh", "--file", "**/*.log", "--", "echo read"];
    let missing = env.forebay(deeper);
    assert!(missing.stderr.contains("no file matches"), "{missing:?}");
}

#[test]
fn imports_do_not_wait_for_what_is_no_transcript() {
    let env = TestEnv::new();
    let chats = env.project().join("x/chats");
    pipe(&env.project().join("pipe.jsonl"));
    env.forebay(["import", "pipe.jsonl"]).refused(2, "contains no transcript", "");
    // The file beside a transcript of Gemini CLI that says which project it belongs to.
    fs::create_dir_all(&chats).unwrap();
    let recorded = "../forebay-platforms/tests/transcripts/gemini-cli.jsonl";
    fs::copy(recorded, chats.join("session.jsonl")).unwrap();
    pipe(&env.project().join("x/.project_root"));
    env.forebay(["import", "x"]).ok();
    if has_endless_file() {
        symlink(ENDLESS, env.project().join("endless.jsonl")).unwrap();
        env.forebay(["import", "endless.jsonl"]).refused(2, "contains no transcript", "");
        fs::remove_file(env.project().join("x/.project_root")).unwrap();
        symlink(ENDLESS, env.project().join("x/.project_root")).unwrap();
        env.forebay(["replay", "x"]).ok();
    }
}

/// SQLite loses its locks when its process closes another descriptor of a database.
#[test]
fn a_database_of_forebay_is_no_transcript() {
    let env = TestEnv::new();
    env.forebay(["note", "kept"]).ok();
    let database = env.database();
    env.forebay(["import", database.to_str().unwrap()]).refused(126, "stored data", "");
    assert!(env.forebay(["search", "kept"]).ok().text().contains("kept"));
}

#[test]
fn a_hook_does_not_wait_for_a_transcript() {
    let env = TestEnv::new();
    env.forebay(["note", "kept"]).ok();
    let transcript = env.project().join("transcript.jsonl");
    pipe(&transcript);
    let host = Host::new(&env);
    host.hook("Stop", json!({ "transcript_path": transcript })).silent();
    host.hook("Stop", json!({ "transcript_path": env.database() })).silent();
    let log = log_lines(&env);
    assert!(log.iter().all(|line| !line.contains("timed out")), "{log:?}");
    let status = json!({ "session_id": host.session, "workspace": { "project_dir": transcript } });
    let line = finish(env.command(["statusline", "claude-code"]), status.to_string().as_bytes());
    assert_eq!((line.code(), line.text().as_str()), (Some(0), ""));
}

#[test]
fn a_sample_of_a_recognizer_is_bounded() {
    if !has_endless_file() {
        return;
    }
    let env = TestEnv::new();
    symlink(ENDLESS, env.project().join("sample.txt")).unwrap();
    let recognizer =
        "[recognizers.x]\ncommands = ['x']\nkeep = ['x']\nsample_file = 'sample.txt'\n";
    env.write(".forebay.toml", recognizer);
    let checked = env.forebay(["digest", "--check"]);
    assert!(!checked.status.success(), "{checked:?}");
    let said = format!("{}{}", checked.text(), checked.stderr);
    assert!(said.contains("sample.txt"), "{said}");
}
