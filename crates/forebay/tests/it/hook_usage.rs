//! The tokens of requests to the model, which Forebay's mod reports.

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::hook_host::Host;

impl Host<'_> {
    /// Reports a request with an input of `input` tokens.
    fn requested(&self, id: &str, agent: Option<&str>, input: u64) {
        let usage = json!({
            "input_tokens": input, "output_tokens": 20, "cache_read_input_tokens": 3_000,
            "cache_creation_input_tokens": 400, "model": "large",
        });
        self.reported(json!({ "request_id": id, "agent_id": agent, "usage": usage }));
    }

    fn reported(&self, fields: Value) {
        self.hook("ModelRequest", fields).silent();
    }
}

fn stats(env: &TestEnv) -> Value {
    env.forebay(["stats", "--json"]).ok().json()
}

fn totals(count: u64, input: u64) -> Value {
    json!({
        "count": count, "input_tokens": input, "cache_read_tokens": 3_000 * count,
        "cache_write_tokens": 400 * count, "cache_write_1h_tokens": 0, "output_tokens": 20 * count,
    })
}

#[test]
fn stats_show_the_requests_of_a_session_and_of_the_project() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    assert_eq!(stats(&env)["project"]["requests"], Value::Null);
    assert!(!env.forebay(["stats"]).ok().text().contains("to the model"));
    host.requested("turn-1-0", None, 1_000);
    host.requested("turn-1-0", None, 1_000);
    host.requested("turn-2-0", Some("agent-1"), 200);
    Host { session: "conversation-2", ..Host::new(&env) }.requested("turn-3-0", None, 30);
    assert_eq!(stats(&env)["project"]["requests"], totals(3, 1_230));
    assert_eq!(stats(&env)["session"]["requests"], Value::Null);
    let own = env.forebay(["--session", host.session, "stats", "--json"]).ok().json();
    assert_eq!(own["session"]["requests"], totals(2, 1_200), "with its subagent");
    let text = env.forebay(["--session", host.session, "stats"]).ok().text();
    let lines = [
        "this session: 2 reported requests to the model; its provider counted 1,200 input, 6,000 cache read, \
         800 cache write, 40 output tokens; no price known for large",
        "project: 3 reported requests to the model; its provider counted 1,230 input, 9,000 cache read, \
         1,200 cache write, 60 output tokens; no price known for large",
    ];
    assert!(text.contains(&lines.join("\n")), "{text}");
}

#[test]
fn numbers_that_cannot_be_right_are_not_counted() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let usage = |input: Value| json!({ "input_tokens": input, "output_tokens": 1 });
    for wrong in [json!(-1), json!(1.5), json!("7"), json!(u64::MAX), Value::Null] {
        host.reported(json!({ "request_id": "a", "usage": usage(wrong) }));
    }
    host.reported(json!({ "request_id": "a" }));
    host.reported(json!({ "usage": usage(json!(7)) }));
    let wrong_cache =
        json!({ "input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": -4 });
    host.reported(json!({ "request_id": "a", "usage": wrong_cache }));
    assert_eq!(stats(&env)["project"]["requests"], Value::Null);
    host.reported(json!({ "request_id": "a", "usage": usage(json!(7)) }));
    assert_eq!(stats(&env)["project"]["requests"]["input_tokens"], 7, "without a cache");
}

#[test]
fn purging_a_conversation_deletes_its_requests_and_those_of_its_subagents() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.requested("turn-1-0", None, 1);
    host.requested("turn-2-0", Some("agent-1"), 1);
    Host { session: "kept", ..Host::new(&env) }.requested("turn-3-0", None, 30);
    let purged = env.forebay(["purge", "--of-session", host.session, "--yes"]).ok().text();
    assert!(purged.contains("2 events"), "{purged}");
    assert_eq!(stats(&env)["project"]["requests"], totals(1, 30));
}

/// A line of a transcript of Claude Code: a block of an answer, with what its request was billed for.
fn answer_line(session: &str, message: &str, minute: u32, output: u64) -> String {
    let usage = json!({
        "input_tokens": 1_000, "output_tokens": output, "cache_read_input_tokens": 3_000,
        "cache_creation_input_tokens": 400,
        "cache_creation": { "ephemeral_1h_input_tokens": 100, "ephemeral_5m_input_tokens": 300 },
    });
    let message = json!({
        "role": "assistant", "id": message, "model": "claude-sonnet-4-5-20250929", "usage": usage,
        "content": [{ "type": "text", "text": "Done." }],
    });
    let line = json!({
        "type": "assistant", "sessionId": session, "uuid": format!("{minute}-{output}"), "message": message,
        "timestamp": format!("2026-03-01T10:{minute:02}:00.000Z"),
    });
    format!("{line}\n")
}

fn billed(count: u64) -> Value {
    json!({
        "count": count, "input_tokens": 1_000 * count, "cache_read_tokens": 3_000 * count,
        "cache_write_tokens": 300 * count, "cache_write_1h_tokens": 100 * count,
        "output_tokens": 20 * count,
    })
}

#[test]
fn requests_are_read_from_the_transcript_at_the_end_of_a_turn() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let line = |message, minute, output| answer_line(host.session, message, minute, output);
    let mut text = line("msg_1", 1, 3) + &line("msg_1", 1, 20) + &line("msg_2", 2, 20);
    let end_turn = |text: &str| {
        let transcript = env.write("transcript.jsonl", text);
        host.hook("Stop", json!({ "transcript_path": transcript })).silent();
        stats(&env)["project"]["requests"].clone()
    };
    assert_eq!(end_turn(&text), billed(2));
    assert_eq!(end_turn(&text), billed(2), "once");
    text += &line("msg_3", 3, 20);
    let half = line("msg_4", 4, 20);
    assert_eq!(end_turn(&format!("{text}{}", &half[..40])), billed(3), "the last is being written");
    text += &half;
    assert_eq!(end_turn(&text), billed(4));
}

#[test]
fn requests_that_the_mod_reports_are_not_read_again() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.requested("turn-1-0", None, 1_000);
    let transcript = env.write("transcript.jsonl", answer_line(host.session, "msg_1", 1, 20));
    host.hook("Stop", json!({ "transcript_path": transcript })).silent();
    assert_eq!(stats(&env)["project"]["requests"], totals(1, 1_000));
    env.forebay(["import", transcript.to_str().unwrap()]).ok();
    assert_eq!(stats(&env)["project"]["requests"], totals(1, 1_000));
}
