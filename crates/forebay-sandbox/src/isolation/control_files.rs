//! Sets aside the control files that a run makes, and finds those that it changes.
//!
//! Where mounts are possible, a control file that exists is read-only for a run. One that does not exist cannot be: the
//! kernel has no way to deny a single name in a writable directory. So what a run makes under such a name is renamed when
//! the run ends, and the answer says so; nothing is lost. The same goes for a submodule in which git may execute something:
//! see `submodules`. If this process is killed before, the next run renames it: see `control_records`.
//!
//! Where mounts are not possible, existing files can be changed, and the answer names those that were.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::canonicalize::canonicalize;
use super::control_records::{ControlRecord, take_abandoned};
use super::file_stamps::Stamp;
use super::git_settings::{is_sample_hook, may_execute};
use super::submodules::{SettingsStamp, Submodule, Submodules};
use super::{Isolation, Profile};
use crate::no_links::Folder;

/// Appended to the name of what a run has made.
const SUFFIX: &str = ".from-run";
const MAX_ATTEMPTS: u32 = 100;

/// The control files as they were before a run.
#[derive(Debug, Default)]
pub(crate) struct ControlFiles {
    files: Vec<ControlFile>,
    repository: Option<Repository>,
    /// What runs had made that could not be renamed when they ended.
    recovered: Vec<PathBuf>,
    /// Has the next run rename what this one makes, if this process is killed.
    _record: Option<ControlRecord>,
}

#[derive(Debug)]
struct ControlFile {
    path: PathBuf,
    /// The same without links. A link that is on the way later leads to files that the run could not reach.
    resolved: PathBuf,
    was: Before,
    /// None if there was nothing.
    stamp: Option<Stamp>,
}

/// What was at a path.
#[derive(Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    /// A link, which no mount protects.
    Link(PathBuf),
    Something,
}

/// The project's repository and its submodules.
#[derive(Debug)]
struct Repository {
    submodules: Submodules,
    /// The state of the settings of each.
    stamps: Vec<SettingsStamp>,
}

impl ControlFiles {
    /// Looks at the control files of `isolation`, after what runs have made whose process was killed is renamed.
    pub(crate) fn look(isolation: &Isolation) -> Self {
        if isolation.profile == Profile::Off {
            return Self::default();
        }
        let data_folder = isolation.data_folder.as_deref();
        let recovered = data_folder.map(set_aside_abandoned).unwrap_or_default();
        let mut folders = ResolvedFolders::default();
        let files = isolation.control_files.iter();
        let files: Vec<ControlFile> =
            files.map(|path| ControlFile::look(path, folders.resolve(path))).collect();
        let record = data_folder.and_then(|folder| record(folder, &files));
        Self { files, repository: Repository::look(isolation), recovered, _record: record }
    }

    /// Renames what has been made since, and returns the paths under which it was made.
    pub(crate) fn set_aside(&self) -> Vec<PathBuf> {
        let mut links = LinksOnTheWay::default();
        let files = self.files.iter();
        let mut moved = self.recovered.clone();
        moved.extend(files.flat_map(|file| file.set_aside_if_new(&mut links)));
        moved.extend(self.repository.iter().flat_map(Repository::set_aside_new_submodules));
        moved
    }

    /// The files that existed before and were changed since, which nothing prevents where mounts are not possible.
    pub(crate) fn changed(&self) -> Vec<PathBuf> {
        let changed = self.files.iter().filter(|file| file.is_changed());
        changed.map(|file| file.path.clone()).collect()
    }
}

/// Records which files do not exist. A run does not depend on it: without a record, only a killed process leaves something.
fn record(data_folder: &Path, files: &[ControlFile]) -> Option<ControlRecord> {
    let missing = files.iter().filter(|file| file.was == Before::Nothing);
    let mut paths = missing.map(|file| file.resolved.as_path()).peekable();
    paths.peek()?;
    ControlRecord::write(data_folder, paths)
        .inspect_err(|error| tracing::warn!(%error, "cannot record a run"))
        .ok()
}

