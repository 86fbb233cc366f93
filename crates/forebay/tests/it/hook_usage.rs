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
        "cache_write_tokens": 400 * count, "output_tokens": 20 * count,
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
         800 cache write, 40 output tokens",
        "project: 3 reported requests to the model; its provider counted 1,230 input, 9,000 cache read, \
         1,200 cache write, 60 output tokens",
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
