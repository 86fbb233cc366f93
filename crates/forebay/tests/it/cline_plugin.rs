//! The plugin for Cline, loaded as Cline loads it. `cargo xtask clients` runs Cline itself.

use std::fs;

use serde_json::{Value, json};

use crate::env::{TestEnv, finish};
use crate::texts::varied_log;

const HOST: &str = include_str!("cline_host.mjs");

/// The plugin as `forebay init` writes it, as a module for Node.js; None without Node.js.
fn plugin(env: &TestEnv) -> Option<String> {
    let has_node = env.program("node").arg("--version").output().is_ok();
    if !has_node {
        forebay_test_support::skip("Node.js is not installed");
        return None;
    }
    env.forebay(["init", "cline", "--project", "--yes"]).ok();
    let source = fs::read_to_string(env.project().join(".cline/plugins/forebay.js")).unwrap();
    Some(env.write("plugin.mjs", source).display().to_string())
}

/// Loads the plugin in a new process and returns what its hooks returned.
fn run(env: &TestEnv, plugin: &str, calls: &Value) -> Vec<Value> {
    let host = env.write("host.mjs", HOST);
    let context = json!({
        "session": { "sessionId": "s1" },
        "workspaceInfo": { "rootPath": env.project() },
    });
    let mut command = env.program("node");
    command.arg(host).arg(plugin);
    let task = json!({ "context": context, "calls": calls }).to_string();
    finish(command, task.as_bytes()).ok().json().as_array().unwrap().clone()
}

/// A snapshot of a conversation: who wrote what.
fn snapshot(messages: &[(&str, &str)]) -> Value {
    let message = |(at, (role, text)): (usize, &(&str, &str))| json!({ "id": format!("m{at}"), "role": role, "content": [{ "type": "text", "text": text }] });
    let messages: Vec<Value> = messages.iter().enumerate().map(message).collect();
    json!({ "agentId": "a1", "conversationId": "c1", "messages": messages })
}

fn before_run(messages: &[(&str, &str)]) -> Value {
    json!({ "hook": "beforeRun", "payload": { "snapshot": snapshot(messages) } })
}

fn after_tool(id: &str, output: &Value) -> Value {
    let payload = json!({
        "snapshot": snapshot(&[]),
        "toolCall": { "toolCallId": id, "toolName": "run_commands" },
        "input": { "commands": ["make"] },
        "result": { "output": output },
    });
    json!({ "hook": "afterTool", "payload": payload })
}

fn rows(text: &str) -> Value {
    json!([{ "query": "make", "result": text, "success": true }])
}

#[test]
fn long_output_becomes_a_digest() {
    let env = TestEnv::new();
    let Some(plugin) = plugin(&env) else { return };
    let failed = format!("[Command exited with code 3]\n{}", varied_log(2_000));
    let calls = json!([after_tool("t1", &rows(&failed)), after_tool("t2", &rows("short"))]);
    let results = run(&env, &plugin, &calls);
    let text = results[0]["result"]["output"].as_str().unwrap_or_else(|| panic!("{results:?}"));
    assert!(text.starts_with("[ctx:") && text.contains("exit 3"), "{text}");
    assert!(text.len() < 10_000, "{text}");
    assert_eq!(results[1], json!({}));
}

#[test]
fn resumed_session_gets_the_guide() {
    let env = TestEnv::new();
    let Some(plugin) = plugin(&env) else { return };
    let prompt = "<user_input mode=\"act\">Port the parser to Rust</user_input>";
    let done = json!({
        "hook": "afterRun",
        "payload": { "snapshot": snapshot(&[("user", prompt)]), "result": { "outputText": "Done." } },
    });
    let first = run(&env, &plugin, &json!([before_run(&[("user", prompt)]), done]));
    assert!(!first[0].to_string().contains("Port the parser"), "{first:?}");
    let messages = [("user", prompt), ("assistant", "Done."), ("user", "where were we")];
    let resumed = run(&env, &plugin, &json!([before_run(&messages)]));
    let context = resumed[0]["appendContext"].as_str().unwrap_or_else(|| panic!("{resumed:?}"));
    assert!(context.contains("Forebay's record of this session"), "{context}");
    assert!(context.contains("Port the parser to Rust"), "{context}");
    assert!(!context.contains("user_input"), "{context}");
    let events = env.forebay(["history", "--all", "--events", "prompt"]).ok().text();
    assert_eq!(events.matches("Port the parser").count(), 1, "told once: {events}");
}

