//! Background jobs: started, followed, answered and stopped, by any process of the user.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::env::{HANG, TestEnv, announced_process, is_gone, reference_in, wait_until};
use crate::mcp_client::McpClient;

/// Starts a job that runs on, and gives its name.
fn started(client: &mut McpClient, arguments: Value) -> String {
    let mut arguments = arguments;
    arguments["background"] = json!(true);
    let told = client.text("ctx_execute", arguments);
    assert!(told.contains("ctx_job job="), "{told}");
    told.split_whitespace().next().unwrap().to_owned()
}

fn cursor_in(told: &str) -> u64 {
    let (_, rest) = told.split_once("cursor=").unwrap_or_else(|| panic!("{told}"));
    rest.split_whitespace().next().unwrap().parse().unwrap()
}

/// Reads until `text` has been said.
fn follow(client: &mut McpClient, job: &str, text: &str) -> String {
    let mut told = String::new();
    let said = wait_until(HANG, || {
        told = client.text("ctx_job", json!({ "job": job, "cursor": 0 }));
        told.contains(text)
    });
    assert!(said, "{told}");
    told
}

#[test]
fn output_is_read_from_where_it_was_left() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let job = started(&mut client, json!({ "code": "echo one; read line; echo two; read line" }));
    let cursor = cursor_in(&follow(&mut client, &job, "one"));
    let told = client.text("ctx_job", json!({ "job": job, "cursor": cursor }));
    assert!(told.contains("0 new lines") && !told.contains("\none"), "{told}");
    client.text("ctx_job", json!({ "job": job, "input": "go" }));
    follow(&mut client, &job, "two");
    let told = client.text("ctx_job", json!({ "job": job, "cursor": cursor }));
    assert!(told.contains("1 new line") && told.ends_with("\ntwo"), "{told}");
}

#[test]
fn a_question_without_a_line_end_is_seen_and_answered() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let code = "name = input('who? ')\nprint('hello', name)";
    let job = started(&mut client, json!({ "language": "python", "code": code }));
    follow(&mut client, &job, "who? ");
    client.text("ctx_job", json!({ "job": job, "action": "send", "input": "bo\\nb" }));
    let told = client.text("ctx_job", json!({ "job": job, "action": "wait" }));
    assert!(told.contains("exit 0") && told.contains("who? hello bo\\nb"), "{told}");
}

#[test]
fn the_end_is_told_with_the_reference_of_what_was_stored() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let job = started(&mut client, json!({ "code": "cat; echo done; exit 4" }));
    client.text("ctx_job", json!({ "job": job, "input": "kept text" }));
    client.text("ctx_job", json!({ "job": job, "action": "end_input" }));
    let told = client.text("ctx_job", json!({ "job": job, "action": "wait" }));
    assert!(told.contains("exit 4"), "{told}");
    let raw = env.forebay(["get", "--raw", &reference_in(&told)]).ok().stdout;
    assert_eq!(raw, b"kept text\ndone\n");
    let told = client.text("ctx_job", json!({ "job": job, "cursor": 5 }));
    assert!(told.ends_with("text\ndone"), "{told}");
    let told = client.fault("ctx_job", json!({ "job": job, "input": "late" }));
    assert!(told.contains("does not take input"), "{told}");
}

#[test]
fn what_ends_at_once_is_told_at_once() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    // On a busy machine the end may come too late for the first answer, not every time.
    let told_at_once = (0..10).any(|_| {
        let told = client.text("ctx_execute", json!({ "code": "exit 7", "background": true }));
        told.contains(" ended: ") && told.contains("exit 7")
    });
    assert!(told_at_once);
}

#[test]
fn a_stopped_job_leaves_no_process_and_keeps_what_it_said() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let code = "echo said; trap '' TERM; sleep 1000 & echo $! > pid; wait; sleep 1000";
    let job = started(&mut client, json!({ "code": code }));
    let sleeper = announced_process(&env.project().join("pid"));
    let told = client.text("ctx_job", json!({ "job": job, "action": "stop" }));
    assert!(told.contains("cancelled") && told.contains("said"), "{told}");
    assert!(is_gone(sleeper));
    assert!(client.text("ctx_job", json!({})).contains("j1 ended, cancelled"));
}

