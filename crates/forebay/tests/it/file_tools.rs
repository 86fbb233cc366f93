//! The file tools as an agent uses them: reading, peeking, status and invalid input.

use std::fs::{self, File};
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::env::{TestEnv, reference_in};
use crate::mcp_client::McpClient;

pub(crate) const PTR: &str = r#"//! Type-safe pointer wrapper for raw memory operations.

/// A wrapper around a raw pointer.
#[derive(Debug, Clone)]
pub struct Ptr<T> {
    raw: *mut T,
}

impl<T> Ptr<T> {
    /// Wraps a raw pointer.
    pub fn new(raw: *mut T) -> Self {
        check(raw);
        Self { raw }
    }

    pub fn is_null(&self) -> bool {
        self.raw.is_null()
    }

    pub unsafe fn read(&self) -> T {
        unsafe { self.raw.read() }
    }
}

fn check<T>(raw: *mut T) {
    let address = raw as usize;
    assert!(address % std::mem::align_of::<T>() == 0, "not aligned: {address}");
}

pub type RawPtr = Ptr<u8>;
"#;

pub(crate) const POOL: &str = r"//! A pool of pages.

use crate::ptr::Ptr;

pub struct Pool {
    pages: Vec<Ptr<u8>>,
}

impl Pool {
    pub fn take(&mut self) -> Option<Ptr<u8>> {
        let page = self.pages.pop();
        self.count_down();
        page
    }

    fn count_down(&mut self) {
        let left = self.pages.len();
        debug_assert!(left < 1_000_000);
    }
}
";

impl TestEnv {
    /// Creates a project with a pointer type and a pool that uses it.
    pub(crate) fn with_pool() -> Self {
        let env = Self::new();
        env.write("Cargo.toml", "[package]\nname = \"pool\"\n");
        fs::create_dir(env.project().join("src")).unwrap();
        env.write("src/lib.rs", "//! Pages.\n\npub mod pool;\npub mod ptr;\n");
        env.write("src/ptr.rs", PTR);
        env.write("src/pool.rs", POOL);
        env
    }
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

/// The first lines of a status: what was delivered of each file, most recent first.
fn first_files(status: &str) -> Vec<&str> {
    status.lines().skip(1).map(str::trim).collect()
}

#[test]
fn status_lists_what_was_delivered_and_claims_no_savings() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let first = mcp.text("context_read", json!({ "path": "src/ptr.rs" }));
    assert_has(&first, &["src/ptr.rs 30 lines", "hash ", "[ctx:", PTR.trim_end()]);
    assert!(!first.contains("skeleton"), "{first}");

    let second = mcp.text("context_read", json!({ "path": "src/pool.rs" }));
    // The text of the first file stays in the conversation.
    assert_has(&second, &[POOL.trim_end()]);
    assert!(!second.contains("skeleton") && !second.contains("saved"), "{second}");

    let edit = json!({ "path": "src/pool.rs", "old_string": "pages.pop()", "new_string": "pages.pop().clone()" });
    mcp.text("context_edit", edit);

    let status = mcp.text("context_status", json!({}));
    assert_has(
        &status,
        &["2 files, most recent first\n  src/pool.rs ", "\n  src/ptr.rs   lines 1-30 of 30, "],
    );
    assert!(!status.to_lowercase().contains("sav"), "{status}");
    // Another session was given nothing.
    let again = McpClient::initialized(env.command(["mcp", "--session", "other"]))
        .text("context_status", json!({}));
    assert_has(&again, &["no files yet"]);
}

/// The seed's second example.
#[test]
fn peeking_shows_the_skeleton_and_keeps_the_active_file() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    mcp.text("context_read", json!({ "path": "src/pool.rs" }));
    let seen = mcp.text("context_peek", json!({ "path": "src/ptr.rs" }));
    assert_has(
        &seen,
        &[
            "// === src/ptr.rs ===",
            "// Purpose: Type-safe pointer wrapper",
            "#[derive(Debug, Clone)]",
            "pub fn new(raw: *mut T) -> Self",
            "pub fn is_null(&self) -> bool",
            "pub unsafe fn read(&self) -> T",
            "pub type RawPtr = Ptr<u8>;",
        ],
    );
    assert!(!seen.contains("align_of") && !seen.contains("fn check"), "{seen}");
    let status = mcp.text("context_status", json!({}));
    assert!(first_files(&status)[0].starts_with("src/ptr.rs   skeleton, "), "{status}");
    assert!(first_files(&status)[1].starts_with("src/pool.rs  lines 1-"), "{status}");
    // The skeleton is cached by content.
    assert_eq!(seen, mcp.text("context_peek", json!({ "path": "src/ptr.rs" })));
    env.write("src/ptr.rs", PTR.replace("is_null", "is_nothing"));
    let changed = mcp.text("context_peek", json!({ "path": "src/ptr.rs" }));
    assert_has(&changed, &["pub fn is_nothing(&self)"]);
}

