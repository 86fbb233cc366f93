//! The paths that a profile lets a run read and write, without symbolic links.

use std::env;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::canonicalize::{canonicalize, canonicalize_or_keep};
use super::installed_tools::InstalledTools;
use super::known_paths::{
    DEVICES, KnownPath, SYSTEM_PATHS, TEMP_DIRS, TOOL_CACHES, TOOL_LOCK_FILES, ToolCache,
};
use super::known_secrets::{SECRET_STORE_EXCEPTIONS, SECRET_STORES, TOOL_CREDENTIALS, locations};
use super::shortage::entries;
use super::{Isolation, Profile, shared_memory, sockets};
use crate::RunError;

/// What fails if the system is out of something.
pub(super) const PREPARE: &str = "prepare the isolation";
/// The program whose calls need the stored data.
const OWN_PROGRAM: &str = "forebay";

/// The caches of installed tools that do not exist. Rules apply only to existing paths, so the tools cannot use these
/// unless the caller creates them.
pub fn missing_caches(isolation: &Isolation) -> Vec<PathBuf> {
    if isolation.profile != Profile::Project {
        return Vec::new();
    }
    let resolver = PathResolver { home: isolation.home.as_deref() };
    let path = |cache: &'static ToolCache| Some((cache.path(resolver.home)?, cache.program));
    let mut missing: Vec<_> =
        TOOL_CACHES.iter().filter_map(path).filter(|(path, _)| !path.exists()).collect();
    if !missing.is_empty() {
        let mut installed = InstalledTools::load(isolation.data_folder.as_deref());
        missing.retain(|(_, program)| installed.has(program));
        installed.save();
    }
    missing.into_iter().map(|(path, _)| path).collect()
}

/// What a run can access. Existing paths are canonical: absolute and without symbolic links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRules {
    pub(super) profile: Profile,
    /// Readable paths; `None` means everywhere.
    pub(super) read: Option<Vec<PathBuf>>,
    pub(super) write: Vec<PathBuf>,
    /// Neither readable nor writable, even inside an allowed directory.
    pub(super) hidden: Vec<PathBuf>,
    /// The part of `hidden` that is denied explicitly and has no exceptions.
    pub(super) denied: Vec<PathBuf>,
    /// Single files that are hidden as well.
    pub(super) denied_programs: Vec<PathBuf>,
    /// Readable although inside a hidden directory.
    pub(super) exceptions: Vec<PathBuf>,
    /// Not writable, even inside a writable directory.
    pub(super) read_only: Vec<PathBuf>,
    /// Not writable where mounts are possible: other programs take commands from them.
    pub(super) control: Vec<PathBuf>,
    /// Directories inside writable ones that cannot be renamed where mounts are possible: denied or frozen paths are below.
    pub(super) fixed: Vec<PathBuf>,
    /// Sockets of other processes, and directories of them, that cannot be connected to where mounts are possible.
    pub(super) closed_sockets: Vec<PathBuf>,
    /// The directory of memory that processes share by name, if the run gets one of its own where mounts are possible.
    pub(super) shared_memory: Option<PathBuf>,
}

impl AccessRules {
    /// Resolves `isolation` on this machine; `temp` is the private temp directory of the run, if any.
    ///
    /// Fails only if the system is out of descriptors or the like.
    pub fn new(isolation: &Isolation, temp: Option<&Path>) -> io::Result<Self> {
        let resolver = PathResolver { home: isolation.home.as_deref() };
        let denied = denied(isolation);
        let write = resolver.writable(isolation, temp);
        let control = control(isolation, &write);
        let closed_sockets = sockets::closed(isolation)?;
        let exceptions = resolver.exceptions(isolation, &denied);
        let read = resolver.readable(isolation, &write);
        Ok(Self {
            profile: isolation.profile,
            shared_memory: shared_memory::private(isolation, read.as_ref().unwrap_or(&write)),
            read,
            fixed: fixed(isolation, control.iter().chain(&closed_sockets), &write),
            control,
            write,
            hidden: resolver.hidden(isolation, &denied, &exceptions)?,
            closed_sockets,
            exceptions,
            denied,
            denied_programs: isolation
                .denied_programs
                .iter()
                .map(|program| canonicalize_or_keep(program))
                .collect(),
            read_only: isolation
                .data_folder
                .iter()
                .chain(&isolation.read_only)
                .map(|path| canonicalize_or_keep(path))
                .collect(),
        })
    }

