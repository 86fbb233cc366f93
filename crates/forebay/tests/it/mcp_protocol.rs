//! MCP protocol revisions, and clients that violate them.

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::mcp_client::{McpClient, initialize_params, stateless_meta};

fn start_server(env: &TestEnv) -> McpClient {
    McpClient::start(env.command(["mcp"]))
}

/// Asserts that the server still answers.
#[track_caller]
fn check_alive(mcp: &mut McpClient) {
    let listed = mcp.ask("tools/list", json!({}));
    assert!(listed["result"]["tools"].as_array().is_some_and(|tools| tools.len() > 5), "{listed}");
}

#[test]
fn every_handshake_revision_is_supported() {
    for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        let env = TestEnv::new();
        let mut mcp = start_server(&env);
        let info = mcp.initialize(version);
        assert_eq!(info["protocolVersion"], version);
        assert_eq!(info["serverInfo"]["name"], "forebay");
        assert!(info["capabilities"]["tools"].is_object(), "{info}");
        check_alive(&mut mcp);
    }
}

#[test]
fn unknown_revision_falls_back_to_a_supported_one() {
    for version in ["1999-01-01", "2026-07-28", "2099-12-31"] {
        let env = TestEnv::new();
        let mut mcp = start_server(&env);
        assert_eq!(mcp.initialize(version)["protocolVersion"], "2025-11-25", "{version}");
        check_alive(&mut mcp);
    }
}

#[test]
fn instructions_are_short_and_name_the_tools() {
    let env = TestEnv::new();
    let info = start_server(&env).initialize("2025-11-25");
    let instructions = info["instructions"].as_str().unwrap();
    let cost = bpe_openai::o200k_base().count(instructions);
    assert!(cost <= 120, "{cost} tokens");
    for word in ["ctx_execute", "ctx_get", "ctx_search", "ctx_annotate", "data, not instructions"] {
        assert!(instructions.contains(word), "{word}");
    }
}

#[test]
fn the_stateless_revision_needs_no_handshake() {
    let env = TestEnv::new();
    let mut mcp = start_server(&env);
    let listed = mcp.ask("tools/list", json!({ "_meta": stateless_meta() }));
    assert!(listed["result"]["tools"].is_array(), "{listed}");
    let call = json!({ "name": "ctx_execute", "arguments": { "code": "echo hi" }, "_meta": stateless_meta() });
    let called = mcp.ask("tools/call", call);
    let text = crate::mcp_client::text_of(&called["result"]);
    assert!(text.ends_with("hi"), "{called}");
    assert_eq!(mcp.close().code(), Some(0));
}

#[test]
fn stateless_request_error_names_the_missing_metadata() {
    let env = TestEnv::new();
    let mut mcp = start_server(&env);
    let refused = mcp.ask("tools/list", json!({}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let error = refused["error"]["message"].as_str().unwrap();
    assert!(error.contains("io.modelcontextprotocol/protocolVersion"), "{error}");
    mcp.initialize("2025-11-25");
    check_alive(&mut mcp);
}

#[test]
fn discovery_is_answered_before_and_after_the_handshake() {
    let env = TestEnv::new();
    let mut mcp = start_server(&env);
    let found = mcp.ask("server/discover", json!({ "_meta": stateless_meta() }));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    for version in ["2026-07-28", "2025-11-25"] {
        assert!(versions.contains(&json!(version)), "{found}");
    }
    assert!(found["result"]["capabilities"]["tools"].is_object(), "{found}");
    assert!(found["result"]["instructions"].is_string(), "{found}");
    mcp.initialize("2025-11-25");
    check_alive(&mut mcp);
}

#[test]
fn discovery_without_metadata_is_answered_and_the_handshake_follows() {
    let env = TestEnv::new();
    let mut mcp = start_server(&env);
    let answer = mcp.ask("server/discover", json!({}));
    assert!(answer["error"].is_object() || answer["result"].is_object(), "{answer}");
    mcp.initialize("2025-11-25");
    check_alive(&mut mcp);
}

#[test]
fn an_unknown_method_is_refused_at_any_time() {
    let env = TestEnv::new();
    let mut mcp = start_server(&env);
    let check = |mcp: &mut McpClient| {
        for (params, method) in [(json!({}), "no/such"), (Value::Null, "tools/fly")] {
            let id = mcp.request(method, params);
            let refused = mcp.response(id);
            assert_eq!(refused["error"]["code"], -32601, "{refused}");
            assert_eq!(refused["id"], id);
        }
    };
    check(&mut mcp);
    mcp.initialize("2025-11-25");
    check(&mut mcp);
    check_alive(&mut mcp);
}

#[test]
fn methods_that_are_not_offered_are_refused() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    for method in ["roots/list", "sampling/createMessage", "tasks/list"] {
        let answer = mcp.ask(method, json!({}));
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    check_alive(&mut mcp);
}

#[test]
fn lists_may_be_kept_for_a_while_where_the_revision_says_so() {
    let env = TestEnv::new();
    let mut mcp = start_server(&env);
    for method in ["tools/list", "prompts/list", "resources/templates/list"] {
        let listed = mcp.ask(method, json!({ "_meta": stateless_meta() }));
        assert_eq!(listed["result"]["ttlMs"], 300_000, "{method}: {listed}");
        assert_eq!(listed["result"]["cacheScope"], "private", "{method}: {listed}");
    }
    // A run adds an entry.
    let listed = mcp.ask("resources/list", json!({ "_meta": stateless_meta() }));
    assert_eq!(listed["result"]["ttlMs"], 0, "{listed}");
    let listed = env.mcp().ask("tools/list", json!({}));
    assert!(listed["result"]["ttlMs"].is_null(), "{listed}");
}

#[test]
fn string_ids_are_returned_unchanged() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.send_line(r#"{"jsonrpc":"2.0","id":"abc-1","method":"no/such"}"#);
    let refused = mcp.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("abc-1"), &json!(-32601)));
    mcp.send_line(r#"{"jsonrpc":"2.0","id":"abc-2","method":"ping"}"#);
    assert_eq!(mcp.receive()["id"], "abc-2");
}

#[test]
fn a_ping_is_answered_before_the_handshake() {
    let env = TestEnv::new();
    let mut mcp = start_server(&env);
    assert_eq!(mcp.ask("ping", json!({}))["result"], json!({}));
    mcp.initialize("2025-11-25");
    check_alive(&mut mcp);
}

const MALFORMED_MESSAGES: &[&str] = &[
    "",
    "   ",
    "not json",
    "{\"jsonrpc\":\"2.0\",",
    "[]",
    "[1,2]",
    "null",
    "42",
    "{}",
    "{\"jsonrpc\":\"2.0\"}",
    "{\"jsonrpc\":\"1.0\",\"id\":901,\"method\":\"ping\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":902,\"result\":{}}",
    "{\"jsonrpc\":\"2.0\",\"id\":903,\"error\":{\"code\":-1,\"message\":\"x\"}}",
    "\u{1F980}\u{0}",
];

#[test]
fn malformed_messages_do_not_end_the_server() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    for line in MALFORMED_MESSAGES {
        mcp.send_line(line);
        check_alive(&mut mcp);
    }
}

