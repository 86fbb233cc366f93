//! The tools over MCP: what an agent sees of them.

use std::time::Duration;

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::env::{TestEnv, announced_process, is_gone, reference_in, wait_until};
use crate::mcp_client::McpClient;
use crate::texts::{tokens, varied_log};

#[test]
fn a_run_is_answered_with_a_reference_that_can_be_read() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let ran = mcp.text("ctx_execute", json!({ "code": "echo out; exit 3" }));
    assert!(ran.contains("] exit 3 · ") && ran.ends_with("out"), "{ran}");
    let got = mcp.text("ctx_get", json!({ "ref": reference_in(&ran) }));
    assert!(got.ends_with("run exit 3 · 1 line\nout"), "{got}");
}

#[test]
fn several_questions_are_answered_in_one_call() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.text("ctx_annotate", json!({ "text": "walrus is grey" }));
    let found = mcp.text("ctx_search", json!({ "queries": ["walrus", "xylophone"] }));
    assert!(found.contains("walrus is grey"), "{found}");
    assert!(found.contains("\"xylophone\" · nothing found"), "{found}");
    let one = mcp.text("ctx_search", json!({ "query": "walrus" }));
    assert!(one.contains("walrus is grey"), "one question may be a plain string: {one}");
}

/// A tool refuses an input, naming the field, and the server goes on.
#[track_caller]
fn check_wrong_input(tool: &str, arguments: Value, field: &str) {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let told = mcp.fault(tool, arguments);
    assert!(told.contains(field), "{told}");
    assert!(told.contains("\nhint: "), "{told}");
    assert!(mcp.text("ctx_history", json!({})).contains("nothing yet"), "nothing was done");
}

#[test]
fn wrong_types_are_told_with_the_field() {
    check_wrong_input("ctx_execute", json!({ "code": 5 }), "`code`");
    check_wrong_input(
        "ctx_execute",
        json!({ "code": "touch x", "timeout_ms": "soon" }),
        "`timeout_ms`",
    );
    check_wrong_input("ctx_execute", json!({ "code": "touch x", "budget": -1 }), "`budget`");
    check_wrong_input("ctx_execute", json!({}), "`code`");
    check_wrong_input("ctx_execute", json!({ "code": "x", "nope": 1 }), "`nope`");
    check_wrong_input("ctx_get", json!({ "ref": ["a"] }), "`ref`");
    check_wrong_input("ctx_get", json!({ "ref": "zzzzzzzzzz", "lines": 3 }), "`lines`");
    check_wrong_input("ctx_search", json!({ "queries": [1] }), "`queries`");
    check_wrong_input("ctx_search", json!({ "query": "x", "scope": "galaxy" }), "scope `galaxy`");
    check_wrong_input("ctx_search", json!({ "query": "x", "kind": "rumour" }), "kind `rumour`");
    check_wrong_input("ctx_annotate", json!({ "text": null }), "`text`");
    check_wrong_input("ctx_annotate", json!({ "text": "x", "scope": "branch" }), "scope");
    check_wrong_input("ctx_history", json!({ "cursor": "abc" }), "cursor");
    check_wrong_input("ctx_purge", json!({}), "nothing is selected");
}

#[test]
fn faults_of_a_call_are_told_with_a_hint() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let check = |mcp: &mut McpClient, tool, arguments, expect: &str| {
        let told: String = mcp.fault(tool, arguments);
        assert!(told.contains(expect) && told.contains("\nhint: "), "{told}");
    };
    check(&mut mcp, "ctx_execute", json!({ "code": " " }), "command is empty");
    check(&mut mcp, "ctx_execute", json!({ "code": "ls", "cwd": "no/such" }), "does not exist");
    check(&mut mcp, "ctx_get", json!({ "ref": "zzzzzzzzzz" }), "not in this project");
    check(&mut mcp, "ctx_get", json!({ "ref": "what?" }), "not a reference");
    check(&mut mcp, "ctx_annotate", json!({ "text": "" }), "empty");
    check(&mut mcp, "ctx_search", json!({ "queries": [] }), "the query is empty");
}

#[test]
fn an_unknown_tool_is_told_with_the_tools_there_are() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let id = mcp.begin("ctx_levitate", json!({}));
    let response = mcp.response(id);
    let told = response["error"]["message"].as_str().unwrap();
    assert_eq!(response["error"]["code"], -32602);
    assert!(
        told.contains("`ctx_levitate`")
            && told.contains("ctx_execute, ")
            && told.contains("ctx_get, "),
        "{told}"
    );
    mcp.text("ctx_history", json!({}));
}