/// Renames what runs have made whose process is gone.
fn set_aside_abandoned(data_folder: &Path) -> Vec<PathBuf> {
    let files: Vec<ControlFile> =
        take_abandoned(data_folder).into_iter().map(ControlFile::missing).collect();
    let mut links = LinksOnTheWay::default();
    files.iter().flat_map(|file| file.set_aside_if_new(&mut links)).collect()
}

impl ControlFile {
    /// A file that did not exist before, at a path without links.
    fn missing(path: PathBuf) -> Self {
        Self { resolved: path.clone(), path, was: Before::Nothing, stamp: None }
    }

    fn look(path: &Path, resolved: PathBuf) -> Self {
        let was = before(&resolved);
        let stamp = (was != Before::Nothing).then(|| Stamp::new(&resolved));
        Self { path: path.to_owned(), resolved, was, stamp }
    }

    fn is_changed(&self) -> bool {
        self.stamp.as_ref().is_some_and(|stamp| *stamp != Stamp::new(&self.resolved))
    }

    fn set_aside_if_new<'a>(&'a self, links: &mut LinksOnTheWay<'a>) -> Vec<PathBuf> {
        if let Some(link) = self.resolved.parent().and_then(|folder| links.first(folder)) {
            // Set aside already if it is on the way to another file.
            let is_moved = link.is_symlink() && set_aside(link);
            return is_moved.then(|| link.to_owned()).into_iter().collect();
        }
        let path = &self.resolved;
        let is = before(path);
        let is_repository = path.ends_with(".git") && path.is_dir() && is == Before::Something;
        if self.was == Before::Something || is == self.was || is_repository {
            return Vec::new();
        }
        if self.was == Before::Nothing && is_git(path) {
            return set_aside_in_git(path);
        }
        let is_moved = is == Before::Nothing || set_aside(path);
        if let Before::Link(target) = &self.was {
            let _ = std::os::unix::fs::symlink(target, path);
        }
        is_moved.then(|| self.path.clone()).into_iter().collect()
    }
}

impl Repository {
    fn look(isolation: &Isolation) -> Option<Self> {
        let submodules = isolation.submodules.clone()?;
        let stamps = submodules.all.iter().map(Submodule::stamp).collect();
        Some(Self { submodules, stamps })
    }

    /// A submodule that a run has made or changed, and in which git may execute something, is no repository any more; an
    /// index that is too large to be searched for such submodules is no index any more.
    fn set_aside_new_submodules(&self) -> Vec<PathBuf> {
        let known = self.submodules.all.iter().zip(&self.stamps);
        let is_known = |submodule: &Submodule| {
            known.clone().any(|(known, stamp)| known == submodule && *stamp == submodule.stamp())
        };
        let now = self.submodules.read_again();
        let submodules = now.all.iter().filter(|submodule| !is_known(submodule));
        let executing = submodules.filter(|submodule| submodule.may_execute());
        let is_new = |index: &&PathBuf| !self.submodules.incomplete.contains(index);
        let indexes = now.incomplete.iter().filter(is_new);
        let paths = executing.map(|submodule| &submodule.dot_git).chain(indexes);
        paths.filter(|path| set_aside(path)).cloned().collect()
    }
}

/// Folders without links. Most control files are in a few, and each is looked up once.
#[derive(Default)]
struct ResolvedFolders<'a>(HashMap<&'a Path, Option<PathBuf>>);

impl<'a> ResolvedFolders<'a> {
    /// Resolves the links on the way to `path`; what does not exist has none.
    fn resolve(&mut self, path: &'a Path) -> PathBuf {
        let known = path.ancestors().skip(1).find_map(|folder| {
            let resolved = self.0.entry(folder).or_insert_with(|| canonicalize(folder));
            Some(resolved.as_ref()?.join(path.strip_prefix(folder).ok()?))
        });
        known.unwrap_or_else(|| path.to_owned())
    }
}

