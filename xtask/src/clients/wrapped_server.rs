//! `forebay init --wrap`: an agent that has nothing else of Forebay gets digests of another MCP server's results.

use anyhow::Result;

use super::fixture::Fixture;
use super::hosts::Host;
use super::model::{self, ScriptedModel};
use super::{CheckResult, excerpt};

pub(super) fn check(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let env = fixture.env(host, "wrapped")?;
    let model = ScriptedModel::start()?;
    env.write_files(&model)?;
    env.init(&["--wrap"])?;
    let wrapped = long_result(&env, &model)?;
    let is_digest = wrapped.contains("[ctx:") && wrapped.len() < model::LONG_BYTES / 4;
    let counted = env.stats(&[])?;
    env.init(&["--wrap", "--undo"])?;
    let whole = long_result(&env, &model)?;
    let mut results = vec![
        CheckResult {
            name: "a wrapped server's 60 KB arrive as a digest",
            passed: is_digest,
            detail: format!("{} bytes: {}", wrapped.len(), excerpt(&wrapped)),
        },
        CheckResult {
            name: "without the wrapper no digest arrives",
            passed: !whole.is_empty() && !whole.contains("[ctx:"),
            detail: format!("{} bytes", whole.len()),
        },
    ];
    // Codex hands servers no variable of its own environment, so this one stores in the usual data folder.
    if host.agent != "codex" {
        results.push(CheckResult {
            name: "they are counted for that server",
            passed: counted.contains("wrap probe"),
            detail: excerpt(&counted),
        });
    }
    Ok(results)
}

/// Has the agent call the server's tool; returns what the model gets of the result.
fn long_result(env: &super::agent_env::AgentEnv<'_>, model: &ScriptedModel) -> Result<String> {
    env.prompt(model, &format!("{}: read it", model::PROBE_PROMPT), false)?;
    let exchanges = model.drain();
    env.save_requests("wrapped", &exchanges)?;
    Ok(model::longest_results(&exchanges).first().cloned().unwrap_or_default())
}
