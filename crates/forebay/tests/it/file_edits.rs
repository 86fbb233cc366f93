//! `context_edit` and `context_write`: exact matches, refusal when ambiguous or stale, atomic writes.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use serde_json::{Value, json};

use crate::env::{TestEnv, reference_in};
use crate::file_tools::{POOL, PTR};

/// Builds the input of an edit of `src/pool.rs`.
fn edit(old: &str, new: &str) -> Value {
    json!({ "path": "src/pool.rs", "old_string": old, "new_string": new })
}

fn pool(env: &TestEnv) -> String {
    fs::read_to_string(env.project().join("src/pool.rs")).unwrap()
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[test]
fn an_edit_shows_its_lines_and_a_reference_to_the_old_text() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let answer = mcp.text(
        "context_edit",
        edit("    pages: Vec<Ptr<u8>>,", "    pages: Vec<Ptr<u8>>,\n    left: usize,"),
    );
    assert_has(&answer, &["src/pool.rs: 1 replacement · hash ", "7|     left: usize,"]);
    assert!(!answer.contains("syntax error"), "{answer}");
    let before = answer.split("before: ").nth(1).unwrap();
    let kept = env.forebay(["get", "--raw", &reference_in(before)]).ok();
    assert_eq!(String::from_utf8(kept.stdout).unwrap(), POOL);
    assert_eq!(pool(&env), POOL.replace("Vec<Ptr<u8>>,", "Vec<Ptr<u8>>,\n    left: usize,"));
}

#[test]
fn a_failed_match_shows_the_most_similar_lines() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    for (old, expect) in [
        (
            "let page = self.pages.pop();\n    self.count_down();",
            "lines 11-12 differ in whitespace only:\n11|",
        ),
        ("let page = self.pages.pop();\r\n        self", "lines 11-12 differ in line endings only"),
        (
            "    pub fn take(&mut self) -> Option<Ptr<u8>> {\n        let page = self.sheets.pop();",
            "match some of the lines:\n10|",
        ),
        ("let left = self.page.len();", "line 17 is similar:\n17|"),
    ] {
        let answer = mcp.error("context_edit", edit(old, "x"));
        assert_has(
            &answer,
            &["old_string is not in src/pool.rs; the file is unchanged", expect, "\nhint: "],
        );
    }
    assert_has(&mcp.error("context_edit", edit("zebra", "x")), &["no similar text"]);
    assert_has(
        &mcp.error("context_edit", edit("", "x")),
        &["old_string is empty", "context_write"],
    );
    assert_has(&mcp.error("context_edit", edit("pop", "pop")), &["are the same"]);
    env.write("quotes.py", "print('a')\n");
    let quotes =
        json!({ "path": "quotes.py", "old_string": "print(\u{2018}a\u{2019})", "new_string": "x" });
    assert_has(&mcp.error("context_edit", quotes), &["line 1 differs in quotes only:"]);
    for (old, expect) in [
        ("print(\"a\")", "line 1 differs in quotes only:"),
        ("Print('a')", "line 1 differs in letter case only:"),
        ("print( \"a\")", "line 1 differs in quotes, dashes, case or whitespace only:"),
        ("print('a')\\n", "line 1 differs only where old_string has a literal \\n or \\t:"),
    ] {
        let miss = json!({ "path": "quotes.py", "old_string": old, "new_string": "x" });
        assert_has(&mcp.error("context_edit", miss), &[expect]);
    }
    assert_eq!(pool(&env), POOL);
}

#[test]
fn an_ambiguous_edit_lists_its_matches() {
    let env = TestEnv::with_pool();
    let answer = env.mcp().error("context_edit", edit("self.pages", "self.sheets"));
    assert_has(
        &answer,
        &[
            "old_string matches 2 times in src/pool.rs",
            "11|         let page",
            "17|         let left",
            "replace_all=true",
        ],
    );
    assert_eq!(pool(&env), POOL);
}

