//! `forebay` without a command: what is set up here, and the next step.
//!
//! It writes nothing, opens no store and asks no server, and works without a home folder and with invalid settings.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use forebay_app::agents::mend::findings;
use forebay_app::agents::{AgentReport, Machine};
use forebay_app::{AppError, Stored, stored};
use forebay_store::Project;
use forebay_text::number;
use serde_json::{Value, json};

use super::changes::with_tilde;
use super::terminal::{self, Failure};
use super::{
    Common, data_folder, executable, line_breaking, paint, project_root, running_program,
    settings_files, user_home,
};
use crate::config::Config;

/// Where the text of a row starts.
const TEXT_COLUMN: usize = 10;

/// What was found here.
struct StartPage {
    /// None if this user has no home folder.
    agents: Option<Agents>,
    project: Option<Project>,
    folder: PathBuf,
    stored: Stored,
    /// The folder of the program if a shell does not find it.
    off_path: Option<PathBuf>,
    /// What is wrong with the settings.
    fault: Option<AppError>,
    home: Option<PathBuf>,
}

/// The agents of this user and project.
struct Agents {
    set_up: Vec<String>,
    idle: Vec<&'static str>,
    /// What is wrong with set-ups.
    faults: Vec<String>,
}

/// The next step: a command, and why.
struct NextStep {
    command: &'static str,
    purpose: &'static str,
}

pub(super) fn show(common: &Common) -> Result<ExitCode, Failure> {
    let page = StartPage::new(common)?;
    if common.json {
        terminal::print_json(&page.as_data())?;
    } else {
        page.print()?;
    }
    Ok(ExitCode::SUCCESS)
}

impl StartPage {
    fn new(common: &Common) -> Result<Self, AppError> {
        let folder = common.working_folder()?;
        let home = user_home();
        let project = Project::for_folder(&folder, home.as_deref());
        let fault = Config::load(&settings_files(&project_root(&folder)), &common.set).err();
        let data = data_folder();
        let stored = data.map_or(Stored::Nothing, |data| stored(&data, project.as_ref()));
        let machine = common.machine();
        Ok(Self {
            agents: machine.ok().map(|machine| Agents::new(&machine)),
            stored,
            off_path: off_path(),
            fault: fault.map(|fault| AppError::bad_input(fault.to_string(), fault.hint())),
            project,
            folder,
            home,
        })
    }

    fn print(&self) -> Result<(), Failure> {
        let version = env!("CARGO_PKG_VERSION");
        terminal::print_painted(&format!(
            "{} keeps raw tool output out of an agent's context.",
            paint::heading(&format!("Forebay {version}"))
        ))?;
        terminal::print_painted("")?;
        self.rows().iter().try_for_each(|(name, text)| print_row(name, text))?;
        let NextStep { command, purpose } = self.next_step();
        terminal::print_painted("")?;
        terminal::print_painted(&format!("{:<TEXT_COLUMN$}{}", "next", paint::typed(command)))?;
        print_row("", purpose)?;
        print_row("also", "forebay demo (a tour), forebay --help (every command)")
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        match &self.agents {
            Some(agents) => rows.extend(agents.rows()),
            None => rows.push(("agents", "unknown: this user has no home folder".to_owned())),
        }
        rows.push(("folder", self.describe_folder()));
        rows.push(("program", self.describe_program()));
        rows.extend(self.fault.iter().map(|fault| ("settings", fault.message.clone())));
        rows
    }

    fn describe_folder(&self) -> String {
        let folder = self.project.as_ref().map_or(&self.folder, |project| &project.root);
        let name = self.shown(folder);
        let what = match &self.project {
            Some(project) => {
                let branch = project.branch().map(|branch| format!(", branch {branch}"));
                format!("the project {name}{}", branch.unwrap_or_default())
            }
            None => format!("{name}, which is never a project"),
        };
        let stored = match self.stored {
            Stored::Nothing => "nothing stored yet".to_owned(),
            Stored::Entries(1) => "1 entry stored".to_owned(),
            Stored::Entries(count) => format!("{} entries stored", number::grouped(count)),
            Stored::Unknown => "something is stored".to_owned(),
        };
        format!("{what}: {stored}")
    }

