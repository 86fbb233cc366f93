//! `forebay index` and `ctx_index`: files and folders become searchable and follow changes on disk.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::env::TestEnv;

/// Runs `forebay index` and returns its report.
#[track_caller]
fn index(env: &TestEnv, arguments: &[&str]) -> Value {
    let line = [&["index", "--json"], arguments].concat();
    crate::env::finish(env.command(line), b"").ok().json()
}

/// Returns the sources of the hits for a query, best first.
#[track_caller]
fn matching_sources(env: &TestEnv, query: &str) -> Vec<String> {
    let line = ["search", "--json", "--set", "index.refresh_seconds=0", query];
    hit_sources(&crate::env::finish(env.command(line), b"").ok().json())
}

fn hit_sources(data: &Value) -> Vec<String> {
    let hits = data["queries"][0]["hits"].as_array().unwrap().clone();
    let has_word = hits.iter().filter(|hit| !hit["matched"].as_array().unwrap().is_empty());
    has_word.map(|hit| hit["source"].as_str().unwrap().to_owned()).collect()
}

/// Returns a project with these files in its folder `docs`.
fn with_docs(files: &[(&str, &str)]) -> TestEnv {
    let env = TestEnv::new();
    for (name, text) in files {
        let path = env.project().join("docs").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    env
}

/// Sets the modification time ten minutes back.
fn backdate(path: &Path) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_mins(10)).unwrap();
}

#[test]
fn indexed_folder_is_searchable_by_file_content() {
    let env = with_docs(&[
        ("guide.md", "# Guide\n\n## Install\n\nUnpack the walrus.\n"),
        ("in/api.rs", "/// Feeds the ostrich.\npub fn feed() {}\n"),
        ("skip.log", "walrus"),
        (".gitignore", "*.log\n"),
    ]);
    let report = index(&env, &["docs"]);
    assert_eq!(report["indexed"], 2, "{report}");
    assert_eq!(matching_sources(&env, "walrus"), ["docs/guide.md"]);
    let text = env.forebay(["search", "ostrich"]).ok().text();
    assert!(text.contains("docs/in/api.rs:1-2 · feed"), "{text}");
}

#[test]
fn reindexing_updates_changed_files_and_drops_deleted_ones() {
    let env = with_docs(&[("a.md", "walrus"), ("b.md", "ostrich"), ("c.md", "beaver")]);
    index(&env, &["docs"]);
    fs::write(env.project().join("docs/a.md"), "pelican").unwrap();
    fs::remove_file(env.project().join("docs/b.md")).unwrap();
    fs::write(env.project().join("docs/d.md"), "magpie").unwrap();
    let report = index(&env, &["docs"]);
    assert_eq!(
        (&report["indexed"], &report["replaced"], &report["unchanged"], &report["gone"]),
        (&json!(2), &json!(1), &json!(1), &json!(1)),
        "{report}"
    );
    for gone in ["walrus", "ostrich"] {
        assert_eq!(matching_sources(&env, gone), Vec::<String>::new(), "{gone}");
    }
    for (word, source) in
        [("pelican", "docs/a.md"), ("beaver", "docs/c.md"), ("magpie", "docs/d.md")]
    {
        assert_eq!(matching_sources(&env, word), [source]);
    }
}

#[test]
fn search_notices_changed_and_deleted_files() {
    let env = with_docs(&[("a.md", "walrus"), ("b.md", "ostrich")]);
    index(&env, &["docs"]);
    let search = |query: &str| {
        let line = ["search", "--json", "--set", "index.refresh_seconds=1", query];
        hit_sources(&crate::env::finish(env.command(line), b"").ok().json())
    };
    fs::write(env.project().join("docs/a.md"), "pelican and more").unwrap();
    fs::remove_file(env.project().join("docs/b.md")).unwrap();
    let deadline = SystemTime::now() + crate::env::HANG_TIMEOUT;
    while search("pelican").is_empty() {
        assert!(SystemTime::now() < deadline, "the change is not noticed");
        std::thread::yield_now();
    }
    assert_eq!(search("ostrich"), Vec::<String>::new());
    assert_eq!(search("walrus"), Vec::<String>::new());
}

#[test]
fn purged_file_is_not_reindexed_automatically() {
    let env = with_docs(&[("a.md", "walrus"), ("b.md", "ostrich")]);
    index(&env, &["docs"]);
    env.forebay(["purge", "--source", "docs/a.md", "--yes"]).ok();
    fs::write(env.project().join("docs/a.md"), "walrus again").unwrap();
    let line = ["search", "--json", "--set", "index.refresh_seconds=1", "walrus"];
    assert!(hit_sources(&crate::env::finish(env.command(line), b"").ok().json()).is_empty());
}

