//! Finds what is wrong with set-ups, and mends it: lost programs, missing or incomplete files, modes, interrupted writes.
//!
//! What the user chose stays: a program that can be started, a status line that was left out, and whatever else a file
//! has. Files that cannot be parsed are left to the user.

use std::fmt;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use forebay_platforms::setup::{self, Level, Step};
use forebay_platforms::{PLATFORMS, Platform};

use super::plan::{Drafts, read_settings};
use super::{Machine, Plan, machine, state};
use crate::upgrade::RunningProgram;

/// A temporary file of this age is not being written any more.
const MAX_WRITE_TIME: Duration = Duration::from_mins(1);

/// Something wrong in a file of an agent.
#[derive(Debug)]
pub struct Finding {
    pub agent: &'static Platform,
    pub level: Level,
    pub path: PathBuf,
    pub fault: Fault,
    step: Step,
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It starts a program that does not exist.
    LostProgram(String),
    /// It has nothing of Forebay, although the agent is set up.
    Missing,
    /// It has a part of what this version writes.
    Incomplete,
    /// The host's plugin does the same.
    Doubled { plugin: String },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LostProgram(program) => write!(f, "starts {program}, which does not exist"),
            Self::Missing => f.write_str("has nothing of Forebay"),
            Self::Incomplete => f.write_str("is not as this version writes it"),
            Self::Doubled { plugin } => write!(f, "does the same as the plugin {plugin}"),
        }
    }
}

/// A file or folder whose mode is wrong.
#[derive(Debug, PartialEq, Eq)]
pub struct ModeChange {
    pub path: PathBuf,
    pub from: u32,
    pub to: u32,
}

/// What is wrong, and how it is mended.
pub struct Mending {
    pub findings: Vec<Finding>,
    pub plan: Plan,
    pub modes: Vec<ModeChange>,
    /// Temporary files of interrupted writes.
    pub leftovers: Vec<PathBuf>,
}

impl Mending {
    /// Plans to mend the set-ups of this user and project, and the mode of a data folder.
    pub fn plan(machine: &Machine, running: &RunningProgram, data: &Path) -> Self {
        let findings = findings(machine);
        let mut drafts = Drafts::default();
        for finding in &findings {
            let Finding { agent, level, step, fault, .. } = finding;
            let program = startable_program(machine, agent, *level)
                .unwrap_or_else(|| machine.program(running, *level));
            drafts.mend(machine, step, fault, &program);
        }
        let modes = scripts(machine).into_iter().chain(private(data)).collect();
        Self { findings, plan: drafts.into_plan(), modes, leftovers: leftovers(machine) }
    }

    /// Whether there is nothing to mend.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.modes.is_empty() && self.leftovers.is_empty()
    }

    /// The number of things that are tried.
    pub fn steps(&self) -> usize {
        self.plan.changes.len() + self.modes.len() + self.leftovers.len()
    }

    /// Mends what can be mended; returns what failed.
    pub fn apply(&self, machine: &Machine) -> Vec<String> {
        let mut failed: Vec<String> =
            self.plan.apply(machine).iter().map(ToString::to_string).collect();
        for level in [Level::User, Level::Project] {
            if self.findings.iter().any(|finding| finding.level == level) {
                // Without the record, only an uninstall from another folder misses these files.
                let _ = machine.locations.add(machine.location(level));
            }
        }
        let mut record = |path: &Path, done: io::Result<()>| {
            failed.extend(done.err().map(|error| format!("{}: {error}", path.display())));
        };
        for ModeChange { path, to, .. } in &self.modes {
            record(path, fs::set_permissions(path, Permissions::from_mode(*to)));
        }
        for path in &self.leftovers {
            record(path, fs::remove_file(path));
        }
        failed
    }
}

