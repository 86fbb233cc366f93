//! Plans what setting agents up, or removing the setup, would change.
//!
//! Every file is read once and passed from step to step, so that the whole plan can be shown before anything
//! is written. A file that cannot be read or written, or has unexpected content, is left out of the plan and
//! reported; the other files are not affected.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use forebay_platforms::Platform;
use forebay_platforms::setup::{self, EditError, Level, NEW_FILE, ServerNames, Step, Wrapper};
use forebay_store::control_file;

use super::mend::Fault;
use super::{Machine, state};

/// A longer chain of symlinks is a loop.
const MAX_SYMLINKS: usize = 40;

/// The intended result.
#[derive(Debug, Clone)]
pub enum Wish {
    /// Set up: agents start this program, and show a line of it in their status line if there is to be one.
    SetUp { program: String, with_status_line: bool },
    /// Remove the setup.
    TakeBack,
    /// Have MCP servers of the agents started through this command.
    Wrap { wrapper: Wrapper, servers: ServerNames },
    /// Restore how they were started.
    Unwrap { servers: ServerNames },
}

/// The planned changes, and the files that cannot be changed.
#[derive(Debug, Default)]
pub struct Plan {
    pub changes: Vec<Change>,
    /// Files that need no change.
    pub settled: Vec<PathBuf>,
    /// Files that are better left as they are.
    pub skipped: Vec<LeftAlone>,
    /// Files that cannot be changed.
    pub faults: Vec<LeftAlone>,
}

impl Plan {
    /// The number of files that the plan is about.
    pub fn file_count(&self) -> usize {
        self.changes.len() + self.settled.len() + self.skipped.len() + self.faults.len()
    }
}

/// A file's content before and after; None where the file does not exist.
#[derive(Debug)]
pub struct Change {
    pub path: PathBuf,
    /// The agents that the change is for.
    pub agents: Vec<&'static str>,
    pub before: Option<String>,
    pub after: Option<String>,
    pub(super) is_executable: bool,
    /// What the agent wrote beside a file of ours; deleted with it.
    pub(super) written_by_host: Vec<PathBuf>,
}

/// A file that is left unchanged, and why.
#[derive(Debug)]
pub struct LeftAlone {
    pub path: PathBuf,
    pub why: String,
}

