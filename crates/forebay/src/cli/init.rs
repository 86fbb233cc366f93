//! `forebay init`: sets up agents to use Forebay, and undoes it.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use forebay_app::agents::{self, Change, Fault, Level, Machine, Plan, Platform, Wish};
use forebay_app::{AppError, Reply};
use serde_json::{Value, json};
use similar::TextDiff;

use super::terminal::{self, Failure};
use super::{Common, paint};

/// Unchanged lines around a change in a diff.
const CONTEXT_LINES: usize = 3;

/// Set up agents: MCP server, hooks and instructions for the model
///
/// Shows every change as a diff and asks before writing. Without names, sets up the installed agents.
/// Edits files of the project; with --user, your own settings for all projects.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line flag")]
pub(super) struct Init {
    #[arg(value_name = "AGENT", help = agent_ids())]
    agents: Vec<String>,
    /// Edit your own settings, for all projects
    #[arg(long)]
    user: bool,
    /// Remove Forebay and restore every file
    #[arg(long)]
    undo: bool,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Write without asking
    #[arg(short, long, conflicts_with = "dry_run")]
    yes: bool,
}

impl Init {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let machine = app.machine.as_ref().ok_or_else(|| {
            AppError::bad_input("this user has no home folder", "set HOME to a folder")
        })?;
        let level = self.level(machine)?;
        let chosen = self.choose(machine, level)?;
        let plan = agents::plan(machine, &chosen.agents, level, &self.wish(machine, level)?);
        if !common.json {
            show_plan(machine, &chosen, &plan)?;
        }
        let done = self.decide(machine, &plan, common);
        if common.json {
            terminal::print_json(&as_data(&chosen, &plan, &done))?;
        } else {
            self.report_outcome(&chosen, &plan, &done)?;
        }
        self.exit_code(&plan, &done)
    }

    fn level(&self, machine: &Machine) -> Result<Level, AppError> {
        match (self.user, machine.has_project()) {
            (true, _) => Ok(Level::User),
            (false, true) => Ok(Level::Project),
            (false, false) => Err(AppError::bad_input(
                "this folder is not a project",
                "`forebay init --user` sets up your agents for all projects",
            )),
        }
    }

    fn wish(&self, machine: &Machine, level: Level) -> Result<Wish, Failure> {
        if self.undo {
            return Ok(Wish::TakeBack);
        }
        let running = std::env::current_exe()?;
        Ok(Wish::SetUp { program: machine.program(&running, level) })
    }

    fn choose(&self, machine: &Machine, level: Level) -> Result<Chosen, AppError> {
        let mut chosen = if self.agents.is_empty() {
            self.all_that_apply(machine, level)
        } else {
            Chosen { agents: named(&self.agents)?, remarks: Vec::new() }
        };
        chosen.drop_agents_without(level);
        if chosen.agents.is_empty() && chosen.remarks.is_empty() {
            return Err(self.no_agent_error());
        }
        Ok(chosen)
    }

    /// With --undo the agents that are set up, otherwise those that are installed.
    fn all_that_apply(&self, machine: &Machine, level: Level) -> Chosen {
        let mut chosen = Chosen { agents: Vec::new(), remarks: Vec::new() };
        for agent in agents::PLATFORMS {
            let is_set_up = |level| agents::is_set_up(machine, agent, level);
            if self.undo {
                chosen.agents.extend(is_set_up(level).then_some(*agent));
            } else if machine.is_installed(agent) {
                let is_set_up_for_user =
                    level == Level::Project && !is_set_up(level) && is_set_up(Level::User);
                if is_set_up_for_user {
                    chosen.remarks.push(format!(
                        "{} already has Forebay in your own settings; name it to set it up here as well",
                        agent.name
                    ));
                } else {
                    chosen.agents.push(agent);
                }
            }
        }
        chosen
    }

    fn no_agent_error(&self) -> AppError {
        if self.undo {
            let hint = if self.user {
                "omit --user for this project"
            } else {
                "try --user for your own settings"
            };
            return AppError::not_found("no agent has Forebay in these settings", hint);
        }
        AppError::not_found(
            "no agent found: none of their programs is on the PATH, none of their folders exists",
            format!("name one: forebay init {}", agents::PLATFORMS[0].id),
        )
    }

    /// Writes the changes if the user agrees.
    fn decide(&self, machine: &Machine, plan: &Plan, common: &Common) -> Outcome {
        if plan.changes.is_empty() || self.dry_run {
            return Outcome::Shown;
        }
        if !self.yes {
            let asked = if common.json { Reply::Unavailable } else { ask(plan) };
            match asked {
                Reply::Yes => {}
                Reply::No => return Outcome::Declined,
                Reply::Unavailable => return Outcome::NobodyToAsk,
            }
        }
        let faults = plan.changes.iter().filter_map(|change| change.apply(machine).err());
        Outcome::Written(faults.map(|fault| fault.to_string()).collect())
    }

    fn report_outcome(&self, chosen: &Chosen, plan: &Plan, done: &Outcome) -> Result<(), Failure> {
        match done {
            Outcome::Shown if plan.changes.is_empty() && plan.faults.is_empty() => {
                terminal::print_painted("nothing to change")
            }
            Outcome::Shown => terminal::print_painted("nothing was written: dry run"),
            Outcome::Declined => terminal::print_painted("nothing was written"),
            Outcome::NobodyToAsk => Ok(()),
            Outcome::Written(faults) => {
                let files = plan.changes.len() - faults.len();
                terminal::print_painted(&format!(
                    "{files} of {} files written",
                    plan.changes.len()
                ))?;
                for fault in faults {
                    terminal::print_painted(&format!("{} {fault}", paint::error("error:")))?;
                }
                if self.undo { Ok(()) } else { print_next_steps(chosen) }
            }
        }
    }

    fn exit_code(&self, plan: &Plan, done: &Outcome) -> Result<ExitCode, Failure> {
        let is_complete = plan.faults.is_empty();
        match done {
            Outcome::Shown if is_complete => Ok(ExitCode::SUCCESS),
            Outcome::Written(faults) if is_complete && faults.is_empty() => Ok(ExitCode::SUCCESS),
            Outcome::NobodyToAsk => Err(AppError::bad_input(
                "nothing was written: cannot ask without a terminal",
                "--yes writes without asking, --dry-run only shows",
            )
            .into()),
            _ => Ok(ExitCode::FAILURE),
        }
    }
}

