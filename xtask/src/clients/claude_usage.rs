//! Claude Code with Forebay's mod: `forebay stats` has the tokens of every request to the model.

use anyhow::Result;
use serde_json::{Value, json};

use super::fixture::Fixture;
use super::hosts::Host;
use super::model::{Exchange, ScriptedModel, messages, script};
use super::{CheckResult, excerpt};

/// The model's names of the numbers, and those of `forebay stats`.
const NUMBERS: [(&str, &str); 4] = [
    ("input_tokens", "input_tokens"),
    ("cache_read_input_tokens", "cache_read_tokens"),
    ("cache_creation_input_tokens", "cache_write_tokens"),
    ("output_tokens", "output_tokens"),
];

/// Lets the main agent and a subagent work, and another process resume the session.
pub(super) fn check(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let env = fixture.env(host, "usage")?;
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    let bash = |word: &str| json!(["Bash", { "command": format!("echo {word}") }]);
    let order = script::prompt(&json!([[bash("below")], [bash("again")]]));
    let agent =
        json!({ "description": "scripted", "prompt": order, "subagent_type": "general-purpose" });
    let steps = json!([[bash("one"), bash("two")], [["Agent", agent]], [bash("three")]]);
    env.prompt(&model, &script::prompt(&steps), false)?;
    env.prompt(&model, "SCRIPT none: go on", true)?;
    let exchanges = model.drain();
    env.save_requests("usage", &exchanges)?;
    let of_subagent =
        exchanges.iter().filter(|exchange| exchange.request.prompt.starts_with(&order)).count();
    let stats: Value = serde_json::from_str(&env.stats(&["--json"])?)?;
    let [sent, stored] = [sent(&exchanges), stored(&stats["project"]["requests"])];
    let text = env.stats(&[])?;
    let line = text.lines().find(|line| line.contains("to the model")).unwrap_or_default();
    Ok(vec![
        CheckResult {
            name: "the tokens of every request are counted",
            passed: sent == stored && of_subagent > 1,
            detail: format!("{stored:?} of {sent:?}, {of_subagent} requests of a subagent"),
        },
        CheckResult {
            name: "forebay stats shows them",
            passed: line.starts_with(&format!("project: {} reported requests", exchanges.len())),
            detail: excerpt(line),
        },
    ])
}

/// How many requests the model answered, and the tokens it claimed.
pub(super) fn sent(exchanges: &[Exchange]) -> Vec<u64> {
    let body = |exchange: &Exchange| serde_json::from_str(&exchange.request.raw).ok();
    let usages: Vec<Value> =
        exchanges.iter().filter_map(body).map(|body: Value| messages::usage(&body)).collect();
    let sum = |name: &str| usages.iter().filter_map(|usage| usage[name].as_u64()).sum();
    let tokens = NUMBERS.iter().map(|(name, _)| sum(name));
    std::iter::once(exchanges.len() as u64).chain(tokens).collect()
}

/// The same numbers in Forebay's statistics.
pub(super) fn stored(requests: &Value) -> Vec<u64> {
    let names = std::iter::once("count").chain(NUMBERS.iter().map(|(_, name)| *name));
    names.filter_map(|name| requests[name].as_u64()).collect()
}
