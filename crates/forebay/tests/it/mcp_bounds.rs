//! Clients that send too much, read too little, or leave: memory, time and answers stay bounded.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use serde_json::{Value, json};

use crate::env::{TestEnv, announced_process, is_gone, wait_until};
use crate::mcp_client::{McpClient, initialize_params};

/// The largest memory that a process has used, in MB.
fn peak_megabytes(process: Pid) -> Option<u64> {
    let status = format!("/proc/{}/status", process.as_raw_nonzero());
    let status = std::fs::read_to_string(status).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}

#[track_caller]
fn check_peak(process: Pid, limit: u64) {
    // Only Linux reports it.
    if let Some(peak) = peak_megabytes(process) {
        assert!(peak < limit, "{peak} MB");
    }
}

#[track_caller]
fn check_alive(mcp: &mut McpClient) {
    assert!(mcp.ask("tools/list", json!({}))["result"]["tools"].is_array());
}

#[test]
fn a_line_that_is_too_long_is_answered_and_not_kept() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let megabyte = vec![b'x'; 1024 * 1024];
    // Clients write the id first or last.
    for (head, tail) in [
        (r#"{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":""#, r#""}}"#),
        (r#"{"method":"tools/call","params":{"id":1,"name":""#, r#""},"jsonrpc":"2.0","id":900}"#),
    ] {
        mcp.send_bytes(head.as_bytes());
        (0..66).for_each(|_| mcp.send_bytes(&megabyte));
        mcp.send_line(tail);
        let refused = mcp.response(900);
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("64 MB"), "{refused}");
        check_alive(&mut mcp);
    }
    check_peak(mcp.process(), 250);
}

#[test]
fn a_million_keys_are_refused_before_they_are_decoded() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let keys: Vec<String> = (0..1_000_000).map(|number| format!("\"k{number}\":1")).collect();
    let arguments = keys.join(",");
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":901,"method":"tools/call","params":{{"name":"ctx_stats","arguments":{{{arguments}}}}}}}"#
    );
    let started = Instant::now();
    mcp.send_line(&line);
    let refused = mcp.response(901);
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let deep =
        format!(r#"{{"jsonrpc":"2.0","id":902,"method":"ping","params":{}"#, "[".repeat(5_000));
    mcp.send_line(&deep);
    assert_eq!(mcp.response(902)["error"]["code"], -32600);
    check_alive(&mut mcp);
    check_peak(mcp.process(), 120);
}

#[test]
fn a_client_that_does_not_read_is_not_read_either() {
    let env = TestEnv::new();
    let mut command = env.command(["mcp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = command.spawn().unwrap();
    let mut stdin = server.stdin.take().unwrap();
    let flood = std::thread::spawn(move || {
        let mut line = |id: u64, method: &str, params: Value| {
            let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            stdin.write_all(format!("{message}\n").as_bytes())
        };
        line(0, "initialize", initialize_params("2025-11-25")).unwrap();
        // Fails when the server is killed.
        (1..30_000).find(|id| line(*id, "tools/list", json!({})).is_err())
    });
    let process = Pid::from_child(&server);
    let took_all = wait_until(Duration::from_secs(4), || flood.is_finished());
    assert!(!took_all, "the server stops reading");
    check_peak(process, 150);
    server.kill().unwrap();
    server.wait().unwrap();
    flood.join().unwrap();
}

#[test]
fn a_burst_of_requests_is_answered_whole() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let ids: Vec<i64> = (0..2_000).map(|_| mcp.request("ping", json!({}))).collect();
    for id in ids {
        assert_eq!(mcp.response(id)["result"], json!({}));
    }
}

#[test]
fn every_request_gets_an_answer_though_an_id_is_used_twice() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let pipe = env.project().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::from(0o600)).unwrap();
    let call = json!({ "jsonrpc": "2.0", "id": 903, "method": "tools/call",
        "params": { "name": "ctx_execute", "arguments": { "code": "cat pipe" } } });
    mcp.send_line(&call.to_string());
    mcp.send_line(r#"{"jsonrpc":"2.0","id":903,"method":"ping"}"#);
    let second = mcp.response(903);
    assert_eq!(second["error"]["code"], -32600, "{second}");
    std::fs::write(&pipe, "the first\n").unwrap();
    let first = mcp.response(903);
    assert!(first["result"].to_string().contains("the first"), "{first}");
    mcp.send_line(r#"{"jsonrpc":"2.0","id":903,"method":"ping"}"#);
    assert_eq!(mcp.response(903)["result"], json!({}), "an answered id is free again");
}

#[test]
fn long_words_of_the_caller_are_cut_in_errors() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let long = "m".repeat(1_000_000);
    let short = |answer: Value| {
        let text = answer.to_string();
        assert!(text.len() < 10_000, "{} bytes", text.len());
        answer
    };
    assert_eq!(short(mcp.ask(&long, json!({})))["error"]["code"], -32601);
    short(mcp.ask("tools/call", json!({ "name": long.as_str() })));
    short(mcp.call("ctx_stats", json!({ long.as_str(): 1 })));
    short(mcp.call("ctx_get", json!({ "ref": long.as_str() })));
    short(mcp.call("ctx_search", json!({ "query": "x", "scope": long.as_str() })));
    short(mcp.call("context_read", json!({ "path": long.as_str() })));
    short(mcp.call("ctx_execute", json!({ "code": "true", "language": long.as_str() })));
}

