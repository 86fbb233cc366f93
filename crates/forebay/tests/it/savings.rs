//! What digests saved over the requests that followed, after Forebay's own costs.

use serde_json::{Value, json};

use crate::env::{TestEnv, reference_in};
use crate::hook_host::Host;
use crate::mcp_client::McpClient;

/// Dollars per million: 3 input, 0.3 cache read, 3.75 cache write, 15 output.
const SONNET: &str = "claude-sonnet-4-5-20250929";

impl Host<'_> {
    /// Reports a request with what the provider read from its cache and wrote to it.
    fn billed(&self, id: &str, model: &str, cache_read: u64, cache_write: u64) {
        let usage = json!({
            "input_tokens": 3, "output_tokens": 50, "cache_read_input_tokens": cache_read,
            "cache_creation_input_tokens": cache_write, "model": model,
        });
        self.hook("ModelRequest", json!({ "request_id": id, "usage": usage })).silent();
    }

    fn stats(&self) -> Value {
        self.env.forebay(["--session", self.session, "stats", "--json"]).ok().json()["session"]
            .clone()
    }
}

fn long_output() -> String {
    (0..2_000).map(|number| format!("line {number} of the build\n")).collect()
}

fn close_to(actual: &Value, expect: f64) {
    let actual = actual.as_f64().unwrap();
    assert!((actual - expect).abs() < 1e-9, "{actual} is not {expect}");
}

#[test]
fn a_digest_is_credited_until_the_conversation_is_compacted() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.billed("0", SONNET, 0, 10_000);
    host.ran("make", &long_output());
    let capture = host.stats()["tools"]["capture"].clone();
    let saved = capture["saved_tokens"].as_u64().unwrap();
    assert!(saved > 5_000, "{capture}");
    host.billed("1", SONNET, 10_000, 2_500);
    host.billed("2", SONNET, 12_500, 100);
    let billed = host.stats()["billed"].clone();
    assert_eq!(billed["gross"]["tokens"], 2 * saved);
    close_to(&billed["gross"]["usd"], saved as f64 * (3.75 + 0.3) / 1e6);
    close_to(&billed["usd"], (9.0 * 3.0 + 22_500.0 * 0.3 + 12_600.0 * 3.75 + 150.0 * 15.0) / 1e6);

    host.hook("PreCompact", json!({ "trigger": "auto" }));
    host.billed("3", SONNET, 8_000, 15_000);
    assert_eq!(host.stats()["billed"]["gross"], billed["gross"]);
}

#[test]
fn an_expired_cache_is_paid_again() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.billed("0", SONNET, 0, 10_000);
    host.ran("make", &long_output());
    host.billed("1", SONNET, 10_000, 2_500);
    host.billed("2", SONNET, 0, 12_600);
    let stats = host.stats();
    let saved = stats["tools"]["capture"]["saved_tokens"].as_f64().unwrap();
    close_to(&stats["billed"]["gross"]["usd"], saved * 2.0 * 3.75 / 1e6);
}

#[test]
fn tools_that_are_never_called_are_shown_as_a_loss() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let mut mcp = McpClient::initialized(env.command(["--session", host.session, "mcp"]));
    mcp.ask("tools/list", json!({}));
    assert!(mcp.close().success());
    for (id, cache_read) in [("0", 0), ("1", 9_000), ("2", 9_100)] {
        host.billed(id, SONNET, cache_read, if cache_read == 0 { 9_000 } else { 100 });
    }
    let stats = host.stats();
    let list = stats["tools"]["tool list"]["delivered_tokens"].as_i64().unwrap();
    assert_eq!(stats["billed"]["costs"]["tool_list"]["tokens"], 3 * list);
    assert_eq!(stats["billed"]["net"]["tokens"], -3 * list);
    close_to(&stats["billed"]["net"]["usd"], -(list as f64) * (3.75 + 0.3 + 0.3) / 1e6);
    let text = env.forebay(["--session", host.session, "stats"]).ok().text();
    assert!(text.contains("-$0.0"), "{text}");
}

#[test]
fn a_part_that_is_fetched_again_is_a_cost() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.billed("0", SONNET, 0, 10_000);
    let answer = host.ran("make", &long_output()).answer().to_string();
    let reference = reference_in(&answer);
    host.billed("1", SONNET, 10_000, 400);
    env.forebay(["--session", host.session, "get", &reference, "--lines", "1-200"]).ok();
    host.billed("2", SONNET, 10_400, 1_300);
    let stats = host.stats();
    let fetched = stats["tools"]["ctx_get"]["delivered_tokens"].as_u64().unwrap();
    let costs = &stats["billed"]["costs"];
    assert_eq!((&stats["rereads"], &costs["extra_turn_count"]), (&json!(1), &json!(1)));
    assert_eq!(costs["rereads"]["tokens"], fetched);
    // The request that fetched it: 50 of output, and its prompt of 10,403 in the next one.
    assert_eq!(costs["extra_turns"]["tokens"], 10_453);
    close_to(&costs["extra_turns"]["usd"], (50.0 * 15.0 + 10_400.0 * 0.3 + 3.0 * 3.75) / 1e6);
}

#[test]
fn an_unknown_price_is_unknown_until_the_user_names_it() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.billed("0", "house-model", 0, 10_000);
    host.ran("make", &long_output());
    host.billed("1", "house-model", 10_000, 2_500);
    let billed = host.stats()["billed"].clone();
    assert_eq!((&billed["usd"], &billed["net"]["usd"]), (&Value::Null, &Value::Null));
    assert!(billed["net"]["tokens"].as_i64().unwrap() > 5_000);
    assert_eq!(billed["models_without_price"], json!(["house-model"]));
    let text = env.forebay(["--session", host.session, "stats"]).ok().text();
    assert!(text.contains("unknown") && text.contains("no price known for house-model"), "{text}");

    let own = "prices.own=[\"house-model input=2 cache_read=0.2 cache_write=2 output=8\"]";
    let stats = ["--session", host.session, "--set", own, "stats", "--json"];
    let priced = env.forebay(stats).ok().json()["session"]["billed"].clone();
    close_to(&priced["usd"], (6.0 * 2.0 + 10_000.0 * 0.2 + 12_500.0 * 2.0 + 100.0 * 8.0) / 1e6);
    let wrong = ["--set", "prices.own=[\"house-model input=2\"]", "stats"];
    env.forebay(wrong).refused(2, "input and output are required", "");
}

#[test]
fn only_what_happened_since_a_time_is_counted() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.billed("0", SONNET, 0, 10_000);
    host.ran("make", &long_output());
    host.billed("1", SONNET, 10_000, 2_500);
    let since = |when| env.forebay(["stats", "--since", when, "--json"]).ok().json();
    assert_eq!(since("1d")["project"]["requests"]["count"], 2);
    assert_eq!(since("2100")["project"]["requests"], Value::Null);
    assert_eq!(since("2100")["project"]["total"]["answers"], 0);
    assert!(env.forebay(["stats", "--since", "1d"]).ok().text().contains("since then"));
    let wrong = env.forebay(["stats", "--since", "soon"]);
    assert!(wrong.code() == Some(2) && wrong.stderr.contains("neither an age"), "{wrong:?}");
}
