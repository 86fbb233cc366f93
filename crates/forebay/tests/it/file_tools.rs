//! The file tools as an agent uses them: reading, peeking, the table, and bad input.

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
    /// A project with a pointer, and a pool that uses it.
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

/// The seed's basic workflow.
#[test]
fn reading_on_makes_a_skeleton_of_what_was_active() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let first = mcp.text("context_read", json!({ "path": "src/ptr.rs" }));
    assert_has(&first, &["src/ptr.rs 30 lines", "hash ", "[ctx:", PTR.trim_end()]);
    assert!(!first.contains("skeleton"), "{first}");

    let second = mcp.text("context_read", json!({ "path": "src/pool.rs" }));
    assert_has(&second, &["src/ptr.rs is now a skeleton: ", " tokens (saved ", POOL.trim_end()]);

    let edit = json!({ "path": "src/pool.rs", "old_string": "pages.pop()", "new_string": "pages.pop().clone()" });
    mcp.text("context_edit", edit);

    let status = mcp.text("context_status", json!({}));
    assert_has(
        &status,
        &["Active: src/pool.rs (full, ", "\nSkeletons:\n  src/ptr.rs ", "Savings: "],
    );
    // Another process tells the same: the list lies in the store.
    let again = McpClient::initialized(env.command(["mcp", "--session", "other"]))
        .text("context_status", json!({}));
    assert_has(&again, &["Active: none"]);
}

/// The seed's second example.
#[test]
fn peeking_shows_the_surface_and_keeps_the_active_file() {
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
    assert_has(&mcp.text("context_status", json!({})), &["Active: src/pool.rs", "  src/ptr.rs "]);
    // Kept by content and made anew with it.
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
        let told = mcp.text("context_edit", edit);
        assert_has(&told, &[" replacements", "before: [ctx:", "SafePtr<"]);
    }
    let status = mcp.text("context_status", json!({}));
    assert_has(&status, &["Active: src/pool.rs", "\n  src/ptr.rs "]);
    let text = fs::read_to_string(env.project().join("src/ptr.rs")).unwrap();
    assert_eq!(text, PTR.replace("Ptr<", "SafePtr<"));
    assert_has(
        &mcp.text("context_forget", json!({ "path": "src/ptr.rs" })),
        &["no longer tracked"],
    );
    assert!(!mcp.text("context_status", json!({})).contains("src/ptr.rs"));
    let told = mcp.fault("context_forget", json!({ "path": "src/ptr.rs" }));
    assert_has(&told, &["src/ptr.rs is not tracked", "tracked: src/pool.rs"]);
}

#[test]
fn without_word_of_compactions_the_text_is_always_given() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let first = mcp.text("context_read", json!({ "path": "src/ptr.rs" }));
    assert_eq!(first, mcp.text("context_read", json!({ "path": "src/ptr.rs" })));
}

#[test]
fn ranges_are_read_and_long_files_come_in_pages() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let part = mcp.text("context_read", json!({ "path": "src/ptr.rs", "lines": "11-14" }));
    assert_has(&part, &["src/ptr.rs lines 11-14 of 30"]);
    assert!(part.ends_with("        Self { raw }\n    }"), "{part}");
    let told = mcp.fault("context_read", json!({ "path": "src/ptr.rs", "lines": "90-" }));
    assert_has(&told, &["src/ptr.rs has 30 lines"]);
    let told = mcp.fault("context_read", json!({ "path": "src/ptr.rs", "lines": "x" }));
    assert_has(&told, &["not a line range"]);

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
    let told = mcp.fault("context_peek", json!({ "paths": "src/ptr.rs", "symbol": "is_nul" }));
    assert_has(&told, &["no symbol `is_nul`", "similar: is_null"]);
    let told = mcp.fault("context_peek", json!({ "paths": "src/ptr.rs", "symbol": " " }));
    assert_has(&told, &["symbol is empty"]);
}

/// What the map does not tell is found as well: implementations of traits and functions in functions.
#[test]
fn a_symbol_is_found_wherever_it_stands() {
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
    let asked = json!({ "paths": "src.rs", "symbol": "Value", "budget": 80 });
    let body = env.mcp().text("context_peek", asked);
    assert_has(&body, &["src.rs lines 47-50\npub enum Value {\n    Null,"]);
    assert!(!body.contains("at length"), "{body}");
}