#[test]
fn an_edit_of_a_changed_file_is_refused_with_a_diff() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    mcp.text("context_read", json!({ "path": "src/pool.rs" }));
    let others = POOL.replace("A pool of pages.", "Many pages.");
    env.write("src/pool.rs", &others);
    let answer = mcp.error("context_edit", edit("debug_assert!", "assert!"));
    assert_has(
        &answer,
        &["has changed since you saw it", "-//! A pool of pages.", "+//! Many pages.", "repeat it"],
    );
    assert_eq!(pool(&env), others);
    mcp.text("context_edit", edit("debug_assert!", "assert!"));
    assert_eq!(pool(&env), others.replace("debug_assert!", "assert!"));
    // A change that is too large to show requires another read.
    env.write("src/pool.rs", "// changed\n".repeat(2_000));
    let answer = mcp.error("context_edit", edit("changed", "x"));
    assert_has(&answer, &["more changed lines", "read it again"]);
    assert!(answer.len() < 1_000, "{answer}");
    assert_has(&mcp.error("context_edit", edit("changed", "x")), &["has changed since you saw it"]);
}

#[test]
fn a_mismatched_hash_is_refused() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let read = mcp.text("context_read", json!({ "path": "src/pool.rs" }));
    let hash = read.split("hash ").nth(1).unwrap()[..8].to_owned();
    let expecting = |hash: &str| {
        let mut input = edit("debug_assert!", "assert!");
        input["expected_hash"] = hash.into();
        input
    };
    assert_has(
        &mcp.error("context_edit", expecting("00000000")),
        &[&format!("now has hash {hash}")],
    );
    assert_has(&mcp.error("context_edit", expecting("abc")), &["hexadecimal digits"]);
    let answer = mcp.text("context_edit", expecting(&hash));
    let next = answer.split("hash ").nth(1).unwrap()[..8].to_owned();
    assert_has(&mcp.error("context_edit", expecting(&hash)), &[&format!("now has hash {next}")]);
}

#[test]
fn reports_syntax_errors_introduced_by_an_edit() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let answer = mcp.text("context_edit", edit("        page\n    }\n", "        page\n"));
    assert_has(&answer, &["syntax error: src/pool.rs:"]);
    // Existing errors are not reported again.
    let answer = mcp.text("context_edit", edit("A pool of pages.", "Pages."));
    assert!(!answer.contains("syntax error"), "{answer}");
    let python = json!({ "path": "a.py", "content": "def a():\nreturn 2\n" });
    assert_has(
        &mcp.text("context_write", python),
        &["syntax error: a.py:2:1 expected an indented block before: return 2"],
    );
    let rust =
        json!({ "path": "a.rs", "content": "pub fn a() {\n    let x = (1;\n}\n\npub fn b() {}\n" });
    assert_has(&mcp.text("context_write", rust), &["syntax error: a.rs:2:"]);
}

#[test]
fn a_dry_run_shows_the_change_without_writing() {
    let env = TestEnv::with_pool();
    let mut input = edit("debug_assert!(left", "assert!((left");
    input["dry_run"] = true.into();
    let answer = env.mcp().text("context_edit", input);
    assert_has(
        &answer,
        &["dry run, src/pool.rs is unchanged", "-        debug_assert!(left", "syntax error"],
    );
    assert_eq!(pool(&env), POOL);
}

