//! The tool contract: names, descriptions and schemas, and their token cost.

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::mcp_client::{McpClient, stateless_meta};

/// Lists every tool.
fn tools() -> Vec<Value> {
    listed_tools(&["tools.all=true"])
}

/// Lists the tools that a model sees with these settings.
fn listed_tools(settings: &[&str]) -> Vec<Value> {
    let env = TestEnv::new();
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    let arguments: Vec<&str> = ["mcp"].into_iter().chain(settings).collect();
    let listed = McpClient::initialized(env.command(arguments)).ask("tools/list", json!({}));
    assert!(listed["result"]["nextCursor"].is_null(), "the list is one page");
    listed["result"]["tools"].as_array().unwrap().clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn token_count(tools: &[Value]) -> usize {
    bpe_openai::o200k_base().count(&serde_json::to_string(tools).unwrap())
}

#[test]
fn tool_list_matches_snapshot() {
    let tools = Value::Array(tools());
    insta::assert_snapshot!(serde_json::to_string_pretty(&tools).unwrap());
}

#[test]
fn tool_list_stays_within_its_token_limit() {
    let (standard, all) = (token_count(&listed_tools(&[])), token_count(&tools()));
    println!("the tool list costs {standard} tokens (o200k), that of all tools {all}");
    for tool in tools() {
        println!("{:>4} {}", token_count(std::slice::from_ref(&tool)), tool["name"]);
    }
    assert!(standard < 1_800, "{standard} tokens");
    assert!(all < 2_500, "{all} tokens");
    assert!(standard > 200, "the count covers the complete list");
}

#[test]
fn settings_add_and_remove_listed_tools() {
    let standard = listed_tools(&[]);
    assert!(!names(&standard).contains(&"ctx_purge"), "{:?}", names(&standard));
    let longer = listed_tools(&["tools.also=[\"ctx_purge\"]"]);
    assert!(names(&longer).contains(&"ctx_purge"));
    assert_eq!(longer.len(), standard.len() + 1);
    let shorter = listed_tools(&["tools.without=[\"ctx_stats\"]"]);
    assert!(!names(&shorter).contains(&"ctx_stats"));
    assert_eq!(shorter.len(), standard.len() - 1);
}

#[test]
fn an_unlisted_tool_can_be_called() {
    let text = TestEnv::new().mcp().text("ctx_reflect", json!({}));
    assert!(!text.is_empty());
}

#[test]
fn every_tool_has_a_short_description_and_a_schema() {
    for tool in tools() {
        let name = tool["name"].as_str().unwrap();
        assert!(name.starts_with("ctx_") || name.starts_with("context_"), "{name}");
        let description = tool["description"].as_str().unwrap();
        assert!((20..=200).contains(&description.len()), "{name}: {description}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert!(tool["inputSchema"]["properties"].is_object(), "{name}");
    }
}

#[test]
fn annotations_describe_the_effects_of_each_tool() {
    let check = |name: &str, expect: Value| {
        let tools = tools();
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        assert_eq!(tool["annotations"], expect, "{name}");
    };
    let reads = json!({ "readOnlyHint": true, "openWorldHint": false });
    for name in [
        "context_read",
        "context_peek",
        "context_status",
        "ctx_get",
        "ctx_search",
        "ctx_history",
        "ctx_reflect",
        "ctx_context",
        "ctx_stats",
        "ctx_doctor",
        "ctx_upgrade",
    ] {
        check(name, reads.clone());
    }
    check("ctx_annotate", json!({ "destructiveHint": false, "openWorldHint": false }));
    for name in ["ctx_purge", "context_edit", "context_write"] {
        check(name, json!({ "openWorldHint": false }));
    }
    let execute = tools().into_iter().find(|tool| tool["name"] == "ctx_execute").unwrap();
    assert_ne!(execute["annotations"]["readOnlyHint"], true);
    assert_ne!(execute["annotations"]["destructiveHint"], false);
}

#[test]
fn stateless_protocol_lists_the_same_tools() {
    let env = TestEnv::new();
    let mut mcp = McpClient::start(env.command(["mcp"]));
    let meta = stateless_meta();
    let listed = mcp.ask("tools/list", json!({ "_meta": meta }));
    assert_eq!(listed["result"]["tools"], Value::Array(listed_tools(&[])));
}