/// The chosen agents, and remarks on others.
struct Chosen {
    agents: Vec<&'static Platform>,
    remarks: Vec<String>,
}

impl Chosen {
    fn drop_agents_without(&mut self, level: Level) {
        if level == Level::User {
            return;
        }
        let has_files = |agent: &&Platform| agent.files.iter().any(|file| file.level == level);
        for agent in self.agents.iter().filter(|agent| !has_files(agent)) {
            self.remarks.push(format!("{} has no project settings: use --user", agent.name));
        }
        self.agents.retain(has_files);
        for agent in self.agents.iter().filter(|agent| !agent.registers_server(level)) {
            self.remarks.push(format!(
                "{} supports MCP servers only in your own settings: also use --user",
                agent.name
            ));
        }
    }
}

/// The outcome of a plan.
enum Outcome {
    /// Nothing to write, or a dry run.
    Shown,
    Declined,
    NobodyToAsk,
    /// With the errors of single files.
    Written(Vec<String>),
}

fn named(names: &[String]) -> Result<Vec<&'static Platform>, AppError> {
    let mut found: Vec<&'static Platform> = Vec::new();
    for name in names {
        let agent = agents::find(name).ok_or_else(|| unknown(name))?;
        if !found.iter().any(|other| other.id == agent.id) {
            found.push(agent);
        }
    }
    Ok(found)
}

fn agent_ids() -> String {
    agents::PLATFORMS.iter().map(|agent| agent.id).collect::<Vec<_>>().join(", ")
}

fn unknown(name: &str) -> AppError {
    AppError::bad_input(format!("unknown agent `{name}`"), format!("agents: {}", agent_ids()))
}

fn ask(plan: &Plan) -> Reply {
    let count = plan.changes.len();
    terminal::ask(&format!("Write {count} {}?", if count == 1 { "file" } else { "files" }))
}

fn show_plan(machine: &Machine, chosen: &Chosen, plan: &Plan) -> Result<(), Failure> {
    for change in &plan.changes {
        show_change(machine, change)?;
    }
    for Fault { path, why } in &plan.faults {
        let path = with_tilde(machine, path);
        terminal::print_painted(&format!(
            "{} {path}: {why}; left unchanged",
            paint::error("error:")
        ))?;
    }
    for remark in &chosen.remarks {
        terminal::print_painted(&format!("{} {remark}", paint::hint("note:")))?;
    }
    Ok(())
}

fn show_change(machine: &Machine, change: &Change) -> Result<(), Failure> {
    let what = match (&change.before, &change.after) {
        (None, _) => "new",
        (_, None) => "removed",
        _ => "changed",
    };
    let head =
        format!("{} ({what}, for {})", with_tilde(machine, &change.path), change.agents.join(", "));
    terminal::print_painted(&paint::heading(&head))?;
    difference(change)
        .lines()
        .try_for_each(|line| terminal::print_painted(&paint::diff_line(line)))?;
    terminal::print_painted("")
}

/// The change as a unified diff, without a header.
fn difference(change: &Change) -> String {
    let text = |side: &Option<String>| side.clone().unwrap_or_default();
    let (before, after) = (text(&change.before), text(&change.after));
    let diff = TextDiff::from_lines(&before, &after);
    diff.unified_diff().context_radius(CONTEXT_LINES).to_string()
}

/// A path, with `~` for the home folder.
fn with_tilde(machine: &Machine, path: &Path) -> String {
    match path.strip_prefix(machine.home()) {
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    }
}

fn print_next_steps(chosen: &Chosen) -> Result<(), Failure> {
    for agent in &chosen.agents {
        if let Some(steps) = agent.next_steps {
            terminal::print_painted(&format!(
                "{} {steps}",
                paint::hint(&format!("{}:", agent.name))
            ))?;
        }
    }
    terminal::print_painted(
        "Restart the agents. `forebay doctor` shows how they are set up, `forebay init --undo` reverts it.",
    )
}

fn as_data(chosen: &Chosen, plan: &Plan, done: &Outcome) -> Value {
    let changes: Vec<Value> = plan
        .changes
        .iter()
        .map(|change| {
            json!({
                "path": change.path.to_string_lossy(),
                "agents": change.agents,
                "is_new": change.before.is_none(),
                "is_removed": change.after.is_none(),
                "difference": difference(change),
            })
        })
        .collect();
    let refused: Vec<Value> = plan
        .faults
        .iter()
        .map(|fault| json!({ "path": fault.path.to_string_lossy(), "why": fault.why }))
        .collect();
    let faults = if let Outcome::Written(faults) = done { faults.as_slice() } else { &[] };
    json!({
        "agents": chosen.agents.iter().map(|agent| agent.id).collect::<Vec<_>>(),
        "changes": changes,
        "left_alone": refused,
        "remarks": chosen.remarks,
        "written": matches!(done, Outcome::Written(_)),
        "not_written": faults,
    })
}
