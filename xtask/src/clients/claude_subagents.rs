//! Claude Code with `hooks.compact = "forebay"` and subagents: each has a compaction and a snapshot of its own.

use anyhow::{Context, Result};
use serde_json::json;

use super::agent_env::AgentEnv;
use super::claude_compaction::{self, SETTINGS};
use super::claude_mod::{self, SeenResult};
use super::fixture::Fixture;
use super::hosts::Host;
use super::model::{Exchange, ScriptedModel, script};
use super::{CheckResult, conversation, excerpt};

/// What the record of a subagent starts with.
const SUBAGENT_RECORD: &str = "Forebay's record of this subagent's work";
/// How `forebay history` calls a snapshot.
const SNAPSHOT: &str = " · session snapshot · ";
/// The tokens above which Claude Code compacts a conversation, with its reserve for the answer.
const WINDOW_TOKENS: &str = "100000";
/// A command of the subagent that fails, and what it is remembered by.
const FAILS: &str = "ls the-missing-file";
const MISSING_FILE: &str = "the-missing-file";
/// Steps of the subagent and parallel calls of a step: more than its window holds.
const SUBAGENT_SIZE: [usize; 2] = [14, 5];

/// Compacts the main conversation, lets a subagent outgrow its window, and goes on with the main conversation.
pub(super) fn check(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let mut env = fixture.env(host, "subagents")?;
    env.set_variable("CLAUDE_CODE_AUTO_COMPACT_WINDOW", WINDOW_TOKENS);
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    env.write_forebay_settings(SETTINGS)?;
    env.prompt(&model, &claude_compaction::order(0, 3, 4), false)?;
    env.prompt(&model, "/compact", true)?;
    let of_main = snapshots(&env)?;
    model.drain();
    let order = order();
    env.prompt(&model, &delegation(&order), true)?;
    let exchanges = model.drain();
    env.save_requests("subagent", &exchanges)?;
    let seen = results_of(&order, &exchanges);
    let all = snapshots(&env)?;
    let next = conversation::resume(&env, &model, "what do we know", "next")?;
    let next = next.last().context("Claude Code did not ask the model")?.request.raw.clone();
    let opened = opened_by_parent(&env, &model, &seen)?;
    let check = |name, passed, detail: String| CheckResult { name, passed, detail };
    Ok(vec![
        is_compacted(&order, &exchanges, &seen),
        check(
            "... and has a snapshot of its own",
            of_main.len() == 1
                && all.starts_with(&of_main)
                && all[1..].iter().any(|text| is_of_subagent(text)),
            format!("{} before, {} after", of_main.len(), all.len()),
        ),
        check(
            "the main conversation gets its own guide",
            next.contains(env.host.resumed_with) && !next.contains(SUBAGENT_RECORD),
            String::new(),
        ),
        check(
            "the parent opens a subagent's result",
            opened.contains("heron 1.0.0 counts "),
            excerpt(&opened),
        ),
    ])
}

/// The subagent's order: something to remember, and long results.
fn order() -> String {
    let mut steps = vec![vec![json!(["Bash", { "command": FAILS }])]];
    steps.extend(claude_compaction::steps(1, SUBAGENT_SIZE[0], SUBAGENT_SIZE[1]));
    claude_compaction::order_of(1, &steps)
}

/// A prompt whose only call hands an order to a subagent.
fn delegation(order: &str) -> String {
    let agent =
        json!({ "description": "scripted", "prompt": order, "subagent_type": "general-purpose" });
    script::prompt(&json!([[["Agent", agent]]]))
}

/// Whether the subagent's results became digests although no request asked for a summary.
fn is_compacted(order: &str, exchanges: &[Exchange], seen: &[SeenResult]) -> CheckResult {
    let cut = seen.iter().filter(|result| reference(result).is_some()).count();
    let requests =
        exchanges.iter().filter(|exchange| exchange.request.prompt.starts_with(order)).count();
    let [steps, calls] = SUBAGENT_SIZE;
    CheckResult {
        name: "a subagent is compacted without the model",
        // One request for each step, the one that fails among them, and one for the last words.
        passed: cut > 0 && seen.len() == 1 + steps * calls && requests == 1 + steps + 1,
        detail: format!("{cut} of {} results are digests, {requests} requests", seen.len()),
    }
}

/// The results in the last request of the agent with this order.
fn results_of(order: &str, exchanges: &[Exchange]) -> Vec<SeenResult> {
    let mut its = exchanges.iter().rev();
    let last = its.find(|exchange| exchange.request.prompt.starts_with(order));
    last.map(|exchange| claude_mod::seen_results(&exchange.request.raw)).unwrap_or_default()
}

fn reference(result: &SeenResult) -> Option<&str> {
    result.text.strip_prefix("[ctx:")?.get(..10)
}

/// Whether a snapshot is the subagent's, with what happened to it.
fn is_of_subagent(snapshot: &str) -> bool {
    snapshot.starts_with(SUBAGENT_RECORD) && snapshot.contains(MISSING_FILE)
}

/// What the main agent gets if it opens the first reference that its subagent had.
fn opened_by_parent(
    env: &AgentEnv<'_>,
    model: &ScriptedModel,
    seen: &[SeenResult],
) -> Result<String> {
    let reference = seen.iter().find_map(reference).unwrap_or_default();
    let get = json!(["mcp__forebay__ctx_get", { "ref": reference, "grep": "heron" }]);
    env.prompt(model, &script::prompt(&json!([[get]])), true)?;
    let results = model.drain().pop().map(|last| last.request.results).unwrap_or_default();
    Ok(results.last().cloned().unwrap_or_default())
}

/// The texts of the snapshots, the oldest first.
fn snapshots(env: &AgentEnv<'_>) -> Result<Vec<String>> {
    let history = env.history()?;
    let lines = history.lines().filter(|line| line.contains(SNAPSHOT));
    let references = lines.filter_map(|line| line.strip_prefix("[ctx:")?.get(..10));
    let mut texts = references.map(|reference| env.entry(reference)).collect::<Result<Vec<_>>>()?;
    texts.reverse();
    Ok(texts)
}
