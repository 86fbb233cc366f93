//! Dispatch and validation, common to all tools.

use forebay_app::ErrorKind;
use serde_json::json;

use crate::env::{TestEnv, assert_has};

#[test]
fn an_unknown_tool_is_an_error_that_lists_the_tools() {
    let error = TestEnv::new().error("ctx_absent", json!({}));
    assert_eq!(error.kind, ErrorKind::NotFound);
    assert_has(&error.to_text(), &["unknown tool `ctx_absent`", "ctx_execute", "context_read"]);
}

#[test]
fn invalid_input_names_the_field() {
    let error = TestEnv::new().error("ctx_history", json!({ "limit": "many" }));
    assert_eq!(error.kind, ErrorKind::BadInput);
    assert_has(&error.to_text(), &["ctx_history: invalid input at `limit`"]);
}

#[test]
fn a_budget_out_of_range_is_rejected() {
    let env = TestEnv::new();
    for budget in [0, 49, 100_001] {
        let error = env.error("ctx_search", json!({ "query": "x", "budget": budget }));
        assert_has(&error.to_text(), &["out of range", "50 to 100000 tokens"]);
    }
}

#[test]
fn an_unknown_word_is_an_error_that_lists_the_allowed_ones() {
    let env = TestEnv::new();
    for (tool, input) in [
        ("ctx_search", json!({ "query": "x", "scope": "planet" })),
        ("ctx_annotate", json!({ "text": "x", "kind": "rumour" })),
        ("ctx_history", json!({ "events": "weather" })),
    ] {
        let error = env.error(tool, input);
        assert_has(&error.to_text(), &["unknown", "one of: "]);
    }
}
