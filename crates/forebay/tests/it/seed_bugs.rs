//! Regression tests for the bugs that the author of the predecessor reported.

use serde_json::json;

use crate::env::{TestEnv, reference_in};
use crate::texts::varied_log;

#[test]
fn every_reference_can_be_read_back() {
    let env = TestEnv::new();
    let run = env.forebay(["run", "--", "echo of a run"]).ok().reference();
    let note = env.noted("of a note");
    env.write("d.jsonl", "{\"id\":1,\"text\":\"of a source\"}\n");
    let source = env.forebay(["index", "--jsonl", "d.jsonl", "--source", "s"]).ok().reference();
    let mut mcp = env.mcp();
    let by_tool = reference_in(&mcp.text("ctx_execute", json!({ "code": "echo by tool" })));
    let all =
        [(run, "of a run"), (note, "of a note"), (source, "of a source"), (by_tool, "by tool")];
    for (reference, expect) in all {
        assert_eq!(env.forebay(["get", &reference]).ok().body(), expect);
        let got = mcp.text("ctx_get", json!({ "ref": format!("[ctx:{reference}]") }));
        assert!(got.ends_with(expect), "{got}");
    }
}

#[test]
fn data_survives_restarts() {
    let env = TestEnv::new();
    let mut references = Vec::new();
    for number in 0..5 {
        let mut mcp = env.mcp();
        let noted = mcp.text("ctx_annotate", json!({ "text": format!("of start {number}") }));
        references.push(reference_in(&noted));
        assert!(mcp.close().success());
        env.forebay(["doctor"]).ok();
        for (start, reference) in references.iter().enumerate() {
            assert_eq!(env.forebay(["get", reference]).ok().body(), format!("of start {start}"));
        }
    }
}

#[test]
fn search_matches_words_in_any_order() {
    let env = TestEnv::new();
    env.noted("Vectorize stays optional");
    let found = env.forebay(["search", "Vectorize optional"]).ok().text();
    assert!(found.contains("Vectorize stays optional"), "{found}");
    let found = env.forebay(["search", "optional unheard Vectorize"]).ok().text();
    assert!(found.contains("Vectorize stays optional"), "{found}");
}

#[test]
fn summaries_contain_no_carriage_returns() {
    let env = TestEnv::new();
    let windows = varied_log(2_000).replace('\n', "\r\n");
    for content in ["one\r\ntwo\r\n", "10%\r20%\r100%\r\ndone\r\n", &windows] {
        env.write("out", content);
        let ran = env.forebay(["run", "--", "cat out"]).ok();
        assert!(!ran.stdout.contains(&b'\r'), "{:?}", ran.text());
        let got = env.forebay(["get", &ran.reference()]).ok();
        assert!(!got.stdout.contains(&b'\r'), "{:?}", got.text());
        let json = env.forebay(["run", "--json", "--", "cat out"]).ok().json();
        assert!(!json["digest"].as_str().unwrap().contains('\r'));
        let raw = env.forebay(["get", "--raw", &ran.reference()]).ok().stdout;
        assert_eq!(raw, content.as_bytes(), "the raw bytes keep them");
    }
    env.noted("a note\r\nof two lines\r\n");
    for line in [["search", "note"], ["search", "lines"]] {
        assert!(!env.forebay(line).ok().stdout.contains(&b'\r'));
    }
    assert!(!env.forebay(["history"]).ok().stdout.contains(&b'\r'));
}

#[test]
fn success_is_reported_only_for_commands_that_ran() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let made = mcp.text("ctx_execute", json!({ "code": "echo really > made; cat made" }));
    assert!(made.ends_with("really"), "{made}");
    assert!(env.project().join("made").exists(), "the command really ran");
    let failed = mcp.text("ctx_execute", json!({ "code": "no-such-program-here" }));
    assert!(failed.contains("] exit 127 · ") && failed.contains("not found"), "{failed}");
    assert!(
        mcp.error("ctx_execute", json!({ "code": "true", "cwd": "/no/such" })).contains("exist")
    );
}

#[test]
fn notes_keep_their_raw_text() {
    let env = TestEnv::new();
    let text = "why we did it: ".repeat(300);
    let mut mcp = env.mcp();
    let reference = reference_in(&mcp.text("ctx_annotate", json!({ "text": text })));
    let raw = env.forebay(["get", "--raw", &reference]).ok().stdout;
    assert_eq!(raw, text.trim().as_bytes());
}

#[test]
fn purge_deletes_unexpired_entries() {
    let env = TestEnv::new();
    let fresh = env.stored("fresh output\n");
    env.forebay(["purge", "--yes", &fresh]).ok();
    assert_eq!(env.forebay(["get", &fresh]).code(), Some(1));

    env.noted("fresh note");
    env.stored("more output\n");
    env.forebay(["purge", "--everything", "--yes"]).ok();
    assert!(env.forebay(["history", "--all"]).ok().text().contains("nothing yet"));
    let store = env.forebay(["stats", "--json"]).ok().json()["store"].clone();
    assert_eq!((&store["raw_bytes"], &store["chunks"]), (&json!(0), &json!(0)), "{store}");
}

#[test]
fn quoted_arguments_are_not_split() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let line = r#"printf '%s|' "two words" 'it'"'"'s' "a \"b\"" '$HOME' "$((1 + 1))""#;
    let ran = mcp.text("ctx_execute", json!({ "code": line }));
    assert!(ran.ends_with(r#"two words|it's|a "b"|$HOME|2|"#), "{ran}");
    let ran = env.forebay(["run", "--", "sh", "-c", "printf '%s|' \"$@\"", "sh", "a b", "c"]).ok();
    assert_eq!(ran.body(), "a b|c|");
}
