//! Function calling without MCP: `forebay schema` for each API format and `forebay call` with JSON.

use serde_json::{Value, json};

use crate::env::{TestEnv, finish};

/// Returns the functions declared in a format and the JSON pointer to their schemas.
fn declared_functions(format: &str) -> (Vec<Value>, &'static str) {
    let list = TestEnv::new().forebay(["schema", "--format", format]).ok().json();
    let array_at = |pointer: &str| list.pointer(pointer).unwrap().as_array().unwrap().clone();
    match format {
        "gemini" => (array_at("/0/functionDeclarations"), "/parametersJsonSchema"),
        "anthropic" => (array_at(""), "/input_schema"),
        "mcp" => (array_at(""), "/inputSchema"),
        _ => {
            let tools = array_at("");
            assert!(tools.iter().all(|tool| tool["type"] == "function"));
            (tools.iter().map(|tool| tool["function"].clone()).collect(), "/parameters")
        }
    }
}

#[test]
fn every_format_declares_the_same_tools() {
    let listed = TestEnv::new().mcp().ask("tools/list", json!({}));
    let listed = listed["result"]["tools"].as_array().unwrap();
    for format in ["openai", "gemini", "anthropic", "mcp"] {
        let (functions, schema) = declared_functions(format);
        assert_eq!(functions.len(), listed.len(), "{format}");
        for (function, tool) in functions.iter().zip(listed) {
            assert_eq!(function["name"], tool["name"], "{format}");
            assert_eq!(function["description"], tool["description"], "{format}");
            assert_eq!(function.pointer(schema), Some(&tool["inputSchema"]), "{format}");
        }
    }
}

#[test]
fn call_answers_like_the_tool() {
    let env = TestEnv::new();
    let input = json!({ "command": "echo from a function" }).to_string();
    let by_argument = env.forebay(["call", "ctx_execute", &input]).ok().text();
    assert!(by_argument.contains("from a function"), "{by_argument}");
    let by_stdin = finish(env.command(["call", "ctx_execute", "-"]), input.as_bytes()).ok().text();
    assert!(by_stdin.contains("from a function"), "{by_stdin}");
    assert!(!env.forebay(["call", "ctx_stats"]).ok().text().is_empty());
}

#[test]
fn an_invalid_call_reports_the_reason() {
    let env = TestEnv::new();
    for (tool, input, code, message, hint) in [
        ("ctx_nothing", "{}", 1, "unknown tool `ctx_nothing`", "tools: "),
        ("ctx_search", "{", 2, "the input is not JSON", "`forebay schema`"),
        ("ctx_get", "[]", 2, "ctx_get: the input is not an object", "schema"),
        ("ctx_batch_execute", r#"{"commands":[5]}"#, 2, "expected a command as a string", "schema"),
        ("ctx_search", r#"{"limit": 3}"#, 2, "queries", ""),
    ] {
        env.forebay(["call", tool, input]).refused(code, message, hint);
    }
}