#[test]
fn jobs_end_with_the_server_unless_they_are_kept() {
    for killed in [false, true] {
        let env = TestEnv::new();
        let mut client = env.mcp();
        started(&mut client, json!({ "code": "echo $$ > ends; exec sleep 1000" }));
        started(&mut client, json!({ "code": "echo $$ > stays; exec sleep 1000", "keep": true }));
        let ends = announced_process(&env.project().join("ends"));
        let stays = announced_process(&env.project().join("stays"));
        if killed {
            client.kill();
        } else {
            client.close();
        }
        assert!(is_gone(ends), "killed: {killed}");
        assert!(rustix::process::test_kill_process(stays).is_ok());
        let told = env.forebay(["job", "stop", "j2"]).ok().text();
        assert!(told.contains("cancelled"), "{told}");
        assert!(is_gone(stays));
    }
}

#[test]
fn a_job_whose_keeper_was_killed_is_told_as_lost() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let job = started(&mut client, json!({ "code": "echo last words; exec sleep 1000" }));
    follow(&mut client, &job, "last words");
    let folder = fs::read_dir(env.data().join("jobs")).unwrap().next().unwrap().unwrap().path();
    let record: Value =
        serde_json::from_slice(&fs::read(folder.join("1/job.json")).unwrap()).unwrap();
    let keeper = Pid::from_raw(record["keeper"].as_i64().unwrap() as i32).unwrap();
    kill_process(keeper, Signal::KILL).unwrap();
    // Its threads end one after the other; with the last the lock is free.
    let told = follow(&mut client, &job, "lost");
    assert!(told.contains("last words"), "{told}");
}

#[test]
fn a_command_starts_a_job_and_another_follows_it() {
    let env = TestEnv::new();
    let told = env.forebay(["run", "--background", "--", "read x; echo got $x"]).ok().text();
    assert!(told.starts_with("j1 running"), "{told}");
    assert!(env.forebay(["job"]).ok().text().contains("j1 running"));
    env.forebay(["job", "send", "j1", "a line"]).ok();
    let told = env.forebay(["job", "wait", "1"]).ok().text();
    assert!(told.contains("exit 0") && told.ends_with("got a line"), "{told}");
    let history = env.forebay(["history"]).ok().text();
    assert!(history.contains("read x; echo got $x"), "{history}");
}

#[test]
fn rules_are_asked_before_a_job_starts() {
    let env = TestEnv::new();
    fs::create_dir_all(env.project().join(".claude")).unwrap();
    env.write(".claude/settings.json", r#"{"permissions":{"deny":["Bash(touch:*)"]}}"#);
    let told = env.mcp().fault("ctx_execute", json!({ "code": "touch x", "background": true }));
    assert!(told.contains("Bash(touch:*) denies it"), "{told}");
    assert!(env.forebay(["job"]).ok().text().contains("no jobs"));
}

#[test]
fn secrets_are_not_kept_in_the_file_that_is_followed() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    env.write("token", &token);
    let job = started(&mut client, json!({ "code": "cat token; echo; echo after; read x" }));
    let told = follow(&mut client, &job, "after");
    assert!(told.contains("[redacted:") && !told.contains(&token), "{told}");
}

#[test]
fn jobs_that_are_not_there_are_told() {
    let env = TestEnv::new();
    let told = env.mcp().fault("ctx_job", json!({ "job": "j9" }));
    assert!(
        told.contains("no job is named `j9`") && told.contains("no job has been started"),
        "{told}"
    );
    env.forebay(["job", "read", "../../x"]).refused(1, "no job is named", "");
    let told =
        env.mcp().fault("ctx_execute", json!({ "code": "true", "background": true, "cwd": "no" }));
    assert!(told.contains("is not a folder"), "{told}");
}