/// The seed's third example.
#[test]
fn a_refactoring_over_several_files_leaves_one_active() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    for path in ["src/ptr.rs", "src/pool.rs"] {
        mcp.text("context_read", json!({ "path": path }));
        let edit = json!({ "path": path, "old_string": "Ptr<", "new_string": "SafePtr<", "replace_all": true });
        let answer = mcp.text("context_edit", edit);
        assert_has(&answer, &[" replacements", "before: [ctx:", "SafePtr<"]);
    }
    let status = mcp.text("context_status", json!({}));
    assert!(first_files(&status)[0].starts_with("src/pool.rs "), "{status}");
    assert!(first_files(&status)[1].starts_with("src/ptr.rs "), "{status}");
    let text = fs::read_to_string(env.project().join("src/ptr.rs")).unwrap();
    assert_eq!(text, PTR.replace("Ptr<", "SafePtr<"));
    assert_has(
        &mcp.text("context_forget", json!({ "path": "src/ptr.rs" })),
        &["no longer tracked"],
    );
    assert!(!mcp.text("context_status", json!({})).contains("src/ptr.rs"));
    let answer = mcp.error("context_forget", json!({ "path": "src/ptr.rs" }));
    assert_has(&answer, &["src/ptr.rs is not tracked", "tracked: src/pool.rs"]);
}

#[test]
fn returns_the_text_every_time_without_compaction_hooks() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let first = mcp.text("context_read", json!({ "path": "src/ptr.rs" }));
    assert_eq!(first, mcp.text("context_read", json!({ "path": "src/ptr.rs" })));
}

#[test]
fn reads_line_ranges_and_pages_long_files() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let part = mcp.text("context_read", json!({ "path": "src/ptr.rs", "lines": "11-14" }));
    assert_has(&part, &["src/ptr.rs lines 11-14 of 30"]);
    assert!(part.ends_with("        Self { raw }\n    }"), "{part}");
    let answer = mcp.error("context_read", json!({ "path": "src/ptr.rs", "lines": "90-" }));
    assert_has(&answer, &["src/ptr.rs has 30 lines"]);
    let answer = mcp.error("context_read", json!({ "path": "src/ptr.rs", "lines": "x" }));
    assert_has(&answer, &["not a line range"]);

    let long: String =
        (1..=9_000).map(|number| format!("let line_{number} = {number};\n")).collect();
    env.write("long.rs", &long);
    let page = mcp.text("context_read", json!({ "path": "long.rs" }));
    assert!(page.len() <= 60_000, "{}", page.len());
    let more = page.lines().find_map(|line| line.strip_prefix("more: context_read long.rs lines="));
    let next = mcp.text("context_read", json!({ "path": "long.rs", "lines": more.unwrap() }));
    let first_of_next: u64 = more.unwrap().split('-').next().unwrap().parse().unwrap();
    assert_has(&next, &[&format!("\n\nlet line_{first_of_next} = ")]);
    assert!(page.ends_with(&format!("= {};", first_of_next - 1)));

    env.write("one_line.json", format!("[{}1]", "1,".repeat(200_000)));
    let cut = mcp.text("context_read", json!({ "path": "one_line.json" }));
    assert_has(&cut, &["line 1 is cut; full: ctx_get "]);
}

