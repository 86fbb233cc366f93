//! What goes wrong with a hook is shown where its user looks: in the live view and by `forebay watch`.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::process::Stdio;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::env::{TestEnv, finished};
use crate::hook_host::{Host, call, log_lines};

fn build_log() -> String {
    (0..2_000).map(|number| format!("line {number} of the build\n")).collect()
}

/// What `forebay watch` prints, by field.
fn watched(env: &TestEnv) -> Vec<Value> {
    let printed = env.forebay(["watch", "--once", "--json"]).ok().text();
    printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn field<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no {name}: {value}"))
}

/// The faults that the live view of the dashboard gets.
fn faults(env: &TestEnv) -> Vec<Value> {
    let batch: Value = serde_json::from_str(&env.ui().live_batch()).unwrap();
    let items = batch["items"].as_array().unwrap_or_else(|| panic!("{batch}"));
    items.iter().filter(|item| item["is"] == "fault").cloned().collect()
}

#[test]
fn a_store_that_cannot_be_opened() {
    let env = TestEnv::new();
    env.noted("so that there is a store");
    let database = Connection::open(env.database()).unwrap();
    let newer = "INSERT INTO migration (name, checksum) VALUES ('9999_future', 'x')";
    database.execute(newer, ()).unwrap();
    let host = Host::new(&env);
    host.ran("make everything", &build_log()).silent();
    let [fault] = &faults(&env)[..] else { panic!("{:?}", faults(&env)) };
    assert_eq!(
        ["event", "outcome", "tool", "title", "session"].map(|name| field(fault, name)),
        ["after a tool", "failed", "Bash", "make everything", "conversation-1"]
    );
    assert!(field(fault, "error").contains("newer Forebay"), "{fault}");
    assert!(field(fault, "hint").contains("forebay upgrade"), "{fault}");
    assert!(fault["micros"].as_u64().unwrap() > 0 && fault["created"].as_u64().unwrap() > 0);
    let printed = env.forebay(["watch", "--once"]).ok();
    let text = printed.text();
    assert!(text.contains("failed  Bash  make everything  hook after a tool, "), "{text}");
    assert!(text.contains("newer Forebay") && text.lines().count() == 1, "{text}");
    assert!(printed.stderr.contains("newer Forebay"), "what is stored is missing: {printed:?}");
    // The hooks work again, and what is stored appears beside the fault.
    database.execute("DELETE FROM migration WHERE name = '9999_future'", ()).unwrap();
    assert!(host.ran("make again", &build_log()).text().contains("[ctx:"));
    let outcomes: Vec<String> =
        watched(&env).iter().map(|call| field(call, "outcome").to_owned()).collect();
    assert_eq!(outcomes, ["failed", "replaced"]);
}