#[test]
fn a_malformed_request_is_told_from_invalid_parameters() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    for (line, code) in [
        ("{", -32700),
        ("\u{1F980}", -32700),
        ("[]", -32600),
        ("42", -32600),
        ("{}", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"id":1,"method":"tools/call","params":{"name":"ctx_stats"}}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, -32601),
    ] {
        mcp.send_line(line);
        let refused = mcp.receive();
        assert_eq!(refused["error"]["code"], code, "{line} {refused}");
    }
}

#[test]
fn an_error_without_a_readable_id_has_the_id_null() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let long = "x".repeat(1 << 20);
    for (line, code) in [
        ("{", -32700),
        ("[]", -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        // Which of the two the client waits for is unknown.
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","id":2}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","\u0069d":2}"#, -32600),
        (&*format!(r#"{{"jsonrpc":"2.0","id":"{long}","method":"ping"}}"#), -32600),
    ] {
        mcp.send_line(line);
        let refused = mcp.receive();
        let shown = &line[..line.len().min(100)];
        assert_eq!(refused["error"]["code"], code, "{shown} {refused}");
        assert_eq!(refused.get("id"), Some(&Value::Null), "{shown}");
        assert!(refused.to_string().len() < 300, "{shown}");
    }
    mcp.send_line(r#"{"jsonrpc":"2.0","id":"short","method":"ping"}"#);
    assert_eq!(mcp.receive()["id"], "short");
}

#[test]
fn a_long_progress_token_is_not_repeated() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    for (length, is_repeated) in [(200, true), (100_000, false)] {
        let params = json!({ "name": "ctx_execute",
            "arguments": { "code": "for i in 1 2 3; do echo part $i; sleep 0.3; done" },
            "_meta": { "progressToken": "t".repeat(length) } });
        let call = mcp.request("tools/call", params);
        assert!(mcp.response(call)["result"].is_object());
        assert_eq!(!mcp.take_pending().is_empty(), is_repeated, "{length}");
    }
}

#[test]
fn the_server_exits_within_three_seconds_of_the_end_of_its_input() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    // It ignores SIGTERM, so it must be killed.
    let code = "trap '' TERM; echo $$ > started; while :; do sleep 1; done";
    mcp.begin("ctx_execute", json!({ "code": code }));
    let command = announced_process(&env.project().join("started"));
    let ended = Instant::now();
    mcp.close();
    assert!(ended.elapsed() < Duration::from_secs(3), "{:?}", ended.elapsed());
    assert!(wait_until(Duration::from_secs(2), || is_gone(command)), "the command outlives it");
}

/// The end of the input is behind requests that wait for others, or for a client that does not read.
#[test]
fn requests_that_wait_do_not_delay_the_exit() {
    let env = TestEnv::new();
    let requests = |call: &dyn Fn(usize) -> Value| -> String {
        (0..2_000).map(|id| format!("{}\n", call(id))).collect()
    };
    let sleeping = requests(&|id| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "ctx_execute", "arguments": { "code": "sleep 60" },
            "_meta": crate::mcp_client::stateless_meta() } })
    });
    let unread = requests(&|id| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list",
            "params": { "_meta": crate::mcp_client::stateless_meta() } })
    });
    for (what, text) in [("sleeping", sleeping), ("unread", unread)] {
        let mut command = env.command(["mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().unwrap();
        let mut stdin = server.stdin.take().unwrap();
        // The server stops reading, so that the rest of the text does not fit into the pipe.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&text.as_bytes()[..60_000])));
        writer.join().unwrap();
        let ended = Instant::now();
        assert!(
            wait_until(Duration::from_secs(20), || server.try_wait().unwrap().is_some()),
            "{what}"
        );
        assert!(ended.elapsed() < Duration::from_secs(4), "{what}: {:?}", ended.elapsed());
    }
}

#[test]
fn an_answer_still_comes_right_after_the_end_of_the_input() {
    let env = TestEnv::new();
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "ctx_execute", "arguments": { "code": "sleep 0.2; echo late" },
        "_meta": crate::mcp_client::stateless_meta() } });
    let output = crate::env::finish(env.command(["mcp"]), format!("{call}\n").as_bytes()).ok();
    assert!(output.text().contains("late"), "{}", output.text());
}

#[test]
fn a_call_cannot_ask_for_another_folder_or_for_days() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    std::fs::create_dir(env.project().join("sub")).unwrap();
    std::os::unix::fs::symlink("/", env.project().join("out")).unwrap();
    for cwd in ["/", "..", "out", "sub/../.."] {
        for (tool, mut input) in [
            ("ctx_execute", json!({ "code": "pwd" })),
            ("ctx_execute", json!({ "code": "pwd", "background": true })),
            ("ctx_batch_execute", json!({ "commands": ["pwd"] })),
        ] {
            input["cwd"] = json!(cwd);
            let error = mcp.error(tool, input);
            assert!(error.contains("outside the project"), "{tool} {cwd}: {error}");
        }
    }
    let text = mcp.text("ctx_execute", json!({ "code": "pwd", "cwd": "sub/../sub" }));
    assert!(text.trim_end().ends_with("/sub"), "{text}");
    for millis in [86_400_001, u64::MAX] {
        let error = mcp.error("ctx_execute", json!({ "code": "true", "timeout_ms": millis }));
        assert!(error.contains("24 h"), "{error}");
    }
    mcp.text("ctx_execute", json!({ "code": "true", "timeout_ms": 86_400_000 }));
}
