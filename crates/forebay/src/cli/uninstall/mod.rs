//! `forebay uninstall`: takes back every set-up, removes the program, and says which data stays.

mod data;
mod program;

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use forebay_app::agents::mend::enabled_plugin;
use forebay_app::agents::{self, Machine, PLATFORMS, Platform};
use forebay_app::{AppError, Reply};
use forebay_sandbox::{ProgramProcess, processes_of};
use serde_json::{Value, json};

use self::data::Data;
use self::program::Program;
use super::changes::{self, files};
use super::terminal::{self, Failure};
use super::{Common, data_folder, line_breaking, paint};

/// Remove Forebay: every agent's set-up, and the program; what is stored stays
///
/// Takes Forebay out of the files of all agents, your own and those of the projects that `forebay init` has set up, and
/// leaves everything else in them as it is. Shows what it would do and asks. If a package manager installed the program,
/// only names the command that removes it.
#[derive(Debug, Args)]
pub(super) struct Uninstall {
    /// Also delete what is stored, and your settings for Forebay
    #[arg(long)]
    purge_data: bool,
    /// Only show what would be done, with every change of a file
    #[arg(long)]
    dry_run: bool,
    /// Do it without asking
    #[arg(short, long, conflicts_with = "dry_run")]
    yes: bool,
}

/// Everything that there is to remove.
struct Inventory<'a> {
    machine: &'a Machine,
    set_ups: agents::Uninstall,
    program: Program,
    data: Data,
    /// None if this system does not tell.
    processes: Option<Vec<ProgramProcess>>,
}

impl Uninstall {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let machine = common.machine()?;
        let program = Program::detect(&super::running_program()?);
        let inventory = Inventory {
            machine: &machine,
            set_ups: agents::Uninstall::plan(&machine),
            processes: processes_of(program.executable()),
            data: Data::new(data_folder()?, super::user_settings_file(), self.purge_data),
            program,
        };
        if !common.json {
            inventory.show()?;
            if self.dry_run {
                changes::show_differences(&inventory.set_ups.plan.changes, machine.home())?;
            }
        }
        self.decide(&inventory, common)
    }

    fn decide(&self, inventory: &Inventory<'_>, common: &Common) -> Result<ExitCode, Failure> {
        if self.dry_run {
            return inventory.finish(common, "nothing was removed: dry run", false);
        }
        if let Some(users) = inventory.data.users_if_deleted() {
            return Err(AppError::refused(
                format!("nothing was removed: these processes use the data: {users}"),
                "end their sessions, or leave out --purge-data",
            )
            .into());
        }
        let question = if inventory.data.is_deleted() {
            "\nRemove Forebay, and delete what is stored for good?"
        } else {
            "\nRemove Forebay?"
        };
        match if self.yes { Reply::Yes } else { ask(question, common) } {
            Reply::Yes => inventory.remove(common),
            Reply::No => inventory.finish(common, "nothing was removed", false),
            Reply::Unavailable => Err(AppError::bad_input(
                "nothing was removed: cannot ask without a terminal",
                "--yes removes without asking, --dry-run only shows",
            )
            .into()),
        }
    }
}

fn ask(question: &str, common: &Common) -> Reply {
    if common.json { Reply::Unavailable } else { terminal::ask(question) }
}

