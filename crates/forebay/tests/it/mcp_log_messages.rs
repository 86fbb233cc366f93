//! Log messages of MCP: a client hears what its calls cost and why they failed, if it asks for it.

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::mcp_client::{McpClient, stateless_meta};

/// The log messages received so far.
fn messages(mcp: &mut McpClient) -> Vec<Value> {
    let pending = mcp.take_pending().into_iter();
    let mut messages = pending.filter(|message| message["method"] == "notifications/message");
    messages.by_ref().map(|message| message["params"].clone()).collect()
}

#[test]
fn nothing_is_logged_before_a_level_is_set() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.error("ctx_get", json!({ "ref": "zzzzzzzzzz" }));
    mcp.ask("ping", json!({}));
    assert_eq!(messages(&mut mcp), [] as [Value; 0]);
}

#[test]
fn a_session_gets_messages_from_its_level_on() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    assert_eq!(mcp.ask("logging/setLevel", json!({ "level": "debug" }))["result"], json!({}));
    mcp.text("ctx_execute", json!({ "code": "seq 1 3000", "budget": 100 }));
    let [message] = messages(&mut mcp).try_into().unwrap();
    assert_eq!((&message["level"], &message["logger"]), (&json!("debug"), &json!("forebay")));
    let data = &message["data"];
    assert_eq!(data["tool"], "ctx_execute");
    assert!(data["tokens_replaced"].as_u64() > data["tokens"].as_u64(), "{data}");
    mcp.ask("logging/setLevel", json!({ "level": "notice" }));
    mcp.text("ctx_stats", json!({}));
    mcp.error("ctx_get", json!({ "ref": "zzzzzzzzzz" }));
    let [message] = messages(&mut mcp).try_into().unwrap();
    assert_eq!(message["level"], "notice");
    assert!(message["data"]["error"].as_str().unwrap().contains("zzzzzzzzzz"), "{message}");
    mcp.ask("logging/setLevel", json!({ "level": "error" }));
    mcp.error("ctx_get", json!({ "ref": "zzzzzzzzzz" }));
    assert_eq!(messages(&mut mcp), [] as [Value; 0]);
}

#[test]
fn a_request_without_a_session_says_its_level_itself() {
    let env = TestEnv::new();
    let mut mcp = McpClient::start(env.command(["mcp"]));
    let mut call = json!({ "name": "ctx_stats", "arguments": {}, "_meta": stateless_meta() });
    mcp.ask("tools/call", call.clone());
    assert_eq!(messages(&mut mcp), [] as [Value; 0]);
    call["_meta"]["io.modelcontextprotocol/logLevel"] = json!("debug");
    mcp.ask("tools/call", call);
    assert_eq!(messages(&mut mcp).len(), 1);
}

#[test]
fn an_unknown_level_is_refused() {
    let env = TestEnv::new();
    let refused = env.mcp().ask("logging/setLevel", json!({ "level": "loud" }));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}