    /// Whether the profile allows reading `path`; file permissions may still deny it.
    pub fn allows_read(&self, path: &Path) -> bool {
        let is_exception = is_within(path, &self.exceptions);
        let is_listed = self.read.as_ref().is_none_or(|read| is_within(path, read)) || is_exception;
        self.profile == Profile::Off
            || is_listed && (is_exception || !is_within(path, &self.hidden))
    }

    /// Whether the profile allows writing `path`.
    pub fn allows_write(&self, path: &Path) -> bool {
        let is_protected = is_within(path, &self.hidden) || self.is_read_only(path);
        self.profile == Profile::Off || is_within(path, &self.write) && !is_protected
    }

    /// Whether `path` is denied explicitly, so that no other setting allows it.
    pub(super) fn is_denied(&self, path: &Path) -> bool {
        is_within(path, &self.denied) || is_within(path, &self.denied_programs)
    }

    /// Whether `path` is read-only whatever the profile allows.
    pub(super) fn is_read_only(&self, path: &Path) -> bool {
        is_within(path, &self.read_only) || self.is_control(path)
    }

    /// Whether other programs take commands from `path`.
    pub(super) fn is_control(&self, path: &Path) -> bool {
        is_within(path, &self.control)
    }

    /// The credentials of tools on this machine, and whether a run can read them that names none of the tools.
    pub fn credentials(isolation: &Isolation) -> Result<Vec<(PathBuf, bool)>, RunError> {
        let unnamed = Isolation { programs: Vec::new(), ..isolation.clone() };
        let rules = Self::new(&unnamed, None).map_err(RunError::io(PREPARE))?;
        let resolver = PathResolver { home: isolation.home.as_deref() };
        let credentials = resolver.credentials(&unnamed).into_iter();
        Ok(credentials.map(|path| (path.clone(), rules.allows_read(&path))).collect())
    }

    /// What no program can read under `isolation`, for those who read files themselves.
    pub fn hidden_paths(isolation: &Isolation) -> Result<Vec<PathBuf>, RunError> {
        let resolver = PathResolver { home: isolation.home.as_deref() };
        let denied = denied(isolation);
        let exceptions = resolver.exceptions(isolation, &denied);
        resolver.hidden(isolation, &denied, &exceptions).map_err(RunError::io(PREPARE))
    }

    /// The directories and files that a run can write under `isolation`, without what is frozen in them.
    pub fn writable_paths(isolation: &Isolation) -> Vec<PathBuf> {
        PathResolver { home: isolation.home.as_deref() }.writable(isolation, None)
    }

    /// Lists a directory that decides what a run can access; one that is missing or unreadable is empty.
    pub fn list(folder: &Path) -> Result<Vec<PathBuf>, RunError> {
        let entries = entries(folder).map_err(RunError::io(PREPARE))?;
        Ok(entries.iter().map(DirEntry::path).collect())
    }

    pub const fn profile(&self) -> Profile {
        self.profile
    }

    pub fn has_network(&self) -> bool {
        self.profile != Profile::Strict
    }

    /// Hidden paths that contain no exception.
    pub(super) fn hidden_without_exceptions(&self) -> impl Iterator<Item = &PathBuf> {
        self.hidden
            .iter()
            .filter(|path| !self.exceptions.iter().any(|exception| exception.starts_with(path)))
    }

    /// Whether `path` is inside a writable directory.
    pub(super) fn is_writable(&self, path: &Path) -> bool {
        is_within(path, &self.write)
    }

    /// All paths that are neither readable nor writable.
    pub(super) fn inaccessible(&self) -> impl Iterator<Item = &PathBuf> {
        self.hidden.iter().chain(&self.denied_programs)
    }

    /// Read-only paths inside writable directories, for mounts.
    pub(super) fn frozen(&self) -> impl Iterator<Item = &PathBuf> {
        self.read_only.iter().chain(&self.control).filter(|path| self.is_writable(path))
    }