#[test]
fn a_folder_is_shown_within_one_budget_the_most_imported_first() {
    let env = TestEnv::with_pool();
    env.write("src/alone.rs", "pub fn nobody_imports_this() {}\n");
    env.write("src/other.rs", "use crate::ptr::Ptr;\npub fn other(_: Ptr<u8>) {}\n");
    let mut mcp = env.mcp();
    let all = mcp.text("context_peek", json!({ "paths": "src" }));
    let place = |name: &str| all.find(&format!("=== src/{name} ===")).unwrap();
    assert!(place("ptr.rs") < place("alone.rs") && place("ptr.rs") < place("pool.rs"), "{all}");
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
fn dependencies_follow_where_they_are_wanted() {
    let env = TestEnv::with_pool();
    let mut mcp = env.mcp();
    let alone = mcp.text("context_peek", json!({ "paths": "src/pool.rs" }));
    assert!(!alone.contains("=== src/ptr.rs ==="), "{alone}");
    let both = mcp.text("context_peek", json!({ "paths": "src/pool.rs", "deps": true }));
    let pool = both.find("=== src/pool.rs ===").unwrap();
    assert!(pool < both.find("=== src/ptr.rs ===").unwrap(), "{both}");
}

#[test]
fn what_is_not_shown_beside_others_is_named() {
    let env = TestEnv::with_pool();
    env.write("src/icon.png", b"\x89PNG\0\0");
    let mut mcp = env.mcp();
    let told = mcp.text("context_peek", json!({ "paths": ["src/ptr.rs", "src/gone.rs"] }));
    assert_has(&told, &["pub struct Ptr<T>", "src/gone.rs does not exist"]);
    let told = mcp.fault("context_peek", json!({ "paths": ["gone.rs", "too.rs"] }));
    assert_has(&told, &["gone.rs does not exist; too.rs does not exist"]);
    let told = mcp.text("context_peek", json!({ "paths": "src" }));
    assert_has(&told, &["binary, too large or unreadable: 1 file (src/icon.png)"]);
    env.write("a.py", "def first():\n    pass\n");
    env.write("b.py", "def second():\n    pass\n");
    let told = mcp.text("context_peek", json!({ "paths": ["a.py", "b.py"], "budget": 100 }));
    assert_has(&told, &["def first()", "def second()"]);
}

/// Where nothing is saved, or all places look alike, a word is enough.
#[test]
fn answers_leave_out_what_tells_nothing() {
    let env = TestEnv::with_pool();
    env.write("one.py", "one = 1\n");
    env.write("ones.py", "one = 1\n\n\n\n".repeat(20));
    let mut mcp = env.mcp();
    mcp.text("context_read", json!({ "path": "one.py" }));
    let edit =
        json!({ "path": "ones.py", "old_string": "one", "new_string": "two", "replace_all": true });
    let told = mcp.text("context_edit", edit);
    assert!(!told.contains("skeleton"), "{told}");
    assert_has(&told, &["20 replacements", "9| two = 1", "... and 17 more"]);
    assert!(!told.contains("13| two"), "{told}");
}

#[test]
fn bad_files_are_told_for_what_they_are() {
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
            let told = mcp.fault(tool, input);
            assert_has(&told, &[expect, "\nhint: "]);
        }
    }
}

#[test]
fn a_pipe_is_not_waited_for() {
    let env = TestEnv::with_pool();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        env.project().join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let told = env.mcp().fault("context_read", json!({ "path": "pipe" }));
    assert_has(&told, &["pipe is not a regular file"]);
}

#[test]
fn other_encodings_are_read_and_named() {
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

/// Deep nesting and what no grammar reads in time end with an outline that says so.
#[test]
fn what_is_hard_to_parse_is_answered() {
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
        // Read and followed by another, it is made a skeleton of.
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
fn rules_hold_for_files_and_for_what_folders_hold() {
    let env = TestEnv::with_pool();
    fs::create_dir_all(env.project().join(".claude")).unwrap();
    let rules = json!({ "permissions": { "deny": ["Read(src/ptr.rs)", "Edit(src/pool.rs)"] } });
    env.write(".claude/settings.json", rules.to_string());
    symlink("ptr.rs", env.project().join("src/link.rs")).unwrap();
    let mut mcp = env.mcp();
    for path in ["src/ptr.rs", "src/link.rs", "./src/../src/ptr.rs"] {
        assert_has(
            &mcp.fault("context_read", json!({ "path": path })),
            &["Read(src/ptr.rs) denies it"],
        );
        assert_has(
            &mcp.fault("context_peek", json!({ "path": path })),
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
    assert_has(&mcp.fault("context_edit", edit), &["Edit(src/pool.rs) denies it"]);
    let write = json!({ "path": "src/pool.rs", "content": "", "overwrite": true });
    assert_has(&mcp.fault("context_write", write), &["Edit(src/pool.rs) denies it"]);
    for own in [".claude/settings.json", ".git/config", ".forebay.toml"] {
        let write = json!({ "path": own, "content": "x", "overwrite": true });
        assert_has(&mcp.fault("context_write", write), &["controls what may be run or changed"]);
    }
    assert_eq!(fs::read_to_string(env.project().join("src/pool.rs")).unwrap(), POOL);
}

#[test]
fn a_text_is_kept_without_its_secrets_and_given_with_them() {
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
