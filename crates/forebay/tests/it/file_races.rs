//! Paths that mean another file when they are used than when they were checked, and names that deceive.

use std::fs;
use std::os::unix::fs::symlink;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::env::TestEnv;
use crate::mcp_client::{McpClient, text_of};

const SECRET: &str = "outside-the-project-a7f3";
/// The defect leaked in one of forty tries.
#[cfg(target_os = "linux")]
const TRIES: usize = 400;

/// A folder outside of the project with files of the same names.
fn outside(env: &TestEnv) -> PathBuf {
    let outside = env.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file.txt"), format!("{SECRET}\n")).unwrap();
    fs::write(outside.join("docs.jsonl"), format!("{{\"id\":1,\"text\":\"{SECRET}\"}}\n")).unwrap();
    outside
}

/// Swaps a folder of the project with a link to `outside`, again and again, until `work` is done.
#[cfg(target_os = "linux")]
fn while_swapping(env: &TestEnv, outside: &Path, work: impl FnOnce()) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    let (real, link) = (env.project().join("in"), env.project().join("link"));
    symlink(outside, &link).unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                renameat_with(CWD, &real, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        work();
        is_done.store(true, Ordering::Relaxed);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_swapped_folder_does_not_lead_out_of_the_project() {
    let env = TestEnv::new();
    let outside = outside(&env);
    fs::create_dir(env.project().join("in")).unwrap();
    env.write("in/file.txt", "inside\n");
    env.write("in/docs.jsonl", "{\"id\":1,\"text\":\"inside\"}\n");
    let mut mcp = env.mcp();
    while_swapping(&env, &outside, || {
        for number in 0..TRIES {
            let answers = [
                mcp.call("context_read", json!({ "path": "in/file.txt" })),
                mcp.call("ctx_index", json!({ "path": "in/file.txt", "source": "s" })),
                mcp.call("ctx_index", json!({ "path": "in/docs.jsonl", "source": "j" })),
                mcp.call(
                    "context_write",
                    json!({ "path": format!("in/new-{number}"), "content": "x" }),
                ),
                mcp.call(
                    "context_edit",
                    json!({ "path": "in/file.txt", "old": "inside", "new": "inside" }),
                ),
            ];
            for answer in answers {
                assert!(!text_of(&answer).contains(SECRET), "try {number}: {answer}");
            }
        }
    });
    let found = text_of(&mcp.call("ctx_search", json!({ "query": SECRET, "exact": true })));
    assert!(!found.contains(&format!("{SECRET}\n")), "{found}");
    let mut names: Vec<_> =
        fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["docs.jsonl", "file.txt"], "nothing is written outside");
    assert_eq!(fs::read_to_string(outside.join("file.txt")).unwrap(), format!("{SECRET}\n"));
}

#[test]
fn indexing_does_not_follow_links_out_of_the_project() {
    let env = TestEnv::new();
    let outside = outside(&env);
    symlink(outside.join("file.txt"), env.project().join("file.txt")).unwrap();
    symlink(outside.join("docs.jsonl"), env.project().join("docs.jsonl")).unwrap();
    symlink(&outside, env.project().join("folder")).unwrap();
    env.write("own.txt", "own\n");
    symlink("own.txt", env.project().join("alias.txt")).unwrap();
    let mut mcp = env.mcp();
    for path in ["file.txt", "docs.jsonl", "folder", "folder/file.txt", "./x/../folder/file.txt"] {
        let error = mcp.error("ctx_index", json!({ "path": path }));
        let is_refused = error.contains("link out of the project") || error.contains("not exist");
        assert!(is_refused, "{path}: {error}");
    }
    mcp.text("ctx_index", json!({ "path": "." }));
    mcp.text("ctx_index", json!({ "path": "alias.txt" }));
    let found = mcp.text("ctx_search", json!({ "query": SECRET }));
    assert!(!found.contains(&format!("{SECRET}\n")), "{found}");
}

#[test]
fn a_root_that_holds_all_files_is_refused() {
    let env = TestEnv::new();
    fs::create_dir_all(env.home().join("work")).unwrap();
    for root in [env.home(), PathBuf::from("/")] {
        let mut command = env.command(["mcp"]);
        command.current_dir(&root);
        let mut mcp = McpClient::initialized(command);
        for (tool, input) in [
            ("context_read", json!({ "path": "etc/hostname" })),
            ("context_peek", json!({ "paths": ["."] })),
            ("context_write", json!({ "path": "new.txt", "content": "x" })),
            ("ctx_index", json!({ "path": "." })),
        ] {
            let error = mcp.error(tool, input);
            assert!(error.contains("no project") && error.contains("hint:"), "{tool} {error}");
        }
    }
}

#[test]
fn deceptive_new_names_are_refused() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    for name in ["a\u{202e}txt.exe", "a\u{200b}.rs", "a\u{7}b", "fold\u{2066}er/x", "t\u{e0041}"] {
        let error = mcp.error("context_write", json!({ "path": name, "content": "x" }));
        assert!(error.contains("invisible characters"), "{name:?}: {error}");
        assert!(!error.contains(['\u{202e}', '\u{200b}', '\u{7}', '\u{2066}', '\u{e0041}']));
    }
    env.write("plain", "x\n");
    for (tool, input) in [
        ("context_write", json!({ "path": "new/", "content": "x" })),
        ("context_write", json!({ "path": "plain/", "content": "x", "overwrite": true })),
        ("context_read", json!({ "path": "plain/" })),
    ] {
        let error = mcp.error(tool, input);
        assert!(error.contains("ends in a slash"), "{error}");
    }
    // A name that is there already can be edited.
    env.write("old\u{200b}.txt", "x\n");
    mcp.text("context_read", json!({ "path": "old\u{200b}.txt" }));
    mcp.text("context_write", json!({ "path": "ünï/日本.txt", "content": "x" }));
}