#[test]
fn a_symbol_is_shown_with_its_body() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    for path in ["src/ptr.rs", ".", "src", "src/*.rs"] {
        let body = mcp.text("context_peek", json!({ "paths": path, "symbol": "Ptr::new" }));
        assert_has(&body, &["src/ptr.rs lines 10-14\n", "/// Wraps a raw pointer.", "check(raw);"]);
        assert!(!body.contains("is_null"), "{body}");
    }
    let answer = mcp.error("context_peek", json!({ "paths": "src/ptr.rs", "symbol": "is_nul" }));
    assert_has(&answer, &["no symbol `is_nul`", "similar: is_null"]);
    let answer = mcp.error("context_peek", json!({ "paths": "src/ptr.rs", "symbol": " " }));
    assert_has(&answer, &["symbol is empty"]);
}

/// The map omits these symbols, but peeking finds them.
#[test]
fn finds_symbols_in_trait_implementations_and_nested_functions() {
    let env = TestEnv::with_pool();
    env.write(
        "src/walk.rs",
        "pub struct Walk;\nimpl Iterator for Walk {\n    type Item = u8;\n    fn next(&mut self) -> Option<u8> {\n        fn step_on() -> u8 {\n            7\n        }\n        Some(step_on())\n    }\n}\n",
    );
    let mut mcp = env.mcp();
    for (symbol, expect) in [
        ("next", "src/walk.rs lines 4-9\n"),
        ("Walk::next", "src/walk.rs lines 4-9\n"),
        ("crate::walk::Walk::next", "src/walk.rs lines 4-9\n"),
        ("step_on", "src/walk.rs lines 5-7\n"),
        ("RawPtr", "src/ptr.rs line 30\n"),
    ] {
        for path in [".", "src"] {
            let body = mcp.text("context_peek", json!({ "paths": path, "symbol": symbol }));
            assert_has(&body, &[expect]);
        }
    }
}

#[test]
fn a_tight_budget_shows_the_definition_first() {
    let env = TestEnv::new();
    let docs = "/// What a value is, at length.\n".repeat(40);
    env.write(
        "src.rs",
        format!(
            "impl Default for &Value {{\n    fn default() -> Self {{\n        &Value::Null\n    }}\n}}\n\n{docs}pub enum Value {{\n    Null,\n    Text(String),\n}}\n"
        ),
    );
    let input = json!({ "paths": "src.rs", "symbol": "Value", "budget": 80 });
    let body = env.mcp().text("context_peek", input);
    assert_has(&body, &["src.rs lines 47-50\npub enum Value {\n    Null,"]);
    assert!(!body.contains("at length"), "{body}");
}

#[test]
fn a_folder_shares_one_budget_with_the_most_imported_files_first() {
    let env = TestEnv::with_pool();
    env.write("src/alone.rs", "pub fn nobody_imports_this() {}\n");
    env.write("src/other.rs", "use crate::ptr::Ptr;\npub fn other(_: Ptr<u8>) {}\n");
    let mut mcp = env.mcp();
    let all = mcp.text("context_peek", json!({ "paths": "src" }));
    let position = |name: &str| all.find(&format!("=== src/{name} ===")).unwrap();
    assert!(
        position("ptr.rs") < position("alone.rs") && position("ptr.rs") < position("pool.rs"),
        "{all}"
    );
    let few = mcp.text("context_peek", json!({ "paths": ["src/*.rs"], "budget": 150 }));
    assert_has(&few, &["=== src/ptr.rs ===", "left out: "]);
    assert!(few.len() <= 600, "{}", few.len());
    let minimal =
        mcp.text("context_peek", json!({ "paths": "src/ptr.rs", "verbosity": "minimal" }));
    let verbose =
        mcp.text("context_peek", json!({ "paths": "src/ptr.rs", "verbosity": "verbose" }));
    assert!(minimal.len() < verbose.len() && verbose.contains("/// Wraps a raw pointer."));
}

#[test]
fn deps_includes_the_imported_files() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let alone = mcp.text("context_peek", json!({ "paths": "src/pool.rs" }));
    assert!(!alone.contains("=== src/ptr.rs ==="), "{alone}");
    let both = mcp.text("context_peek", json!({ "paths": "src/pool.rs", "deps": true }));
    let pool = both.find("=== src/pool.rs ===").unwrap();
    assert!(pool < both.find("=== src/ptr.rs ===").unwrap(), "{both}");
}

