//! A conversation with every agent: long results, a denied command, Forebay's own tool, and the guide of the next session.
//!
//! The model requests a long shell output, a long result of another MCP server ([`super::probe`]), a command that a rule
//! denies and one of Forebay's tools.

use anyhow::Result;

use super::agent_env::AgentEnv;
use super::fixture::Fixture;
use super::hosts::Host;
use super::model::{self, Exchange, ScriptedModel};
use super::{CheckResult, excerpt};

/// Runs a conversation with an agent and checks what the model receives.
pub(super) fn check(fixture: &Fixture, host: &'static Host) -> Result<Vec<CheckResult>> {
    let env = fixture.env(host, "conversation")?;
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    env.prompt(&model, "SCRIPT all: run the commands you were asked for", false)?;
    let first = model.drain();
    env.save_requests("first", &first)?;
    if first.is_empty() {
        anyhow::bail!("{}: the model received no request; {}", env.host.label, env.log_tail());
    }
    let mut results = check_tool_results(&env, &first);
    let guide_start = env.host.resumed_with;
    let resumed = resume(&env, &model, "where were we", "resumed")?;
    results.push(check_guide(&resumed, "the next session gets the guide", guide_start));
    if let Some(prompt) = env.host.compact {
        env.prompt(&model, prompt, true)?;
        model.drain();
        let compacted = resume(&env, &model, "where were we after all", "compacted")?;
        results.push(check_guide(&compacted, "a compacted session gets the guide", guide_start));
    }
    for (command, expected) in env.host.commands {
        env.prompt(&model, command, false)?;
        let exchanges = model.drain();
        results.push(CheckResult {
            name: "a command of the plugin works",
            passed: exchanges.iter().any(|exchange| exchange.request.raw.contains(expected)),
            detail: (*command).to_owned(),
        });
    }
    results.push(check_history(&env));
    Ok(results)
}

/// Checks the tool results that the model received, in the order of the script.
fn check_tool_results(env: &AgentEnv, exchanges: &[Exchange]) -> Vec<CheckResult> {
    let results = model::longest_results(exchanges);
    let mut tools = exchanges.iter().flat_map(|exchange| exchange.request.tools.iter());
    let has_tools = tools.any(|tool| tool.name.contains("ctx_search"));
    let result = |step: usize| results.get(step).cloned().unwrap_or_default();
    let digested = |step: usize| {
        let text = result(step);
        let passed = text.contains("[ctx:") && text.len() < model::LONG_BYTES / 4;
        (passed, format!("{} bytes: {}", text.len(), excerpt(&text)))
    };
    let is_denied = !env.project().join(model::DENIED_FILE).exists() && !result(2).is_empty();
    let check = |name, (passed, detail)| CheckResult { name, passed, detail };
    vec![
        check("the MCP server connects", (has_tools, String::new())),
        check("60 KB of shell output arrive as a digest", digested(0)),
        check("60 KB of another MCP server, too", digested(1)),
        check("a deny rule denies", (is_denied, excerpt(&result(2)))),
        check("Forebay's own tool answers", {
            let text = result(3);
            (text.contains("forebay-answers"), excerpt(&text))
        }),
    ]
}

/// Continues the previous conversation; returns the requests that contain the prompt.
pub(super) fn resume(
    env: &AgentEnv,
    model: &ScriptedModel,
    text: &str,
    name: &str,
) -> Result<Vec<Exchange>> {
    env.prompt(model, &format!("SCRIPT none: {text}"), true)?;
    let exchanges = model.drain();
    env.save_requests(name, &exchanges)?;
    Ok(exchanges.into_iter().filter(|exchange| exchange.request.prompt.contains(text)).collect())
}

fn check_guide(exchanges: &[Exchange], name: &'static str, start: &str) -> CheckResult {
    let passed = exchanges.last().is_some_and(|last| last.request.raw.contains(start));
    let detail = format!("\"{start}\" in the last of {} requests", exchanges.len());
    CheckResult { name, passed, detail }
}

/// Checks that the hooks stored entries.
fn check_history(env: &AgentEnv) -> CheckResult {
    let history = env.history().unwrap_or_else(|error| error.to_string());
    let passed = history.contains("[ctx:");
    CheckResult { name: "hooks store entries of the session", passed, detail: excerpt(&history) }
}
