//! The paths and programs on this machine that deny rules name, so that isolation can hold them back.
//!
//! Rules are patterns, isolation takes paths: a rule with wildcards is looked for on the disk, nearest
//! folders first, and only so far. What a run makes anew under a denied name is its own.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use forebay_policy::{Denials, Denied, Region};
use forebay_sandbox::path_candidates;

/// Names that are looked at, so that a run does not wait for a walk of a whole disk.
const MAX_NAMES: usize = 20_000;
/// Folders with too many names of others to be walked.
const NOT_WALKED: &[&str] = &["node_modules", "objects"];

/// What no run may touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unreachable {
    /// Neither read nor written nor run.
    pub hidden: Vec<PathBuf>,
    /// Read only.
    pub frozen: Vec<PathBuf>,
    /// Folders that must keep their names, since a rule without wildcards leads through them.
    pub fixed: Vec<PathBuf>,
    /// Denied programs, as files; hidden too.
    pub programs: Vec<PathBuf>,
    /// A rule with wildcards covers more names than were looked at.
    pub cut_short: bool,
}

impl Unreachable {
    pub(super) fn by(denials: &Denials<'_>) -> Self {
        let mut found = Self { programs: programs(denials), ..Self::default() };
        let (whole, partial): (Vec<Region>, Vec<Region>) =
            denials.regions().into_iter().partition(|region| region.whole);
        for region in whole {
            let path = PathBuf::from(region.path);
            found.fixed.extend(path.parent().map(Path::to_owned));
            found.add(path, region.denied);
        }
        let mut starts: Vec<PathBuf> =
            partial.into_iter().map(|region| region.path.into()).collect();
        starts.sort();
        starts.dedup();
        found.walk(starts, denials);
        found
    }

    /// Everything that is hidden, programs too.
    pub fn hidden_paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.hidden.iter().chain(&self.programs)
    }

    fn add(&mut self, path: PathBuf, denied: Denied) {
        match denied {
            Denied::Reading => self.hidden.push(path),
            Denied::Change => self.frozen.push(path),
        }
    }

    fn walk(&mut self, starts: Vec<PathBuf>, denials: &Denials<'_>) {
        let mut folders = VecDeque::from(starts);
        let mut names = 0;
        while let Some(folder) = folders.pop_front() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                names += 1;
                if names > MAX_NAMES {
                    self.cut_short = true;
                    return;
                }
                let path = entry.path();
                match denials.denial_for(&path.to_string_lossy()) {
                    Some(denied) => self.add(path, denied),
                    None if is_walked(&entry) => folders.push_back(path),
                    None => {}
                }
            }
        }
    }
}

/// Links are not followed: a denied name that is one is found by its own name.
fn is_walked(entry: &fs::DirEntry) -> bool {
    let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
    is_folder && !NOT_WALKED.iter().any(|name| entry.file_name() == *name)
}

/// The files of denied programs on PATH, and what they lead to.
fn programs(denials: &Denials<'_>) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    for name in denials.programs() {
        for file in path_candidates(name).filter(|file| file.is_file()) {
            files.extend(file.canonicalize().ok().filter(|real| is_same_program(real, name)));
        }
    }
    files.sort();
    files.dedup();
    files
}

/// A link may lead to a binary that is many programs (busybox): hiding that would hide them all.
fn is_same_program(real: &Path, name: &str) -> bool {
    real.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name))
}