#[test]
fn progress_is_told_to_those_who_ask() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let line = "for i in 1 2 3; do echo part $i; sleep 0.3; done";
    let id = mcp.request(
        "tools/call",
        json!({ "name": "ctx_execute", "arguments": { "code": line }, "_meta": { "progressToken": "p7" } }),
    );
    let response = mcp.response(id);
    assert!(response["result"].is_object());
    let told = mcp.take_aside();
    assert!(told.len() >= 3, "{told:?}");
    let mut last = 0.0;
    for message in &told {
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(message["params"]["progressToken"], "p7");
        let progress = message["params"]["progress"].as_f64().unwrap();
        assert!(progress > last, "it grows: {told:?}");
        last = progress;
    }
    mcp.ask("ping", json!({}));
    assert!(mcp.take_aside().is_empty(), "no progress after the answer");
}

#[test]
fn progress_is_not_told_to_others() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.text("ctx_execute", json!({ "code": "echo 1; sleep 0.1; echo 2" }));
    mcp.ask("ping", json!({}));
    assert!(mcp.take_aside().is_empty());
}

#[test]
fn a_large_output_does_not_flood_the_client_with_progress() {
    let env = TestEnv::new();
    env.write("large", "x".repeat(20_000_000));
    let mut mcp = env.mcp();
    let id = mcp.request(
        "tools/call",
        json!({ "name": "ctx_execute", "arguments": { "code": "cat large" }, "_meta": { "progressToken": 1 } }),
    );
    mcp.response(id);
    let told = mcp.take_aside().len();
    assert!(told <= 100, "{told} notifications for one call");
}

#[test]
fn a_cancelled_run_ends_and_its_output_is_stored() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let line = "echo so far; echo $$ > pid; sleep 300";
    let id = mcp.begin("ctx_execute", json!({ "code": line }));
    let process = announced_process(&env.project().join("pid"));
    mcp.notify("notifications/cancelled", json!({ "requestId": id, "reason": "changed my mind" }));
    assert!(is_gone(process));
    let mut history = String::new();
    assert!(wait_until(Duration::from_secs(20), || {
        history = mcp.text("ctx_history", json!({}));
        history.contains("run cancelled")
    }));
    let got = mcp.text("ctx_get", json!({ "ref": reference_in(&history) }));
    assert!(got.ends_with("so far"), "{got}");
}

#[test]
fn a_fast_call_is_answered_while_slow_ones_run() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let wait = "until [ -e go ]; do sleep 0.05; done; echo went";
    let slow: Vec<i64> =
        (0..6).map(|_| mcp.begin("ctx_execute", json!({ "code": wait }))).collect();
    let fast = mcp.text("ctx_execute", json!({ "code": "echo fast" }));
    assert!(fast.ends_with("fast"), "{fast}");
    mcp.text("ctx_search", json!({ "query": "fast" }));
    assert!(mcp.take_aside().is_empty(), "the slow ones have not ended");
    env.write("go", "");
    for id in slow {
        let result = mcp.response(id)["result"].clone();
        assert!(crate::mcp_client::text_of(&result).ends_with("went"), "{result}");
    }
}

#[test]
fn the_server_ends_when_stdin_closes() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.text("ctx_history", json!({}));
    assert_eq!(mcp.close().code(), Some(0));
}

#[test]
fn closing_stdin_ends_a_running_command_and_stores_its_output() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.begin("ctx_execute", json!({ "code": "echo so far; sleep 300 & echo $! > pid; wait" }));
    let process = announced_process(&env.project().join("pid"));
    assert_eq!(mcp.close().code(), Some(0));
    assert!(is_gone(process));
    let history = env.forebay(["history", "--all"]).ok().text();
    assert!(history.contains("run cancelled"), "{history}");
    let raw = env.forebay(["get", "--raw", &reference_in(&history)]).ok().stdout;
    assert_eq!(raw, b"so far\n");
}