impl Inventory<'_> {
    fn show(&self) -> Result<(), Failure> {
        let plan = &self.set_ups.plan;
        let count = plan.changes.len();
        let heading = match count {
            0 => "No agent is set up.".to_owned(),
            _ => format!("{} of agents, from which Forebay is taken out:", files(count)),
        };
        terminal::print_painted(&paint::heading(&heading))?;
        changes::show_summary(&plan.changes, self.home())?;
        changes::show_faults(&plan.faults, self.home())?;
        for project in &self.set_ups.missing {
            show_row(
                "missing",
                &format!(
                    "{} was set up as a project and is not there now: `forebay init --undo --project` in it takes that \
                 back, with an installed Forebay",
                    self.shown(project)
                ),
            )?;
        }
        terminal::print_painted("")?;
        for (agent, plugin) in self.plugins() {
            let (name, command) = (agent.name, agent.plugin.map_or("", |plugin| plugin.remove));
            show_row("plugin", &format!("{plugin} of {name} stays; this removes it: {command}"))?;
        }
        show_row("program", &self.program.plan(self.home()))?;
        show_row("data", &self.data.plan(self.home()))?;
        match self.running() {
            Some(running) => show_row("running", &running),
            None => Ok(()),
        }
    }

    /// Forebay's plugins that agents' own commands have installed.
    fn plugins(&self) -> Vec<(&'static Platform, String)> {
        let enabled =
            |agent: &&'static Platform| Some((*agent, enabled_plugin(self.machine, agent)?));
        PLATFORMS.iter().filter_map(enabled).collect()
    }

    /// What runs now, and what becomes of it.
    fn running(&self) -> Option<String> {
        let Some(processes) = &self.processes else {
            return Some("unknown on this system; sessions of agents that run go on".to_owned());
        };
        let ids: Vec<String> = processes.iter().map(described).collect();
        (!ids.is_empty()).then(|| {
            format!("{}: not ended; they go on until their sessions or jobs end", ids.join(", "))
        })
    }

    fn remove(&self, common: &Common) -> Result<ExitCode, Failure> {
        let failed: Vec<String> =
            self.set_ups.apply(self.machine).iter().map(ToString::to_string).collect();
        for fault in &failed {
            terminal::note(fault)?;
        }
        let plan = &self.set_ups.plan;
        let restored = plan.changes.len() - failed.len();
        if !failed.is_empty() || !plan.faults.is_empty() {
            let outcome = format!(
                "{} restored or removed, {} not; program and data stay until that is done: see above, then run this \
                 again",
                files(restored),
                failed.len() + plan.faults.len()
            );
            self.finish(common, &outcome, true)?;
            return Ok(ExitCode::FAILURE);
        }
        let created = [self.program.created_folders(), self.data.created_folders()].concat();
        let program = self.program.remove()?;
        let data = self.data.remove(self.home())?;
        self.data.remove_created(created);
        let outcome = format!("{} restored or removed. {program} {data}", files(restored));
        self.finish(common, &outcome, true)
    }

    fn finish(&self, common: &Common, outcome: &str, is_done: bool) -> Result<ExitCode, Failure> {
        if common.json {
            terminal::print_json(&self.as_data(outcome, is_done))?;
        } else {
            let columns = line_breaking::columns().unwrap_or(usize::MAX);
            terminal::print_painted(&format!("\n{}", line_breaking::line(outcome, columns, 0)))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn as_data(&self, outcome: &str, is_done: bool) -> Value {
        let plan = &self.set_ups.plan;
        let paths = |paths: &[std::path::PathBuf]| -> Vec<String> {
            paths.iter().map(|path| path.display().to_string()).collect()
        };
        json!({
            "done": is_done,
            "outcome": outcome,
            "changes": plan.changes.iter().map(changes::as_data).collect::<Vec<_>>(),
            "left_alone": changes::left_alone_as_data(&plan.faults),
            "missing_projects": paths(&self.set_ups.missing),
            "plugins": self.plugins().into_iter().map(|(_, plugin)| plugin).collect::<Vec<_>>(),
            "program": self.program.as_data(),
            "data": self.data.as_data(),
            "processes": self.processes.as_ref().map(|all| all.iter().map(|one| one.id).collect::<Vec<_>>()),
        })
    }

    fn home(&self) -> &Path {
        self.machine.home()
    }

    fn shown(&self, path: &Path) -> String {
        changes::with_tilde(path, self.home())
    }
}

/// `mcp (123)`: what a process is doing, and its id.
fn described(process: &ProgramProcess) -> String {
    let task = process.arguments.iter().skip(1).find(|word| !word.starts_with(['-', '/']));
    format!("{} ({})", task.map_or("forebay", String::as_str), process.id)
}

/// A row of the overview, broken at the width of the terminal.
fn show_row(name: &str, text: &str) -> Result<(), Failure> {
    let columns = line_breaking::columns().unwrap_or(usize::MAX);
    terminal::print_painted(&line_breaking::line(&format!("{name:<9}{text}"), columns, 9))
}
