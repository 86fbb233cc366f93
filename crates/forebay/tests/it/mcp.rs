//! MCP tools as an agent sees them.

use std::time::Duration;

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::env::{TestEnv, announced_process, is_gone, reference_in, wait_until};
use crate::mcp_client::McpClient;
use crate::texts::{tokens, varied_log};

#[test]
fn run_returns_a_readable_reference() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let ran = mcp.text("ctx_execute", json!({ "code": "echo out; exit 3" }));
    assert!(ran.contains("] exit 3 · ") && ran.ends_with("out"), "{ran}");
    let got = mcp.text("ctx_get", json!({ "ref": reference_in(&ran) }));
    assert!(got.ends_with("run exit 3 · 1 line\nout"), "{got}");
}

#[test]
fn several_queries_are_answered_in_one_call() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.text("ctx_annotate", json!({ "text": "walrus is grey" }));
    let found = mcp.text("ctx_search", json!({ "queries": ["walrus", "xylophone"] }));
    assert!(found.contains("walrus is grey"), "{found}");
    assert!(found.contains("\"xylophone\" · nothing found"), "{found}");
    let one = mcp.text("ctx_search", json!({ "query": "walrus" }));
    assert!(one.contains("walrus is grey"), "a single query may be a plain string: {one}");
}

/// Asserts that a tool refuses an input and names the field, and that the server goes on.
#[track_caller]
fn check_invalid_input(tool: &str, arguments: Value, field: &str) {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let error = mcp.error(tool, arguments);
    assert!(error.contains(field), "{error}");
    assert!(error.contains("\nhint: "), "{error}");
    assert!(mcp.text("ctx_history", json!({})).contains("nothing yet"), "no call was executed");
}

#[test]
fn invalid_input_names_the_field() {
    check_invalid_input("ctx_execute", json!({ "code": 5 }), "`code`");
    check_invalid_input(
        "ctx_execute",
        json!({ "code": "touch x", "timeout_ms": "soon" }),
        "`timeout_ms`",
    );
    check_invalid_input("ctx_execute", json!({ "code": "touch x", "budget": -1 }), "`budget`");
    check_invalid_input("ctx_execute", json!({}), "`code`");
    check_invalid_input("ctx_execute", json!({ "code": "x", "nope": 1 }), "`nope`");
    check_invalid_input("ctx_get", json!({ "ref": ["a"] }), "`ref`");
    check_invalid_input("ctx_get", json!({ "ref": "zzzzzzzzzz", "lines": 3 }), "`lines`");
    check_invalid_input("ctx_search", json!({ "queries": [1] }), "`queries`");
    check_invalid_input("ctx_search", json!({ "query": "x", "scope": "galaxy" }), "scope `galaxy`");
    check_invalid_input("ctx_search", json!({ "query": "x", "kind": "rumour" }), "kind `rumour`");
    check_invalid_input("ctx_annotate", json!({ "text": null }), "`text`");
    check_invalid_input("ctx_annotate", json!({ "text": "x", "scope": "branch" }), "scope");
    check_invalid_input("ctx_history", json!({ "cursor": "abc" }), "cursor");
    check_invalid_input("ctx_purge", json!({}), "nothing is selected");
}

#[test]
fn errors_include_a_hint() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let check = |mcp: &mut McpClient, tool, arguments, expect: &str| {
        let error: String = mcp.error(tool, arguments);
        assert!(error.contains(expect) && error.contains("\nhint: "), "{error}");
    };
    check(&mut mcp, "ctx_execute", json!({ "code": " " }), "command is empty");
    check(&mut mcp, "ctx_execute", json!({ "code": "ls", "cwd": "no/such" }), "does not exist");
    check(&mut mcp, "ctx_get", json!({ "ref": "zzzzzzzzzz" }), "not in this project");
    check(&mut mcp, "ctx_get", json!({ "ref": "what?" }), "not a reference");
    check(&mut mcp, "ctx_annotate", json!({ "text": "" }), "empty");
    check(&mut mcp, "ctx_search", json!({ "queries": [] }), "the query is empty");
}

