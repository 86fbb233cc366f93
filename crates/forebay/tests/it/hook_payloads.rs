//! Recorded payloads of every host, sent through the real binary.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::hook_host::{call, log_lines};

/// Hosts whose payloads contain no session id, which logs a line.
const WITHOUT_SESSIONS: &[&str] = &["kiro", "antigravity"];

#[test]
fn recorded_payloads_are_accepted_and_small_results_left_unchanged() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../forebay-platforms/tests/samples");
    let mut hosts = 0;
    for folder in sorted_paths(&samples).into_iter().filter(|path| path.is_dir()) {
        let platform = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let env = TestEnv::new();
        for file in sorted_paths(&folder) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let event = name.split_once('-').unwrap().1.replace('~', ":");
            let payload = in_test_project(&fs::read_to_string(&file).unwrap(), &env);
            let output = call(&env, &platform, &event, payload.as_bytes());
            assert_eq!(output.code(), Some(0), "{platform} {name}: {output:?}");
            assert!(output.stderr.is_empty(), "{platform} {name}: {output:?}");
            // Small results stay unchanged; a start may add context and a command may be rewritten.
            let printed = output.text();
            let is_fine = printed.is_empty()
                || platform == "antigravity" && printed == "{}"
                || printed.contains("Forebay")
                || printed.contains(" run --digest");
            assert!(is_fine, "{platform} {name}: {printed}");
        }
        if !WITHOUT_SESSIONS.contains(&platform.as_str()) {
            assert_eq!(log_lines(&env), Vec::<String>::new(), "{platform}");
        }
        hosts += 1;
    }
    assert_eq!(hosts, 12, "every host with hooks has payloads");
}

/// Covers each host that can replace results, with a long shell result.
#[test]
fn long_result_is_replaced_in_the_format_of_each_host() {
    let long = "a line of a log that goes on and on\n".repeat(1_000);
    for (platform, event, file, answer) in [
        (
            "claude-code",
            "PostToolUse",
            "04-PostToolUse",
            "/hookSpecificOutput/updatedToolOutput/stdout",
        ),
        ("codex", "PostToolUse", "04-PostToolUse", "/reason"),
        ("gemini-cli", "AfterTool", "08-AfterTool", "/reason"),
        ("copilot-cli", "postToolUse", "05-postToolUse", "/modifiedResult/textResultForLlm"),
        ("opencode", "tool.execute.after", "05-tool.execute.after", "/replace"),
        ("qwen-code", "PostToolUse", "05-PostToolUse", "/stopReason"),
        ("cline", "PostToolUse", "03-PostToolUse", "/result"),
    ] {
        let env = TestEnv::new();
        let payload = with_result(platform, file, &long, &env);
        let output = call(&env, platform, event, payload.as_bytes());
        assert_eq!(output.code(), Some(0), "{platform}: {output:?}");
        let answer = output.json().pointer(answer).cloned().unwrap_or_default();
        let text = answer.as_str().unwrap_or_else(|| panic!("{platform}: {output:?}"));
        assert!(text.starts_with("[ctx:") && text.len() < 1_700, "{platform}: {text}");
        let reference = crate::env::reference_in(text);
        let raw = env.forebay(["get", "--raw", &reference]).ok().stdout;
        assert!(String::from_utf8_lossy(&raw).contains(&long), "{platform}: stored in full");
    }
}