/// The first link on the way to each folder, among folders that were none. Each folder is looked at once.
#[derive(Default)]
struct LinksOnTheWay<'a>(HashMap<&'a Path, Option<&'a Path>>);

impl<'a> LinksOnTheWay<'a> {
    fn first(&mut self, folder: &'a Path) -> Option<&'a Path> {
        if let Some(known) = self.0.get(folder) {
            return *known;
        }
        let above = folder.parent().and_then(|above| self.first(above));
        let first = above.or_else(|| folder.is_symlink().then_some(folder));
        self.0.insert(folder, first);
        first
    }
}

fn before(path: &Path) -> Before {
    match fs::symlink_metadata(path) {
        Err(_) => Before::Nothing,
        Ok(found) if found.is_symlink() => {
            fs::read_link(path).map_or(Before::Something, Before::Link)
        }
        Ok(_) => Before::Something,
    }
}

/// Whether `git init` makes this: settings, hooks.
fn is_git(path: &Path) -> bool {
    let is_made = path.file_name().is_some_and(|name| name == "config" || name == "hooks");
    is_made && path.parent().is_some_and(|folder| folder.ends_with(".git"))
}

/// `git init` makes settings and samples of hooks, which are left alone.
fn set_aside_in_git(path: &Path) -> Vec<PathBuf> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    if !is_folder {
        let is_moved = may_execute(path, None) && set_aside(path);
        return is_moved.then(|| path.to_owned()).into_iter().collect();
    }
    let Ok(entries) = fs::read_dir(path) else {
        return set_aside(path).then(|| path.to_owned()).into_iter().collect();
    };
    let files = entries.flatten().map(|entry| entry.path());
    files
        .filter(|file| !is_sample_hook(file) && !ends_with(file, SUFFIX) && set_aside(file))
        .collect()
}

fn ends_with(path: &Path, suffix: &str) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(suffix.as_bytes())
}

/// Renames `path` to a free name beside it; returns whether it is gone.
fn set_aside(path: &Path) -> bool {
    let renamed = (1..=MAX_ATTEMPTS).find_map(|attempt| {
        let target = free_name(path, attempt);
        match rename_new(path, &target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
            outcome => Some(outcome),
        }
    });
    match renamed {
        Some(Ok(())) => true,
        outcome => {
            tracing::warn!(?path, ?outcome, "cannot set aside what a run made");
            false
        }
    }
}

fn free_name(path: &Path, attempt: u32) -> PathBuf {
    let number = if attempt == 1 { String::new() } else { format!("-{attempt}") };
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(format!("{SUFFIX}{number}"));
    name.into()
}