#[test]
fn unknown_tool_error_lists_the_tools() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let id = mcp.begin("ctx_levitate", json!({}));
    let response = mcp.response(id);
    let error = response["error"]["message"].as_str().unwrap();
    assert_eq!(response["error"]["code"], -32602);
    assert!(
        error.contains("`ctx_levitate`")
            && error.contains("ctx_execute, ")
            && error.contains("ctx_get, "),
        "{error}"
    );
    mcp.text("ctx_history", json!({}));
}

#[test]
fn progress_is_sent_for_a_progress_token() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let line = "for i in 1 2 3; do echo part $i; sleep 0.3; done";
    let id = mcp.request(
        "tools/call",
        json!({ "name": "ctx_execute", "arguments": { "code": line }, "_meta": { "progressToken": "p7" } }),
    );
    let response = mcp.response(id);
    assert!(response["result"].is_object());
    let notifications = mcp.take_pending();
    assert!(notifications.len() >= 3, "{notifications:?}");
    let mut last = 0.0;
    for message in &notifications {
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(message["params"]["progressToken"], "p7");
        let progress = message["params"]["progress"].as_f64().unwrap();
        assert!(progress > last, "progress increases: {notifications:?}");
        last = progress;
    }
    mcp.ask("ping", json!({}));
    assert!(mcp.take_pending().is_empty(), "no progress after the answer");
}

#[test]
fn progress_is_not_sent_without_a_progress_token() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.text("ctx_execute", json!({ "code": "echo 1; sleep 0.1; echo 2" }));
    mcp.ask("ping", json!({}));
    assert!(mcp.take_pending().is_empty());
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
    let count = mcp.take_pending().len();
    assert!(count <= 100, "{count} notifications for one call");
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
    assert!(mcp.take_pending().is_empty(), "the slow ones have not ended");
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
fn finished_calls_leave_no_open_files() {
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
    // The number of open store connections may vary.
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
    // The list is recorded concurrently with the first answer.
    assert!(wait_until(Duration::from_secs(20), || {
        mcp.text("ctx_stats", json!({})).contains("\n  tool list ")
    }));
    let stats = mcp.call("ctx_stats", json!({}))["structuredContent"].clone();
    assert_eq!(stats["session"]["tools"]["tool list"]["answers"], 1);
}

#[test]
fn purge_requires_the_current_count() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.text("ctx_annotate", json!({ "text": "one" }));
    let plan = mcp.text("ctx_purge", json!({ "everything": true }));
    assert!(plan.contains("confirm=1"), "{plan}");
    mcp.text("ctx_annotate", json!({ "text": "two" }));
    let stale = mcp.error("ctx_purge", json!({ "everything": true, "confirm": 1 }));
    assert!(stale.contains("2 entries selected now; nothing was deleted"), "{stale}");
    assert!(mcp.text("ctx_search", json!({ "query": "one" })).contains("1 hit"));
    let done = mcp.text("ctx_purge", json!({ "everything": true, "confirm": 2 }));
    assert!(done.starts_with("2 entries (including 2 notes)"), "{done}");
    assert!(mcp.text("ctx_search", json!({ "query": "one" })).contains("nothing found"));
}

#[test]
fn each_server_has_its_own_session() {
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
fn answers_stay_within_their_budget() {
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
fn invalid_settings_are_reported_by_the_first_call() {
    let env = TestEnv::new();
    env.write(".forebay.toml", "digest.nope = 1\n");
    let mut mcp = env.mcp();
    let error = mcp.error("ctx_execute", json!({ "code": "touch ran" }));
    assert!(error.contains("digest.nope") && error.contains("\nhint: "), "{error}");
    assert!(!env.project().join("ran").exists());
    env.write(".forebay.toml", "");
    assert!(mcp.text("ctx_execute", json!({ "code": "echo ran" })).ends_with("ran"));
}