#[test]
fn names_the_paths_that_cannot_be_shown() {
    let env = TestEnv::with_pool();
    env.write("src/icon.png", b"\x89PNG\0\0");
    let mut mcp = env.mcp();
    let answer = mcp.text("context_peek", json!({ "paths": ["src/ptr.rs", "src/gone.rs"] }));
    assert_has(&answer, &["pub struct Ptr<T>", "src/gone.rs does not exist"]);
    let answer = mcp.error("context_peek", json!({ "paths": ["gone.rs", "too.rs"] }));
    assert_has(&answer, &["gone.rs does not exist; too.rs does not exist"]);
    let answer = mcp.text("context_peek", json!({ "paths": "src" }));
    assert_has(&answer, &["binary, too large or unreadable: 1 file (src/icon.png)"]);
    env.write("a.py", "def first():\n    pass\n");
    env.write("b.py", "def second():\n    pass\n");
    let answer = mcp.text("context_peek", json!({ "paths": ["a.py", "b.py"], "budget": 100 }));
    assert_has(&answer, &["def first()", "def second()"]);
}

/// An answer mentions a skeleton only if it saves tokens, and abbreviates similar replacements.
#[test]
fn answers_omit_redundant_details() {
    let env = TestEnv::with_pool();
    env.write("one.py", "one = 1\n");
    env.write("ones.py", "one = 1\n\n\n\n".repeat(20));
    let mut mcp = env.mcp();
    mcp.text("context_read", json!({ "path": "one.py" }));
    let edit =
        json!({ "path": "ones.py", "old_string": "one", "new_string": "two", "replace_all": true });
    let answer = mcp.text("context_edit", edit);
    assert!(!answer.contains("skeleton"), "{answer}");
    assert_has(&answer, &["20 replacements", "9| two = 1", "... and 17 more"]);
    assert!(!answer.contains("13| two"), "{answer}");
}

#[test]
fn reports_why_a_file_cannot_be_read() {
    let env = TestEnv::with_pool();
    env.write("program", b"\x7fELF\0\0\x01");
    File::create(env.project().join("huge.rs")).unwrap().set_len(1 << 30).unwrap();
    symlink("/dev/zero", env.project().join("device")).unwrap();
    symlink("loop", env.project().join("loop")).unwrap();
    let mut mcp = env.mcp();
    for (path, expect) in [
        ("absent.rs", "absent.rs does not exist"),
        ("src", "src is a folder"),
        ("program", "program is binary (7 B)"),
        ("huge.rs", "huge.rs has 1.1 GB"),
        ("device", "/dev/zero is outside of the project"),
        ("../home", "is outside of the project"),
        ("/etc/hosts", "/etc/hosts is outside of the project"),
        ("loop", "loop"),
        ("", "invalid path"),
        ("src/ptr.rs\0", "invalid path"),
    ] {
        for tool in ["context_read", "context_peek", "context_edit"] {
            if (path, tool) == ("src", "context_peek") {
                continue;
            }
            let mut input = json!({ "path": path });
            if tool == "context_edit" {
                input["old_string"] = "a".into();
                input["new_string"] = "b".into();
            }
            let answer = mcp.error(tool, input);
            assert_has(&answer, &[expect, "\nhint: "]);
        }
    }
}

#[test]
fn refuses_a_named_pipe_without_blocking() {
    let env = TestEnv::with_pool();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        env.project().join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let answer = env.mcp().error("context_read", json!({ "path": "pipe" }));
    assert_has(&answer, &["pipe is not a regular file"]);
}

#[test]
fn reads_and_names_other_encodings() {
    let env = TestEnv::new();
    env.write("latin.py", b"def caf\xe9():\r\n    pass\r\n");
    let wide: Vec<u8> =
        "\u{feff}public class Über {}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    env.write("Wide.cs", wide);
    let mut mcp = env.mcp();
    let latin = mcp.text("context_read", json!({ "path": "latin.py" }));
    assert_has(&latin, &["Latin-1, CRLF", "def café():\n    pass"]);
    let wide = mcp.text("context_read", json!({ "path": "Wide.cs" }));
    assert_has(&wide, &["UTF-16", "public class Über {}"]);
    assert_has(&mcp.text("context_peek", json!({ "path": "Wide.cs" })), &["public class Über"]);
}

