//! The plugin for OpenCode, loaded as version 2 loads it. `cargo xtask clients` runs version 1 itself.

use std::fs;

use serde_json::{Value, json};

use crate::env::{TestEnv, finish};
use crate::texts::varied_log;

const HOST: &str = include_str!("opencode2_host.mjs");

/// The plugin as `forebay init` writes it, as a module for Node.js; None without Node.js.
fn plugin(env: &TestEnv) -> Option<String> {
    let has_node = env.program("node").arg("--version").output().is_ok();
    if !has_node {
        forebay_test_support::skip("Node.js is not installed");
        return None;
    }
    env.forebay(["init", "opencode", "--project", "--yes"]).ok();
    let source = fs::read_to_string(env.project().join(".opencode/plugin/forebay.js")).unwrap();
    Some(env.write("plugin.mjs", source).display().to_string())
}

fn all_hooks() -> Value {
    json!({
        "tool": ["execute.before", "execute.after"],
        "session": ["prompt", "context", "compaction", "generate", "model.request", "http.request"],
    })
}

/// Loads the plugin in a host with these hooks and returns what happened to the events.
fn run(env: &TestEnv, plugin: &str, hooks: &Value, steps: &Value) -> Value {
    let host = env.write("host.mjs", HOST);
    let location = json!({ "directory": env.project(), "project": { "directory": env.project() } });
    let task = json!({ "hooks": hooks, "location": location, "steps": steps });
    let mut command = env.program("node");
    command.arg(host).arg(plugin);
    finish(command, task.to_string().as_bytes()).ok().json()
}

fn tool_event(tool: &str, input: Value) -> Value {
    json!({
        "tool": tool, "sessionID": "ses_1", "agent": "build", "messageID": "msg_1", "id": "call_1",
        "input": input,
    })
}

fn completed(tool: &str, input: Value, result: Value) -> Value {
    let mut event = tool_event(tool, input);
    event["status"] = json!("completed");
    event["result"] = result;
    json!({ "hook": "tool.execute.after", "event": event, "mutable": ["result"] })
}

#[test]
fn every_hook_is_registered() {
    let env = TestEnv::new();
    let Some(plugin) = plugin(&env) else { return };
    let loaded = run(&env, &plugin, &all_hooks(), &json!([]));
    assert_eq!(
        loaded["registered"],
        json!([
            "session.compaction",
            "session.context",
            "session.prompt",
            "tool.execute.after",
            "tool.execute.before",
        ])
    );
}

#[test]
fn a_host_without_some_hooks_still_loads_the_plugin() {
    let env = TestEnv::new();
    let Some(plugin) = plugin(&env) else { return };
    let hooks = json!({ "tool": ["execute.after"], "session": [] });
    assert_eq!(run(&env, &plugin, &hooks, &json!([]))["registered"], json!(["tool.execute.after"]));
    assert_eq!(run(&env, &plugin, &json!({}), &json!([]))["registered"], json!([]));
}

#[test]
fn long_output_becomes_a_digest() {
    let env = TestEnv::new();
    let Some(plugin) = plugin(&env) else { return };
    let input = json!({ "command": "make" });
    let metadata = json!({ "exit": 2 });
    let steps = json!([
        completed(
            "shell",
            input.clone(),
            json!({ "content": varied_log(2_000), "metadata": metadata })
        ),
        completed(
            "shell",
            input.clone(),
            json!({ "content": [{ "type": "text", "text": varied_log(2_100) }] })
        ),
        completed("shell", input.clone(), json!({ "content": "short" })),
        completed(
            "shell",
            input,
            json!({ "content": [{ "type": "file", "uri": "file:///a.png" }] })
        ),
    ]);
    let run = run(&env, &plugin, &all_hooks(), &steps);
    let content = |index: usize| &run["results"][index]["result"]["content"];
    for index in [0, 1] {
        let text = content(index).as_str().unwrap_or_else(|| panic!("{run}"));
        assert!(text.contains("[ctx:") && text.len() < 10_000, "{text}");
    }
    assert!(content(0).as_str().unwrap().contains("exit 2"), "{run}");
    assert_eq!(run["results"][0]["result"]["metadata"], json!({ "exit": 2 }));
    assert_eq!(content(2), "short");
    assert_eq!(content(3)[0]["type"], "file");
}

#[test]
fn a_denied_command_is_refused() {
    let env = TestEnv::new();
    let Some(plugin) = plugin(&env) else { return };
    let settings = env.project().join("opencode.json");
    let text = fs::read_to_string(&settings).unwrap();
    let rule = r#"{ "permission": { "bash": { "*": "allow", "git push*": "deny" } },"#;
    fs::write(&settings, text.replacen('{', rule, 1)).unwrap();
    let before = |command: &str| {
        let event = tool_event("shell", json!({ "command": command }));
        json!({ "hook": "tool.execute.before", "event": event, "mutable": ["input"] })
    };
    let run = run(&env, &plugin, &all_hooks(), &json!([before("git push origin"), before("ls")]));
    let error = run["results"][0]["error"].as_str().unwrap_or_else(|| panic!("{run}"));
    assert!(error.contains("git push"), "{error}");
    assert!(run["results"][1]["input"]["command"].as_str().unwrap().contains("ls"), "{run}");
}

#[test]
fn prompts_are_recorded_and_return_with_a_compaction() {
    let env = TestEnv::new();
    let Some(plugin) = plugin(&env) else { return };
    let prompt = "Port the parser to Rust and keep the grammar file";
    let request = |messages: Value| {
        json!({ "sessionID": "ses_1", "agent": "build", "model": {}, "system": [], "messages": messages,
                "tools": {} })
    };
    let asks = [json!({ "role": "user" })];
    let steps = json!([
        {
            "hook": "session.prompt",
            "event": { "sessionID": "ses_1", "messageID": "msg_1", "prompt": { "text": prompt } },
            "mutable": [],
        },
        { "hook": "session.context", "event": request(json!(asks)), "mutable": ["system"] },
        { "hook": "session.compaction", "event": request(json!(asks)), "mutable": ["system"] },
        { "hook": "event", "event": { "type": "session.compaction.ended", "data": { "sessionID": "ses_1" } } },
        { "hook": "session.context", "event": request(json!(asks)), "mutable": ["system"] },
    ]);
    let run = run(&env, &plugin, &all_hooks(), &steps);
    let system = |index: usize| run["results"][index]["system"].to_string();
    assert!(run["results"][0]["prompt"]["text"].as_str().unwrap().starts_with(prompt), "{run}");
    assert!(system(3).contains("Port the parser to Rust"), "after the compaction: {run}");
    assert!(!system(1).contains("Port the parser to Rust"), "before it: {run}");
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
    let log = varied_log(2_000);
    let steps =
        json!([completed("shell", json!({ "command": "make" }), json!({ "content": log }))]);
    let run = run(&env, &plugin, &all_hooks(), &steps);
    assert_eq!(run["results"][0]["result"]["content"], log);
}
