//! Background jobs: any process of the user can start, follow, answer and stop them.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::env::{HANG_TIMEOUT, TestEnv, announced_process, is_gone, reference_in, wait_until};
use crate::mcp_client::McpClient;

/// Starts a background job and returns its name.
fn start_job(client: &mut McpClient, arguments: Value) -> String {
    let mut arguments = arguments;
    arguments["background"] = json!(true);
    let answer = client.text("ctx_execute", arguments);
    assert!(answer.contains("ctx_job job="), "{answer}");
    answer.split_whitespace().next().unwrap().to_owned()
}

fn cursor_in(answer: &str) -> u64 {
    let (_, rest) = answer.split_once("cursor=").unwrap_or_else(|| panic!("{answer}"));
    rest.split_whitespace().next().unwrap().parse().unwrap()
}

/// Polls the job until its output contains `text`.
fn follow(client: &mut McpClient, job: &str, text: &str) -> String {
    let mut answer = String::new();
    let is_shown = wait_until(HANG_TIMEOUT, || {
        answer = client.text("ctx_job", json!({ "job": job, "cursor": 0 }));
        answer.contains(text)
    });
    assert!(is_shown, "{answer}");
    answer
}

#[test]
fn reading_continues_at_the_cursor() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let job = start_job(&mut client, json!({ "code": "echo one; read line; echo two; read line" }));
    let cursor = cursor_in(&follow(&mut client, &job, "one"));
    let answer = client.text("ctx_job", json!({ "job": job, "cursor": cursor }));
    assert!(answer.contains("0 new lines") && !answer.contains("\none"), "{answer}");
    client.text("ctx_job", json!({ "job": job, "input": "go" }));
    follow(&mut client, &job, "two");
    let answer = client.text("ctx_job", json!({ "job": job, "cursor": cursor }));
    assert!(answer.contains("1 new line") && answer.ends_with("\ntwo"), "{answer}");
}

#[test]
fn prompt_without_a_newline_is_shown_and_answered() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let code = "name = input('who? ')\nprint('hello', name)";
    let job = start_job(&mut client, json!({ "language": "python", "code": code }));
    follow(&mut client, &job, "who? ");
    client.text("ctx_job", json!({ "job": job, "action": "send", "input": "bo\\nb" }));
    let answer = client.text("ctx_job", json!({ "job": job, "action": "wait" }));
    assert!(answer.contains("exit 0") && answer.contains("who? hello bo\\nb"), "{answer}");
}

#[test]
fn finished_job_returns_the_reference_of_its_output() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let job = start_job(&mut client, json!({ "code": "cat; echo done; exit 4" }));
    client.text("ctx_job", json!({ "job": job, "input": "kept text" }));
    client.text("ctx_job", json!({ "job": job, "action": "end_input" }));
    let answer = client.text("ctx_job", json!({ "job": job, "action": "wait" }));
    assert!(answer.contains("exit 4"), "{answer}");
    let raw = env.forebay(["get", "--raw", &reference_in(&answer)]).ok().stdout;
    assert_eq!(raw, b"kept text\ndone\n");
    let answer = client.text("ctx_job", json!({ "job": job, "cursor": 5 }));
    assert!(answer.ends_with("text\ndone"), "{answer}");
    let answer = client.error("ctx_job", json!({ "job": job, "input": "late" }));
    assert!(answer.contains("does not take input"), "{answer}");
    assert!(answer.contains(&format!("ctx_job job={job} action=read")), "{answer}");
}

#[test]
fn short_job_is_reported_in_the_first_answer() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    // On a busy machine a job may end after the first answer, so several are tried.
    let is_reported = (0..10).any(|_| {
        let answer = client.text("ctx_execute", json!({ "code": "exit 7", "background": true }));
        answer.contains(" ended: ") && answer.contains("exit 7")
    });
    assert!(is_reported);
}

#[test]
fn stopped_job_leaves_no_process_and_keeps_its_output() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let code = "echo said; trap '' TERM; sleep 1000 & echo $! > pid; wait; sleep 1000";
    let job = start_job(&mut client, json!({ "code": code }));
    let sleeper = announced_process(&env.project().join("pid"));
    let answer = client.text("ctx_job", json!({ "job": job, "action": "stop" }));
    assert!(answer.contains("cancelled") && answer.contains("said"), "{answer}");
    assert!(is_gone(sleeper));
    assert!(client.text("ctx_job", json!({})).contains("j1 ended, cancelled"));
}

#[test]
fn jobs_end_with_the_server_unless_kept() {
    for killed in [false, true] {
        let env = TestEnv::new();
        let mut client = env.mcp();
        start_job(&mut client, json!({ "code": "echo $$ > ends; exec sleep 1000" }));
        start_job(&mut client, json!({ "code": "echo $$ > stays; exec sleep 1000", "keep": true }));
        let ends = announced_process(&env.project().join("ends"));
        let stays = announced_process(&env.project().join("stays"));
        if killed {
            client.kill();
        } else {
            client.close();
        }
        assert!(is_gone(ends), "killed: {killed}");
        assert!(rustix::process::test_kill_process(stays).is_ok());
        let answer = env.forebay(["job", "stop", "j2"]).ok().text();
        assert!(answer.contains("cancelled"), "{answer}");
        assert!(is_gone(stays));
    }
}