    /// Directories that cannot be renamed, for mounts.
    pub(super) fn fixed(&self) -> impl Iterator<Item = &PathBuf> {
        self.fixed.iter()
    }
}

/// Whether `path` equals one of `folders` or is below one.
pub(super) fn is_within(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

/// Resolves the tables of known paths for one user.
struct PathResolver<'a> {
    home: Option<&'a Path>,
}

impl PathResolver<'_> {
    fn readable(&self, isolation: &Isolation, write: &[PathBuf]) -> Option<Vec<PathBuf>> {
        if isolation.profile != Profile::Strict {
            return None;
        }
        let mut read = self.existing(SYSTEM_PATHS);
        read.extend(self.existing(DEVICES));
        read.extend_from_slice(write);
        read.extend(isolation.read.iter().map(|path| canonicalize_or_keep(path)));
        Some(read)
    }

    fn writable(&self, isolation: &Isolation, temp: Option<&Path>) -> Vec<PathBuf> {
        let mut write = self.existing(DEVICES);
        if let Some(root) = &isolation.project_root {
            write.extend(canonicalize(root));
        }
        write.extend(isolation.git_folder.iter().filter_map(|folder| canonicalize(folder)));
        write.extend(temp.map(canonicalize_or_keep));
        if isolation.profile == Profile::Project {
            write.extend(self.existing(TEMP_DIRS));
            write.extend(canonicalize(&env::temp_dir()));
            let caches = TOOL_CACHES.iter().filter_map(|cache| cache.path(self.home));
            write.extend(caches.filter_map(|path| canonicalize(&path)));
            write.extend(self.existing(TOOL_LOCK_FILES));
        }
        write.extend(isolation.write.iter().filter_map(|path| canonicalize(path)));
        write.retain(|path| path != Path::new("/"));
        write
    }

    fn hidden(
        &self,
        isolation: &Isolation,
        denied: &[PathBuf],
        exceptions: &[PathBuf],
    ) -> io::Result<Vec<PathBuf>> {
        let mut hidden: Vec<PathBuf> =
            SECRET_STORES.iter().flat_map(|known| locations(known.path, isolation)).collect();
        hidden.extend(self.credentials(isolation));
        hidden.extend(stored_data(isolation)?);
        // A path that this user cannot read needs no rule, such as the password hashes for anyone but root.
        hidden.retain(|path| {
            let is_opened = is_within(path, exceptions) || isolation.write.contains(path);
            !is_opened && access(path, Access::READ_OK).is_ok()
        });
        hidden.extend_from_slice(denied);
        Ok(hidden)
    }

    /// The credentials whose owners the run does not name.
    fn credentials(&self, isolation: &Isolation) -> Vec<PathBuf> {
        let is_named = |programs: &[&str]| {
            isolation.profile == Profile::Project
                && programs.iter().any(|program| isolation.names(program))
        };
        let closed = TOOL_CREDENTIALS.iter().filter(|known| !is_named(known.programs));
        let closed = closed.flat_map(|known| locations(known.path, isolation));
        let of_agents = isolation.credentials.iter().filter_map(|path| canonicalize(path));
        closed.chain(of_agents).collect()
    }

    /// Returns the readable paths inside secret stores, except for those denied explicitly.
    fn exceptions(&self, isolation: &Isolation, denied: &[PathBuf]) -> Vec<PathBuf> {
        let mut exceptions = Vec::new();
        if isolation.profile == Profile::Project {
            exceptions.extend(self.existing(SECRET_STORE_EXCEPTIONS));
            exceptions.extend(self.public_keys());
        }
        exceptions.extend(isolation.read.iter().filter_map(|path| canonicalize(path)));
        exceptions.retain(|path| !is_within(path, denied));
        exceptions
    }

    fn public_keys(&self) -> Vec<PathBuf> {
        let folder = self.home.map(|home| home.join(".ssh"));
        let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
        let files = entries.into_iter().flatten().flatten();
        // Skip links: one that is named like a public key could point to a private key.
        files
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
            .map(|entry| canonicalize_or_keep(&entry.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "pub"))
            .collect()
    }

    fn existing(&self, paths: &[KnownPath]) -> Vec<PathBuf> {
        paths
            .iter()
            .filter_map(|known| self.below_home(known.path))
            .filter_map(|path| canonicalize(&path))
            .collect()
    }

    /// Joins `path` to the home directory unless it is absolute.
    fn below_home(&self, path: &str) -> Option<PathBuf> {
        if path.starts_with('/') {
            return Some(path.into());
        }
        self.home.map(|home| home.join(path))
    }
}