#[test]
fn a_terminated_server_leaves_no_process_behind() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.begin("ctx_execute", json!({ "code": "sleep 300 & echo $! > pid; wait" }));
    let process = announced_process(&env.project().join("pid"));
    kill_process(mcp.process(), Signal::TERM).unwrap();
    mcp.wait();
    let gone = is_gone(process);
    if !gone {
        kill_process(process, Signal::KILL).unwrap();
    }
    assert!(gone);
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_keeps_nothing_open_of_calls_that_are_over() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let open_files = |mcp: &McpClient| {
        let folder = format!("/proc/{}/fd", mcp.process().as_raw_nonzero());
        std::fs::read_dir(folder).unwrap().count()
    };
    mcp.text("ctx_execute", json!({ "code": "true" }));
    let before = open_files(&mcp);
    for _ in 0..20 {
        mcp.text("ctx_execute", json!({ "code": "true" }));
        mcp.text("ctx_history", json!({}));
    }
    // A connection of the store more or less is none of a call.
    assert!(open_files(&mcp) < before + 15, "{before}, then {}", open_files(&mcp));
}

#[test]
fn stats_and_doctor_come_with_structured_content() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let stats = mcp.call("ctx_stats", json!({}));
    assert!(stats["structuredContent"]["project"]["total"]["saved_tokens"].is_i64(), "{stats}");
    let doctor = mcp.call("ctx_doctor", json!({}));
    assert_eq!(doctor["structuredContent"]["healthy"], true);
    assert!(crate::mcp_client::text_of(&doctor).contains("ok     store"), "{doctor}");
}

#[test]
fn the_tool_list_is_counted_in_the_session_that_showed_it() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.text("ctx_history", json!({}));
    // It is entered beside the first answer, not before it.
    assert!(wait_until(Duration::from_secs(20), || {
        mcp.text("ctx_stats", json!({})).contains("\n  tool list ")
    }));
    let stats = mcp.call("ctx_stats", json!({}))["structuredContent"].clone();
    assert_eq!(stats["session"]["tools"]["tool list"]["answers"], 1);
}

#[test]
fn a_purge_needs_the_count_that_still_holds() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.text("ctx_annotate", json!({ "text": "one" }));
    let told = mcp.text("ctx_purge", json!({ "everything": true }));
    assert!(told.contains("confirm=1"), "{told}");
    mcp.text("ctx_annotate", json!({ "text": "two" }));
    let stale = mcp.fault("ctx_purge", json!({ "everything": true, "confirm": 1 }));
    assert!(stale.contains("2 entries selected now; nothing was deleted"), "{stale}");
    assert!(mcp.text("ctx_search", json!({ "query": "one" })).contains("1 hit"));
    let done = mcp.text("ctx_purge", json!({ "everything": true, "confirm": 2 }));
    assert!(done.starts_with("2 entries (including 2 notes)"), "{done}");
    assert!(mcp.text("ctx_search", json!({ "query": "one" })).contains("nothing found"));
}

#[test]
fn each_server_is_a_session_of_its_own() {
    let env = TestEnv::new();
    let (mut one, mut two) = (env.mcp(), env.mcp());
    one.text("ctx_annotate", json!({ "text": "walrus of one" }));
    two.text("ctx_annotate", json!({ "text": "walrus of two" }));
    let found = one.text("ctx_search", json!({ "query": "walrus", "scope": "session" }));
    assert!(found.contains("of one") && !found.contains("of two"), "{found}");
    let found = one.text("ctx_search", json!({ "query": "walrus" }));
    assert!(found.contains("of one") && found.contains("of two"), "{found}");
}

#[test]
fn answers_keep_to_their_budget() {
    let env = TestEnv::new();
    env.write("log", varied_log(3_000));
    let mut mcp = env.mcp();
    for budget in [50_usize, 100, 400] {
        let ran = mcp.text("ctx_execute", json!({ "code": "cat log", "budget": budget }));
        let got = mcp.text("ctx_get", json!({ "ref": reference_in(&ran), "budget": budget }));
        let found =
            mcp.text("ctx_search", json!({ "queries": ["ember", "iris"], "budget": budget }));
        let history = mcp.text("ctx_history", json!({ "budget": budget }));
        for text in [ran, got, found, history] {
            assert!(tokens(&text) <= budget, "{} > {budget}: {text}", tokens(&text));
        }
    }
}

#[test]
fn settings_that_are_wrong_are_told_with_the_first_call() {
    let env = TestEnv::new();
    env.write(".forebay.toml", "digest.nope = 1\n");
    let mut mcp = env.mcp();
    let told = mcp.fault("ctx_execute", json!({ "code": "touch ran" }));
    assert!(told.contains("digest.nope") && told.contains("\nhint: "), "{told}");
    assert!(!env.project().join("ran").exists());
    env.write(".forebay.toml", "");
    assert!(mcp.text("ctx_execute", json!({ "code": "echo ran" })).ends_with("ran"));
}
