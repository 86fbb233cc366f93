//! Servers behind `forebay wrap` that die, hang, or never start to speak.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::env::{HANG_TIMEOUT, TestEnv, announced_process, finish, is_gone, wait_until};
use crate::mcp_client::{McpClient, text_of};
use crate::wrap::{SERVER, call, request, with_server};

/// A wrapper that starts its server again so often.
fn restarting(env: &TestEnv, count: &str) -> Command {
    env.command(["wrap", "--name", "srv", "--restart", count, "--", "python3", SERVER])
}

#[track_caller]
fn error_of(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_dead_server_is_started_again_as_often_as_allowed() {
    with_server(|env| {
        let mut client = McpClient::initialized(restarting(env, "2"));
        for _ in 0..2 {
            let hanging = client.begin("never", json!({}));
            let fatal =
                client.ask("tools/call", json!({ "name": "die", "arguments": { "code": 9 } }));
            assert!(error_of(&fatal).contains("exit 9"), "{fatal}");
            let unanswered = client.response(hanging);
            assert!(error_of(&unanswered).contains("started again"), "{unanswered}");
            assert_eq!(client.text("said", json!({ "text": "back" })), "back");
        }
        let told = client.take_pending();
        let count = |method: &str| told.iter().filter(|one| one["method"] == method).count();
        assert_eq!(count("notifications/message"), 2, "its last words arrive: {told:?}");
        assert_eq!(count("notifications/tools/list_changed"), 2, "{told:?}");
        assert_eq!(told.len(), 4, "the second greeting is not answered to the client: {told:?}");
        client.begin("die", json!({ "code": 9 }));
        assert_eq!(client.wait().code(), Some(9));
    });
}

#[test]
fn a_server_that_is_killed_from_outside_is_started_again() {
    with_server(|env| {
        let mut client = McpClient::initialized(restarting(env, "1"));
        let file = env.project().join("child");
        client.text("children", json!({ "file": file }));
        let child = announced_process(&file);
        let server = client.text("pid", json!({})).parse().unwrap();
        kill_process(rustix::process::Pid::from_raw(server).unwrap(), Signal::KILL).unwrap();
        assert_eq!(client.receive()["method"], "notifications/tools/list_changed");
        assert_ne!(client.text("pid", json!({})), server.to_string());
        assert!(is_gone(child), "what the dead server had started");
        assert_eq!(client.close().code(), Some(0));
    });
}

#[test]
fn what_keeps_a_server_from_starting_is_told_once() {
    with_server(|env| {
        let script = "echo 'no licence' >&2; exit 7";
        let words = ["wrap", "--name", "x", "--restart", "3", "--", "sh", "-c", script];
        let output = finish(env.command(words), request(1, "initialize", json!({})).as_bytes());
        assert_eq!(output.code(), Some(7));
        assert_eq!(output.stderr.matches("no licence").count(), 1, "{}", output.stderr);
    });
}

#[test]
fn a_signal_ends_a_server_for_good() {
    with_server(|env| {
        let mut client = McpClient::initialized(restarting(env, "3"));
        kill_process(client.process(), Signal::TERM).unwrap();
        assert_eq!(client.wait().code(), Some(143));
    });
}

#[test]
fn killing_either_side_of_a_restarted_server_leaves_no_process() {
    with_server(|env| {
        for is_killed in [true, false] {
            let mut client = McpClient::initialized(restarting(env, "3"));
            client.ask("tools/call", json!({ "name": "die", "arguments": { "code": 1 } }));
            let server = client.text("pid", json!({})).parse().unwrap();
            let server = rustix::process::Pid::from_raw(server).unwrap();
            let wrapper = client.process();
            if is_killed {
                client.kill();
            } else {
                client.close();
            }
            assert!(is_gone(server) && is_gone(wrapper), "killed: {is_killed}");
        }
    });
}

#[test]
fn a_call_that_hangs_holds_up_no_other() {
    with_server(|env| {
        let words = ["wrap", "--name", "srv", "--", "python3", SERVER];
        let mut client = McpClient::initialized(env.command(words));
        let hanging: Vec<i64> = (0..50).map(|_| client.begin("never", json!({}))).collect();
        assert_eq!(client.text("said", json!({ "text": "here" })), "here");
        client.notify("notifications/cancelled", json!({ "requestId": hanging[0] }));
        assert_eq!(client.text("said", json!({ "text": "still" })), "still");
        assert_eq!(client.close().code(), Some(0));
    });
}

#[test]
fn a_server_that_never_answers_initialize_ends_with_its_client() {
    with_server(|env| {
        for restart in ["0", "3"] {
            let words = ["wrap", "--name", "x", "--restart", restart, "--", "sleep", "1000"];
            let mut command = env.command(words);
            let mut wrapper = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let greeting = request(1, "initialize", json!({}));
            wrapper.stdin.take().unwrap().write_all(greeting.as_bytes()).unwrap();
            // A host that has waited long enough closes both pipes.
            drop(wrapper.stdout.take());
            let has_ended = wait_until(HANG_TIMEOUT, || wrapper.try_wait().unwrap().is_some());
            assert!(has_ended, "restart {restart}");
        }
    });
}

#[test]
fn a_server_that_reads_no_more_ends_with_its_client() {
    with_server(|env| {
        for restart in ["0", "3"] {
            let file = env.project().join("child");
            let _ = std::fs::remove_file(&file);
            let mut command = restarting(env, restart);
            let mut wrapper = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let input = [
                request(1, "initialize", json!({ "protocolVersion": "2025-11-25" })),
                call(2, "children", json!({ "file": file })),
                call(3, "deaf", json!({})),
                // More than the pipes hold.
                call(4, "said", json!({ "text": "x".repeat(600_000) })),
            ];
            let mut stdin = wrapper.stdin.take().unwrap();
            std::thread::spawn(move || stdin.write_all(input.concat().as_bytes()).map(|()| stdin));
            let mut answers = BufReader::new(wrapper.stdout.take().unwrap());
            let mut said = String::new();
            while !said.contains("deaf") {
                assert!(answers.read_line(&mut said).unwrap() > 0, "{said}");
            }
            let child = announced_process(&file);
            // Its stdin stays open, and nobody reads its stdout any more.
            drop(answers);
            let has_ended = wait_until(HANG_TIMEOUT, || wrapper.try_wait().unwrap().is_some());
            assert!(has_ended && is_gone(child), "restart {restart}");
        }
    });
}

#[test]
fn a_server_that_answers_before_it_reads_is_not_waited_for() {
    with_server(|env| {
        for restart in ["0", "3"] {
            let mut client = McpClient::initialized(restarting(env, restart));
            // It writes more than the pipes hold, and reads nothing meanwhile.
            let flooding = client.begin("notices", json!({ "count": 20_000 }));
            let long = client.begin("said", json!({ "text": "x".repeat(300_000) }));
            client.response(flooding);
            assert!(text_of(&client.response(long)["result"]).contains("[ctx:"));
        }
    });
}

#[test]
fn a_flood_of_messages_arrives_whole_and_in_order() {
    with_server(|env| {
        let words = ["wrap", "--name", "srv", "--", "python3", SERVER];
        let mut client = McpClient::initialized(env.command(words));
        let id = client.begin("notices", json!({ "count": 20_000 }));
        client.response(id);
        let numbers: Vec<u64> = client
            .take_pending()
            .iter()
            .filter_map(|one| one["params"]["progress"].as_u64())
            .collect();
        assert!(numbers.iter().copied().eq(0..20_000), "{} of them", numbers.len());
    });
}

#[test]
fn a_server_may_change_its_tools() {
    with_server(|env| {
        let words = ["wrap", "--name", "srv", "--", "python3", SERVER];
        let mut client = McpClient::initialized(env.command(words));
        let names = |listing: &Value| listing["result"]["tools"].as_array().unwrap().len();
        let before = names(&client.ask("tools/list", json!({})));
        client.text("grow", json!({}));
        let told = client.take_pending();
        assert_eq!(told[0]["method"], "notifications/tools/list_changed");
        assert_eq!(names(&client.ask("tools/list", json!({}))), before + 1);
    });
}

#[test]
fn a_batch_in_flight_is_failed_request_by_request() {
    with_server(|env| {
        let mut client = McpClient::initialized(restarting(env, "1"));
        let [one, two] = [call(70, "never", json!({})), call(71, "die", json!({ "code": 3 }))];
        client.send_line(&format!("[{},{}]", one.trim(), two.trim()));
        for id in [70, 71] {
            let answer = client.response(id);
            assert!(error_of(&answer).contains("exit 3"), "{answer}");
        }
        assert_eq!(text_of(&client.call("said", json!({ "text": "x" }))), "x");
    });
}

fn plain(env: &TestEnv) -> Command {
    env.command(["wrap", "--name", "srv", "--", "python3", SERVER])
}

#[test]
fn a_server_that_ends_within_a_message_takes_no_answer_with_it() {
    with_server(|env| {
        let output = finish(plain(env), call(1, "torn", json!({})).as_bytes());
        assert_eq!(output.code(), Some(3));
        let text = output.text();
        let (answer, rest) = text.split_once('\n').unwrap();
        let answer: Value = serde_json::from_str(answer).unwrap();
        assert!(text_of(&answer["result"]).contains("[ctx:"), "{answer}");
        assert_eq!(rest, r#"{"jsonrpc":"2.0","id":"torn"#, "as the server wrote it");
    });
}

#[test]
fn a_server_that_ends_within_a_message_and_is_started_again_leaves_no_request_unanswered() {
    with_server(|env| {
        let mut client = McpClient::initialized(restarting(env, "1"));
        let hanging = client.begin("never", json!({}));
        assert!(text_of(&client.call("torn", json!({}))).contains("[ctx:"));
        assert!(error_of(&client.response(hanging)).contains("exit 3"));
        assert_eq!(client.text("said", json!({ "text": "back" })), "back");
    });
}

#[test]
fn the_death_of_a_server_by_a_signal_is_that_of_the_wrapper() {
    with_server(|env| {
        let mut client = McpClient::initialized(plain(env));
        let file = env.project().join("child");
        client.text("children", json!({ "file": file }));
        let child = announced_process(&file);
        let server = client.text("pid", json!({})).parse().unwrap();
        kill_process(rustix::process::Pid::from_raw(server).unwrap(), Signal::KILL).unwrap();
        assert_eq!(client.wait().code(), Some(137));
        assert!(is_gone(child));
    });
}

#[test]
fn a_restarted_server_that_answers_no_handshake_ends_with_its_client() {
    with_server(|env| {
        let (first, process) = (env.project().join("first"), env.project().join("process"));
        let script = format!(
            "if [ -e {first} ]; then echo $$ > {process}; exec sleep 1000; fi; touch {first}; exec python3 {SERVER}",
            first = first.display(),
            process = process.display()
        );
        let words = ["wrap", "--name", "x", "--restart", "3", "--", "sh", "-c", &script];
        let mut command = env.command(words);
        let mut wrapper = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = wrapper.stdin.take().unwrap();
        let mut answers = BufReader::new(wrapper.stdout.take().unwrap());
        let start = request(1, "initialize", json!({ "protocolVersion": "2025-11-25" }));
        stdin.write_all(start.as_bytes()).unwrap();
        answers.read_line(&mut String::new()).unwrap();
        stdin.write_all(call(2, "die", json!({ "code": 1 })).as_bytes()).unwrap();
        let silent = announced_process(&process);
        // It waits for the handshake, as does the client.
        stdin.write_all(call(3, "said", json!({ "text": "x" })).as_bytes()).unwrap();
        drop((stdin, answers));
        let has_ended = wait_until(HANG_TIMEOUT, || wrapper.try_wait().unwrap().is_some());
        assert!(has_ended && is_gone(silent));
    });
}

#[test]
fn a_flood_of_notifications_from_the_client_holds_up_no_call() {
    with_server(|env| {
        let log = env.project().join("received");
        let mut command = plain(env);
        command.env("RECEIVED", &log);
        let mut client = McpClient::initialized(command);
        for number in 0..20_000 {
            client.notify("notifications/x", json!({ "number": number }));
        }
        assert_eq!(client.text("said", json!({ "text": "behind them" })), "behind them");
        let received = std::fs::read_to_string(log).unwrap();
        assert_eq!(received.matches("notifications/x").count(), 20_000);
    });
}