#[test]
fn reminders_of_cline_are_not_the_users_words() {
    let env = TestEnv::new();
    let Some(plugin) = plugin(&env) else { return };
    let mut messages = snapshot(&[
        ("user", "Port the parser to Rust"),
        ("user", "This run is not complete until you call a completion tool"),
        ("user", "[SYSTEM] You still have team obligations."),
        ("user", "<user_input><mode_notice>act mode</mode_notice>Keep the tests</user_input>"),
    ]);
    messages["messages"][1]["metadata"] = json!({ "userRunSpan": 0 });
    let call = json!({ "hook": "beforeRun", "payload": { "snapshot": messages } });
    run(&env, &plugin, &json!([call]));
    let prompts = env.forebay(["history", "--all", "--events", "prompt"]).ok().text();
    assert!(prompts.contains("Port the parser") && prompts.contains("Keep the tests"), "{prompts}");
    for words in ["not complete", "team obligations", "act mode"] {
        assert!(!prompts.contains(words), "{words}: {prompts}");
    }
}

#[test]
fn a_snapshot_of_another_shape_does_not_break_the_run() {
    let env = TestEnv::new();
    let Some(plugin) = plugin(&env) else { return };
    let call = json!({ "hook": "beforeRun", "payload": { "snapshot": { "messages": null } } });
    assert_eq!(run(&env, &plugin, &json!([call])), [Value::Null]);
}

#[test]
fn a_missing_binary_changes_nothing() {
    let env = TestEnv::new();
    let Some(plugin) = plugin(&env) else { return };
    let source = fs::read_to_string(&plugin).unwrap();
    let start = source.find("const PROGRAM = ").unwrap();
    let end = start + source[start..].find('\n').unwrap();
    let gone =
        format!("{}const PROGRAM = \"/no/such/program\";{}", &source[..start], &source[end..]);
    let plugin = env.write("gone.mjs", gone).display().to_string();
    let calls = json!([before_run(&[("user", "hi")]), after_tool("t1", &rows(&varied_log(2_000)))]);
    assert_eq!(run(&env, &plugin, &calls), [json!({}), json!({})]);
}

#[test]
fn doctor_says_whether_cline_loaded_the_plugin() {
    let env = TestEnv::new();
    let Some(plugin) = plugin(&env) else { return };
    let says = |expected: &str| {
        let text = env.forebay(["doctor"]).text();
        assert!(text.contains(expected), "{expected} in\n{text}");
    };
    let call_without_plugin = |session: &str| {
        let payload = json!({
            "sessionContext": { "rootSessionId": session },
            "workspaceInfo": { "rootPath": env.project() },
            "tool_call": { "id": "t1", "name": "run_commands", "input": { "commands": ["ls"] } },
        });
        finish(env.command(["hook", "cline", "PreToolUse"]), payload.to_string().as_bytes()).ok();
    };
    run(&env, &plugin, &json!([before_run(&[("user", "Port the parser to Rust")])]));
    call_without_plugin("s1");
    says("ok     plugin      Cline ran it in the last session");
    call_without_plugin("s2");
    says(
        "note   plugin      Cline did not run it in the last session: Cline gives a plugin 4 seconds",
    );
    let file = env.project().join(".cline/plugins/forebay.js");
    fs::write(&file, fs::read_to_string(&file).unwrap() + "}").unwrap();
    says(".cline/plugins/forebay.js was changed, or is of another version: `forebay init cline`");
}
