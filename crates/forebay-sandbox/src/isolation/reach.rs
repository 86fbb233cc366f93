//! What a profile lets a run read and write, as real paths.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::installed::Installed;
use super::places::{
    Cache, DEVICES, Place, SECRET_STORES, SECRETS_LEFT_OPEN, SYSTEM, TEMP, TOOL_CACHES, TOOL_LOCKS,
};
use super::real::{real, real_if_there};
use super::{Isolation, Profile};

/// What a run can reach. Paths are real: absolute and free of symbolic links, where they exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    pub(super) profile: Profile,
    /// Where reading is allowed; none stands for everywhere.
    pub(super) read: Option<Vec<PathBuf>>,
    pub(super) write: Vec<PathBuf>,
    /// Neither read nor written, though a folder around it may be.
    pub(super) hidden: Vec<PathBuf>,
    /// What of it was denied by name: no setting shows it.
    pub(super) denied: Vec<PathBuf>,
    /// Hidden too, one by one, in folders of many others.
    pub(super) programs: Vec<PathBuf>,
    /// Read, though inside of something hidden.
    pub(super) shown: Vec<PathBuf>,
    /// Not written, though a folder around it may be.
    pub(super) frozen: Vec<PathBuf>,
}

impl Reach {
    /// Works out what `isolation` means on this machine; `temp` is the run's own, if it has one.
    pub fn of(isolation: &Isolation, temp: Option<&Path>) -> Self {
        let finder = Finder { home: isolation.home.as_deref() };
        let denied = denied(isolation);
        Self {
            profile: isolation.profile,
            read: finder.readable(isolation, temp),
            write: finder.writable(isolation, temp),
            hidden: finder.hidden(&denied),
            shown: finder.shown(isolation, &denied),
            denied,
            programs: isolation.programs.iter().map(|program| real(program)).collect(),
            frozen: isolation
                .data_folder
                .iter()
                .chain(&isolation.frozen)
                .map(|path| real(path))
                .collect(),
        }
    }

    /// Whether the profile itself lets a run read `path`; the system may still refuse.
    pub fn may_read(&self, path: &Path) -> bool {
        let shown = is_within(path, &self.shown);
        let listed = self.read.as_ref().is_none_or(|read| is_within(path, read)) || shown;
        self.profile == Profile::Off || listed && (shown || !is_within(path, &self.hidden))
    }

    /// Whether the profile itself lets a run write `path`.
    pub fn may_write(&self, path: &Path) -> bool {
        let kept = is_within(path, &self.hidden) || is_within(path, &self.frozen);
        self.profile == Profile::Off || is_within(path, &self.write) && !kept
    }

    /// Whether somebody denied `path` by name, so that no setting opens it.
    pub(super) fn is_denied(&self, path: &Path) -> bool {
        [&self.denied, &self.programs, &self.frozen].iter().any(|denied| is_within(path, denied))
    }

    pub const fn profile(&self) -> Profile {
        self.profile
    }

    pub fn has_network(&self) -> bool {
        self.profile != Profile::Strict
    }

    /// What is hidden without an exception inside.
    pub(super) fn hidden_whole(&self) -> impl Iterator<Item = &PathBuf> {
        self.hidden.iter().filter(|path| !self.shown.iter().any(|shown| shown.starts_with(path)))
    }

    /// Whether `path` lies inside a folder that can be written.
    pub(super) fn writes(&self, path: &Path) -> bool {
        is_within(path, &self.write)
    }

    /// Everything that is neither read nor written.
    pub(super) fn hidden_and_programs(&self) -> impl Iterator<Item = &PathBuf> {
        self.hidden.iter().chain(&self.programs)
    }

    /// What is not written although it lies inside a folder that can be.
    pub(super) fn frozen_in_writable(&self) -> impl Iterator<Item = &PathBuf> {
        self.frozen.iter().filter(|path| self.writes(path))
    }
}

/// Whether `path` is one of `folders` or lies below one.
pub(super) fn is_within(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

/// Turns the tables into paths of this user.
struct Finder<'a> {
    home: Option<&'a Path>,
}

