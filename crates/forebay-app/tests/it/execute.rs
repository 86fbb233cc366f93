//! Running commands, and reading their stored output.

use forebay_app::{Capabilities, ErrorKind};
use serde_json::json;

use crate::env::{TestEnv, assert_has, assert_within, string_at};

#[test]
fn stores_output_that_get_returns_whole() {
    let env = TestEnv::new();
    let run = env.data("ctx_execute", json!({ "code": "echo one; echo two" }));
    let reference = string_at(&run, "/ref");
    let got = env.data("ctx_get", json!({ "ref": reference }));
    assert_eq!(got["text"], "one\ntwo");
    assert_eq!(got["lines"], 2);
}

#[test]
fn reports_the_exit_code_and_keeps_streams_apart() {
    let env = TestEnv::new();
    let text = env.text("ctx_execute", json!({ "code": "echo out; echo err >&2; exit 3" }));
    assert_has(&text, &["exit 3", "out", "err"]);
    let run = env.data("ctx_execute", json!({ "code": "echo out; echo err >&2; exit 3" }));
    let reference = string_at(&run, "/ref");
    let stderr = env.data("ctx_get", json!({ "ref": reference, "stream": "stderr" }));
    assert_eq!(stderr["text"], "err");
}

#[test]
fn a_digest_stays_within_its_budget_and_nothing_is_lost() {
    let env = TestEnv::new();
    let input = json!({ "code": "seq 1 5000", "budget": 100 });
    let answer = env.app.call("ctx_execute", input, &forebay_app::Call::default()).unwrap();
    assert_within(&answer.text, 100);
    let reference = string_at(&answer.data, "/ref");
    let last = env.data("ctx_get", json!({ "ref": reference, "lines": "-1" }));
    assert_eq!(last["text"], "5000");
}

#[test]
fn pages_of_a_long_output_follow_each_other() {
    let env = TestEnv::new();
    let run = env.data("ctx_execute", json!({ "code": "seq 1 2000" }));
    let reference = string_at(&run, "/ref");
    let mut cursor = None;
    let mut lines: Vec<String> = Vec::new();
    loop {
        let input = json!({ "ref": reference, "budget": 500, "cursor": cursor });
        let page = env.data("ctx_get", input);
        lines.extend(string_at(&page, "/text").lines().map(str::to_owned));
        let Some(more) = page["more"].as_str() else { break };
        cursor = Some(more.split("cursor=").last().unwrap().to_owned());
    }
    assert_eq!(lines, (1..=2_000).map(|number| number.to_string()).collect::<Vec<_>>());
}

#[test]
fn get_selects_by_grep_and_by_json_pointer() {
    let env = TestEnv::new();
    let run = env.data("ctx_execute", json!({ "code": r#"echo '{"items":[{"name":"x"}]}'"# }));
    let reference = string_at(&run, "/ref");
    let value = env.data("ctx_get", json!({ "ref": reference, "json": "/items/0/name" }));
    assert_eq!(value["text"], "x");
    let found = env.text("ctx_get", json!({ "ref": reference, "grep": "items" }));
    assert_has(&found, &["1 matching line"]);
    let missing = env.error("ctx_get", json!({ "ref": reference, "json": "/items/7" }));
    assert_eq!(missing.kind, ErrorKind::NotFound);
    assert_has(&missing.to_text(), &["no `7`", "an array of 1 items"]);
    let beyond = env.error("ctx_get", json!({ "ref": reference, "lines": "5-9" }));
    assert_has(&beyond.to_text(), &["out of range", "1-1"]);
}

#[test]
fn a_batch_answers_queries_from_its_own_output() {
    let env = TestEnv::new();
    env.text("ctx_annotate", json!({ "text": "the walrus of an older note" }));
    let input = json!({
        "commands": [{ "code": "echo the walrus swims" }, { "code": "exit 2" }],
        "queries": ["walrus"],
        "budget": 600,
    });
    let text = env.text("ctx_batch_execute", input);
    assert_has(&text, &["2 commands: 1 failed", "walrus swims"]);
    assert!(!text.contains("older note"), "{text}");
    assert_within(&text, 600);
}

#[test]
fn secrets_are_not_stored() {
    let env = TestEnv::new();
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let run = env.data("ctx_execute", json!({ "code": format!("echo token {secret} end") }));
    let reference = string_at(&run, "/ref");
    let got = string_at(&env.data("ctx_get", json!({ "ref": reference })), "/text");
    assert!(!got.contains(&secret), "{got}");
    assert_has(&got, &["token", "end"]);
}

#[test]
fn without_the_capability_nothing_runs() {
    let mut env = TestEnv::new();
    env.app = env.app.with_capabilities(Capabilities::STORE_ONLY);
    assert!(env.app.tools().all(|tool| tool.name != "ctx_execute"));
    let error = env.error("ctx_execute", json!({ "code": "touch made" }));
    assert_eq!(error.kind, ErrorKind::Refused);
    assert_has(&error.to_text(), &["disabled on this server", "--enable execute"]);
    assert!(!env.path("made").exists());
}