/// Plans the changes for some agents.
pub fn plan(machine: &Machine, agents: &[&'static Platform], level: Level, wish: &Wish) -> Plan {
    match wish {
        Wish::SetUp { .. } => plan_setup(machine, agents, level, wish),
        Wish::TakeBack => plan_removal(machine, agents, level),
        Wish::Wrap { .. } | Wish::Unwrap { .. } => plan_wrapping(machine, agents, level, wish),
    }
}

/// Servers are in the files in which Forebay is registered as one.
fn plan_wrapping(
    machine: &Machine,
    agents: &[&'static Platform],
    level: Level,
    wish: &Wish,
) -> Plan {
    let mut drafts = Drafts::default();
    let steps = agents.iter().flat_map(|agent| setup::steps(agent, level));
    for step in steps.filter(Step::is_server) {
        drafts.draft_for(machine.file(&step)).apply(&step, wish);
    }
    // A file that stays as it is may have no server at all.
    Plan { settled: Vec::new(), ..drafts.into_plan() }
}

/// Instructions come last: they are for agents that have the tools.
fn plan_setup(machine: &Machine, agents: &[&'static Platform], level: Level, wish: &Wish) -> Plan {
    let mut drafts = Drafts::default();
    let steps: Vec<Step> = agents.iter().flat_map(|agent| setup::steps(agent, level)).collect();
    let (instructions, others): (Vec<Step>, Vec<Step>) =
        steps.into_iter().partition(Step::is_instructions);
    for step in &others {
        drafts.draft_for(machine.file(step)).apply(step, wish);
    }
    let mut skipped = Vec::new();
    for step in &instructions {
        let path = machine.file(step);
        if has_server(machine, step.platform, level, &drafts) {
            drafts.draft_for(path).apply(step, wish);
        } else {
            let why = format!("{} has no Forebay tools at this level", step.platform.name);
            skipped.push(LeftAlone { path, why });
        }
    }
    let is_drafted = |path: &Path| drafts.files.iter().any(|draft| draft.path == path);
    skipped.retain(|one| !is_drafted(&one.path));
    skipped.dedup_by(|one, other| one.path == other.path);
    Plan { skipped, ..drafts.into_plan() }
}

fn plan_removal(machine: &Machine, agents: &[&'static Platform], level: Level) -> Plan {
    let mut drafts = Drafts::default();
    for step in agents.iter().flat_map(|agent| setup::steps(agent, level)) {
        let path = machine.file(&step);
        if !is_needed_by_others(machine, &step, &path, agents, level) {
            let draft = drafts.draft_for(path);
            draft.apply(&step, &Wish::TakeBack);
            let place = |path: &&str| machine.place(step.base, path);
            draft.written_by_host.extend(step.written_by_host.iter().map(place));
        }
    }
    drafts.into_plan()
}

/// Whether an agent gets the MCP server by these drafts, or has it in the user's settings.
fn has_server(machine: &Machine, agent: &'static Platform, level: Level, drafts: &Drafts) -> bool {
    let is_drafted = |path: &Path| {
        drafts.files.iter().any(|draft| draft.path == path && draft.check_writable().is_ok())
    };
    let is_registered = |step: &Step| state::is_applied(machine, step);
    let mut drafted = setup::steps(agent, level).into_iter().filter(Step::is_server);
    let mut own = setup::steps(agent, Level::User).into_iter().filter(Step::is_server);
    drafted.any(|step| is_drafted(&machine.file(&step)) || is_registered(&step))
        || own.any(|step| is_registered(&step))
}

/// Whether an agent that stays set up needs the same text in the same file.
fn is_needed_by_others(
    machine: &Machine,
    step: &Step,
    path: &Path,
    leaving: &[&'static Platform],
    level: Level,
) -> bool {
    let stays = |other: &&&'static Platform| !leaving.iter().any(|one| one.id == other.id);
    let shares = |other: &&'static Platform| {
        let steps = setup::steps(other, level);
        steps.iter().any(|its| its.is_shared_with(step) && machine.file(its) == path)
    };
    forebay_platforms::PLATFORMS
        .iter()
        .filter(stays)
        .any(|other| shares(other) && state::is_set_up(machine, other, level))
}

#[derive(Default)]
pub(super) struct Drafts {
    files: Vec<Draft>,
}

/// A file as changed by the steps so far.
struct Draft {
    path: PathBuf,
    agents: Vec<&'static str>,
    before: Option<String>,
    text: Result<String, String>,
    is_executable: bool,
    written_by_host: Vec<PathBuf>,
}

impl Drafts {
    fn draft_for(&mut self, path: PathBuf) -> &mut Draft {
        let at = self.files.iter().position(|draft| draft.path == path).unwrap_or_else(|| {
            self.files.push(Draft::read(path));
            self.files.len() - 1
        });
        &mut self.files[at]
    }

    /// Takes back what a step added to its file, if the file has any trace of Forebay.
    pub(super) fn take_back(&mut self, machine: &Machine, step: &Step) {
        let path = machine.file(step);
        let is_traced = match read_settings(&path) {
            Ok(text) => text.as_deref().is_some_and(setup::may_contain_forebay),
            Err(_) => true,
        };
        if is_traced {
            let draft = self.draft_for(path);
            draft.apply(step, &Wish::TakeBack);
            let path_of = |path: &&str| machine.place(step.base, path);
            draft.written_by_host.extend(step.written_by_host.iter().map(path_of));
        }
    }

    /// Mends a file.
    pub(super) fn mend(&mut self, machine: &Machine, step: &Step, fault: &Fault, program: &str) {
        let draft = self.draft_for(machine.file(step));
        draft.is_executable |= step.is_executable;
        let Ok(text) = &draft.text else { return };
        let mended = match fault {
            Fault::LostProgram(_) => step.with_program(text, program),
            Fault::Missing | Fault::Incomplete => step.add(text, program),
            Fault::Doubled { .. } => step.remove(text),
        };
        draft.set(step.platform, mended);
        if matches!(fault, Fault::Doubled { .. }) {
            let path_of = |path: &&str| machine.place(step.base, path);
            draft.written_by_host.extend(step.written_by_host.iter().map(path_of));
        }
    }

    pub(super) fn into_plan(self) -> Plan {
        let mut plan = Plan::default();
        for draft in self.files {
            draft.finish(&mut plan);
        }
        plan
    }
}

impl Draft {
    fn read(path: PathBuf) -> Self {
        let (before, text) = match read_settings(&path) {
            Ok(Some(text)) => (Some(text.clone()), Ok(text)),
            Ok(None) => (None, Ok(NEW_FILE.to_owned())),
            Err(why) => (None, Err(why)),
        };
        let (agents, written_by_host) = (Vec::new(), Vec::new());
        Self { path, agents, before, text, is_executable: false, written_by_host }
    }

    fn apply(&mut self, step: &Step, wish: &Wish) {
        self.is_executable |= step.is_executable;
        let Ok(text) = &self.text else { return };
        let edited = match wish {
            Wish::SetUp { with_status_line: false, .. } if step.is_status_line() => {
                step.remove(text)
            }
            Wish::SetUp { program, .. } => step.add(text, program),
            // Without Forebay, a wrapped server would not start.
            Wish::TakeBack => {
                step.remove(text).and_then(|text| step.unwrap(&text, &ServerNames::All))
            }
            Wish::Wrap { wrapper, servers } => step.wrap(text, servers, wrapper),
            Wish::Unwrap { servers } => step.unwrap(text, servers),
        };
        if matches!(wish, Wish::SetUp { .. }) || edited.as_ref() != Ok(text) {
            self.set(step.platform, edited);
        }
    }

    /// Sets the text that a step for an agent yields.
    fn set(&mut self, agent: &Platform, text: Result<String, EditError>) {
        if !self.agents.contains(&agent.name) {
            self.agents.push(agent.name);
        }
        self.text = text.map_err(|fault| fault.to_string());
    }

    fn finish(self, plan: &mut Plan) {
        if !self.is_changed() {
            return plan.settled.push(self.path);
        }
        match self.check_writable() {
            Err(why) => plan.faults.push(LeftAlone { path: self.path, why }),
            Ok(()) => plan.changes.push(Change {
                after: self.after(),
                path: self.path,
                agents: self.agents,
                before: self.before,
                is_executable: self.is_executable,
                written_by_host: self.written_by_host,
            }),
        }
    }

    /// The text to write, or None if the file should not exist.
    fn after(&self) -> Option<String> {
        // A file with nothing but a newline was created for Forebay.
        self.text.clone().ok().filter(|text| text != NEW_FILE)
    }

    fn is_changed(&self) -> bool {
        let is_gone_anyway = || self.before.as_deref() == Some(NEW_FILE) && self.after().is_none();
        self.text.is_err() || self.before != self.after() && !is_gone_anyway()
    }

    /// Why the file cannot be changed, if it cannot.
    fn check_writable(&self) -> Result<(), String> {
        self.text.as_ref().map_err(String::clone)?;
        if self.is_changed() { check_writable(&self.path) } else { Ok(()) }
    }
}

/// Whether a file, or the folder of a new one, may be written.
///
/// A file is replaced by renaming, which would succeed for a read-only one; its owner means it to stay.
fn check_writable(path: &Path) -> Result<(), String> {
    let is_read_only = |path: &Path| fs::metadata(path).is_ok_and(|it| it.permissions().readonly());
    if is_read_only(path) {
        return Err("it is read-only".to_owned());
    }
    if path.exists() {
        let opened = OpenOptions::new().write(true).open(path);
        opened.map_err(|error| format!("cannot write it: {error}"))?;
    }
    match path.ancestors().skip(1).find(|folder| folder.exists()) {
        Some(folder) if is_read_only(folder) => {
            Err(format!("the folder {} is read-only", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Reads a settings file, or returns None if it does not exist.
pub(super) fn read_settings(path: &Path) -> Result<Option<String>, String> {
    control_file::read_state(path).map_err(|error| format!("cannot read it: {error}"))
}

/// Resolves symlinks, also those to a file that does not exist yet.
pub(super) fn resolve_symlinks(path: &Path) -> PathBuf {
    let mut place = path.to_owned();
    for _ in 0..MAX_SYMLINKS {
        if let Ok(real) = place.canonicalize() {
            return real;
        }
        let Ok(target) = fs::read_link(&place) else { return place };
        place = place.parent().unwrap_or(Path::new("/")).join(target);
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_symlinks_to_missing_files() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::os::unix::fs::symlink("b", top.join("a")).unwrap();
        std::os::unix::fs::symlink(top.join("c"), top.join("b")).unwrap();
        assert_eq!(resolve_symlinks(&top.join("a")), top.join("c"));
        fs::write(top.join("c"), "x").unwrap();
        assert_eq!(resolve_symlinks(&top.join("a")), top.join("c"));
        std::os::unix::fs::symlink("round", top.join("round")).unwrap();
        assert_eq!(resolve_symlinks(&top.join("round")), top.join("round"));
    }
}
