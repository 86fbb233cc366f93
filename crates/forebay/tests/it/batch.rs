//! `ctx_batch_execute`: several commands in one call, and queries over their output.

use std::time::Instant;

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::texts::{tokens, varied_log};

fn batch_execute(env: &TestEnv, arguments: Value) -> String {
    env.mcp().text("ctx_batch_execute", arguments)
}

#[test]
fn lists_label_exit_code_and_output_of_each_command_in_order() {
    let env = TestEnv::new();
    let answer = batch_execute(
        &env,
        json!({ "commands": [
            { "label": "slow", "code": "sleep 0.3; echo one" },
            { "label": "bad", "code": "echo two; exit 3" },
            { "code": "print('three')", "language": "python" },
            { "label": "asks", "code": "grep absent /dev/null" },
        ] }),
    );
    insta::assert_snapshot!(env.redact(&answer), @r"
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
fn stop_on_failure_skips_the_remaining_commands() {
    let env = TestEnv::new();
    let commands = json!([{ "code": "false" }, { "code": "touch made" }]);
    let answer = batch_execute(&env, json!({ "commands": commands, "stop_on_failure": true }));
    assert!(
        answer.contains("2 commands: 1 failed, 1 not run") && answer.ends_with("not run"),
        "{answer}"
    );
    assert!(!env.project().join("made").exists());
    batch_execute(&env, json!({ "commands": commands }));
    assert!(env.project().join("made").exists());
}

#[test]
fn commands_run_concurrently() {
    let env = TestEnv::new();
    let commands: Vec<Value> = (0..8).map(|_| json!({ "code": "sleep 1" })).collect();
    let mut client = env.mcp();
    let started = Instant::now();
    client.text("ctx_batch_execute", json!({ "commands": commands, "concurrency": 8 }));
    assert!(started.elapsed().as_secs() < 8, "the commands ran sequentially");
}

#[test]
fn queries_search_only_the_outputs_of_the_batch() {
    let env = TestEnv::new();
    env.forebay(["run", "--", "echo the walrus was here before"]).ok();
    let answer = batch_execute(
        &env,
        json!({
            "commands": [{ "code": "echo a walrus swims" }, { "code": "echo a heron flies" }],
            "queries": ["walrus", "pelican"],
        }),
    );
    assert!(answer.contains("\"walrus\" · 1 hit") && answer.contains("swims"), "{answer}");
    assert!(!answer.contains("here before"), "{answer}");
    assert!(answer.contains("\"pelican\" · nothing found in these outputs"), "{answer}");
}

#[test]
fn all_commands_share_the_budget() {
    let env = TestEnv::new();
    env.write("log", varied_log(3_000));
    let commands: Vec<Value> = (0..6).map(|_| json!({ "code": "cat log" })).collect();
    let mut client = env.mcp();
    for budget in [100, 400, 2_000] {
        let answer = client.text(
            "ctx_batch_execute",
            json!({ "commands": commands, "queries": ["kelp"], "budget": budget }),
        );
        assert!(tokens(&answer) <= budget, "{} > {budget}", tokens(&answer));
    }
}

#[test]
fn a_long_output_gets_what_short_ones_leave() {
    let env = TestEnv::new();
    env.write("log", varied_log(3_000));
    let commands = json!(["echo one", "echo two", "echo three", "cat log"]);
    let answer = batch_execute(&env, json!({ "commands": commands, "budget": 1_000 }));
    assert!((800..=1_000).contains(&tokens(&answer)), "{} tokens: {answer}", tokens(&answer));
    assert!(answer.contains("left out: lines "), "{answer}");
}

#[test]
fn a_cut_block_ends_with_a_mark() {
    let env = TestEnv::new();
    env.write("log", varied_log(3_000));
    let commands: Vec<Value> = (0..12).map(|_| json!({ "code": "cat log" })).collect();
    let answer = batch_execute(&env, json!({ "commands": commands, "budget": 100 }));
    let blocks: Vec<&str> = answer.split("\n## ").skip(1).collect();
    assert!(!blocks.is_empty(), "{answer}");
    for block in blocks {
        assert!(block.contains('…') || block.contains("left out"), "cut without a mark: {block}");
    }
}

#[test]
fn a_rejected_command_is_reported_at_its_position() {
    let env = TestEnv::new();
    let commands = json!([{ "code": "x", "language": "cobol" }, { "code": "echo fine" }]);
    let answer = batch_execute(&env, json!({ "commands": commands }));
    assert!(answer.contains("## 1 x\nnot run: unknown language `cobol`"), "{answer}");
    assert!(answer.contains("fine"), "{answer}");
}

#[test]
fn plain_strings_are_commands() {
    let env = TestEnv::new();
    let commands = json!(["echo alpha", { "label": "second", "code": "echo beta" }]);
    let answer = batch_execute(&env, json!({ "commands": commands }));
    assert!(answer.contains("## 1 echo alpha\n"), "{answer}");
    assert!(answer.contains("## 2 second\n") && answer.contains("beta"), "{answer}");
}

#[test]
fn an_invalid_batch_is_refused() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    for (arguments, message) in [
        (json!({ "commands": [] }), "commands is empty"),
        (json!({ "commands": [{ "cmd": "true" }] }), "unknown field `cmd`"),
        (json!({ "commands": [{ "code": "true" }], "concurrency": 9 }), "concurrency"),
        (json!({ "commands": vec![json!({ "code": "true" }); 33] }), "too many"),
    ] {
        let answer = client.error("ctx_batch_execute", arguments);
        assert!(answer.contains(message) && answer.contains("hint:"), "{answer}");
    }
}
