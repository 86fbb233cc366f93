//! MCP Apps: views of answers, named to the clients that show them.

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::mcp_client::{McpClient, stateless_meta};

const EXTENSION: &str = "io.modelcontextprotocol/ui";
const MIME_TYPE: &str = "text/html;profile=mcp-app";

fn client(env: &TestEnv, extensions: Value) -> McpClient {
    let mut mcp = McpClient::start(env.command(["mcp"]));
    mcp.initialize_with_capabilities(json!({ "extensions": extensions }));
    mcp
}

fn tools(mcp: &mut McpClient, params: Value) -> Vec<Value> {
    mcp.ask("tools/list", params)["result"]["tools"].as_array().unwrap().clone()
}

/// The tools that have a view, with its address.
fn views(tools: &[Value]) -> Vec<(&str, &str)> {
    tools
        .iter()
        .filter_map(|tool| {
            let uri = tool["_meta"]["ui"]["resourceUri"].as_str()?;
            Some((tool["name"].as_str().unwrap(), uri))
        })
        .collect()
}

#[test]
fn a_client_that_shows_views_learns_of_them() {
    let env = TestEnv::new();
    let mut mcp = client(&env, json!({ EXTENSION: { "mimeTypes": [MIME_TYPE] } }));
    let listed = tools(&mut mcp, json!({}));
    let mut found = views(&listed);
    found.sort_unstable();
    let expected = [("ctx_get", "ui://forebay/entry"), ("ctx_stats", "ui://forebay/overview")];
    assert_eq!(found, expected);
    for (_, uri) in found {
        let read = mcp.ask("resources/read", json!({ "uri": uri }));
        let content = &read["result"]["contents"][0];
        assert_eq!((&content["uri"], &content["mimeType"]), (&json!(uri), &json!(MIME_TYPE)));
        let html = content["text"].as_str().unwrap();
        assert!(html.starts_with("<!doctype html>") && html.contains("ui/initialize"), "{html}");
        assert_eq!(content["_meta"]["ui"]["csp"], Value::Null, "it needs no other origin");
    }
    let stats = mcp.call("ctx_stats", json!({}));
    assert!(stats["structuredContent"]["project"]["total"].is_object(), "{stats}");
    let other = mcp.ask("resources/read", json!({ "uri": "ui://forebay/other" }));
    assert!(other["error"]["message"].as_str().unwrap().contains("not the address"), "{other}");
}

#[test]
fn other_clients_get_the_same_list_as_ever() {
    let env = TestEnv::new();
    let plain = tools(&mut env.mcp(), json!({}));
    assert!(views(&plain).is_empty() && !json!(plain).to_string().contains("ui://"));
    for extensions in [json!({}), json!({ EXTENSION: { "mimeTypes": ["text/uri-list"] } })] {
        assert_eq!(tools(&mut client(&env, extensions), json!({})), plain);
    }
    let mut resources = env.mcp();
    let listed = resources.ask("resources/list", json!({}));
    assert!(!listed.to_string().contains("ui://"), "{listed}");
}

#[test]
fn without_a_session_each_request_says_what_the_client_shows() {
    let env = TestEnv::new();
    let mut mcp = McpClient::start(env.command(["mcp"]));
    let mut meta = stateless_meta();
    assert!(views(&tools(&mut mcp, json!({ "_meta": meta }))).is_empty());
    meta["io.modelcontextprotocol/clientCapabilities"] =
        json!({ "extensions": { EXTENSION: { "mimeTypes": [MIME_TYPE] } } });
    assert_eq!(views(&tools(&mut mcp, json!({ "_meta": meta }))).len(), 2);
}