/// What is wrong with the set-ups of this user and project.
pub fn findings(machine: &Machine) -> Vec<Finding> {
    let set_ups = levels(machine).flat_map(|level| {
        let is_set_up = move |agent: &&&'static Platform| state::is_set_up(machine, agent, level);
        PLATFORMS.iter().filter(is_set_up).map(move |agent| (*agent, level))
    });
    let steps = set_ups.flat_map(|(agent, level)| {
        setup::steps(agent, level).into_iter().map(move |step| (agent, level, step))
    });
    let finding = |(agent, level, step): (&'static Platform, Level, Step)| {
        let fault = fault(machine, agent, level, &step)?;
        Some(Finding { agent, level, path: machine.file(&step), fault, step })
    };
    steps.filter_map(finding).collect()
}

fn levels(machine: &Machine) -> impl Iterator<Item = Level> {
    let project = machine.has_project().then_some(Level::Project);
    [Level::User].into_iter().chain(project)
}

fn fault(machine: &Machine, agent: &'static Platform, level: Level, step: &Step) -> Option<Fault> {
    let text = read_settings(&machine.file(step)).ok().flatten();
    let applied = text.as_deref().filter(|text| step.is_applied(text));
    if level == Level::User
        && step.is_in_plugin()
        && let Some(plugin) = enabled_plugin(machine, agent)
    {
        return applied.map(|_| Fault::Doubled { plugin });
    }
    let Some(text) = applied else {
        return state::is_expected(agent, level, step).then_some(Fault::Missing);
    };
    match step.program_in(text) {
        Some(program) if !machine::can_start(&program) => Some(Fault::LostProgram(program)),
        _ => step.is_incomplete(text).then_some(Fault::Incomplete),
    }
}

/// The name of Forebay's plugin, if the user has enabled it in a host.
pub fn enabled_plugin(machine: &Machine, agent: &Platform) -> Option<String> {
    let plugin = agent.plugin?;
    let text = read_settings(&machine.place(plugin.base, plugin.file)).ok().flatten()?;
    plugin.enabled_in(&text)
}

/// A program that an agent is set up with and that exists.
fn startable_program(machine: &Machine, agent: &'static Platform, level: Level) -> Option<String> {
    let programs = setup::steps(agent, level)
        .into_iter()
        .filter_map(|step| step.program_in(&read_settings(&machine.file(&step)).ok().flatten()?));
    programs.into_iter().find(|program| machine::can_start(program))
}

/// Scripts of agents that cannot be executed.
fn scripts(machine: &Machine) -> Vec<ModeChange> {
    let steps = levels(machine)
        .flat_map(|level| PLATFORMS.iter().flat_map(move |agent| setup::steps(agent, level)));
    let scripts = steps.filter(|step| step.is_executable && state::is_applied(machine, step));
    let change = |step: Step| {
        let path = machine.file(&step);
        let from = mode(&path)?;
        let to = from | (from & 0o444) >> 2;
        (from != to).then_some(ModeChange { path, from, to })
    };
    scripts.filter_map(change).collect()
}

/// A data folder that other users can access.
fn private(data: &Path) -> Option<ModeChange> {
    let from = mode(data).filter(|_| data.is_dir())?;
    let path = data.to_owned();
    (from & 0o077 != 0).then_some(ModeChange { path, from, to: from & 0o700 })
}

fn mode(path: &Path) -> Option<u32> {
    Some(fs::metadata(path).ok()?.permissions().mode() & 0o7777)
}

/// Temporary files beside agents' files that a killed process has left.
fn leftovers(machine: &Machine) -> Vec<PathBuf> {
    let steps = levels(machine)
        .flat_map(|level| PLATFORMS.iter().flat_map(move |agent| setup::steps(agent, level)));
    let mut found: Vec<PathBuf> =
        steps.flat_map(|step| temporary_files(&machine.file(&step))).collect();
    found.sort();
    found.dedup();
    found
}

fn temporary_files(path: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Vec::new() };
    let start = format!(".{}.forebay-", name.to_string_lossy());
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_old = |entry: &fs::DirEntry| {
        let modified = entry.metadata().and_then(|found| found.modified());
        modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > MAX_WRITE_TIME))
    };
    let is_ours = |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix(&start).unwrap_or_default();
        !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit())
    };
    entries.filter(|entry| is_ours(entry) && is_old(entry)).map(|entry| entry.path()).collect()
}