/// Deep nesting and parser timeouts fall back to an outline that reports the reason.
#[test]
fn files_that_are_hard_to_parse_get_an_outline() {
    let env = TestEnv::new();
    env.write(
        "deep.rs",
        format!("fn deep() {{ {}{} }}\n", "(".repeat(100_000), ")".repeat(100_000)),
    );
    env.write("open.js", "[".repeat(100_000));
    env.write("deep.json", format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000)));
    env.write("deep.html", "<div>\n".repeat(30_000));
    env.write("open.yaml", format!("a: {}\nb: 2\n", "[".repeat(100_000)));
    env.write("broken.py", "class A:\n    def first(self):\n        return (1,\n\n    def second(self):\n        pass\n");
    env.write("all.min.js", "var a=1;".repeat(2_000));
    let mut mcp = env.mcp();
    for path in ["deep.rs", "open.js", "deep.json", "deep.html", "open.yaml"] {
        // The next read reduces this file to a skeleton.
        assert_has(&mcp.text("context_read", json!({ "path": path })), &[path]);
        assert_has(&mcp.text("context_peek", json!({ "path": path })), &[path]);
    }
    let broken = mcp.text("context_peek", json!({ "path": "broken.py" }));
    assert_has(&broken, &["syntax error at line", "def first(self)", "def second(self)"]);
    assert_has(
        &mcp.text("context_peek", json!({ "path": "all.min.js" })),
        &["minified: no items shown"],
    );
}

#[test]
fn rules_apply_to_files_and_folder_contents() {
    let env = TestEnv::with_pool();
    fs::create_dir_all(env.project().join(".claude")).unwrap();
    let rules = json!({ "permissions": { "deny": ["Read(src/ptr.rs)", "Edit(src/pool.rs)"] } });
    env.write(".claude/settings.json", rules.to_string());
    symlink("ptr.rs", env.project().join("src/link.rs")).unwrap();
    let mut mcp = env.mcp();
    for path in ["src/ptr.rs", "src/link.rs", "./src/../src/ptr.rs"] {
        assert_has(
            &mcp.error("context_read", json!({ "path": path })),
            &["Read(src/ptr.rs) denies it"],
        );
        assert_has(
            &mcp.error("context_peek", json!({ "path": path })),
            &["Read(src/ptr.rs) denies it"],
        );
    }
    for paths in ["src", "src/*.rs"] {
        let seen = mcp.text("context_peek", json!({ "paths": paths }));
        assert!(seen.contains("src/pool.rs") && !seen.contains("is_null"), "{seen}");
    }
    let map = mcp.text("context_peek", json!({ "paths": "." }));
    assert!(map.contains("src/pool.rs") && !map.contains("src/ptr.rs"), "{map}");
    let edit = json!({ "path": "src/pool.rs", "old_string": "pop", "new_string": "push" });
    assert_has(&mcp.error("context_edit", edit), &["Edit(src/pool.rs) denies it"]);
    let write = json!({ "path": "src/pool.rs", "content": "", "overwrite": true });
    assert_has(&mcp.error("context_write", write), &["Edit(src/pool.rs) denies it"]);
    for own in [".claude/settings.json", ".git/config", ".forebay.toml"] {
        let write = json!({ "path": own, "content": "x", "overwrite": true });
        assert_has(&mcp.error("context_write", write), &["controls what may be run or changed"]);
    }
    assert_eq!(fs::read_to_string(env.project().join("src/pool.rs")).unwrap(), POOL);
}

#[test]
fn stores_a_file_without_its_secrets_and_returns_it_with_them() {
    let env = TestEnv::new();
    env.write("settings.py", "password = \"hunter2-and-more\"\nport = 1\n");
    let mut mcp = env.mcp();
    let read = mcp.text("context_read", json!({ "path": "settings.py" }));
    assert_has(&read, &["hunter2-and-more"]);
    let kept = mcp.text("ctx_get", json!({ "ref": reference_in(&read) }));
    assert!(!kept.contains("hunter2") && kept.contains("redacted"), "{kept}");
    let edit = json!({ "path": "settings.py", "old_string": "port = 1", "new_string": "port = 2" });
    assert_has(&mcp.text("context_edit", edit), &["redacted: 1 password: restore by hand"]);
    let text = fs::read_to_string(env.project().join("settings.py")).unwrap();
    assert_eq!(text, "password = \"hunter2-and-more\"\nport = 2\n");
}
