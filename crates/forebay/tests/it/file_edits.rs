//! Edits through the real thing: exact, refused when unsure, written whole or not at all.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use serde_json::{Value, json};

use crate::env::{TestEnv, reference_in};
use crate::file_tools::{POOL, PTR};

/// An edit of the pool.
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
fn an_edit_shows_its_lines_and_where_the_old_text_is() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let told = mcp.text(
        "context_edit",
        edit("    pages: Vec<Ptr<u8>>,", "    pages: Vec<Ptr<u8>>,\n    left: usize,"),
    );
    assert_has(&told, &["src/pool.rs: 1 replacement · hash ", "7|     left: usize,"]);
    assert!(!told.contains("syntax error"), "{told}");
    let before = told.split("before: ").nth(1).unwrap();
    let kept = env.forebay(["get", "--raw", &reference_in(before)]).ok();
    assert_eq!(String::from_utf8(kept.stdout).unwrap(), POOL);
    assert_eq!(pool(&env), POOL.replace("Vec<Ptr<u8>>,", "Vec<Ptr<u8>>,\n    left: usize,"));
}

#[test]
fn a_miss_names_what_is_nearest() {
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
        let told = mcp.fault("context_edit", edit(old, "x"));
        assert_has(
            &told,
            &["old_string is not in src/pool.rs; the file is unchanged", expect, "\nhint: "],
        );
    }
    assert_has(&mcp.fault("context_edit", edit("zebra", "x")), &["no similar text"]);
    assert_has(
        &mcp.fault("context_edit", edit("", "x")),
        &["old_string is empty", "context_write"],
    );
    assert_has(&mcp.fault("context_edit", edit("pop", "pop")), &["are the same"]);
    env.write("quotes.py", "print('a')\n");
    let quotes =
        json!({ "path": "quotes.py", "old_string": "print(\u{2018}a\u{2019})", "new_string": "x" });
    assert_has(&mcp.fault("context_edit", quotes), &["line 1 differs in quotes only:"]);
    for (old, expect) in [
        ("print(\"a\")", "line 1 differs in quotes only:"),
        ("Print('a')", "line 1 differs in letter case only:"),
        ("print( \"a\")", "line 1 differs in quotes, dashes, case or whitespace only:"),
        ("print('a')\\n", "line 1 differs only where old_string has a literal \\n or \\t:"),
    ] {
        let miss = json!({ "path": "quotes.py", "old_string": old, "new_string": "x" });
        assert_has(&mcp.fault("context_edit", miss), &[expect]);
    }
    assert_eq!(pool(&env), POOL);
}

#[test]
fn an_ambiguous_edit_lists_its_places() {
    let env = TestEnv::with_pool();
    let told = env.mcp().fault("context_edit", edit("self.pages", "self.sheets"));
    assert_has(
        &told,
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
fn an_edit_of_what_changed_is_refused_with_the_change() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    mcp.text("context_read", json!({ "path": "src/pool.rs" }));
    let others = POOL.replace("A pool of pages.", "Many pages.");
    env.write("src/pool.rs", &others);
    let told = mcp.fault("context_edit", edit("debug_assert!", "assert!"));
    assert_has(
        &told,
        &["has changed since you saw it", "-//! A pool of pages.", "+//! Many pages.", "repeat it"],
    );
    assert_eq!(pool(&env), others);
    mcp.text("context_edit", edit("debug_assert!", "assert!"));
    assert_eq!(pool(&env), others.replace("debug_assert!", "assert!"));
    // A change too large to be shown must be read.
    env.write("src/pool.rs", "// changed\n".repeat(2_000));
    let told = mcp.fault("context_edit", edit("changed", "x"));
    assert_has(&told, &["more changed lines", "read it again"]);
    assert!(told.len() < 1_000, "{told}");
    assert_has(&mcp.fault("context_edit", edit("changed", "x")), &["has changed since you saw it"]);
}

#[test]
fn a_hash_that_is_not_the_files_is_refused() {
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
        &mcp.fault("context_edit", expecting("00000000")),
        &[&format!("now has hash {hash}")],
    );
    assert_has(&mcp.fault("context_edit", expecting("abc")), &["hexadecimal digits"]);
    let told = mcp.text("context_edit", expecting(&hash));
    let next = told.split("hash ").nth(1).unwrap()[..8].to_owned();
    assert_has(&mcp.fault("context_edit", expecting(&hash)), &[&format!("now has hash {next}")]);
}

#[test]
fn errors_that_an_edit_brings_are_told_with_their_place() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let told = mcp.text("context_edit", edit("        page\n    }\n", "        page\n"));
    assert_has(&told, &["syntax error: src/pool.rs:"]);
    // What is broken already is not told again.
    let told = mcp.text("context_edit", edit("A pool of pages.", "Pages."));
    assert!(!told.contains("syntax error"), "{told}");
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
fn a_dry_run_shows_the_change_and_makes_none() {
    let env = TestEnv::with_pool();
    let mut input = edit("debug_assert!(left", "assert!((left");
    input["dry_run"] = true.into();
    let told = env.mcp().text("context_edit", input);
    assert_has(
        &told,
        &["dry run, src/pool.rs is unchanged", "-        debug_assert!(left", "syntax error"],
    );
    assert_eq!(pool(&env), POOL);
}