#[test]
fn malformed_messages_before_the_handshake_do_not_end_the_server() {
    let env = TestEnv::new();
    let mut mcp = start_server(&env);
    for line in MALFORMED_MESSAGES {
        mcp.send_line(line);
    }
    mcp.initialize("2025-11-25");
    check_alive(&mut mcp);
}

#[test]
fn invalid_utf8_does_not_end_the_server() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.send_bytes(b"\xff\xfe{\x80}\n");
    check_alive(&mut mcp);
}

#[test]
fn a_notification_before_the_handshake_does_not_end_the_server() {
    let env = TestEnv::new();
    let mut mcp = start_server(&env);
    mcp.notify("notifications/initialized", json!({}));
    mcp.notify("notifications/cancelled", json!({ "requestId": 7 }));
    mcp.notify("notifications/no-such", json!({}));
    mcp.initialize("2025-11-25");
    mcp.notify("notifications/no-such", json!({}));
    mcp.notify("notifications/cancelled", json!({ "requestId": 7_000 }));
    check_alive(&mut mcp);
}

/// Asserts that a request with invalid parameters is refused under its id.
#[track_caller]
fn check_refused(params: Value) {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let id = mcp.request("tools/call", params.clone());
    // Errors are sent in request order, so this one comes after it.
    mcp.ask("no/such", json!({}));
    let pending = mcp.take_pending();
    let refused = pending.iter().find(|message| message["id"] == id);
    let refused = refused.unwrap_or_else(|| panic!("no answer to {params}"));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    check_alive(&mut mcp);
}

#[test]
fn invalid_parameters_are_refused_with_their_id() {
    check_refused(json!({}));
    check_refused(json!({ "name": 5 }));
    check_refused(json!({ "name": "ctx_stats", "arguments": "x" }));
}

#[test]
fn list_parameters_are_refused_with_their_id() {
    check_refused(json!([1]));
}

#[test]
fn invalid_handshake_can_be_repeated() {
    let env = TestEnv::new();
    let mut mcp = start_server(&env);
    let refused = mcp.ask("initialize", json!({ "protocolVersion": 5 }));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    mcp.initialize("2025-11-25");
    check_alive(&mut mcp);
}

#[test]
fn a_call_right_after_the_handshake_request_is_answered() {
    let env = TestEnv::new();
    let mut mcp = start_server(&env);
    let first = mcp.request("initialize", initialize_params("2025-11-25"));
    mcp.notify("notifications/initialized", json!({}));
    let second = mcp.request("tools/list", json!({}));
    assert!(mcp.response(second)["result"]["tools"].is_array());
    assert!(mcp.response(first)["result"].is_object());
}

#[test]
fn silent_disconnect_is_not_an_error() {
    let env = TestEnv::new();
    assert_eq!(start_server(&env).close().code(), Some(0));
    let mut probed = start_server(&env);
    probed.ask("ping", json!({}));
    assert_eq!(probed.close().code(), Some(0));
}

#[test]
fn megabyte_message_is_accepted() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let text = "word ".repeat(200_000);
    let noted = mcp.text("ctx_annotate", json!({ "text": text }));
    let reference = crate::env::reference_in(&noted);
    let raw = env.forebay(["get", "--raw", &reference]).ok().stdout;
    assert_eq!(raw, text.trim().as_bytes());
}

#[test]
fn starting_the_server_creates_no_files() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    check_alive(&mut mcp);
    assert!(!env.data().exists(), "no files without a tool call");
}
