//! Which tool results hooks capture and which they leave unchanged.

use std::fs;

use serde_json::json;

use crate::env::{TestEnv, reference_in};
use crate::hook_host::Host;

fn long_log() -> String {
    (0..3_000).map(|number| format!("{number} worked on item {}\n", number * 7)).collect()
}

#[test]
fn long_output_is_replaced_and_stored_in_full() {
    let env = TestEnv::new();
    let log = long_log();
    let answer = Host::new(&env).ran("make all", &log).answer();
    let result = &answer["updatedToolOutput"];
    let text = result["stdout"].as_str().unwrap();
    assert!(text.len() < 1_700, "{text}");
    assert_eq!(result["interrupted"], false, "the result keeps the tool's shape");
    let raw = env.forebay(["get", "--raw", &reference_in(text)]).ok();
    assert_eq!(raw.stdout, log.as_bytes());
    assert!(env.forebay(["stats"]).ok().text().contains("capture"), "reports the savings");
}

#[test]
fn small_results_file_reads_and_forebay_answers_are_not_captured() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.ran("make", &"short\n".repeat(100)).silent();
    let log = long_log();
    let path = env.write("big.txt", &log);
    let read = json!({ "type": "text", "file": { "filePath": path, "content": log } });
    host.tool("Read", json!({ "file_path": path }), read).silent();
    let parts = json!([{ "type": "text", "text": log }]);
    host.tool("mcp__forebay__ctx_get", json!({ "ref": "x" }), parts.clone()).silent();
    host.ran("forebay get --raw k3v9m2a1xq", &log).silent();
    let with_image = json!([{ "type": "text", "text": log }, { "type": "image", "data": "=" }]);
    host.tool("mcp__browser__shot", json!({}), with_image).silent();
    assert!(host.tool("mcp__gh__list", json!({}), parts).answer()["updatedToolOutput"].is_array());
}

#[test]
fn settings_select_the_captured_tools() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let parts = json!([{ "type": "text", "text": long_log() }]);
    let captured = |name: &str| !host.tool(name, json!({}), parts.clone()).ok().stdout.is_empty();
    env.write(".forebay.toml", "hooks.never = [\"mcp__db__*\"]\n");
    assert!(!captured("mcp__db__query") && captured("mcp__gh__list"));
    env.write(".forebay.toml", "hooks.allow = [\"mcp__db__*\"]\n");
    assert!(captured("mcp__db__query") && !captured("mcp__gh__list"));
    env.write(".forebay.toml", "hooks.threshold = 1000000\n");
    assert!(!captured("mcp__db__query"));
}

#[test]
fn failed_command_stays_failed_and_its_output_is_stored() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let log = long_log();
    let context = host.failed("make all", &log).context();
    let raw = env.forebay(["get", "--raw", &reference_in(&context)]).ok();
    assert!(raw.text().contains(log.trim_end()), "stored in full");
    host.failed("make all", &log).silent();
    // A replaced result keeps its error flag.
    let parts = json!({ "content": [{ "type": "text", "text": log }], "isError": true });
    let answer = host.tool("mcp__gh__list", json!({}), parts).answer();
    assert_eq!(answer["updatedToolOutput"]["isError"], true);
}

#[test]
fn output_saved_by_the_host_is_read_from_its_file() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let log = long_log();
    let folder = env.home().join(".claude/projects/x/tool-results");
    fs::create_dir_all(&folder).unwrap();
    let saved = folder.join("a.txt");
    fs::write(&saved, &log).unwrap();
    let response = |path: &std::path::Path| {
        json!({
            "stdout": &log[..30_000], "stderr": "", "interrupted": false,
            "persistedOutputPath": path, "persistedOutputSize": log.len(),
        })
    };
    let input = json!({ "command": "make all" });
    let answer = host.tool("Bash", input.clone(), response(&saved)).answer();
    assert!(answer["updatedToolOutput"]["persistedOutputPath"].is_null());
    let text = answer["updatedToolOutput"]["stdout"].as_str().unwrap();
    assert_eq!(env.forebay(["get", "--raw", &reference_in(text)]).ok().stdout, log.as_bytes());
    // The host would have shown a preview only.
    let usage = env.forebay(["stats", "--json"]).ok().json()["project"]["tools"]["capture"].clone();
    assert_eq!(usage["host_tokens"], 512, "{usage}");

    // A file outside the host's result folder is not read.
    let elsewhere = env.write("secret.txt", "password of somebody\n".repeat(2_000));
    let answer = host.tool("Bash", input, response(&elsewhere)).answer();
    let text = answer["updatedToolOutput"]["stdout"].as_str().unwrap();
    let kept = env.forebay(["get", "--raw", &reference_in(text)]).ok();
    assert_eq!(kept.stdout, &log.as_bytes()[..30_000]);
}

#[test]
fn secrets_are_redacted_in_captures_and_events() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let log = format!("{}token {secret}\n", long_log());
    let answer = host.ran("make all", &log).answer();
    let text = answer["updatedToolOutput"]["stdout"].as_str().unwrap();
    host.prompt(&format!("use the token {secret} for the upload"));
    let raw = env.forebay(["get", "--raw", &reference_in(text)]).ok().text();
    let events = env.forebay(["history", "--all", "--events", "all"]).ok().text();
    assert!(!raw.contains(secret) && !events.contains(secret), "{events}");
    assert!(raw.contains("[redacted:") && events.contains("[redacted:"), "{events}");
}

