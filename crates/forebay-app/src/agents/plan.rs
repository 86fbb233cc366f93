//! Plans what setting agents up, or removing the setup, would change.
//!
//! Every file is read once and passed from step to step, so that the whole plan can be shown before anything
//! is written. A file that cannot be read, or has unexpected content, is left out of the plan and reported;
//! the other files are not affected.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use forebay_platforms::Platform;
use forebay_platforms::setup::{self, Level, NEW_FILE, Step};

use super::{Machine, state};

/// A longer chain of symlinks is a loop.
const MAX_SYMLINKS: usize = 40;

/// The intended result.
#[derive(Debug, Clone)]
pub enum Wish {
    /// Set up: agents start this program.
    SetUp { program: String },
    /// Remove the setup.
    TakeBack,
}

/// The planned changes, and the files that cannot be changed.
#[derive(Debug, Default)]
pub struct Plan {
    pub changes: Vec<Change>,
    /// Files that need no change.
    pub settled: Vec<PathBuf>,
    pub faults: Vec<Fault>,
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
}

/// A file that is left unchanged, and why.
#[derive(Debug)]
pub struct Fault {
    pub path: PathBuf,
    pub why: String,
}

/// Plans the changes for some agents.
pub fn plan(machine: &Machine, agents: &[&'static Platform], level: Level, wish: &Wish) -> Plan {
    let mut drafts = Drafts { files: Vec::new() };
    for agent in agents {
        for step in setup::steps(agent, level) {
            let path = resolve_symlinks(&machine.path(&step));
            let is_needed = matches!(wish, Wish::TakeBack)
                && is_needed_by_others(machine, &step, &path, agents, level);
            if !is_needed {
                drafts.draft_for(path).apply(&step, wish);
            }
        }
    }
    drafts.into_plan()
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
        steps
            .iter()
            .any(|its| its.is_shared_with(step) && resolve_symlinks(&machine.path(its)) == path)
    };
    forebay_platforms::PLATFORMS
        .iter()
        .filter(stays)
        .any(|other| shares(other) && state::is_set_up(machine, other, level))
}

struct Drafts {
    files: Vec<Draft>,
}

/// A file as changed by the steps so far.
struct Draft {
    path: PathBuf,
    agents: Vec<&'static str>,
    before: Option<String>,
    text: Result<String, String>,
    is_executable: bool,
}

impl Drafts {
    fn draft_for(&mut self, path: PathBuf) -> &mut Draft {
        let at = self.files.iter().position(|draft| draft.path == path).unwrap_or_else(|| {
            self.files.push(Draft::read(path));
            self.files.len() - 1
        });
        &mut self.files[at]
    }

    fn into_plan(self) -> Plan {
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
        Self { path, agents: Vec::new(), before, text, is_executable: false }
    }

    fn apply(&mut self, step: &Step, wish: &Wish) {
        if !self.agents.contains(&step.platform.name) {
            self.agents.push(step.platform.name);
        }
        self.is_executable |= step.is_executable;
        let Ok(text) = &self.text else { return };
        let edited = match wish {
            Wish::SetUp { program } => step.add(text, program),
            Wish::TakeBack => step.remove(text),
        };
        self.text = edited.map_err(|fault| fault.to_string());
    }

    fn finish(self, plan: &mut Plan) {
        let Self { path, agents, before, text, is_executable } = self;
        let after = match text {
            Err(why) => return plan.faults.push(Fault { path, why }),
            // A file with nothing but a newline was created for Forebay.
            Ok(text) if text == NEW_FILE => None,
            Ok(text) => Some(text),
        };
        if before == after || before.as_deref() == Some(NEW_FILE) && after.is_none() {
            plan.settled.push(path);
        } else {
            plan.changes.push(Change { path, agents, before, after, is_executable });
        }
    }
}

/// Reads a settings file, or returns None if it does not exist.
pub(super) fn read_settings(path: &Path) -> Result<Option<String>, String> {
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err("cannot read it: not UTF-8 text".to_owned()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("cannot read it: {error}")),
    }
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
