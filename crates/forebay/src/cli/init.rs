//! `forebay init`: sets agents up to use Forebay, and takes that back.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use forebay_app::agents::{self, Change, Fault, Level, Machine, Plan, Platform, Wish};
use forebay_app::{AppError, Reply};
use serde_json::{Value, json};
use similar::TextDiff;

use super::terminal::{self, Failure};
use super::{Common, paint};

/// Lines around a change, as everybody shows them.
const LINES_AROUND: usize = 3;

/// Set up agents: MCP server, hooks and a few words for the model
///
/// Shows every change as a difference and asks before it writes. Without names it takes the agents that
/// are installed here. In a project its files are changed; --user changes yours, for all projects.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that a person gives or not")]
pub(super) struct Init {
    #[arg(value_name = "AGENT", help = agent_ids())]
    agents: Vec<String>,
    /// Your own settings, for all projects
    #[arg(long)]
    user: bool,
    /// Take Forebay out again: every file becomes what it was
    #[arg(long)]
    undo: bool,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
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
            self.tell_outcome(&chosen, &plan, &done)?;
        }
        self.exit_code(&plan, &done)
    }

    fn level(&self, machine: &Machine) -> Result<Level, AppError> {
        match (self.user, machine.has_project()) {
            (true, _) => Ok(Level::User),
            (false, true) => Ok(Level::Project),
            (false, false) => Err(AppError::bad_input(
                "this folder is no project",
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
        chosen.leave_out_agents_without(level);
        if chosen.agents.is_empty() && chosen.remarks.is_empty() {
            return Err(self.nobody());
        }
        Ok(chosen)
    }

    /// The agents to take back are those that are set up; to set up, those that are installed.
    fn all_that_apply(&self, machine: &Machine, level: Level) -> Chosen {
        let mut chosen = Chosen { agents: Vec::new(), remarks: Vec::new() };
        for agent in agents::PLATFORMS {
            let is_set_up = |level| agents::is_set_up(machine, agent, level);
            if self.undo {
                chosen.agents.extend(is_set_up(level).then_some(*agent));
            } else if machine.is_installed(agent) {
                let has_it_anyway =
                    level == Level::Project && !is_set_up(level) && is_set_up(Level::User);
                if has_it_anyway {
                    chosen.remarks.push(format!(
                        "{} has Forebay in your own settings already; name it to set it up here, too",
                        agent.name
                    ));
                } else {
                    chosen.agents.push(agent);
                }
            }
        }
        chosen
    }

    fn nobody(&self) -> AppError {
        if self.undo {
            let hint =
                if self.user { "without --user: in this project" } else { "--user: in yours" };
            return AppError::not_found("no agent has Forebay in these settings", hint);
        }
        AppError::not_found(
            "no agent was found here: none of their programs is on the PATH, none of their folders is there",
            format!("name one: forebay init {}", agents::PLATFORMS[0].id),
        )
    }

    /// Writes what the user wants written.
    fn decide(&self, machine: &Machine, plan: &Plan, common: &Common) -> Outcome {
        if plan.changes.is_empty() || self.dry_run {
            return Outcome::Shown;
        }
        if !self.yes {
            let asked = if common.json { Reply::NobodyToAsk } else { ask(plan) };
            match asked {
                Reply::Yes => {}
                Reply::No => return Outcome::Declined,
                Reply::NobodyToAsk => return Outcome::NobodyToAsk,
            }
        }
        let faults = plan.changes.iter().filter_map(|change| change.carry_out(machine).err());
        Outcome::Written(faults.map(|fault| fault.to_string()).collect())
    }

    fn tell_outcome(&self, chosen: &Chosen, plan: &Plan, done: &Outcome) -> Result<(), Failure> {
        match done {
            Outcome::Shown if plan.changes.is_empty() && plan.faults.is_empty() => {
                terminal::print_painted("nothing to change")
            }
            Outcome::Shown => terminal::print_painted("nothing was written: this only shows"),
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
                if self.undo { Ok(()) } else { tell_what_is_left_to_do(chosen) }
            }
        }
    }

    fn exit_code(&self, plan: &Plan, done: &Outcome) -> Result<ExitCode, Failure> {
        let is_whole = plan.faults.is_empty();
        match done {
            Outcome::Shown if is_whole => Ok(ExitCode::SUCCESS),
            Outcome::Written(faults) if is_whole && faults.is_empty() => Ok(ExitCode::SUCCESS),
            Outcome::NobodyToAsk => Err(AppError::bad_input(
                "nothing was written: there is no terminal to ask at",
                "--yes writes without asking, --dry-run only shows",
            )
            .into()),
            _ => Ok(ExitCode::FAILURE),
        }
    }
}

/// The agents meant, and what is to be said of others.
struct Chosen {
    agents: Vec<&'static Platform>,
    remarks: Vec<String>,
}

impl Chosen {
    fn leave_out_agents_without(&mut self, level: Level) {
        if level == Level::User {
            return;
        }
        let has_files = |agent: &&Platform| agent.files.iter().any(|file| file.level == level);
        for agent in self.agents.iter().filter(|agent| !has_files(agent)) {
            self.remarks.push(format!("{} has no settings of a project: use --user", agent.name));
        }
        self.agents.retain(has_files);
        for agent in self.agents.iter().filter(|agent| !agent.registers_server(level)) {
            self.remarks.push(format!(
                "{} knows MCP servers of the user only: use --user, too",
                agent.name
            ));
        }
    }
}

/// What became of a plan.
enum Outcome {
    /// Nothing to do, or nothing wanted.
    Shown,
    Declined,
    NobodyToAsk,
    /// With the faults of single files.
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
    AppError::bad_input(format!("there is no agent `{name}`"), format!("agents: {}", agent_ids()))
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
        let path = short(machine, path);
        terminal::print_painted(&format!(
            "{} {path}: {why}; it stays as it is",
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
        format!("{} ({what}, for {})", short(machine, &change.path), change.agents.join(", "));
    terminal::print_painted(&paint::heading(&head))?;
    difference(change)
        .lines()
        .try_for_each(|line| terminal::print_painted(&paint::diff_line(line)))?;
    terminal::print_painted("")
}

/// The change as a unified difference, without a head.
fn difference(change: &Change) -> String {
    let text = |side: &Option<String>| side.clone().unwrap_or_default();
    let (before, after) = (text(&change.before), text(&change.after));
    let diff = TextDiff::from_lines(&before, &after);
    diff.unified_diff().context_radius(LINES_AROUND).to_string()
}

/// A path as people write it.
fn short(machine: &Machine, path: &Path) -> String {
    match path.strip_prefix(machine.home()) {
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    }
}

fn tell_what_is_left_to_do(chosen: &Chosen) -> Result<(), Failure> {
    for agent in &chosen.agents {
        if let Some(left) = agent.next_steps {
            terminal::print_painted(&format!(
                "{} {left}",
                paint::hint(&format!("{}:", agent.name))
            ))?;
        }
    }
    terminal::print_painted(
        "Start the agents anew. `forebay doctor` tells how they are set up, `forebay init --undo` takes it back.",
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