#[test]
fn line_ends_marks_encodings_and_permissions_stay() {
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
    let told = mcp.fault(
        "context_edit",
        json!({ "path": "latin.txt", "old_string": "d\u{e9}", "new_string": "→" }),
    );
    assert_has(&told, &["cannot edit latin.txt: Latin-1 cannot represent '→'"]);
    assert_eq!(fs::read(env.project().join("latin.txt")).unwrap(), b"caf\xe9 d\xe9j\xe0\n");
}

#[test]
fn a_file_is_put_back_byte_for_byte() {
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
        let told = mcp.text("context_edit", edit);
        let before = told.split("before: ").nth(1).unwrap();
        let kept = env.forebay(["get", "--raw", &reference_in(before)]).ok().stdout;
        let content = String::from_utf8(kept).unwrap();
        mcp.text("context_write", json!({ "path": name, "content": content, "overwrite": true }));
        assert_eq!(fs::read(&path).unwrap(), old, "{name}");
    }
}

/// The version that is kept has no secrets, so writing over them would lose them.
#[test]
fn a_file_with_secrets_is_not_written_over() {
    let env = TestEnv::new();
    let secret = "password = \"hunter2-and-more\"\n";
    let path = env.write("settings.py", format!("{secret}port = 1\n"));
    let mut mcp = env.mcp();
    let write =
        |content: String| json!({ "path": "settings.py", "content": content, "overwrite": true });
    let told = mcp.fault("context_write", write("port = 2\n".to_owned()));
    assert_has(&told, &["redacted: 1 password", "nothing is written", "context_edit"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{secret}port = 1\n"));
    mcp.text("context_write", write(format!("port = 2\n{secret}")));
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("port = 2\n{secret}"));
}

#[test]
fn a_link_stays_a_link_and_leads_nowhere_else() {
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
        assert_has(&mcp.fault("context_edit", edit), &["is outside of the project"]);
        let write = json!({ "path": path, "content": "x", "overwrite": true });
        assert_has(&mcp.fault("context_write", write), &["is outside of the project"]);
    }
    let dangling = json!({ "path": "src/dangling.rs", "content": "x" });
    assert_has(&mcp.fault("context_write", dangling), &["outside"]);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "fn outside() {}\n");
    assert!(!env.root().join("new.rs").exists());
}

#[test]
fn a_file_is_written_anew_and_replaced_only_when_wanted() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let told = mcp.text(
        "context_write",
        json!({ "path": "src/deep/er/new.rs", "content": "pub fn new() {}\n" }),
    );
    assert_has(&told, &["src/deep/er/new.rs: 1 line, 4 tokens written"]);
    assert_eq!(
        fs::read_to_string(env.project().join("src/deep/er/new.rs")).unwrap(),
        "pub fn new() {}\n"
    );
    assert_has(&mcp.text("context_status", json!({})), &["Active: src/deep/er/new.rs"]);
    let told = mcp.fault("context_write", json!({ "path": "src/ptr.rs", "content": "x" }));
    assert_has(&told, &["already exists, with 30 lines", "overwrite=true"]);
    let told = mcp.text(
        "context_write",
        json!({ "path": "src/ptr.rs", "content": "pub fn x( {}\n", "overwrite": true }),
    );
    assert_has(&told, &["before: [ctx:", "syntax error: src/ptr.rs:1"]);
    let kept = env.forebay(["get", "--raw", &reference_in(&told)]).ok();
    assert_eq!(String::from_utf8(kept.stdout).unwrap(), PTR);
    env.write("src/ptr.rs", "pub fn by_others() {}\n");
    let told = mcp
        .fault("context_write", json!({ "path": "src/ptr.rs", "content": "", "overwrite": true }));
    assert_has(&told, &["has changed since you saw it", "+pub fn by_others() {}"]);
    let told =
        mcp.fault("context_write", json!({ "path": "src", "content": "x", "overwrite": true }));
    assert_has(&told, &["src is a folder"]);
    let told = mcp.fault("context_write", json!({ "path": "src/ptr.rs/x", "content": "x" }));
    assert_has(&told, &["cannot write src/ptr.rs/x"]);
}

/// A disk without room: the old file stays whole, nothing is left beside it.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_cannot_be_written_is_as_it_was() {
    let env = TestEnv::new();
    env.write("big.txt", format!("one\n{}", "x".repeat(5_000_000)));
    // The largest file a process may write, as a full disk would have it.
    let script =
        format!("ulimit -f 2000; trap '' XFSZ; exec {} mcp", env!("CARGO_BIN_EXE_forebay"));
    let mut command = env.program("bash");
    command.args(["-c", &script]);
    let mut mcp = crate::mcp_client::McpClient::initialized(command);
    let told = mcp.fault(
        "context_edit",
        json!({ "path": "big.txt", "old_string": "one", "new_string": "two" }),
    );
    assert_has(&told, &["cannot write big.txt"]);
    let text = fs::read_to_string(env.project().join("big.txt")).unwrap();
    assert!(text.starts_with("one\n") && text.len() == 5_000_004);
    let names = fs::read_dir(env.project()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().contains("forebay")));
}
