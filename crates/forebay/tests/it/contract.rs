//! The contract with models: tool names, descriptions and schemas, and what they cost.

use serde_json::{Value, json};

use crate::env::TestEnv;

fn tools() -> Vec<Value> {
    let env = TestEnv::new();
    let listed = env.mcp().ask("tools/list", json!({}));
    assert!(listed["result"]["nextCursor"].is_null(), "the list is one page");
    listed["result"]["tools"].as_array().unwrap().clone()
}

#[test]
fn the_tool_list_is_the_one_that_was_agreed() {
    let tools = Value::Array(tools());
    insta::assert_snapshot!(serde_json::to_string_pretty(&tools).unwrap());
}

fn cost(tools: &[Value]) -> usize {
    bpe_openai::o200k_base().count(&serde_json::to_string(tools).unwrap())
}

fn is_file_tool(tool: &Value) -> bool {
    tool["name"].as_str().unwrap().starts_with("context_")
}

#[test]
fn the_tool_list_costs_less_than_its_bound() {
    let (file_tools, others): (Vec<Value>, Vec<Value>) =
        tools().into_iter().partition(is_file_tool);
    let (of_files, of_others) = (cost(&file_tools), cost(&others));
    let all = cost(&tools());
    println!("the tool list costs {all} tokens (o200k), {of_files} of them the file tools");
    assert!(of_others < 1_800, "{of_others} tokens");
    assert!(of_others > 200, "the whole list was counted");
    assert_eq!(file_tools.len(), 6);
    assert!(of_files <= 420, "{of_files} tokens");
    assert!(all < 2_500, "{all} tokens");
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
fn annotations_say_what_a_host_may_assume() {
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
        "ctx_stats",
        "ctx_doctor",
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
fn the_stateless_revision_lists_the_same_tools() {
    let env = TestEnv::new();
    let mut mcp = crate::mcp_client::McpClient::start(env.command(["mcp"]));
    let meta = crate::mcp_client::stateless_meta();
    let listed = mcp.ask("tools/list", json!({ "_meta": meta }));
    assert_eq!(listed["result"]["tools"], Value::Array(tools()));
}
