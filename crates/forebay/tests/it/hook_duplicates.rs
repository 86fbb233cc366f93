//! Doubled set-ups: an event that two hooks report at the same time is handled once.

use serde_json::{Value, json};

use crate::env::{Output, TestEnv, finish};
use crate::hook_host::Host;

/// Reports a prompt with the host's id of it.
fn prompt(host: &Host<'_>, id: &str, text: &str) -> Output {
    host.hook("UserPromptSubmit", json!({ "prompt": text, "prompt_id": id })).silent()
}

/// How many of the session's events are of a kind.
fn count(env: &TestEnv, kind: &str) -> usize {
    let listed = env.forebay(["history", "--session", "all", "--events", kind, "--json"]).ok();
    listed.json()["events"].as_array().map_or(0, Vec::len)
}

/// Calls a hook from another process of the host.
fn hook_of_another_process(host: &Host<'_>, event: &str, fields: &Value) -> Output {
    let mut payload =
        json!({ "session_id": host.session, "cwd": host.env.project(), "hook_event_name": event });
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let mut shell = host.env.program("sh");
    let forebay = env!("CARGO_BIN_EXE_forebay");
    shell.args(["-c", "\"$0\" hook claude-code \"$1\"; exit $?", forebay, event]);
    finish(shell, payload.to_string().as_bytes())
}

#[test]
fn a_prompt_is_stored_once() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    for _ in 0..2 {
        prompt(&host, "p1", "The heron waits at the weir");
    }
    assert_eq!(count(&env, "prompt"), 1);
    // The user may say the same again, and two things at once.
    prompt(&host, "p2", "The heron waits at the weir");
    prompt(&host, "p2", "The weir is closed in winter");
    assert_eq!(count(&env, "prompt"), 3);
}

#[test]
fn an_answer_is_stored_once() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let answer = |id: &str| {
        let text = "The lock is held for thirty seconds";
        host.hook("Stop", json!({ "last_assistant_message": text, "prompt_id": id })).silent();
    };
    answer("p1");
    answer("p1");
    assert_eq!(count(&env, "answer"), 1);
    answer("p2");
    assert_eq!(count(&env, "answer"), 2);
}

#[test]
fn the_guide_is_delivered_once_for_each_start() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    for _ in 0..3 {
        host.prompt("Audit the orders service");
        assert!(host.start("compact").contains("Audit the orders service"));
        assert_eq!(host.start("compact"), "");
        assert!(host.start("resume").contains("Audit the orders service"));
    }
}

#[test]
fn whatever_a_session_does_after_its_start_makes_the_next_one_another() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.prompt("Audit the orders service");
    let go_on: [&dyn Fn(); 3] = [
        &|| drop(host.ran("make", "done\n")),
        &|| drop(host.hook("PreCompact", json!({ "trigger": "auto" })).ok()),
        &|| drop(host.hook("SessionEnd", json!({ "reason": "other" })).ok()),
    ];
    for happens in go_on {
        assert_ne!(host.start("compact"), "");
        happens();
    }
    assert_ne!(host.start("compact"), "");
}

#[test]
fn a_session_that_crashed_gets_its_guide_again() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.prompt("Audit the orders service");
    assert_ne!(host.start("resume"), "");
    let start = json!({ "source": "resume" });
    let other = hook_of_another_process(&host, "SessionStart", &start).context();
    assert!(other.contains("Audit the orders service"), "{other}");
}

#[test]
fn a_subagent_starts_on_its_own() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.prompt("Audit the orders service");
    let of_agent = |event: &str, mut fields: Value| {
        fields["agent_id"] = json!("a1");
        host.hook(event, fields)
    };
    of_agent("UserPromptSubmit", json!({ "prompt": "List the write endpoints" })).ok();
    of_agent("PreCompact", json!({ "trigger": "auto" })).ok();
    let own = || of_agent("SessionStart", json!({ "source": "compact" })).context();
    let guide = own();
    assert!(guide.contains("List the write endpoints") && !guide.contains("Audit"), "{guide}");
    assert_eq!(own(), "");
    let main = host.start("compact");
    assert!(main.contains("Audit the orders service") && !main.contains("endpoints"), "{main}");
    // Its compaction left nothing to deliver to the main agent.
    host.prompt("Go on with the audit");
}