fn denied(isolation: &Isolation) -> Vec<PathBuf> {
    isolation.deny.iter().filter_map(|path| canonicalize(path)).collect()
}

/// What Forebay has stored, unless the run calls Forebay. Compiled snippets are not among it: runs execute them.
fn stored_data(isolation: &Isolation) -> io::Result<Vec<PathBuf>> {
    const RUNNABLE: &[&str] = &["cache"];
    let folder = isolation.data_folder.as_deref().filter(|_| !isolation.names(OWN_PROGRAM));
    let entries =
        folder.map_or_else(|| Ok(Vec::new()), |folder| entries(&canonicalize_or_keep(folder)))?;
    let is_runnable = |entry: &DirEntry| RUNNABLE.iter().any(|name| entry.file_name() == *name);
    Ok(entries.iter().filter(|entry| !is_runnable(entry)).map(DirEntry::path).collect())
}

/// The control files that exist in writable directories.
fn control(isolation: &Isolation, write: &[PathBuf]) -> Vec<PathBuf> {
    let existing = isolation.control_files.iter().filter_map(|path| canonicalize(path));
    existing.filter(|path| is_within(path, write)).collect()
}

/// The directories that lead to the project, to what the caller wants fixed, and to `paths`: control files and closed
/// sockets, which would be found under another name by the next run.
fn fixed<'a>(
    isolation: &Isolation,
    paths: impl Iterator<Item = &'a PathBuf>,
    write: &[PathBuf],
) -> Vec<PathBuf> {
    let folders =
        isolation.project_root.iter().chain(&isolation.git_folder).chain(&isolation.fixed);
    let folders = folders.filter_map(|folder| canonicalize(folder));
    let folders = folders.chain(paths.filter_map(|path| path.parent().map(Path::to_owned)));
    let mut fixed: Vec<PathBuf> = folders
        .flat_map(|folder| folder.ancestors().map(Path::to_owned).collect::<Vec<_>>())
        .filter(|folder| is_within(folder, write) && folder.is_dir())
        .collect();
    fixed.sort();
    fixed.dedup();
    fixed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture() -> (tempfile::TempDir, Isolation) {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().canonicalize().unwrap().join(path);
        for folder in
            ["home/.ssh", "home/.aws", "home/.gem", "home/.agent", "home/project/src", "home/data"]
        {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in [
            "home/.ssh/id_x",
            "home/.ssh/id_x.pub",
            "home/.ssh/config",
            "home/project/.env",
            "home/.gem/credentials",
            "home/.agent/auth.json",
            "home/data/x.db",
        ] {
            fs::write(at(file), "x").unwrap();
        }
        let isolation = Isolation {
            profile: Profile::Project,
            project_root: Some(at("home/project")),
            home: Some(at("home")),
            data_folder: Some(at("home/data")),
            deny: vec![at("home/project/.env")],
            credentials: vec![at("home/.agent/auth.json")],
            ..Isolation::default()
        };
        (dir, isolation)
    }

    #[track_caller]
    fn check(isolation: &Isolation, path: &str, read: bool, write: bool) {
        let path = isolation.home.as_ref().unwrap().join(path);
        let mut rules = AccessRules::new(isolation, None).unwrap();
        // The fixture is in the temp directory, which is writable.
        rules.write.retain(|folder| !isolation.home.as_ref().unwrap().starts_with(folder));
        assert_eq!(
            (rules.allows_read(&path), rules.allows_write(&path)),
            (read, write),
            "{path:?}"
        );
    }

    #[test]
    fn project_profile_protects_secrets_and_writes_the_project() {
        let (_dir, isolation) = fixture();
        check(&isolation, "project/src/main.rs", true, true);
        check(&isolation, "elsewhere", true, false);
        check(&isolation, ".ssh/id_x", false, false);
        check(&isolation, ".ssh/id_x.pub", true, false);
        check(&isolation, ".ssh/config", true, false);
        check(&isolation, ".aws/credentials", false, false);
        check(&isolation, ".gem/credentials", false, false);
        check(&isolation, ".agent/auth.json", false, false);
        check(&isolation, "project/.env", false, false);
        check(&isolation, "data/x.db", false, false);
        check(&isolation, "data/cache/program", true, false);
        check(&isolation, "/etc/hosts", true, false);
    }

    #[test]
    fn missing_caches_are_those_of_installed_tools() {
        let (_dir, mut isolation) = fixture();
        let home = isolation.home.clone().unwrap();
        // `sh` is installed everywhere, and its cache is the general one.
        let general = env::var_os("XDG_CACHE_HOME").map_or(home.join(".cache"), PathBuf::from);
        let is_missing = !general.exists();
        assert_eq!(missing_caches(&isolation).contains(&general), is_missing);
        assert!(!missing_caches(&isolation).contains(&home.join(".gem")), "it exists");
        fs::create_dir_all(&general).unwrap();
        assert!(!missing_caches(&isolation).contains(&general));
        isolation.profile = Profile::Strict;
        assert_eq!(missing_caches(&isolation), [] as [PathBuf; 0]);
    }

    #[test]
    fn strict_profile_reads_only_the_project_and_the_system() {
        let (_dir, mut isolation) = fixture();
        isolation.profile = Profile::Strict;
        check(&isolation, "project/src/main.rs", true, true);
        check(&isolation, "elsewhere", false, false);
        check(&isolation, ".aws/credentials", false, false);
        check(&isolation, ".gem/credentials", false, false);
        check(&isolation, ".gem/ruby", true, false);
        check(&isolation, ".agent/auth.json", false, false);
        check(&isolation, "project/.env", false, false);
        check(&isolation, "/usr/bin/env", true, false);
        check(&isolation, "/tmp/x", false, false);
    }

    #[test]
    fn a_program_gets_its_own_credentials() {
        let (_dir, mut isolation) = fixture();
        isolation.programs = vec!["aws".to_owned()];
        check(&isolation, ".aws/credentials", true, false);
        check(&isolation, ".gem/credentials", false, false);
        isolation.programs = vec!["forebay".to_owned()];
        check(&isolation, ".aws/credentials", false, false);
        check(&isolation, "data/x.db", true, false);
        isolation.profile = Profile::Strict;
        isolation.programs = vec!["gem".to_owned()];
        check(&isolation, ".gem/credentials", false, false);
    }

    #[test]
    fn lists_credentials_and_which_are_open() {
        let (_dir, mut isolation) = fixture();
        let home = isolation.home.clone().unwrap();
        isolation.read = vec![home.join(".aws")];
        isolation.programs = vec!["gem".to_owned()];
        let expected = [(".aws", true), (".gem/credentials", false), (".agent/auth.json", false)];
        let expected = expected.map(|(path, is_open)| (home.join(path), is_open));
        assert_eq!(AccessRules::credentials(&isolation).unwrap(), expected);
    }

    #[test]
    fn settings_add_access_but_not_to_denied_paths() {
        let (_dir, mut isolation) = fixture();
        let home = isolation.home.clone().unwrap();
        isolation.read = vec![home.join(".ssh/id_x"), home.join("project/.env")];
        isolation.write = vec![home.join(".aws")];
        check(&isolation, ".ssh/id_x", true, false);
        check(&isolation, ".aws/config", true, true);
        check(&isolation, "project/.env", false, false);
    }

    #[test]
    fn worktree_writes_the_git_folder_that_the_caller_names() {
        let (_dir, mut isolation) = fixture();
        let home = isolation.home.clone().unwrap();
        let own = home.join("main/.git/worktrees/w");
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        let pointer = home.join("project/.git");
        fs::write(&pointer, format!("gitdir: {}\n", own.display())).unwrap();
        fs::write(own.join("gitdir"), format!("{}\n", pointer.display())).unwrap();
        check(&isolation, "main/.git/config", true, false);
        isolation.git_folder = Some(home.join("main/.git"));
        check(&isolation, "main/.git/config", true, true);
        check(&isolation, "main/src", true, false);
    }
}
