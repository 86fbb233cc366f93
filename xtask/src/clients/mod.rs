//! `cargo xtask clients`: runs the released agents, set up by `forebay init`, against a scripted model.
//!
//! Each agent is installed with npm, set up in an empty home folder and run without a terminal. Its model is a
//! server on loopback ([`model`]), and the checks look at what the agent sends it. [`scenarios`] lists what is tried;
//! each file in [`hosts`] describes how to start an agent.

mod agent_env;
mod claude_compaction;
mod claude_ledger;
mod claude_mod;
mod claude_rules;
mod claude_screen;
mod claude_subagents;
mod claude_usage;
mod conversation;
pub(crate) mod examples;
mod failing_test;
mod fixture;
mod hosts;
mod model;
pub(crate) mod probe;
mod scenarios;
mod teammate;
mod undo;
mod wrapped_server;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, ensure};
use clap::Args;

use self::fixture::Fixture;
use self::hosts::{HOSTS, Host};
use self::scenarios::{SCENARIOS, Scenario};
use crate::clean_system::CleanSystem;
use crate::test::Skips;
use crate::{console, process, workspace};

/// Run the released agents against a scripted model
#[derive(Debug, Default, Args)]
pub(crate) struct Clients {
    /// Only these agents
    agents: Vec<String>,
    /// Only scenarios whose name contains this word
    #[arg(long, value_name = "WORD")]
    only: Option<String>,
    /// Use this binary instead of building one
    #[arg(long, value_name = "PATH")]
    forebay: Option<PathBuf>,
    /// Keep homes, projects and requests in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

impl Clients {
    pub(crate) fn run(self) -> Result<()> {
        check(&self)
    }

    fn hosts(&self) -> Result<Vec<&'static Host>> {
        let is_selected =
            |host: &Host| self.agents.iter().any(|name| name == host.agent || name == host.label);
        let is_selected = |host: &&Host| self.agents.is_empty() || is_selected(host);
        let hosts: Vec<&Host> = HOSTS.iter().copied().filter(is_selected).collect();
        ensure!(!hosts.is_empty(), "unknown agents: {}", self.agents.join(", "));
        Ok(hosts)
    }

    fn scenarios(&self) -> Result<Vec<&'static Scenario>> {
        let word = self.only.as_deref().unwrap_or_default();
        let found: Vec<_> = SCENARIOS.iter().filter(|one| one.name.contains(word)).collect();
        ensure!(!found.is_empty(), "no scenario has a name with `{word}`");
        Ok(found)
    }
}

/// Runs the conversation of an agent, and the way back, in a system where Forebay is installed.
pub(crate) fn check_in(system: &CleanSystem, agent: &str, forebay: &Path) -> Result<()> {
    let selection = Clients { agents: vec![agent.to_owned()], ..Clients::default() };
    let hosts = selection.hosts()?;
    let fixture = Fixture::new(&hosts, forebay.to_owned(), None)?.in_system(system);
    let is_selected = |scenario: &&Scenario| ["conversation", "undo"].contains(&scenario.name);
    run(&fixture, &hosts, &SCENARIOS.iter().filter(is_selected).collect::<Vec<_>>())
}

/// Checks if npm can reach its registry; records a skip otherwise.
pub(crate) fn check_if_available(skips: &mut Skips) -> Result<()> {
    if process::succeeds(process::command("npm").args(["view", "@openai/codex", "version"])) {
        return check(&Clients::default());
    }
    skips.add("clients", "npm is not installed or cannot reach its registry")
}

fn check(selection: &Clients) -> Result<()> {
    let hosts = selection.hosts()?;
    let scenarios = selection.scenarios()?;
    let folder = tempfile::tempdir()?;
    let forebay = match &selection.forebay {
        Some(path) => workspace::installed_copy(path, folder.path())?,
        None => workspace::build_forebay("dev")?,
    };
    run(&Fixture::new(&hosts, forebay, selection.keep.clone())?, &hosts, &scenarios)
}

fn run(fixture: &Fixture, hosts: &[&'static Host], scenarios: &[&Scenario]) -> Result<()> {
    let mut failures = Vec::new();
    for &host in hosts {
        let started = Instant::now();
        for scenario in scenarios.iter().filter(|scenario| (scenario.is_for)(host)) {
            for result in scenario.run(fixture, host) {
                console::line(result.line(host));
                failures.extend((!result.passed).then(|| result.line(host)));
            }
        }
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

/// Returns the first 90 characters on one line.
fn excerpt(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(90).collect()
}