/// Renames without replacing anything, and without following links to the folder.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let (Some(folder), Some(from), Some(to)) = (from.parent(), from.file_name(), to.file_name())
    else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    Folder::open(folder)?.rename_new(from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(names: &[&str]) -> (tempfile::TempDir, Isolation) {
        let dir = tempfile::tempdir().unwrap();
        let control_files = names.iter().map(|name| dir.path().join(name)).collect();
        let isolation =
            Isolation { profile: Profile::Project, control_files, ..Isolation::default() };
        (dir, isolation)
    }

    #[test]
    fn sets_aside_what_is_new_and_leaves_the_rest() {
        let (dir, isolation) = fixture(&[".envrc", ".mcp.json", ".agent"]);
        let at = |name: &str| dir.path().join(name);
        fs::write(at(".mcp.json"), "{}").unwrap();
        for number in ["", "-2"] {
            let files = ControlFiles::look(&isolation);
            fs::write(at(".envrc"), "evil").unwrap();
            fs::create_dir(at(".agent")).unwrap();
            assert_eq!(files.set_aside(), [at(".envrc"), at(".agent")]);
            assert!(at(&format!(".envrc.from-run{number}")).is_file());
            assert!(at(&format!(".agent.from-run{number}")).is_dir());
            assert!(!at(".envrc").exists() && !at(".agent").exists() && at(".mcp.json").exists());
        }
    }

    #[test]
    fn what_an_abandoned_run_made_is_set_aside_by_the_next() {
        let (dir, mut isolation) = fixture(&[".envrc", ".mcp.json"]);
        let data = tempfile::tempdir().unwrap();
        isolation.data_folder = Some(data.path().to_owned());
        let path = |name: &str| dir.path().canonicalize().unwrap().join(name);
        fs::write(path(".mcp.json"), "{}").unwrap();
        let running = ControlFiles::look(&isolation);
        fs::write(path(".envrc"), "evil").unwrap();
        // As a killed process leaves it: with a record without a lock.
        let folder = data.path().join("running");
        let record = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        let left = fs::read(record).unwrap();
        drop(running);
        fs::write(folder.join("left"), left).unwrap();
        assert_eq!(ControlFiles::look(&isolation).set_aside(), [path(".envrc")]);
        assert!(path(".envrc.from-run").exists() && path(".mcp.json").exists());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[test]
    fn changes_of_existing_files_are_found() {
        let (dir, isolation) = fixture(&[".mcp.json", ".envrc", ".agent", ".new"]);
        let path = |name: &str| dir.path().join(name);
        fs::create_dir(path(".agent")).unwrap();
        for name in [".mcp.json", ".envrc", ".agent/settings", "copy"] {
            fs::write(path(name), "{}").unwrap();
        }
        let files = ControlFiles::look(&isolation);
        assert_eq!(files.changed(), <[PathBuf; 0]>::default());
        fs::rename(path("copy"), path(".mcp.json")).unwrap();
        fs::write(path(".agent/hooks"), "evil").unwrap();
        fs::write(path(".new"), "").unwrap();
        assert_eq!(files.changed(), [path(".mcp.json"), path(".agent")]);
    }

    #[test]
    fn restores_a_link() {
        let (dir, isolation) = fixture(&[".agent"]);
        let link = dir.path().join(".agent");
        std::os::unix::fs::symlink("elsewhere", &link).unwrap();
        let files = ControlFiles::look(&isolation);
        fs::remove_file(&link).unwrap();
        fs::create_dir(&link).unwrap();
        assert_eq!(files.set_aside(), std::slice::from_ref(&link));
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("elsewhere"));
    }

    #[test]
    fn a_link_on_the_way_is_set_aside_and_its_target_left_alone() {
        let (dir, isolation) = fixture(&[".tool/settings", ".tool/plugins"]);
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("settings"), "").unwrap();
        let files = ControlFiles::look(&isolation);
        let link = dir.path().canonicalize().unwrap().join(".tool");
        std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
        assert_eq!(files.set_aside(), std::slice::from_ref(&link));
        assert!(elsewhere.path().join("settings").exists() && !link.is_symlink());
    }

    #[test]
    fn a_new_repository_keeps_its_settings_unless_they_execute_something() {
        let (dir, isolation) = fixture(&[".git/config", ".git/hooks"]);
        let git = dir.path().join(".git");
        let files = ControlFiles::look(&isolation);
        fs::create_dir_all(git.join("hooks")).unwrap();
        fs::write(git.join("hooks/update.sample"), "").unwrap();
        fs::write(git.join("config"), "[core]\n\tbare = false\n[user]\n\tname = Ann\n").unwrap();
        assert_eq!(files.set_aside(), <[PathBuf; 0]>::default());
        fs::write(git.join("hooks/post-checkout"), "").unwrap();
        fs::write(git.join("config"), "[core]\n\tfsMonitor = evil\n").unwrap();
        assert_eq!(files.set_aside(), [git.join("config"), git.join("hooks/post-checkout")]);
    }
}