/// Qwen Code lets a hook replace the result of a failed call only after the whole batch.
#[test]
fn failed_call_is_stored_and_replaced_with_its_batch() {
    let env = TestEnv::new();
    let long = "error: a line of a log that goes on and on\n".repeat(1_000);
    let failure = with_result("qwen-code", "11-PostToolUseFailure", &long, &env);
    call(&env, "qwen-code", "PostToolUseFailure", failure.as_bytes()).silent();
    let batch = with_result("qwen-code", "12-PostToolBatch", &long, &env);
    let output = call(&env, "qwen-code", "PostToolBatch", batch.as_bytes());
    let answer = output.json();
    let text = answer["stopReason"].as_str().unwrap_or_else(|| panic!("{output:?}"));
    assert!(text.starts_with("[ctx:") && text.len() < 1_700, "{text}");
    assert_eq!(answer["continue"], false);
    assert_eq!(env.forebay(["history", "--all"]).ok().text().matches("capture ·").count(), 1);
    let batch =
        batch.replace(r#""execution_status":"error""#, r#""execution_status":"not_started""#);
    call(&env, "qwen-code", "PostToolBatch", batch.as_bytes()).silent();
}

/// Of the calls that the model makes at once only the last one's result can be replaced; the others are stored.
#[test]
fn failed_call_before_another_one_is_stored() {
    let env = TestEnv::new();
    let long = "error: a zebra of a log that goes on and on\n".repeat(1_000);
    let batch = with_result("qwen-code", "12-PostToolBatch", &long, &env);
    let mut batch: Value = serde_json::from_str(&batch).unwrap();
    let calls = batch["tool_calls"].as_array_mut().unwrap();
    let mut last = calls[0].clone();
    last["tool_call_id"] = json!("call_0_1");
    last["tool_response"]["execution_status"] = json!("success");
    calls.push(last);
    call(&env, "qwen-code", "PostToolBatch", batch.to_string().as_bytes()).silent();
    assert_eq!(env.forebay(["history", "--all"]).ok().text().matches("capture ·").count(), 1);
    assert!(env.forebay(["search", "zebra"]).ok().text().contains("zebra"));
    // The same call in another turn is another one, whatever its id.
    batch["prompt_id"] = json!("another turn");
    call(&env, "qwen-code", "PostToolBatch", batch.to_string().as_bytes()).silent();
    assert_eq!(env.forebay(["history", "--all"]).ok().text().matches("capture ·").count(), 2);
}

/// VS Code cannot replace results, so the hook stores the result and gives advice once.
#[test]
fn irreplaceable_result_is_stored_and_advised_on_once() {
    let env = TestEnv::new();
    let long = "a line of a log that goes on and on\n".repeat(1_000);
    let payload = with_result("vscode-copilot", "04-PostToolUse", &long, &env);
    let once = call(&env, "vscode-copilot", "PostToolUse", payload.as_bytes());
    let advice =
        once.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    assert!(advice.contains("ctx_execute"), "{advice}");
    assert!(crate::texts::tokens(&advice) < 100, "{advice}");
    // Another call: the same one would be a second set-up that reports it.
    let payload = payload.replace("tool-124", "tool-125");
    call(&env, "vscode-copilot", "PostToolUse", payload.as_bytes()).silent();
    assert_eq!(env.forebay(["history", "--all"]).ok().text().matches("capture ·").count(), 2);
}

#[test]
fn antigravity_gets_an_object_and_its_answer_is_remembered() {
    let env = TestEnv::new();
    let steps = [
        json!({ "step_index": 0, "type": "USER_INPUT", "content": "<USER_REQUEST>\nWhy?\n</USER_REQUEST>" }),
        json!({ "step_index": 1, "type": "PLANNER_RESPONSE", "content": "The walrus cache was never flushed." }),
        json!({ "step_index": 2, "type": "CHECKPOINT", "content": "x" }),
    ];
    let transcript = env.write("transcript.jsonl", steps.map(|step| format!("{step}\n")).concat());
    let payload = json!({
        "conversationId": "c1", "workspacePaths": [env.project()], "transcriptPath": transcript,
        "terminationReason": "NO_TOOL_CALL", "fullyIdle": true,
    });
    let output = call(&env, "antigravity", "Stop", payload.to_string().as_bytes());
    assert_eq!((output.code(), output.json()), (Some(0), json!({})));
    let found = env.forebay(["search", "walrus cache"]).ok().text();
    assert!(found.contains("was never flushed"), "{found}");
    let before = json!({
        "conversationId": "c1", "workspacePaths": [env.project()],
        "toolCall": { "name": "run_command", "args": { "CommandLine": "ls" } },
    });
    let output = call(&env, "antigravity", "PreToolUse", before.to_string().as_bytes());
    assert_eq!(output.json()["decision"], "ask", "neither a denial nor a grant");
}

/// Returns a recorded payload with `text` as its result, moved into the test project.
fn with_result(platform: &str, file: &str, text: &str, env: &TestEnv) -> String {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../forebay-platforms/tests/samples");
    let sample = fs::read_to_string(samples.join(platform).join(format!("{file}.json"))).unwrap();
    let mut payload: Value = serde_json::from_str(&in_test_project(&sample, env)).unwrap();
    let pointers = [
        "/tool_response/stdout",
        "/tool_response/llmContent",
        "/tool_response/output",
        "/tool_response",
        "/toolResult/textResultForLlm",
        "/tool_result/output/0/result",
        "/error",
        "/tool_calls/0/tool_response/error",
    ];
    let pointer =
        pointers.iter().find(|pointer| payload.pointer(pointer).is_some_and(Value::is_string));
    let result = payload.pointer_mut(pointer.unwrap_or_else(|| panic!("{platform}: {payload}")));
    *result.unwrap() = text.into();
    payload.to_string()
}

/// Replaces the recorded project folder with the test project.
fn in_test_project(payload: &str, env: &TestEnv) -> String {
    payload.replace("/home/user/project", env.project().to_str().unwrap())
}

fn sorted_paths(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
