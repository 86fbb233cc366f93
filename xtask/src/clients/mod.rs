//! `cargo xtask clients`: runs the released agents, set up by `forebay init`, against a scripted model.
//!
//! Each agent is installed with npm, set up in an empty home folder and run without a terminal. Its model is a
//! server on loopback ([`model`]) that requests a long shell output, a long result of another MCP server
//! ([`probe`]), a command that a rule denies and one of Forebay's tools. The checks look at what the agent sends
//! back to the model. Then the project's files are written, and the agent runs as a teammate's would who has these
//! files and not Forebay. Each file in [`hosts`] describes how to start an agent.

mod agent_env;
mod claude_compaction;
mod claude_mod;
mod claude_rules;
mod claude_screen;
mod claude_usage;
pub(crate) mod examples;
mod failing_test;
mod hosts;
mod model;
pub(crate) mod probe;
mod undo;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use clap::Args;

use self::agent_env::{AgentEnv, Installation};
use self::hosts::{HOSTS, Host};
use self::model::{Exchange, ScriptedModel};
use crate::test::Skips;
use crate::{console, process, workspace};

/// Run the released agents against a scripted model
#[derive(Debug, Args)]
pub(crate) struct Clients {
    /// Only these agents
    agents: Vec<String>,
    /// Keep homes, projects and requests in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

impl Clients {
    pub(crate) fn run(self) -> Result<()> {
        check(&self.agents, self.keep)
    }
}

/// Checks if npm can reach its registry; records a skip otherwise.
pub(crate) fn check_if_available(skips: &mut Skips) -> Result<()> {
    if process::succeeds(process::command("npm").args(["view", "@openai/codex", "version"])) {
        return check(&[], None);
    }
    skips.add("clients", "npm is not installed or cannot reach its registry")
}

fn check(agents: &[String], keep: Option<PathBuf>) -> Result<()> {
    let forebay = workspace::build_forebay("dev")?;
    let is_selected = |host: &&&Host| {
        agents.is_empty() || agents.iter().any(|name| name == host.agent || name == host.label)
    };
    let hosts: Vec<&Host> = HOSTS.iter().filter(is_selected).copied().collect();
    ensure!(!hosts.is_empty(), "unknown agents: {}", agents.join(", "));
    let installation = Installation::from_npm(&hosts)?;
    let mut failures = Vec::new();
    for host in hosts {
        let started = Instant::now();
        let env = AgentEnv::new(host, &installation, &forebay, keep.as_deref())?;
        let mut results = drive(&env)?;
        let teammate = AgentEnv::without_forebay(host, &installation, &forebay, keep.as_deref())?;
        results.push(drive_without_forebay(&teammate)?);
        if !host.is_plugin {
            results.extend(undo::check(host, &installation, &forebay, keep.as_deref())?);
        }
        let label = format!("{} failing", host.label);
        let env = AgentEnv::in_folder(&label, host, &installation, &forebay, keep.as_deref())?;
        results.push(failing_test::check(&env)?);
        if host.has_mod {
            let label = format!("{} mod", host.label);
            let env = AgentEnv::in_folder(&label, host, &installation, &forebay, keep.as_deref())?;
            results.extend(claude_mod::check(&env)?);
            let label = format!("{} usage", host.label);
            let env = AgentEnv::in_folder(&label, host, &installation, &forebay, keep.as_deref())?;
            results.extend(claude_usage::check(&env)?);
        }
        if host.has_mod && !host.is_plugin {
            let keep = keep.as_deref();
            results.extend(claude_mod::check_obstacles(host, &installation, &forebay, keep)?);
            results.extend(claude_compaction::check(host, &installation, &forebay, keep)?);
            let label = format!("{} screen", host.label);
            let env = AgentEnv::in_folder(&label, host, &installation, &forebay, keep)?;
            results.extend(claude_screen::check(&env)?);
            let with_rules = &hosts::CLAUDE_CODE_WITH_RULES;
            results.extend(claude_rules::check(with_rules, &installation, &forebay, keep)?);
        }
        for result in &results {
            console::line(result.line(host));
        }
        failures
            .extend(results.iter().filter(|result| !result.passed).map(|result| result.line(host)));
        console::line(format!("     {:<13} {}", host.label, console::duration(started.elapsed())));
    }
    ensure!(failures.is_empty(), "{} checks failed:\n{}", failures.len(), failures.join("\n"));
    Ok(())
}

/// The outcome of one check.
struct CheckResult {
    name: &'static str,
    passed: bool,
    detail: String,
}

impl CheckResult {
    fn line(&self, host: &Host) -> String {
        let verdict = if self.passed { "ok  " } else { "FAIL" };
        format!("{verdict} {:<13} {:<44} {}", host.label, self.name, self.detail)
    }
}

/// Runs a conversation with an agent and checks what the model receives.
fn drive(env: &AgentEnv) -> Result<Vec<CheckResult>> {
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    env.prompt(&model, "SCRIPT all: run the commands you were asked for", false)?;
    let first = model.drain();
    env.save_requests("first", &first)?;
    if first.is_empty() {
        bail!("{}: the model received no request; {}", env.host.label, env.log_tail());
    }
    let mut results = check_tool_results(env, &first);
    let guide_start = env.host.resumed_with;
    let resumed = resume(env, &model, "where were we", "resumed")?;
    results.push(check_guide(&resumed, "the next session gets the guide", guide_start));
    if let Some(prompt) = env.host.compact {
        env.prompt(&model, prompt, true)?;
        model.drain();
        let compacted = resume(env, &model, "where were we after all", "compacted")?;
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
    results.push(check_history(env));
    Ok(results)
}

/// Runs a conversation where the project's files name Forebay and it is not installed.
fn drive_without_forebay(env: &AgentEnv) -> Result<CheckResult> {
    let model = ScriptedModel::start()?;
    env.set_up(&model)?;
    let prompt = format!("{}: run the command you were asked for", model::SHELL_PROMPT);
    env.prompt(&model, &prompt, false)?;
    let exchanges = model.drain();
    env.save_requests("teammate", &exchanges)?;
    let result = model::longest_results(&exchanges).first().cloned().unwrap_or_default();
    let has_hook_error = result.to_lowercase().contains("hook");
    Ok(CheckResult {
        name: "without Forebay, a project's files do no harm",
        passed: result.contains(model::SHELL_OUTPUT) && !has_hook_error,
        detail: excerpt(&result),
    })
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
fn resume(env: &AgentEnv, model: &ScriptedModel, text: &str, name: &str) -> Result<Vec<Exchange>> {
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

/// Returns the first 90 characters on one line.
fn excerpt(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(90).collect()
}
