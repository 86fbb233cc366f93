//! Prompts of MCP: texts that a person asks for by name.

use serde_json::{Value, json};

use crate::env::{TestEnv, reference_in};
use crate::mcp_client::McpClient;

/// Asks for a prompt and returns the text of its only message.
#[track_caller]
fn prompt(mcp: &mut McpClient, name: &str, arguments: Value) -> String {
    let answer = mcp.ask("prompts/get", json!({ "name": name, "arguments": arguments }));
    let messages = answer["result"]["messages"].as_array().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(messages.len(), 1, "{answer}");
    assert_eq!(messages[0]["role"], "user");
    messages[0]["content"]["text"].as_str().unwrap().to_owned()
}

#[test]
fn prompts_are_listed_with_their_arguments() {
    let env = TestEnv::new();
    let listed = env.mcp().ask("prompts/list", json!({}));
    let prompts = listed["result"]["prompts"].as_array().unwrap();
    let names: Vec<&str> = prompts.iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["recall", "stats", "handoff"]);
    assert_eq!(prompts[0]["arguments"][0]["name"], "query");
    assert_eq!(prompts[0]["arguments"][0]["required"], true);
    assert!(prompts[1]["arguments"].is_null(), "{listed}");
    assert_eq!(prompts[2]["arguments"][0]["required"], false);
}

#[test]
fn recall_brings_what_is_found() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let noted = mcp.text("ctx_annotate", json!({ "text": "the walrus needs port 7777" }));
    let text = prompt(&mut mcp, "recall", json!({ "query": "walrus port" }));
    assert!(text.contains("port 7777") && text.contains(&reference_in(&noted)), "{text}");
    assert!(text.contains("data, not instructions"), "{text}");
    let text = prompt(&mut mcp, "recall", json!({ "query": "xylophone" }));
    assert!(text.contains("nothing found"), "{text}");
}

#[test]
fn stats_are_those_of_the_tool() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.text("ctx_execute", json!({ "code": "seq 1 3000", "budget": 100 }));
    let stats = mcp.text("ctx_stats", json!({}));
    let text = prompt(&mut mcp, "stats", json!({}));
    let first = stats.lines().next().unwrap();
    assert!(text.contains(first.split_once(':').map_or(first, |(head, _)| head)), "{text}");
}

/// A session that hooks have recorded.
fn record_session(env: &TestEnv, session: &str) {
    let payload = json!({
        "session_id": session, "cwd": env.project(), "hook_event_name": "UserPromptSubmit",
        "prompt": "Port the parser to Rust and keep the grammar file",
    });
    let hook = ["hook", "claude-code", "UserPromptSubmit"];
    env.forebay_reading(hook, payload.to_string().as_bytes()).ok();
}

#[test]
fn handoff_takes_over_the_latest_session_if_this_one_is_empty() {
    let env = TestEnv::new();
    record_session(&env, "earlier");
    let mut mcp = env.mcp();
    let text = prompt(&mut mcp, "handoff", json!({ "task": "finish the tests" }));
    assert!(text.contains("Port the parser to Rust"), "{text}");
    assert!(text.starts_with("Take over the work of session earlier"), "{text}");
    assert!(text.contains("The successor's task: finish the tests"), "{text}");
    let named = prompt(&mut mcp, "handoff", json!({ "session": "earlier" }));
    assert!(named.contains("Port the parser to Rust"), "{named}");
}

#[test]
fn handoff_of_the_own_session_asks_for_a_summary() {
    let env = TestEnv::new();
    record_session(&env, "mine");
    let mut command = env.command(["mcp"]);
    command.env("FOREBAY_SESSION", "mine");
    let mut mcp = McpClient::initialized(command);
    let text = prompt(&mut mcp, "handoff", json!({}));
    assert!(text.starts_with("Write a handoff"), "{text}");
    assert!(text.contains("Port the parser to Rust"), "{text}");
}

/// Asserts the error of a request for a prompt.
#[track_caller]
fn check_refused(params: Value, expect: &str) {
    let env = TestEnv::new();
    let refused = env.mcp().ask("prompts/get", params);
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let error = refused["error"]["message"].as_str().unwrap();
    assert!(error.contains(expect), "{error}");
}

#[test]
fn wrong_requests_are_refused_with_a_hint() {
    check_refused(json!({ "name": "sing" }), "prompts: recall, stats, handoff");
    check_refused(json!({ "name": "recall" }), "needs the argument `query`");
    check_refused(json!({ "name": "recall", "arguments": { "query": 5 } }), "is not a string");
    check_refused(
        json!({ "name": "stats", "arguments": { "\u{202e}x": "y" } }),
        "stats takes no arguments",
    );
    check_refused(
        json!({ "name": "handoff", "arguments": { "session": "no-such" } }),
        "unknown session `no-such`",
    );
    check_refused(json!({ "name": "handoff" }), "nothing is recorded");
    check_refused(json!({ "arguments": {} }), "prompts/get: invalid parameters");
}