#[test]
fn job_is_lost_if_its_supervisor_is_killed() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let job = start_job(&mut client, json!({ "code": "echo last words; exec sleep 1000" }));
    follow(&mut client, &job, "last words");
    let folder = fs::read_dir(env.data().join("jobs")).unwrap().next().unwrap().unwrap().path();
    let record: Value =
        serde_json::from_slice(&fs::read(folder.join("1/job.json")).unwrap()).unwrap();
    let supervisor = Pid::from_raw(record["keeper"].as_i64().unwrap() as i32).unwrap();
    kill_process(supervisor, Signal::KILL).unwrap();
    // Its threads end one after the other; the last one releases the lock.
    let answer = follow(&mut client, &job, "lost");
    assert!(answer.contains("last words"), "{answer}");
}

#[test]
fn job_started_by_one_command_is_followed_by_another() {
    let env = TestEnv::new();
    let answer = env.forebay(["run", "--background", "--", "read x; echo got $x"]).ok().text();
    assert!(answer.starts_with("j1 running"), "{answer}");
    assert!(env.forebay(["job"]).ok().text().contains("j1 running"));
    env.forebay(["job", "send", "j1", "a line"]).ok();
    let answer = env.forebay(["job", "wait", "1"]).ok().text();
    assert!(answer.contains("exit 0") && answer.ends_with("got a line"), "{answer}");
    let history = env.forebay(["history"]).ok().text();
    assert!(history.contains("read x; echo got $x"), "{history}");
}

#[test]
fn rules_are_checked_before_a_job_starts() {
    let env = TestEnv::new();
    fs::create_dir_all(env.project().join(".claude")).unwrap();
    env.write(".claude/settings.json", r#"{"permissions":{"deny":["Bash(touch:*)"]}}"#);
    let answer = env.mcp().error("ctx_execute", json!({ "code": "touch x", "background": true }));
    assert!(answer.contains("Bash(touch:*) denies it"), "{answer}");
    assert!(env.forebay(["job"]).ok().text().contains("no jobs"));
}

/// Editors, debuggers and clients of databases run lines of their input.
#[test]
fn rules_are_checked_before_a_job_gets_input() {
    let env = TestEnv::new();
    fs::create_dir_all(env.project().join(".claude")).unwrap();
    env.write(".claude/settings.json", r#"{"permissions":{"deny":["Bash(touch x:*)"]}}"#);
    let mut client = env.mcp();
    let code = "import sys, os\nfor line in sys.stdin: os.system(line) if line != 'y\\n' else print('yes', flush=True)";
    let job = start_job(&mut client, json!({ "code": code, "language": "python" }));
    for input in ["touch x", "!touch x", ".shell touch x", "import os; os.system('touch x')"] {
        let error = client.error("ctx_job", json!({ "job": job, "input": input }));
        assert!(error.contains("Bash(touch x:*)"), "{input}: {error}");
        env.forebay(["job", "send", &job, input]).refused(126, "Bash(touch x:*)", "");
    }
    client.text("ctx_job", json!({ "job": job, "input": "y" }));
    follow(&mut client, &job, "yes");
    assert!(!env.project().join("x").exists());
}

/// A shell would join it to the next send, and no rule would see the whole command.
#[test]
fn input_that_ends_in_a_line_continuation_is_refused() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let job = start_job(&mut client, json!({ "code": "cat" }));
    for input in ["touch \\", "touch \\\n", "touch \\\\\\\r\n"] {
        let error = client.error("ctx_job", json!({ "job": job, "input": input }));
        assert!(error.contains("line continuation"), "{input:?}: {error}");
    }
    client.text("ctx_job", json!({ "job": job, "input": "a \\\nb \\\\" }));
    follow(&mut client, &job, "b \\\\");
}

#[test]
fn secrets_are_redacted_in_job_output() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    env.write("token", &token);
    let job = start_job(&mut client, json!({ "code": "cat token; echo; echo after; read x" }));
    let answer = follow(&mut client, &job, "after");
    assert!(answer.contains("[redacted:") && !answer.contains(&token), "{answer}");
}

#[test]
fn unknown_job_is_an_error() {
    let env = TestEnv::new();
    let answer = env.mcp().error("ctx_job", json!({ "job": "j9" }));
    assert!(
        answer.contains("no job is named `j9`") && answer.contains("no job has been started"),
        "{answer}"
    );
    env.forebay(["job", "read", "../../x"]).refused(1, "no job is named", "");
    let answer =
        env.mcp().error("ctx_execute", json!({ "code": "true", "background": true, "cwd": "no" }));
    assert!(answer.contains("is not a folder"), "{answer}");
}

#[test]
fn run_that_may_not_signal_a_job_is_told_the_call_that_stops_it() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let code = "sleep 600 & echo \"process $!.\"; wait";
    let job = start_job(&mut client, json!({ "code": code }));
    let output = follow(&mut client, &job, "process ");
    let (_, rest) = output.rsplit_once("process ").unwrap();
    let pid = rest.split_once('.').unwrap().0;
    let killing = json!({ "code": format!("kill {pid}") });
    let answer = client.text("ctx_execute", killing);
    if answer.contains("exit 0") {
        // This kernel does not limit signals.
        return;
    }
    let note = format!("process {pid} belongs to job {job}: ctx_job job={job} action=stop ends it");
    assert!(answer.contains(&note), "{answer}");
    client.text("ctx_job", json!({ "job": job, "action": "stop" }));
    let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
    assert!(is_gone(pid));
}