impl Finder<'_> {
    fn readable(&self, isolation: &Isolation, temp: Option<&Path>) -> Option<Vec<PathBuf>> {
        if isolation.profile != Profile::Strict {
            return None;
        }
        let mut read = self.existing(SYSTEM);
        read.extend(self.existing(DEVICES));
        read.extend(self.writable(isolation, temp));
        read.extend(isolation.read.iter().map(|path| real(path)));
        Some(read)
    }

    fn writable(&self, isolation: &Isolation, temp: Option<&Path>) -> Vec<PathBuf> {
        let mut write = self.existing(DEVICES);
        if let Some(root) = &isolation.project_root {
            write.extend(real_if_there(root));
            write.extend(git_folder(root));
        }
        write.extend(temp.map(real));
        if isolation.profile == Profile::Project {
            write.extend(self.existing(TEMP));
            write.extend(real_if_there(&env::temp_dir()));
            write.extend(self.caches(isolation));
            write.extend(self.existing(TOOL_LOCKS));
        }
        write.extend(isolation.write.iter().filter_map(|path| real_if_there(path)));
        write.retain(|path| path != Path::new("/"));
        write
    }

    fn caches(&self, isolation: &Isolation) -> Vec<PathBuf> {
        let mut installed = Installed::in_folders_on_path(isolation.data_folder.as_deref());
        let caches = TOOL_CACHES.iter().filter_map(|cache| self.cache(cache, &mut installed));
        let caches = caches.collect();
        installed.remember();
        caches
    }

    fn hidden(&self, denied: &[PathBuf]) -> Vec<PathBuf> {
        let mut hidden = self.existing(SECRET_STORES);
        // What this user cannot read anyway needs no fence: only root reads the password hashes.
        hidden.retain(|path| access(path, Access::READ_OK).is_ok());
        hidden.extend_from_slice(denied);
        hidden
    }

    /// The exceptions inside the secret stores; what the user denied by name has none.
    fn shown(&self, isolation: &Isolation, denied: &[PathBuf]) -> Vec<PathBuf> {
        let mut shown = Vec::new();
        if isolation.profile == Profile::Project {
            shown.extend(self.existing(SECRETS_LEFT_OPEN));
            shown.extend(self.public_keys());
        }
        shown.extend(isolation.read.iter().filter_map(|path| real_if_there(path)));
        shown.retain(|path| !is_within(path, denied));
        shown
    }

    fn public_keys(&self) -> Vec<PathBuf> {
        let folder = self.home.map(|home| home.join(".ssh"));
        let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
        let files = entries.into_iter().flatten().flatten();
        // A link could be named like a public key and point to a private one.
        files
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
            .map(|entry| real(&entry.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "pub"))
            .collect()
    }

    fn existing(&self, places: &[Place]) -> Vec<PathBuf> {
        places
            .iter()
            .filter_map(|place| self.below_home(place.path))
            .filter_map(|path| real_if_there(&path))
            .collect()
    }

    /// `path` below the home folder; an absolute one is itself.
    fn below_home(&self, path: &str) -> Option<PathBuf> {
        if path.starts_with('/') {
            return Some(path.into());
        }
        self.home.map(|home| home.join(path))
    }

    fn cache(&self, cache: &Cache, installed: &mut Installed) -> Option<PathBuf> {
        let named = cache.variable.and_then(env::var_os).map(PathBuf::from);
        let folder = named.filter(|path| path.is_absolute());
        let path = folder.or_else(|| self.below_home(cache.folder))?.join(cache.within);
        if let Some(real) = real_if_there(&path) {
            return Some(real);
        }
        if !installed.has(cache.program) {
            return None;
        }
        // What cannot be made is a cache that the tool will complain about itself.
        let _ = fs::create_dir_all(&path);
        real_if_there(&path)
    }
}

fn denied(isolation: &Isolation) -> Vec<PathBuf> {
    isolation.deny.iter().filter_map(|path| real_if_there(path)).collect()
}

/// The git folder of a worktree or submodule, which lies outside of it.
///
/// The pointer is a file of the project, which a run can write: it is believed only when the git
/// folder points back.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let pointer = fs::read_to_string(root.join(".git")).ok()?;
    let own = root.join(pointer.strip_prefix("gitdir:")?.trim());
    if !points_back(&own, root) {
        return None;
    }
    let common = fs::read_to_string(own.join("commondir")).ok();
    let folder = common.map_or_else(|| own.clone(), |common| own.join(common.trim()));
    real_if_there(&folder)
}