#[test]
fn preserves_line_endings_byte_order_marks_encodings_and_permissions() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let mut check = |name: &str, before: &[u8], old: &str, new: &str, after: &[u8]| {
        let path = env.write(name, before);
        fs::set_permissions(&path, Permissions::from_mode(0o754)).unwrap();
        mcp.text("context_edit", json!({ "path": name, "old_string": old, "new_string": new }));
        assert_eq!(fs::read(&path).unwrap(), after, "{name}");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o754, "{name}");
    };
    check(
        "crlf.txt",
        b"one\r\ntwo\r\nthree\r\n",
        "one\ntwo\n",
        "1\n2\n2\n",
        b"1\r\n2\r\n2\r\nthree\r\n",
    );
    check("mixed.txt", b"one\ntwo\r\nthree\n", "three", "3", b"one\ntwo\r\n3\n");
    check(
        "block.txt",
        b"one\ntwo\r\nthree\nfour\n",
        "one\ntwo\nthree\n",
        "1\ntwo\nthree\n",
        b"1\ntwo\r\nthree\nfour\n",
    );
    check("mark.txt", b"\xef\xbb\xbfone\n", "one", "two", b"\xef\xbb\xbftwo\n");
    check("latin.txt", b"caf\xe9 one\n", "one", "d\u{e9}j\u{e0}", b"caf\xe9 d\xe9j\xe0\n");
    check("no_end.txt", b"one\ntwo", "two", "three", b"one\nthree");
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_be_bytes).collect() };
    check(
        "wide.txt",
        &wide("\u{feff}Über\r\n"),
        "Über",
        "Unter\nüber",
        &wide("\u{feff}Unter\r\nüber\r\n"),
    );
    let answer = mcp.error(
        "context_edit",
        json!({ "path": "latin.txt", "old_string": "d\u{e9}", "new_string": "→" }),
    );
    assert_has(&answer, &["cannot edit latin.txt: Latin-1 cannot represent '→'"]);
    assert_eq!(fs::read(env.project().join("latin.txt")).unwrap(), b"caf\xe9 d\xe9j\xe0\n");
}

#[test]
fn the_old_version_can_be_restored_byte_for_byte() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let wide: Vec<u8> =
        "\u{feff}one\r\ntwo\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, old) in [
        ("mark.txt", b"\xef\xbb\xbfone\ntwo\n".to_vec()),
        ("mixed.txt", b"one\ntwo\r\nthree\n".to_vec()),
        ("wide.txt", wide),
    ] {
        let path = env.write(name, &old);
        let edit = json!({ "path": name, "old_string": "one", "new_string": "1" });
        let answer = mcp.text("context_edit", edit);
        let before = answer.split("before: ").nth(1).unwrap();
        let kept = env.forebay(["get", "--raw", &reference_in(before)]).ok().stdout;
        let content = String::from_utf8(kept).unwrap();
        mcp.text("context_write", json!({ "path": name, "content": content, "overwrite": true }));
        assert_eq!(fs::read(&path).unwrap(), old, "{name}");
    }
}

/// Stored versions have no secrets, so overwriting the file would lose them.
#[test]
fn does_not_overwrite_a_file_with_secrets() {
    let env = TestEnv::new();
    let secret = "password = \"hunter2-and-more\"\n";
    let path = env.write("settings.py", format!("{secret}port = 1\n"));
    let mut mcp = env.mcp();
    let write =
        |content: String| json!({ "path": "settings.py", "content": content, "overwrite": true });
    let answer = mcp.error("context_write", write("port = 2\n".to_owned()));
    assert_has(&answer, &["redacted: 1 password", "nothing is written", "context_edit"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{secret}port = 1\n"));
    mcp.text("context_write", write(format!("port = 2\n{secret}")));
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("port = 2\n{secret}"));
}

#[test]
fn edits_follow_links_only_within_the_project() {
    let env = TestEnv::with_pool();
    symlink("pool.rs", env.project().join("src/link.rs")).unwrap();
    let outside = env.root().join("outside.rs");
    fs::write(&outside, "fn outside() {}\n").unwrap();
    symlink(&outside, env.project().join("src/out.rs")).unwrap();
    symlink(env.root(), env.project().join("up")).unwrap();
    symlink(env.root().join("new.rs"), env.project().join("src/dangling.rs")).unwrap();
    let mut mcp = env.mcp();
    let through =
        json!({ "path": "src/link.rs", "old_string": "debug_assert!", "new_string": "assert!" });
    assert_has(&mcp.text("context_edit", through), &["src/pool.rs: 1 replacement"]);
    assert!(fs::symlink_metadata(env.project().join("src/link.rs")).unwrap().is_symlink());
    assert_eq!(pool(&env), POOL.replace("debug_assert!", "assert!"));
    for path in ["src/out.rs", "up/outside.rs", "../outside.rs"] {
        let edit = json!({ "path": path, "old_string": "outside", "new_string": "inside" });
        assert_has(&mcp.error("context_edit", edit), &["is outside of the project"]);
        let write = json!({ "path": path, "content": "x", "overwrite": true });
        assert_has(&mcp.error("context_write", write), &["is outside of the project"]);
    }
    let dangling = json!({ "path": "src/dangling.rs", "content": "x" });
    assert_has(&mcp.error("context_write", dangling), &["outside"]);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "fn outside() {}\n");
    assert!(!env.root().join("new.rs").exists());
}

