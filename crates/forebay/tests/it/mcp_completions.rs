//! Completion of arguments of prompts and of variables of resource templates.

use serde_json::{Value, json};

use crate::env::{TestEnv, reference_in};
use crate::mcp_client::McpClient;

const ENTRY: &str = "forebay://entry/{id}{?lines,grep,json,stream,cursor,context,budget}";
const JOB: &str = "forebay://job/{id}{?cursor,budget}";

fn complete(mcp: &mut McpClient, reference: &Value, name: &str, value: &str) -> Value {
    let argument = json!({ "name": name, "value": value });
    mcp.ask("completion/complete", json!({ "ref": reference, "argument": argument }))
}

#[track_caller]
fn values(answer: &Value) -> Vec<&str> {
    let values = answer["result"]["completion"]["values"].as_array();
    values.unwrap_or_else(|| panic!("{answer}")).iter().filter_map(Value::as_str).collect()
}

fn template(uri: &str) -> Value {
    json!({ "type": "ref/resource", "uri": uri })
}

fn prompt(name: &str) -> Value {
    json!({ "type": "ref/prompt", "name": name })
}

#[test]
fn ids_are_completed_from_what_is_stored() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let references = ["one", "two"].map(|word| {
        let text = mcp.text("ctx_execute", json!({ "code": format!("echo {word}") }));
        reference_in(&text)
    });
    let all = complete(&mut mcp, &template(ENTRY), "id", "");
    assert_eq!(values(&all), [&references[1], &references[0]], "the newest first");
    let found = complete(&mut mcp, &template(ENTRY), "id", &references[0][..6]);
    assert_eq!(values(&found), [&references[0]]);
    assert_eq!(found["result"]["completion"]["hasMore"], false);
    let streams = complete(&mut mcp, &template(ENTRY), "stream", "std");
    assert_eq!(values(&streams), ["stdout", "stderr"]);
    assert!(values(&complete(&mut mcp, &template(ENTRY), "grep", "a")).is_empty());
    assert!(values(&complete(&mut mcp, &template(JOB), "id", "")).is_empty());
    mcp.text("ctx_execute", json!({ "code": "sleep 0.1", "background": true }));
    assert_eq!(values(&complete(&mut mcp, &template(JOB), "id", "j")), ["j1"]);
}

#[test]
fn sessions_are_completed_and_free_text_is_not() {
    let env = TestEnv::new();
    for session in ["alpha-1", "beta-2"] {
        env.forebay(["note", "--session", session, "a finding"]).ok();
    }
    let mut mcp = env.mcp();
    assert_eq!(values(&complete(&mut mcp, &prompt("handoff"), "session", "al")), ["alpha-1"]);
    assert!(values(&complete(&mut mcp, &prompt("handoff"), "task", "")).is_empty());
    assert!(values(&complete(&mut mcp, &prompt("recall"), "query", "fin")).is_empty());
}

#[test]
fn what_does_not_exist_is_named() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    for (reference, name, expected) in [
        (prompt("nothing"), "x", "nothing"),
        (prompt("recall"), "x", "recall has no argument `x`"),
        (template("file:///{path}"), "path", "is not the template of a resource"),
        (template(ENTRY), "x", "the template has no variable `x`"),
    ] {
        let answer = complete(&mut mcp, &reference, name, "");
        let error = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(error.contains(expected) && error.contains("hint: "), "{error}");
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}