#[test]
fn an_unchanged_file_keeps_its_reference() {
    let env = TestEnv::new();
    let file = env.write("notes.txt", "the walrus sank");
    let first = index(&env, &["notes.txt"]);
    let again = index(&env, &["notes.txt"]);
    assert_eq!(again["unchanged"], 1, "{again}");
    assert_eq!(first["ref"], again["ref"]);
    backdate(&file);
    assert_eq!(index(&env, &["notes.txt"])["ref"], first["ref"]);
    env.write("notes.txt", "the walrus swam");
    let changed = index(&env, &["notes.txt"]);
    assert_ne!(changed["ref"], first["ref"]);
    let old = env.forebay(["get", first["ref"].as_str().unwrap()]);
    assert!(old.stderr.contains("indexed again"));
}

#[test]
fn text_with_the_same_source_name_is_replaced() {
    let env = TestEnv::new();
    let line = ["index", "-", "--source", "minutes"];
    env.forebay_reading(line, b"# Monday\n\nThe walrus sank.\n").ok();
    env.forebay_reading(line, b"# Tuesday\n\nThe ostrich ran.\n").ok();
    assert_eq!(matching_sources(&env, "ostrich"), ["minutes"]);
    assert!(matching_sources(&env, "walrus").is_empty());
}

#[test]
fn globs_filter_a_folder() {
    let env = with_docs(&[("a.md", "walrus"), ("b.txt", "walrus"), ("old/c.md", "walrus")]);
    let report = index(&env, &["docs", "--include", "*.md", "--exclude", "old"]);
    assert_eq!(report["indexed"], 1, "{report}");
    assert_eq!(matching_sources(&env, "walrus"), ["docs/a.md"]);
}

#[test]
fn unindexable_files_are_skipped_and_reported() {
    let env = with_docs(&[
        ("a.md", "walrus"),
        ("data.bin", "\0\u{1}\u{2}\0"),
        ("big.txt", &"x".repeat(3_000_000)),
    ]);
    symlink(env.project(), env.project().join("docs/loop")).unwrap();
    let line = ["index", "docs", "--set", "index.largest_mb=1"];
    let text = env.forebay(line).ok().text();
    assert!(text.contains("docs: 1 file indexed"), "{text}");
    assert!(text.contains("skipped: 1 binary, 1 too large, 1 links"), "{text}");
}