/// Whether the git folder `own` says that `root` is its worktree, or its submodule.
fn points_back(own: &Path, root: &Path) -> bool {
    let worktree = fs::read_to_string(own.join("gitdir"))
        .ok()
        .and_then(|gitdir| Path::new(gitdir.trim()).parent().map(Path::to_owned));
    let submodule = || {
        let config = fs::read_to_string(own.join("config")).ok()?;
        let named = config.lines().find_map(|line| line.trim().strip_prefix("worktree = "))?;
        Some(own.join(named))
    };
    worktree.or_else(submodule).is_some_and(|named| real(&named) == real(root))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage() -> (tempfile::TempDir, Isolation) {
        let stage = tempfile::tempdir().unwrap();
        let at = |path: &str| stage.path().canonicalize().unwrap().join(path);
        for folder in ["home/.ssh", "home/.aws", "home/project/src", "home/data"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in
            ["home/.ssh/id_x", "home/.ssh/id_x.pub", "home/.ssh/config", "home/project/.env"]
        {
            fs::write(at(file), "x").unwrap();
        }
        let isolation = Isolation {
            profile: Profile::Project,
            project_root: Some(at("home/project")),
            home: Some(at("home")),
            data_folder: Some(at("home/data")),
            deny: vec![at("home/project/.env")],
            ..Isolation::default()
        };
        (stage, isolation)
    }

    #[track_caller]
    fn check(isolation: &Isolation, path: &str, read: bool, write: bool) {
        let path = isolation.home.as_ref().unwrap().join(path);
        let mut reach = Reach::of(isolation, None);
        // The stage itself lies in temp, which can be written.
        reach.write.retain(|folder| !isolation.home.as_ref().unwrap().starts_with(folder));
        assert_eq!((reach.may_read(&path), reach.may_write(&path)), (read, write), "{path:?}");
    }

    #[test]
    fn project_reads_all_but_secrets_and_writes_the_project() {
        let (_stage, isolation) = stage();
        check(&isolation, "project/src/main.rs", true, true);
        check(&isolation, "elsewhere", true, false);
        check(&isolation, ".ssh/id_x", false, false);
        check(&isolation, ".ssh/id_x.pub", true, false);
        check(&isolation, ".ssh/config", true, false);
        check(&isolation, ".aws/credentials", true, false);
        check(&isolation, "project/.env", false, false);
        check(&isolation, "data/x.db", true, false);
        check(&isolation, "/etc/hosts", true, false);
    }

    #[test]
    fn strict_reads_the_project_and_the_system() {
        let (_stage, mut isolation) = stage();
        isolation.profile = Profile::Strict;
        check(&isolation, "project/src/main.rs", true, true);
        check(&isolation, "elsewhere", false, false);
        check(&isolation, ".aws/credentials", false, false);
        check(&isolation, "project/.env", false, false);
        check(&isolation, "/usr/bin/env", true, false);
        check(&isolation, "/tmp/x", false, false);
    }

    #[test]
    fn settings_open_and_a_denied_path_stays_denied() {
        let (_stage, mut isolation) = stage();
        let home = isolation.home.clone().unwrap();
        isolation.read = vec![home.join(".ssh/id_x"), home.join("project/.env")];
        isolation.write = vec![home.join(".aws")];
        check(&isolation, ".ssh/id_x", true, false);
        check(&isolation, ".aws/config", true, true);
        check(&isolation, "project/.env", false, false);
    }

    #[test]
    fn a_worktree_may_write_the_git_folder_that_knows_it() {
        let (_stage, isolation) = stage();
        let home = isolation.home.clone().unwrap();
        let own = home.join("main/.git/worktrees/w");
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        let pointer = home.join("project/.git");
        fs::write(&pointer, format!("gitdir: {}\n", own.display())).unwrap();
        check(&isolation, "main/.git/config", true, false);
        fs::write(own.join("gitdir"), format!("{}\n", pointer.display())).unwrap();
        check(&isolation, "main/.git/config", true, true);
        check(&isolation, "main/src", true, false);
    }
}
