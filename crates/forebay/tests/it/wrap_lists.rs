//! `forebay wrap --slim` and `--facade`: what a model sees of a server's tools.

use std::process::Command;

use serde_json::{Value, json};

use crate::env::{TestEnv, finish};
use crate::mcp_client::{McpClient, text_of};
use crate::wrap::{SERVER, request, with_server};

fn wrapped(env: &TestEnv, flag: &str) -> Command {
    let mut command = env.command(["wrap", "--name", "srv", flag, "--", "python3", SERVER]);
    command.env("LONG_DESCRIPTIONS", "1");
    command
}

fn tools(client: &mut McpClient) -> Vec<Value> {
    let listing = client.ask("tools/list", json!({}));
    listing["result"]["tools"].as_array().unwrap().clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn long_descriptions_are_one_call_away() {
    with_server(|env| {
        let mut client = McpClient::initialized(wrapped(env, "--slim"));
        let tools = tools(&mut client);
        let first = "Tool 0. Looks at the state of the account. It takes a while.";
        let described = tools[0]["description"].as_str().unwrap();
        assert!(described.starts_with(first) && described.ends_with(" …"), "{described}");
        assert!(described.len() < 200, "{described}");
        let argument = tools[0]["inputSchema"]["properties"]["count"].clone();
        assert_eq!(argument["type"], "integer");
        assert!(argument["description"].as_str().unwrap().len() < 200, "{argument}");
        assert_eq!(tools[4]["description"], "Repeats a text");
        assert_eq!(names(&tools).last(), Some(&"forebay_describe"));
        let whole = client.text("forebay_describe", json!({ "name": "lines" }));
        assert!(whole.matches("More about every detail").count() == 80, "{whole}");
        assert!(client.error("forebay_describe", json!({ "name": "x" })).contains("lines"));
        assert_eq!(client.text("said", json!({ "text": "as ever" })), "as ever");
    });
}

#[test]
fn tokens_before_and_after_are_told() {
    with_server(|env| {
        let input = [
            request(1, "initialize", json!({ "protocolVersion": "2025-11-25" })),
            request(2, "tools/list", json!({})),
        ];
        let output = finish(wrapped(env, "--slim"), input.concat().as_bytes()).ok();
        let told = output
            .stderr
            .lines()
            .find(|line| line.contains("tokens instead of"))
            .unwrap_or_default();
        assert!(told.contains("the tools of srv are listed in about"), "{}", output.stderr);
    });
}

#[test]
fn without_a_flag_the_list_is_the_servers() {
    with_server(|env| {
        let mut command = env.command(["wrap", "--name", "srv", "--", "python3", SERVER]);
        command.env("LONG_DESCRIPTIONS", "1");
        let mut client = McpClient::initialized(command);
        let whole = tools(&mut client);
        assert_eq!(names(&whole), ["lines", "structured", "file", "other", "said"]);
        assert!(whole[0]["description"].as_str().unwrap().len() > 1_000);
        // A setting does the same as the flag, for entries that `init --wrap` has written.
        let mut command = env.command(["wrap", "--name", "srv", "--", "python3", SERVER]);
        command.env("LONG_DESCRIPTIONS", "1").env("FOREBAY_WRAP_SLIM", "[\"s*\"]");
        let mut client = McpClient::initialized(command);
        assert_eq!(names(&tools(&mut client)).last(), Some(&"forebay_describe"));
    });
}

#[test]
fn a_facade_searches_describes_and_calls() {
    with_server(|env| {
        for pages in ["", "1"] {
            let mut command = wrapped(env, "--facade");
            command.env("PAGES", pages);
            let mut client = McpClient::initialized(command);
            let mut listing = client.ask("tools/list", json!({}));
            let listed = listing["result"]["tools"].as_array().unwrap().clone();
            assert_eq!(names(&listed), ["forebay_search", "forebay_describe", "forebay_call"]);
            while let Some(cursor) = listing["result"]["nextCursor"].as_str().map(str::to_owned) {
                listing = client.ask("tools/list", json!({ "cursor": cursor }));
                assert_eq!(listing["result"]["tools"], json!([]));
            }
            let found = client.text("forebay_search", json!({ "query": "repeat texts" }));
            assert_eq!(found, "said: Repeats a text");
            let none = client.text("forebay_search", json!({ "query": "" }));
            assert!(none.contains("lines, structured, file, other, said"), "{none}");
            let through = |client: &mut McpClient, name: &str, arguments: Value| {
                client.call("forebay_call", json!({ "name": name, "arguments": arguments }))
            };
            let said = through(&mut client, "said", json!({ "text": "hello" }));
            assert_eq!(text_of(&said), "hello");
            let as_text = through(&mut client, "said", json!("{\"text\":\"hello\"}"));
            assert_eq!(text_of(&as_text), "hello");
            let digest = text_of(&through(&mut client, "lines", json!({ "count": 4_000 })));
            assert!(digest.contains("[ctx:"), "{digest}");
            let wrong = through(&mut client, "no such tool", json!({}));
            assert_eq!(wrong["isError"], true);
            assert!(text_of(&wrong).contains("tools: lines"), "{wrong}");
        }
    });
}

#[test]
fn rules_hold_behind_a_facade() {
    with_server(|env| {
        std::fs::create_dir(env.project().join(".claude")).unwrap();
        let rules = json!({ "permissions": { "deny": ["mcp__srv__said"] } });
        env.write(".claude/settings.json", rules.to_string());
        let mut client = McpClient::initialized(wrapped(env, "--facade"));
        tools(&mut client);
        let call = json!({ "name": "said", "arguments": { "text": "x" } });
        let denied = client.error("forebay_call", call);
        assert!(denied.contains("denied") && denied.contains("mcp__srv__said"), "{denied}");
    });
}

#[test]
fn a_server_keeps_the_names_of_its_tools() {
    with_server(|env| {
        let named = |flag: &str, name: &str| {
            let mut command = wrapped(env, flag);
            command.env("EXTRA_TOOL", name);
            command
        };
        let mut client = McpClient::initialized(named("--slim", "forebay_describe"));
        let listed = tools(&mut client);
        assert_eq!(names(&listed)[5..], ["forebay_describe", "forebay_describe_2"]);
        // The test server refuses what it does not have in these words.
        let of_server = client.error("forebay_describe", json!({ "name": "lines" }));
        assert_eq!(of_server, "no tool forebay_describe");
        let whole = client.text("forebay_describe_2", json!({ "name": "lines" }));
        assert!(whole.contains("More about every detail"), "{whole}");

        let mut client = McpClient::initialized(named("--facade", "forebay_call"));
        let listed = tools(&mut client);
        assert_eq!(names(&listed), ["forebay_search", "forebay_describe", "forebay_call_2"]);
        assert_eq!(client.error("forebay_call", json!({})), "no tool forebay_call");
        let through = json!({ "name": "forebay_call", "arguments": {} });
        assert_eq!(client.error("forebay_call_2", through), "no tool forebay_call");
        let unreadable = json!({ "name": "said", "arguments": "x" });
        let hint = client.error("forebay_call_2", unreadable);
        assert!(hint.contains("forebay_describe returns the schema"), "{hint}");

        let input = [
            request(1, "initialize", json!({ "protocolVersion": "2025-11-25" })),
            request(2, "tools/list", json!({})),
        ];
        let command = named("--slim", "forebay_describe");
        let told = finish(command, input.concat().as_bytes()).ok().stderr;
        let wanted = "forebay wrap: a server's tool is named `forebay_describe`, so Forebay's is listed as `forebay_describe_2`";
        assert!(told.contains(wanted), "{told}");
    });
}

#[test]
fn a_name_on_a_later_page_is_reached_through_the_facade() {
    with_server(|env| {
        let mut command = wrapped(env, "--facade");
        command.envs([("EXTRA_TOOL", "forebay_call"), ("PAGES", "1")]);
        let mut client = McpClient::initialized(command);
        let mut cursor = json!({});
        for _ in 0..6 {
            let listing = client.ask("tools/list", cursor);
            cursor = json!({ "cursor": listing["result"]["nextCursor"] });
        }
        let through = json!({ "name": "forebay_call", "arguments": {} });
        assert_eq!(client.error("forebay_call", through), "no tool forebay_call");
    });
}

#[test]
fn tools_can_be_called_while_they_are_listed_again() {
    with_server(|env| {
        let mut command = wrapped(env, "--facade");
        command.env("PAGES", "1");
        let mut client = McpClient::initialized(command);
        let mut cursor = json!({});
        for _ in 0..5 {
            let listing = client.ask("tools/list", cursor);
            cursor = json!({ "cursor": listing["result"]["nextCursor"] });
        }
        // The first page does not have it.
        client.ask("tools/list", json!({}));
        let call = json!({ "name": "said", "arguments": { "text": "still there" } });
        assert_eq!(client.text("forebay_call", call), "still there");
    });
}
