//! `cargo xtask clients`: the released agents, set up by `forebay init`, against a scripted model.
//!
//! Each agent is installed with npm, set up in a home of its own and driven without a terminal. Its model is
//! a small server on the loopback ([`model`]) that asks for a long shell output, for a long result of another
//! MCP server ([`probe`]), for a command that a rule denies and for one of Forebay's tools; what the agent
//! hands back to the model is what counts. One file in [`hosts`] says how an agent is started.

pub(crate) mod examples;
mod hosts;
mod model;
pub(crate) mod probe;
mod stage;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use clap::Args;

use self::hosts::{HOSTS, Host};
use self::model::{Exchange, Model};
use self::stage::{Installed, Stage};
use crate::{say, shell, test, workspace};

/// Drive the released agents against a scripted model
#[derive(Debug, Args)]
pub(crate) struct Clients {
    /// Only these agents
    agents: Vec<String>,
    /// Leave homes, projects and requests in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

impl Clients {
    pub(crate) fn carry_out(self) -> Result<()> {
        check(&self.agents, self.keep)
    }
}

/// Checks where npm reaches its registry; only an attended run may do without.
pub(crate) fn check_where_possible() -> Result<()> {
    if shell::works(shell::command("npm").args(["view", "@openai/codex", "version"])) {
        return check(&[], None);
    }
    ensure!(!test::is_unattended(), "npm and its registry are needed to drive the agents");
    say::loudly("SKIPPED: npm reaches no registry, so no agent was driven");
    Ok(())
}

fn check(agents: &[String], keep: Option<PathBuf>) -> Result<()> {
    let forebay = workspace::build_forebay("dev")?;
    let wanted = |host: &&&Host| {
        agents.is_empty() || agents.iter().any(|name| name == host.agent || name == host.label)
    };
    let chosen: Vec<&Host> = HOSTS.iter().filter(wanted).copied().collect();
    ensure!(!chosen.is_empty(), "none of these agents is known: {}", agents.join(", "));
    let installed = Installed::by_npm(&chosen)?;
    let mut faults = Vec::new();
    for host in chosen {
        let started = Instant::now();
        let stage = Stage::new(host, &installed, &forebay, keep.as_deref())?;
        let found = drive(&stage)?;
        for finding in &found {
            say::line(finding.line(host));
        }
        faults.extend(found.iter().filter(|one| !one.holds).map(|one| one.line(host)));
        say::line(format!("     {:<13} {}", host.label, say::seconds(started.elapsed())));
    }
    ensure!(faults.is_empty(), "{} of the checks failed:\n{}", faults.len(), faults.join("\n"));
    Ok(())
}

/// Something that must hold, and whether it does.
struct Finding {
    what: &'static str,
    holds: bool,
    detail: String,
}

impl Finding {
    fn line(&self, host: &Host) -> String {
        let word = if self.holds { "ok  " } else { "FAIL" };
        format!("{word} {:<13} {:<44} {}", host.label, self.what, self.detail)
    }
}

/// What the scripted model hears in the course of a conversation, judged.
fn drive(stage: &Stage) -> Result<Vec<Finding>> {
    let model = Model::start()?;
    stage.set_up(&model)?;
    stage.converse(&model, "SCRIPT all: run the commands you were asked for", false)?;
    let first = model.take();
    stage.keep_requests("first", &first)?;
    if first.is_empty() {
        bail!("{}: the model was never asked; {}", stage.host.label, stage.last_words());
    }
    let mut found = judge_first(stage, &first);
    let sign = stage.host.resumed_with;
    found.push(guide(
        &ask(stage, &model, "where were we", "resumed")?,
        "a resumed session is guided",
        sign,
    ));
    if stage.host.compacts {
        stage.converse(&model, "/compact", true)?;
        model.take();
        let third = ask(stage, &model, "where were we after all", "compacted")?;
        found.push(guide(&third, "a compacted session is guided", sign));
    }
    for (command, expected) in stage.host.commands {
        stage.converse(&model, command, false)?;
        let heard = model.take();
        let holds = heard.iter().any(|one| one.asked.whole.contains(expected));
        found.push(Finding {
            what: "a command of the plugin is understood",
            holds,
            detail: (*command).to_owned(),
        });
    }
    found.push(recorded(stage));
    Ok(found)
}

/// The results that came back to the model, in the order of the script.
fn judge_first(stage: &Stage, exchanges: &[Exchange]) -> Vec<Finding> {
    let results = model::results(exchanges);
    let mut tools = exchanges.iter().flat_map(|one| one.asked.tools.iter());
    let has_tools = tools.any(|tool| tool.name.contains("ctx_search"));
    let result = |step: usize| results.get(step).cloned().unwrap_or_default();
    let digested = |step: usize| {
        let text = result(step);
        let holds = text.contains("[ctx:") && text.len() < model::LONG_BYTES / 4;
        (holds, format!("{} bytes: {}", text.len(), beginning(&text)))
    };
    let denied = !stage.project().join(model::DENIED_FILE).exists();
    let finding = |what, (holds, detail)| Finding { what, holds, detail };
    vec![
        finding("the MCP server connects", (has_tools, String::new())),
        finding("60 KB of shell output reach it as a digest", digested(0)),
        finding("60 KB of another MCP server, too", digested(1)),
        finding("a deny rule denies", (denied && !result(2).is_empty(), beginning(&result(2)))),
        finding("Forebay's own tool answers", {
            let text = result(3);
            (text.contains("forebay-answers"), beginning(&text))
        }),
    ]
}

/// A question to the conversation of before, and what the model hears of it.
fn ask(stage: &Stage, model: &Model, words: &str, name: &str) -> Result<Vec<Exchange>> {
    stage.converse(model, &format!("SCRIPT none: {words}"), true)?;
    let heard = model.take();
    stage.keep_requests(name, &heard)?;
    Ok(heard.into_iter().filter(|one| one.asked.prompt.contains(words)).collect())
}

fn guide(exchanges: &[Exchange], what: &'static str, sign: &str) -> Finding {
    let holds = exchanges.last().is_some_and(|last| last.asked.whole.contains(sign));
    Finding { what, holds, detail: format!("\"{sign}\" in the last of {}", exchanges.len()) }
}

/// Whether the hooks left something in the store.
fn recorded(stage: &Stage) -> Finding {
    let told = stage.history().unwrap_or_else(|error| error.to_string());
    let holds = told.contains("[ctx:");
    Finding { what: "hooks leave entries of the session", holds, detail: beginning(&told) }
}

fn beginning(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(90).collect()
}