#[test]
fn writes_new_files_and_overwrites_only_on_request() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let answer = mcp.text(
        "context_write",
        json!({ "path": "src/deep/er/new.rs", "content": "pub fn new() {}\n" }),
    );
    assert_has(&answer, &["src/deep/er/new.rs: 1 line, 4 tokens written"]);
    assert_eq!(
        fs::read_to_string(env.project().join("src/deep/er/new.rs")).unwrap(),
        "pub fn new() {}\n"
    );
    assert_has(&mcp.text("context_status", json!({})), &["first\n  src/deep/er/new.rs "]);
    let answer = mcp.error("context_write", json!({ "path": "src/ptr.rs", "content": "x" }));
    assert_has(&answer, &["already exists, with 30 lines", "overwrite=true"]);
    let answer = mcp.text(
        "context_write",
        json!({ "path": "src/ptr.rs", "content": "pub fn x( {}\n", "overwrite": true }),
    );
    assert_has(&answer, &["before: [ctx:", "syntax error: src/ptr.rs:1"]);
    let kept = env.forebay(["get", "--raw", &reference_in(&answer)]).ok();
    assert_eq!(String::from_utf8(kept.stdout).unwrap(), PTR);
    env.write("src/ptr.rs", "pub fn by_others() {}\n");
    let answer = mcp
        .error("context_write", json!({ "path": "src/ptr.rs", "content": "", "overwrite": true }));
    assert_has(&answer, &["has changed since you saw it", "+pub fn by_others() {}"]);
    let answer =
        mcp.error("context_write", json!({ "path": "src", "content": "x", "overwrite": true }));
    assert_has(&answer, &["src is a folder"]);
    let answer = mcp.error("context_write", json!({ "path": "src/ptr.rs/x", "content": "x" }));
    assert_has(&answer, &["cannot write src/ptr.rs/x"]);
}

/// After a failed write the old file is complete and no temporary file remains.
#[test]
#[cfg(target_os = "linux")]
fn a_failed_write_leaves_the_file_unchanged() {
    let env = TestEnv::new();
    env.write("big.txt", format!("one\n{}", "x".repeat(5_000_000)));
    // A file size limit simulates a full disk.
    let script =
        format!("ulimit -f 2000; trap '' XFSZ; exec {} mcp", env!("CARGO_BIN_EXE_forebay"));
    let mut command = env.program("bash");
    command.args(["-c", &script]);
    let mut mcp = crate::mcp_client::McpClient::initialized(command);
    let answer = mcp.error(
        "context_edit",
        json!({ "path": "big.txt", "old_string": "one", "new_string": "two" }),
    );
    assert_has(&answer, &["cannot write big.txt"]);
    let text = fs::read_to_string(env.project().join("big.txt")).unwrap();
    assert!(text.starts_with("one\n") && text.len() == 5_000_004);
    let names = fs::read_dir(env.project()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().contains("forebay")));
}