/// The reply to a result of the call `id`, from a process of its own.
fn after_call(env: &TestEnv, id: &str, log: &str) -> String {
    let payload = json!({
        "session_id": "s", "cwd": env.project(), "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": { "command": "make" }, "tool_use_id": id,
        "tool_response": { "stdout": log, "stderr": "" },
    });
    let hook = ["hook", "claude-code", "PostToolUse"];
    env.forebay_reading(hook, payload.to_string().as_bytes()).ok().text()
}

#[test]
fn result_that_two_hooks_report_is_stored_once() {
    let env = TestEnv::new();
    let log = long_log();
    let replies: Vec<String> = std::thread::scope(|scope| {
        let calls: Vec<_> =
            (0..4).map(|_| scope.spawn(|| after_call(&env, "toolu_1", &log))).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    let replaced = replies.iter().filter(|reply| reply.contains("updatedToolOutput")).count();
    assert_eq!((replaced, replies.iter().filter(|reply| reply.is_empty()).count()), (1, 3));
    let stored = env.forebay(["history", "--session", "all"]).ok().text();
    assert_eq!(stored.matches("[ctx:").count(), 1, "{stored}");
}

#[test]
fn another_result_under_the_same_id_is_stored_too() {
    let env = TestEnv::new();
    for log in [long_log(), long_log().repeat(2)] {
        assert!(after_call(&env, "call_0", &log).contains("updatedToolOutput"));
    }
    let stored = env.forebay(["history", "--session", "all"]).ok().text();
    assert_eq!(stored.matches("[ctx:").count(), 2, "{stored}");
}

#[test]
fn hook_called_by_another_host_is_ignored() {
    let env = TestEnv::new();
    let payload = json!({
        "session_id": "s", "cwd": env.project(), "hook_event_name": "PostToolUse",
        "timestamp": "2026-11-15T00:51:07.265Z", "tool_name": "Bash",
        "tool_input": { "command": "make" }, "tool_response": { "stdout": long_log(), "stderr": "" },
    });
    let payload = payload.to_string();
    env.forebay_reading(["hook", "claude-code", "PostToolUse"], payload.as_bytes()).silent();
    let mut command = env.command(["hook", "claude-code", "PostToolUse"]);
    command.env("COPILOT_CLI", "1");
    let own = payload.replace("\"timestamp\"", "\"unknown\"");
    crate::env::finish(command, own.as_bytes()).silent();
    assert!(!env.data().join("projects").exists(), "nothing is stored twice");
}

#[test]
fn hook_uses_the_project_where_the_session_started() {
    let env = TestEnv::new();
    let other = env.add_project("other");
    let payload = json!({
        "session_id": "s", "cwd": other, "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": { "command": "make" }, "tool_response": { "stdout": long_log(), "stderr": "" },
    });
    let mut command = env.command(["hook", "claude-code", "PostToolUse"]);
    command.env("CLAUDE_PROJECT_DIR", env.project());
    let text = crate::env::finish(command, payload.to_string().as_bytes()).ok().text();
    env.forebay(["get", "--raw", &reference_in(&text)]).ok();
}

#[test]
fn counts_of_the_host_are_told_where_it_cut_the_output() {
    let env = TestEnv::new();
    let content: String = (1..=250)
        .map(|n| format!("src/big.rs:{n}:    let value_{n} = compute({n}, \"x\");\n"))
        .collect();
    let host = Host::new(&env);
    let result = json!({
        "mode": "content", "numFiles": 0, "filenames": [], "content": content, "numLines": 2983, "appliedLimit": 250
    });
    let answer = host.tool("Grep", json!({ "pattern": "let", "path": "." }), result).answer();
    let text = answer["updatedToolOutput"]["content"].as_str().unwrap();
    assert!(text.contains("cut by the host: it passed on a part of 2,983"), "{text}");
}

#[test]
fn excerpt_that_is_shorter_than_the_digest_is_replaced() {
    let env = TestEnv::new();
    let folder = env.home().join("xdg-data/opencode/tool-output");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("tool_1");
    let log: String = (0..9_000).map(|number| format!("{number} worked\n")).collect();
    fs::write(&file, format!("{log}error: the weir is blocked\n{log}done\n")).unwrap();
    let shown =
        format!("...output truncated...\n\nFull output saved to: {}\n\ndone\n", file.display());
    let payload = serde_json::json!({
        "hook_event_name": "tool.execute.after", "cwd": env.project(), "worktree": env.project(),
        "sessionID": "ses_1", "callID": "call_1", "tool": "bash", "tool_name": "bash",
        "tool_input": { "command": "make" },
        "tool_response": { "title": "make", "output": shown,
            "metadata": { "exit": 1, "truncated": true, "outputPath": file } },
    });
    let hook = env.command(["hook", "opencode", "tool.execute.after"]);
    let text = crate::env::finish(hook, payload.to_string().as_bytes()).ok().text();
    assert!(text.contains("[ctx:") && text.contains("the weir is blocked"), "{text}");
}
