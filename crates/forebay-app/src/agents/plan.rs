//! What setting agents up, or taking it back, would change.
//!
//! Every file is read once and handed from step to step, so that a plan can be shown whole before anything
//! is written. A file that cannot be read, or means something else than expected, is left out of the plan
//! and told; the other files do not suffer for it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use forebay_platforms::Platform;
use forebay_platforms::setup::{self, Level, NEW_FILE, Step};

use super::{Machine, state};

/// Links that lead further than this lead in a circle.
const MOST_LINKS: usize = 40;

/// What is wanted.
#[derive(Debug, Clone)]
pub enum Wish {
    /// Forebay in the settings; agents start this program.
    SetUp { program: String },
    /// The settings as they were before.
    TakeBack,
}

/// What would change, and what stands in the way.
#[derive(Debug, Default)]
pub struct Plan {
    pub changes: Vec<Change>,
    /// Files that are as wished already.
    pub settled: Vec<PathBuf>,
    pub faults: Vec<Fault>,
}

/// A file before and after; nothing where there is none.
#[derive(Debug)]
pub struct Change {
    pub path: PathBuf,
    /// The agents that it is for.
    pub agents: Vec<&'static str>,
    pub before: Option<String>,
    pub after: Option<String>,
    pub(super) is_executable: bool,
}

/// A file that stays as it is, and why.
#[derive(Debug)]
pub struct Fault {
    pub path: PathBuf,
    pub why: String,
}

/// Works out what a wish changes for some agents.
pub fn plan(machine: &Machine, agents: &[&'static Platform], level: Level, wish: &Wish) -> Plan {
    let mut drafts = Drafts { files: Vec::new() };
    for agent in agents {
        for step in setup::steps(agent, level) {
            let path = real_place(&machine.path(&step));
            let is_needed = matches!(wish, Wish::TakeBack)
                && is_needed_by_others(machine, &step, &path, agents, level);
            if !is_needed {
                drafts.of(path).take(&step, wish);
            }
        }
    }
    drafts.into_plan()
}

/// Whether an agent that stays set up reads the same words in the same file.
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
        steps.iter().any(|its| its.is_shared_with(step) && real_place(&machine.path(its)) == path)
    };
    forebay_platforms::PLATFORMS
        .iter()
        .filter(stays)
        .any(|other| shares(other) && state::is_set_up(machine, other, level))
}

struct Drafts {
    files: Vec<Draft>,
}

/// A file on its way through the steps.
struct Draft {
    path: PathBuf,
    agents: Vec<&'static str>,
    before: Option<String>,
    text: Result<String, String>,
    is_executable: bool,
}

impl Drafts {
    fn of(&mut self, path: PathBuf) -> &mut Draft {
        let at = self.files.iter().position(|draft| draft.path == path).unwrap_or_else(|| {
            self.files.push(Draft::read(path));
            self.files.len() - 1
        });
        &mut self.files[at]
    }

    fn into_plan(self) -> Plan {
        let mut plan = Plan::default();
        for draft in self.files {
            draft.settle(&mut plan);
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

    fn take(&mut self, step: &Step, wish: &Wish) {
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

    fn settle(self, plan: &mut Plan) {
        let Self { path, agents, before, text, is_executable } = self;
        let after = match text {
            Err(why) => return plan.faults.push(Fault { path, why }),
            // What only holds a line end is a file that was made for Forebay.
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

/// The text of a settings file; nothing where there is none.
pub(super) fn read_settings(path: &Path) -> Result<Option<String>, String> {
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err("it cannot be read: it is not UTF-8 text".to_owned()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("it cannot be read: {error}")),
    }
}

/// The file that a path leads to, also through a link to a file that is not there yet.
pub(super) fn real_place(path: &Path) -> PathBuf {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
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
    fn links_are_followed_also_to_what_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::os::unix::fs::symlink("b", top.join("a")).unwrap();
        std::os::unix::fs::symlink(top.join("c"), top.join("b")).unwrap();
        assert_eq!(real_place(&top.join("a")), top.join("c"));
        fs::write(top.join("c"), "x").unwrap();
        assert_eq!(real_place(&top.join("a")), top.join("c"));
        std::os::unix::fs::symlink("round", top.join("round")).unwrap();
        assert_eq!(real_place(&top.join("round")), top.join("round"));
    }
}