    fn describe_program(&self) -> String {
        match &self.off_path {
            None => "on the PATH".to_owned(),
            Some(folder) => {
                format!("not on the PATH: add {} to it, or name it by its path", self.shown(folder))
            }
        }
    }

    /// The one thing to do now.
    fn next_step(&self) -> NextStep {
        let next = |command, purpose| NextStep { command, purpose };
        if self.fault.is_some() {
            return next(
                "forebay config edit",
                "mends the settings, and checks them before it writes",
            );
        }
        let Some(agents) = &self.agents else {
            return next("forebay demo", "a tour; set HOME to a folder to set up agents");
        };
        if !agents.faults.is_empty() {
            return next("forebay doctor --fix", "mends the set-up; shows every change and asks");
        }
        match (agents.set_up.is_empty(), agents.idle.is_empty()) {
            (true, true) => {
                return next(
                    "forebay demo",
                    "a tour of a minute. No agent is here yet: install one, then `forebay init`",
                );
            }
            (true, false) => {
                return next("forebay init", "sets these agents up; shows every change and asks");
            }
            _ => {}
        }
        match (&self.project, self.stored) {
            (None, _) => next(
                "cd PROJECT",
                "then start your agent there: its long output is stored by itself",
            ),
            (Some(_), Stored::Nothing) => next(
                "forebay run -- git log --stat",
                "shows what an agent gets. Or start your agent: its long output is stored by itself",
            ),
            (Some(_), _) => next(
                "forebay search WORDS",
                "finds what is stored here; `forebay stats` says what it saved",
            ),
        }
    }

    fn as_data(&self) -> Value {
        let next = self.next_step();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "agents": self.agents.as_ref().map(|agents| json!({
                "set_up": agents.set_up, "not_set_up": agents.idle, "faults": agents.faults,
            })),
            "project": self.project.as_ref().map(|project| project.root.to_string_lossy()),
            "entries": match self.stored {
                Stored::Nothing => Some(0),
                Stored::Entries(count) => Some(count),
                Stored::Unknown => None,
            },
            "on_path": self.off_path.is_none(),
            "settings_error": self.fault.as_ref().map(|fault| &fault.message),
            "next": next.command,
        })
    }

    fn shown(&self, path: &Path) -> String {
        self.home.as_ref().map_or_else(|| path.display().to_string(), |home| with_tilde(path, home))
    }
}

impl Agents {
    fn new(machine: &Machine) -> Self {
        let report = AgentReport::new(machine);
        let faults = findings(machine).into_iter().map(|finding| {
            let path = with_tilde(&finding.path, machine.home());
            format!("{}: {path} {}", finding.agent.name, finding.fault)
        });
        Self {
            set_up: report.set_up.iter().map(ToString::to_string).collect(),
            idle: report.idle,
            faults: faults.collect(),
        }
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let set_up = match (self.set_up.is_empty(), self.idle.is_empty()) {
            (true, true) => "none found".to_owned(),
            (true, false) => "none set up".to_owned(),
            _ => format!("set up: {}", self.set_up.join(", ")),
        };
        let mut rows = vec![("agents", set_up)];
        if !self.idle.is_empty() {
            rows.push(("", format!("not set up: {}", self.idle.join(", "))));
        }
        if let Some(first) = self.faults.first() {
            let others = match self.faults.len() - 1 {
                0 => String::new(),
                count => format!("; and {count} more"),
            };
            rows.push(("broken", format!("{first}{others}")));
        }
        rows
    }
}

/// The folder of this program if a shell does not find it by its name.
fn off_path() -> Option<PathBuf> {
    let is_found = running_program().is_ok_and(|running| running.name_on_path().is_some());
    if is_found {
        return None;
    }
    Some(executable().ok()?.parent()?.to_owned())
}

fn print_row(name: &str, text: &str) -> Result<(), Failure> {
    let row = format!("{name:<TEXT_COLUMN$}{text}");
    let columns = line_breaking::columns().unwrap_or(usize::MAX);
    terminal::print_painted(&line_breaking::line(&row, columns, TEXT_COLUMN))
}