#[test]
fn a_denied_file_is_not_indexed() {
    let env = with_docs(&[("a.md", "walrus"), ("secret/b.md", "ostrich")]);
    fs::create_dir_all(env.project().join(".claude")).unwrap();
    env.write(".claude/settings.json", r#"{"permissions":{"deny":["Read(docs/secret/**)"]}}"#);
    let report = index(&env, &["docs"]);
    assert_eq!(report["skipped"]["denied by a rule"], 1, "{report}");
    assert!(matching_sources(&env, "ostrich").is_empty());
    let refused = env.forebay(["index", "docs/secret/b.md"]);
    assert!(refused.stderr.contains("denied"));
}

#[test]
fn huge_file_is_refused_and_nothing_is_stored() {
    let env = TestEnv::new();
    let path = env.write("huge.log", "");
    fs::File::options().write(true).open(&path).unwrap().set_len(500 * 1024 * 1024).unwrap();
    let refused = env.forebay(["index", "huge.log"]);
    assert!(refused.stderr.contains("larger than"));
    assert_eq!(env.forebay(["stats", "--json"]).ok().json()["store"]["chunks"], 0);
}

#[test]
fn invalid_input_is_an_error() {
    let env = TestEnv::new();
    env.write("data.bin", b"\x7fELF\0\0");
    symlink(env.project().join("circle"), env.project().join("circle")).unwrap();
    for (arguments, expected) in [
        (["index", "gone.md"], "does not exist"),
        (["index", "data.bin"], "is not text"),
        (["index", "data.bin"], "convert it to text with forebay run first"),
        (["peek", "gone.rs"], "(forebay map maps the project)"),
        (["index", "/dev/zero"], "cannot read"),
        (["index", "circle"], "cannot read"),
    ] {
        let error = env.forebay(arguments).stderr;
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    let closed = env.write("closed.md", "walrus");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    // Root can read the file anyway.
    if fs::read(&closed).is_err() {
        assert!(env.forebay(["index", "closed.md"]).stderr.contains("cannot read"));
    }
}

#[test]
fn text_in_other_encodings_is_searchable() {
    let env = TestEnv::new();
    env.write("latin.txt", b"Die gr\xf6\xdfte Walr\xfcsselrobbe");
    let utf16: Vec<u8> =
        "\u{feff}der Pelikan fliegt".encode_utf16().flat_map(u16::to_le_bytes).collect();
    env.write("wide.txt", utf16);
    index(&env, &["latin.txt"]);
    index(&env, &["wide.txt"]);
    assert_eq!(matching_sources(&env, "größte"), ["latin.txt"]);
    assert_eq!(matching_sources(&env, "Pelikan"), ["wide.txt"]);
}

#[test]
fn text_with_nul_bytes_is_searchable() {
    let env = TestEnv::new();
    env.forebay_reading(["index", "-", "--source", "odd"], b"before\0after walrus\0").ok();
    assert_eq!(matching_sources(&env, "walrus"), ["odd"]);
}

#[test]
fn secrets_are_redacted_before_a_file_is_stored() {
    let env = TestEnv::new();
    env.write("conf.md", "walrus\npassword=hunter2hunter2\n");
    let report = index(&env, &["conf.md"]);
    assert_eq!(report["redacted"]["password"], 1, "{report}");
    let raw = env.forebay(["get", report["ref"].as_str().unwrap()]).ok().text();
    assert!(!raw.contains("hunter2"), "{raw}");
}

#[test]
fn html_is_indexed_as_its_main_content() {
    let env = TestEnv::new();
    env.write(
        "page.html",
        "<!doctype html><title>Zoo</title><nav>menu</nav><main><h2>Animals</h2><p>The walrus.</p></main>",
    );
    index(&env, &["page.html"]);
    let text = env.forebay(["search", "walrus"]).ok().text();
    assert!(text.contains("Animals") && !text.contains("menu") && !text.contains("<p>"), "{text}");
}

#[test]
fn json_lines_file_is_indexed_as_documents() {
    let env = TestEnv::new();
    env.write(
        "docs.jsonl",
        "{\"id\":\"d1\",\"text\":\"the walrus\"}\n{\"id\":\"d2\",\"text\":\"the ostrich\"}\n",
    );
    let report = index(&env, &["docs.jsonl"]);
    assert_eq!(report["documents"], 2, "{report}");
}

#[test]
fn documents_and_a_file_of_the_same_name_replace_each_other() {
    let env = TestEnv::new();
    env.write("a.md", "the walrus");
    env.write("d.jsonl", "{\"id\":\"d1\",\"text\":\"the ostrich\"}\n");
    let kinds_of_sources = |env: &TestEnv| {
        let report = env.forebay(["sources", "--json"]).ok().json();
        let kinds =
            report["sources"].as_array().unwrap().iter().map(|source| source["kind"].clone());
        kinds.collect::<Vec<Value>>()
    };
    index(&env, &["a.md", "--source", "s"]);
    index(&env, &["d.jsonl", "--source", "s"]);
    assert_eq!(kinds_of_sources(&env), ["documents"]);
    assert!(matching_sources(&env, "walrus").is_empty());
    index(&env, &["a.md", "--source", "s"]);
    assert_eq!(kinds_of_sources(&env), ["file"]);
    assert!(matching_sources(&env, "ostrich").is_empty());
    assert_eq!(matching_sources(&env, "walrus"), ["s"]);
}

#[test]
fn a_client_indexes_a_folder_with_one_list_of_globs() {
    let env = with_docs(&[("a.md", "walrus"), ("b.txt", "walrus"), ("old/c.md", "walrus")]);
    let mut mcp = env.mcp();
    let text = mcp.text("ctx_index", json!({ "path": "docs", "globs": ["*.md", "!old"] }));
    assert!(text.contains("docs: 1 file indexed"), "{text}");
}

#[test]
fn forgetting_a_source_needs_consent() {
    let env = with_docs(&[("a.md", "walrus")]);
    index(&env, &["docs"]);
    env.forebay(["sources", "forget", "docs"]).refused(126, "was not deleted", "--yes");
    assert_eq!(matching_sources(&env, "walrus"), ["docs/a.md"]);
    env.forebay(["sources", "forget", "--yes", "docs"]).ok();
    assert!(matching_sources(&env, "walrus").is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_index_keeps_what_is_done_and_says_how_to_go_on() {
    const FILES: usize = 3_000;
    let env = TestEnv::new();
    fs::create_dir(env.project().join("docs")).unwrap();
    let lines: String = (0..300).map(|line| format!("walrus {line} on floe {line}\n\n")).collect();
    for number in 0..FILES {
        env.write(&format!("docs/{number}.md"), format!("# Note {number}\n\n{lines}"));
    }
    let mut command = env.command(["index", "docs"]);
    command.stderr(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let process = rustix::process::Pid::from_child(&child);
    // It has read some of the files then, out of 21 MB.
    assert!(crate::env::wait_until(crate::env::HANG_TIMEOUT, || bytes_read(process) > 4_000_000));
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    let ended = crate::env::finished(child);
    assert_eq!(ended.code(), Some(130), "{ended:?}");
    assert!(ended.stderr.contains("are done and kept"), "{ended:?}");
    assert!(ended.stderr.contains("continue with forebay index docs; unchanged files are skipped"));
    let done = ended.stderr.split_once("cancelled; ").unwrap().1.split_once(" of ").unwrap().0;
    let done: u64 = done.replace(',', "").parse().unwrap();
    let again = index(&env, &["docs"]);
    assert_eq!(again["unchanged"], done, "{again}");
    assert_eq!(again["indexed"], FILES as u64 - done, "{again}");
}

/// How much a process has read so far.
#[cfg(target_os = "linux")]
fn bytes_read(process: rustix::process::Pid) -> u64 {
    let counters = fs::read_to_string(format!("/proc/{}/io", process.as_raw_nonzero()));
    let counters = counters.unwrap_or_default();
    let read = counters.lines().find_map(|line| line.strip_prefix("rchar: "));
    read.and_then(|bytes| bytes.parse().ok()).unwrap_or_default()
}
