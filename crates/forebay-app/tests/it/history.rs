//! The record of a session: history, reflection, usage.

use serde_json::{Value, json};

use crate::env::{TestEnv, assert_has, assert_within, string_at};

#[test]
fn history_pages_go_from_newest_to_oldest() {
    let env = TestEnv::new();
    for number in 0..5 {
        env.text("ctx_annotate", json!({ "text": format!("note {number}") }));
    }
    let titles = |page: &Value| -> Vec<String> {
        let entries = page["entries"].as_array().unwrap().iter();
        entries.map(|entry| string_at(entry, "/title")).collect()
    };
    let first = env.data("ctx_history", json!({ "limit": 3 }));
    assert_eq!(titles(&first), ["note 4", "note 3", "note 2"]);
    let rest = env.data("ctx_history", json!({ "cursor": first["cursor"] }));
    assert_eq!(titles(&rest), ["note 1", "note 0"]);
    assert_eq!(rest["cursor"], Value::Null);
}

#[test]
fn history_stays_within_its_budget() {
    let env = TestEnv::new();
    for number in 0..20 {
        env.text(
            "ctx_annotate",
            json!({ "text": format!("note {number} {}", "long ".repeat(20)) }),
        );
    }
    let text = env.text("ctx_history", json!({ "budget": 200 }));
    assert_within(&text, 200);
    assert_has(&text, &["older: ctx_history cursor="]);
}

#[test]
fn an_unknown_session_is_an_error_that_lists_known_ones() {
    let env = TestEnv::new();
    env.text("ctx_annotate", json!({ "text": "x" }));
    let error = env.error("ctx_history", json!({ "session": "absent" }));
    assert_has(&error.to_text(), &["unknown session `absent`", "conversation"]);
}

#[test]
fn reflection_counts_runs_and_names_what_still_fails() {
    let env = TestEnv::new();
    env.text("ctx_execute", json!({ "code": "false" }));
    env.text("ctx_execute", json!({ "code": "true" }));
    env.text("ctx_annotate", json!({ "text": "we keep the walrus", "kind": "decision" }));
    let text = env.text("ctx_reflect", json!({}));
    assert_has(
        &text,
        &["2 runs (1 failed), 1 note", "Decided: we keep the walrus", "Still failing"],
    );
    assert!(text.split_whitespace().count() <= 100, "{text}");
}

#[test]
fn usage_is_counted_per_tool() {
    let env = TestEnv::new();
    env.text("ctx_execute", json!({ "code": "seq 1 5000", "budget": 100 }));
    let stats = env.data("ctx_stats", json!({}));
    let execute = &stats["session"]["tools"]["ctx_execute"];
    assert_eq!(execute["answers"], 1);
    assert!(execute["saved_tokens"].as_i64().unwrap() > 1_000, "{stats}");
}
