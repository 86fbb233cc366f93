//! Promise 1: a hook never breaks the agent. On any error it exits with 0, prints nothing and logs one line.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::json;

use crate::env::{TestEnv, finish, finished};
use crate::hook_host::{Host, call, log_lines};

fn payload(env: &TestEnv) -> String {
    json!({
        "session_id": "s", "cwd": env.project(), "hook_event_name": "PostToolUse",
        "tool_name": "Bash", "tool_input": { "command": "make" },
        "tool_response": { "stdout": "x\n".repeat(9_000), "stderr": "" },
    })
    .to_string()
}

#[test]
fn promise_1_invalid_payload_only_logs_one_line() {
    let truncated = &payload(&TestEnv::new())[..400];
    let payloads: [&[u8]; 8] = [
        truncated.as_bytes(),
        b"",
        b"not json",
        b"[1,2]",
        b"\"text\"",
        b"\xff\xfe\x00{",
        b"{\"session_id\": \"\xff\"}",
        b"{} {}",
    ];
    for payload in payloads {
        let env = TestEnv::new();
        call(&env, "claude-code", "PostToolUse", payload).silent();
        assert_eq!(log_lines(&env).len(), 1, "{payload:?}: {:?}", log_lines(&env));
    }
}

#[test]
fn promise_1_invalid_arguments_deny_nothing() {
    let env = TestEnv::new();
    let lines: [&[&str]; 5] = [
        &["hook"],
        &["hook", "nobody", "PreToolUse"],
        &["hook", "zed", "PreToolUse"],
        &["hook", "claude-code", "PreToolUse", "--surplus", "words"],
        &["hook", "claude-code", ""],
    ];
    for line in lines {
        finish(env.command(line), b"{\"session_id\":\"s\"}").silent();
    }
    assert!(env.forebay(["hook", "--help"]).ok().text().contains("agent's hook"));
}

#[test]
fn promise_1_unknown_events_and_fields_are_ignored() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.hook("TeammateIdle", json!({ "new": { "field": [1, 2] } })).silent();
    host.hook("PostToolUse", json!({ "tool_name": 5, "tool_response": 7 })).silent();
    host.hook("PreToolUse", json!({})).silent();
    host.hook("UserPromptSubmit", json!({ "prompt": ["x"] })).silent();
    assert_eq!(log_lines(&env), Vec::<String>::new());
}

#[test]
fn promise_1_payload_without_a_session_is_not_recorded() {
    let env = TestEnv::new();
    let without_session = payload(&env).replace("session_id", "unknown");
    call(&env, "claude-code", "PostToolUse", without_session.as_bytes()).silent();
    assert_eq!(log_lines(&env).len(), 1, "{:?}", log_lines(&env));
    assert!(log_lines(&env)[0].contains("has no session"));
}

#[test]
fn promise_1_missing_stdin_only_logs_one_line() {
    let env = TestEnv::new();
    env.forebay(["hook", "claude-code", "PreToolUse"]).silent();
    assert_eq!(log_lines(&env).len(), 1);
}

#[test]
fn promise_1_unwritable_data_folder_is_not_an_error() {
    let env = TestEnv::new();
    fs::write(env.data(), "a file").unwrap();
    call(&env, "claude-code", "PostToolUse", payload(&env).as_bytes()).silent();
    fs::remove_file(env.data()).unwrap();
    fs::create_dir(env.data()).unwrap();
    fs::set_permissions(env.data(), fs::Permissions::from_mode(0o500)).unwrap();
    let output = call(&env, "claude-code", "PostToolUse", payload(&env).as_bytes());
    assert_eq!(output.code(), Some(0), "root can write anywhere, other users get no output");
    fs::set_permissions(env.data(), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn promise_1_wait_for_a_locked_database_is_bounded() {
    let env = TestEnv::new();
    env.noted("so that there is a database");
    let lock = rusqlite::Connection::open(env.database()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    call(&env, "claude-code", "PostToolUse", payload(&env).as_bytes()).silent();
    assert!(!log_lines(&env).is_empty());
    lock.execute_batch("COMMIT").unwrap();
    let output = call(&env, "claude-code", "PostToolUse", payload(&env).as_bytes());
    assert!(output.text().contains("[ctx:"), "{output:?}");
}

#[test]
fn promise_1_newer_database_only_logs_one_line() {
    let env = TestEnv::new();
    env.noted("so that there is a database");
    let newer = rusqlite::Connection::open(env.database()).unwrap();
    newer
        .execute("INSERT INTO migration (name, checksum) VALUES ('9999_future', 'x')", [])
        .unwrap();
    drop(newer);
    call(&env, "claude-code", "PostToolUse", payload(&env).as_bytes()).silent();
    assert_eq!(log_lines(&env).len(), 1, "{:?}", log_lines(&env));
}

#[test]
fn promise_1_hook_ignores_an_invalid_project_file_and_logs_one_line() {
    let env = TestEnv::new();
    env.write(".forebay.toml", "hooks.threshold = 'many'");
    let output = call(&env, "claude-code", "PostToolUse", payload(&env).as_bytes());
    assert!(output.ok().text().contains("[ctx:"), "the result is replaced as without the file");
    let lines = log_lines(&env);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains(".forebay.toml:1:7: `hooks.threshold`"), "{lines:?}");
}

#[test]
fn promise_1_invalid_user_settings_only_log_one_line() {
    let env = TestEnv::new();
    fs::create_dir(env.data()).unwrap();
    fs::write(env.data().join("settings.toml"), "hooks.threshold = 'many'").unwrap();
    call(&env, "claude-code", "PostToolUse", payload(&env).as_bytes()).silent();
    assert_eq!(log_lines(&env).len(), 1);
}

#[test]
fn promise_1_closed_stdout_is_not_an_error() {
    let env = TestEnv::new();
    let mut command = env.command(["hook", "claude-code", "PostToolUse"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(payload(&env).as_bytes()).unwrap();
    assert_eq!(finished(child).code(), Some(0));
}

#[test]
fn promise_1_hook_completes_after_its_binary_is_removed() {
    let env = TestEnv::new();
    let copy = env.root().join("forebay");
    fs::copy(env!("CARGO_BIN_EXE_forebay"), &copy).unwrap();
    let mut command = env.program(copy.to_str().unwrap());
    command.args(["hook", "claude-code", "PostToolUse"]).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    fs::remove_file(&copy).unwrap();
    child.stdin.take().unwrap().write_all(payload(&env).as_bytes()).unwrap();
    let output = finished(child);
    assert!(output.text().contains("[ctx:"), "{output:?}");
}

#[test]
fn a_payload_of_a_hundred_megabytes_is_captured() {
    let env = TestEnv::new();
    let line = "a line of a log that goes on and on, word after word after word\\n";
    let mut payload = format!(
        r#"{{"session_id":"s","cwd":"{}","hook_event_name":"PostToolUse","tool_name":"Bash",
            "tool_input":{{"command":"make"}},"tool_response":{{"stderr":"","stdout":""#,
        env.project().display()
    );
    payload.extend(std::iter::repeat_n(line, 100_000_000 / line.len()));
    payload.push_str("\"}}");
    let output = call(&env, "claude-code", "PostToolUse", payload.as_bytes());
    // An unoptimised build may time out; the hook then prints nothing.
    assert_eq!(output.code(), Some(0), "{}", output.stderr);
    if output.stdout.is_empty() {
        assert!(log_lines(&env).iter().any(|line| line.contains("timed out after")));
    } else {
        assert!(output.answer()["updatedToolOutput"]["stdout"].as_str().unwrap().contains("[ctx:"));
    }
}