#[test]
fn a_store_that_another_process_holds() {
    let env = TestEnv::new();
    env.noted("so that there is a store");
    let lock = Connection::open(env.database()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    Host::new(&env).ran("make", &build_log()).silent();
    lock.execute_batch("COMMIT").unwrap();
    let [fault] = &faults(&env)[..] else { panic!("{:?}", faults(&env)) };
    assert_eq!(field(fault, "outcome"), "failed");
    assert!(field(fault, "error").contains("locked"), "{fault}");
    assert!(fault["micros"].as_u64().unwrap() > 500_000, "it waited: {fault}");
}

#[test]
fn settings_of_the_user_that_cannot_be_used() {
    let env = TestEnv::new();
    fs::create_dir(env.data()).unwrap();
    fs::write(env.data().join("settings.toml"), "hooks.threshold = 'many'").unwrap();
    fs::create_dir(env.project().join(".claude")).unwrap();
    env.write(".claude/settings.json", r#"{"permissions":{"deny":["Bash(sudo:*)"]}}"#);
    let host = Host::new(&env);
    host.ran("make", &build_log()).silent();
    let denied = host.before_tool("Bash", json!({ "command": "sudo reboot" }));
    assert_eq!(denied.answer()["permissionDecision"], "deny", "rules apply all the same");
    let refused = env.forebay(["watch", "--once"]);
    refused.refused(2, "settings.toml:1:7: `hooks.threshold`", "");
    fs::write(env.data().join("settings.toml"), "").unwrap();
    let faults = faults(&env);
    let [unanswered, answered] = &faults[..] else { panic!("{faults:?}") };
    assert_eq!(field(unanswered, "outcome"), "failed");
    assert_eq!(field(answered, "outcome"), "denied");
    for fault in [unanswered, answered] {
        assert!(field(fault, "error").contains("`hooks.threshold`"), "{fault}");
    }
    assert_eq!(log_lines(&env).len(), 2, "{:?}", log_lines(&env));
}

#[test]
fn settings_of_the_project_that_are_left_out() {
    let env = TestEnv::new();
    env.write(".forebay.toml", "hooks.threshold = 'many'");
    let host = Host::new(&env);
    for command in ["make first", "make second"] {
        host.ran(command, &build_log().replace("build", command)).ok();
    }
    let told = faults(&env);
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(field(&told[0], "outcome"), "replaced");
    assert!(field(&told[0], "error").contains(".forebay.toml:1:7"), "{told:?}");
    let calls = watched(&env);
    let outcomes: Vec<&str> = calls.iter().map(|call| field(call, "outcome")).collect();
    assert_eq!(outcomes.iter().filter(|one| **one == "replaced").count(), 2, "{calls:?}");
    let fault: Vec<&Value> = calls.iter().filter(|call| call["outcome"] == "fault").collect();
    assert_eq!(fault.len(), 1, "the same fault again is not repeated: {calls:?}");
}

#[test]
fn a_payload_that_cannot_be_read() {
    let env = TestEnv::new();
    call(&env, "claude-code", "PostToolUse", b"{\"session_id\": \"s").silent();
    let [fault] = &faults(&env)[..] else { panic!("{:?}", faults(&env)) };
    assert_eq!(field(fault, "event"), "after a tool", "as the command line tells");
    assert!(field(fault, "error").contains("not a JSON object"), "{fault}");
    assert!(field(fault, "hint").contains("forebay doctor"), "{fault}");
    assert_eq!(fault["tool"], Value::Null);
}

/// The host keeps the pipe open, and the hook ends in time all the same.
#[test]
fn a_hook_that_overruns_its_time() {
    let env = TestEnv::new();
    let mut command = env.command(["hook", "claude-code", "PostToolUse"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"{\"session_id\": ").unwrap();
    finished(child).silent();
    drop(pipe);
    let [fault] = &faults(&env)[..] else { panic!("{:?}", faults(&env)) };
    assert_eq!(field(fault, "outcome"), "timed out");
    assert!(field(fault, "error").contains("timed out after 9s"), "{fault}");
    assert!(fault["micros"].as_u64().unwrap() >= 9_000_000, "{fault}");
    let watched = watched(&env);
    assert_eq!(field(&watched[0], "outcome"), "failed", "{watched:?}");
    assert!(field(&watched[0], "ending").starts_with("9,"), "{watched:?}");
}

/// What is known of the call by then is listed, though its thread is stuck.
#[test]
fn a_store_server_that_does_not_answer() {
    let env = TestEnv::new();
    fs::create_dir(env.data()).unwrap();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://user:secretword@{}/store", server.local_addr().unwrap());
    let payload = json!({
        "session_id": "conversation-1", "cwd": env.project(), "hook_event_name": "PostToolUse",
        "tool_name": "Bash", "tool_input": { "command": "make everything" },
        "tool_response": { "stdout": build_log(), "stderr": "" },
    });
    let mut command = env.command(["hook", "claude-code", "PostToolUse"]);
    let mut child = command.env("FOREBAY_STORE", url).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    finished(child).silent();
    let [fault] = &faults(&env)[..] else { panic!("{:?}", faults(&env)) };
    assert_eq!(
        ["event", "tool", "title", "session"].map(|name| field(fault, name)),
        ["after a tool", "Bash", "make everything", "conversation-1"]
    );
    assert!(["failed", "timed out"].contains(&field(fault, "outcome")), "{fault}");
    assert!(!fault.to_string().contains("secretword"), "{fault}");
}

#[test]
fn a_fault_has_no_secrets_and_is_short() {
    let env = TestEnv::new();
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let platform = format!("\u{202e}{secret} {}", "x".repeat(20_000));
    call(&env, &platform, secret, b"{}").silent();
    let [fault] = &faults(&env)[..] else { panic!("{:?}", faults(&env)) };
    let text = fault.to_string();
    assert!(field(fault, "error").starts_with("unknown platform"), "{text}");
    assert!(!text.contains("0123456789abc") && !text.contains('\u{202e}'), "{text}");
    assert!(text.len() < 2_000, "{} bytes", text.len());
    let folder = fs::read_dir(env.data().join("calls")).unwrap().next().unwrap().unwrap().path();
    let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let listed = fs::read_to_string(file).unwrap();
    assert!(!listed.contains("0123456789abc") && listed.len() < 2_000, "{listed}");
}

/// Without a folder to write to, the hook is silent and lists nothing.
#[test]
fn a_data_folder_that_cannot_be_written() {
    let env = TestEnv::new();
    fs::write(env.data(), "a file").unwrap();
    Host::new(&env).ran("make", &build_log()).silent();
    assert_eq!(fs::read_to_string(env.data()).unwrap(), "a file");
}
