//! `ctx_batch_execute`: several commands in one call, and questions about just their output.

use std::time::Instant;

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::texts::{tokens, varied_log};

fn call(env: &TestEnv, arguments: Value) -> String {
    env.mcp().text("ctx_batch_execute", arguments)
}

#[test]
fn each_command_has_its_label_exit_and_output_in_order() {
    let env = TestEnv::new();
    let told = call(
        &env,
        json!({ "commands": [
            { "label": "slow", "code": "sleep 0.3; echo one" },
            { "label": "bad", "code": "echo two; exit 3" },
            { "code": "print('three')", "language": "python" },
            { "label": "asks", "code": "grep absent /dev/null" },
        ] }),
    );
    insta::assert_snapshot!(env.redact(&told), @r"
    4 commands: 1 failed · [TIME]
    ## 1 slow
    [ctx:REF] exit 0 · [TIME] · 1 line
    one
    ## 2 bad
    [ctx:REF] exit 3 · [TIME] · 1 line
    two
    ## 3 print('three')
    [ctx:REF] exit 0 · [TIME] · 1 line
    three
    ## 4 asks
    [ctx:REF] exit 1 (no match) · [TIME] · no output
    ");
}

#[test]
fn a_failure_stops_those_after_it_where_that_is_wanted() {
    let env = TestEnv::new();
    let commands = json!([{ "code": "false" }, { "code": "touch made" }]);
    let told = call(&env, json!({ "commands": commands, "stop_on_failure": true }));
    assert!(
        told.contains("2 commands: 1 failed, 1 not run") && told.ends_with("not run"),
        "{told}"
    );
    assert!(!env.project().join("made").exists());
    call(&env, json!({ "commands": commands }));
    assert!(env.project().join("made").exists());
}

#[test]
fn commands_run_at_the_same_time() {
    let env = TestEnv::new();
    let commands: Vec<Value> = (0..8).map(|_| json!({ "code": "sleep 1" })).collect();
    let mut client = env.mcp();
    let started = Instant::now();
    client.text("ctx_batch_execute", json!({ "commands": commands, "concurrency": 8 }));
    assert!(started.elapsed().as_secs() < 8, "one after the other");
}

#[test]
fn questions_are_answered_from_these_outputs_only() {
    let env = TestEnv::new();
    env.forebay(["run", "--", "echo the walrus was here before"]).ok();
    let told = call(
        &env,
        json!({
            "commands": [{ "code": "echo a walrus swims" }, { "code": "echo a heron flies" }],
            "queries": ["walrus", "pelican"],
        }),
    );
    assert!(told.contains("\"walrus\" · 1 hit") && told.contains("swims"), "{told}");
    assert!(!told.contains("here before"), "{told}");
    assert!(told.contains("\"pelican\" · nothing found in these outputs"), "{told}");
}

#[test]
fn the_budget_is_shared_and_kept() {
    let env = TestEnv::new();
    env.write("log", varied_log(3_000));
    let commands: Vec<Value> = (0..6).map(|_| json!({ "code": "cat log" })).collect();
    let mut client = env.mcp();
    for budget in [100, 400, 2_000] {
        let told = client.text(
            "ctx_batch_execute",
            json!({ "commands": commands, "queries": ["kelp"], "budget": budget }),
        );
        assert!(tokens(&told) <= budget, "{} > {budget}", tokens(&told));
    }
}

#[test]
fn a_command_that_may_not_run_is_told_in_its_place() {
    let env = TestEnv::new();
    let commands = json!([{ "code": "x", "language": "cobol" }, { "code": "echo fine" }]);
    let told = call(&env, json!({ "commands": commands }));
    assert!(told.contains("## 1 x\nnot run: unknown language `cobol`"), "{told}");
    assert!(told.contains("fine"), "{told}");
}

#[test]
fn a_batch_that_makes_no_sense_is_refused() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    for (arguments, message) in [
        (json!({ "commands": [] }), "commands is empty"),
        (json!({ "commands": [{ "code": "true" }], "concurrency": 9 }), "concurrency"),
        (json!({ "commands": vec![json!({ "code": "true" }); 33] }), "too many"),
    ] {
        let told = client.fault("ctx_batch_execute", arguments);
        assert!(told.contains(message) && told.contains("hint:"), "{told}");
    }
}
