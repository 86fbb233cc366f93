//! Program lookup on `PATH`.

use std::collections::HashSet;
use std::env;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::process::{getegid, geteuid};

use crate::isolation::AccessRules;
use crate::{Isolation, Profile, own_executable};

/// Returns `program` joined to each directory of `PATH`, in order, whether the file exists or not.
pub fn path_candidates(program: &str) -> impl Iterator<Item = PathBuf> {
    path_entries().into_iter().map(move |folder| folder.join(program))
}

/// Returns the first file on `PATH` with this name that can be started.
pub fn find_on_path(program: &str) -> Option<PathBuf> {
    path_candidates(program).find(|path| is_program(path))
}

/// Whether a path leads to an executable file.
pub fn is_program(path: &Path) -> bool {
    const ANYBODY_MAY_EXECUTE: u32 = 0o111;
    path.metadata().is_ok_and(|found| found.is_file() && found.mode() & ANYBODY_MAY_EXECUTE != 0)
}

/// Where runs can write, whatever profile they have: in the project, in caches, in temporary and opened folders. A program
/// from there may be the work of a run.
#[derive(Debug, Clone, Default)]
pub struct WritableByRuns {
    isolation: Isolation,
    /// Resolved when they are first asked for: most runs start nothing that has to be trusted.
    places: OnceLock<Vec<PathBuf>>,
}

impl WritableByRuns {
    /// The places under `isolation`, but with profile `project`.
    pub fn new(isolation: &Isolation) -> Self {
        let isolation = Isolation { profile: Profile::Project, ..isolation.clone() };
        Self { isolation, places: OnceLock::new() }
    }

    fn holds(&self, path: &Path) -> bool {
        self.places().iter().any(|place| path.starts_with(place))
    }

    fn places(&self) -> &[PathBuf] {
        self.places.get_or_init(|| {
            let mut places = AccessRules::writable_paths(&self.isolation);
            // As they are spelled, too: a link in one of them leads wherever a run wants.
            let spelled = self.isolation.project_root.iter().chain(&self.isolation.write);
            places.extend(spelled.cloned());
            // The root of the file system is no project.
            places.retain(|place| place.parent().is_some());
            places
        })
    }
}

/// Returns the part of `PATH` whose programs may be started without isolation: absolute directories that only their owner
/// can change, and no run. A project could put its own `bash` in any other. One with a link to where runs can write is left
/// out, because programs look up others by name.
pub fn trusted_path(writable: &WritableByRuns) -> String {
    let is_trusted = |folder: &PathBuf| is_trusted(folder, writable) && !has_link(folder, writable);
    let trusted = path_entries().into_iter().filter(is_trusted);
    let trusted: Vec<String> =
        trusted.filter_map(|folder| folder.into_os_string().into_string().ok()).collect();
    trusted.join(":")
}

/// Returns the first trusted program on `PATH` with this name.
pub(crate) fn find_trusted(program: &str, writable: &WritableByRuns) -> Option<PathBuf> {
    path_candidates(program).find(|path| is_program(path) && is_trusted_program(path, writable))
}

/// Returns the name of a program if the first one of this name on `PATH` is trusted, or if it is this program.
///
/// `aws` is, `./aws` and `/tmp/aws` are not: a run could have made them.
pub fn trusted_program(program: &str, writable: &WritableByRuns) -> Option<String> {
    let path = Path::new(program);
    let name = path.file_name()?.to_str()?;
    let is_installed = || {
        let mut found = path_candidates(name).filter(|found| is_program(found));
        let found = found.find(|found| path == Path::new(name) || path == found);
        found.is_some_and(|found| is_trusted_program(&found, writable))
    };
    let is_this = || own_executable() == Some(path);
    (is_installed() || is_this()).then(|| name.to_owned())
}

/// Whether a program and the directories that lead to it are trusted.
pub(crate) fn is_trusted_program(program: &Path, writable: &WritableByRuns) -> bool {
    let way = Way::new(program);
    let is_closed =
        |stage: &PathBuf| stage.parent().is_some_and(|folder| is_trusted(folder, writable));
    way.leads_somewhere && way.is_closed(writable) && way.stages.iter().all(is_closed)
}

fn is_trusted(folder: &Path, writable: &WritableByRuns) -> bool {
    let way = Way::new(folder);
    let is_private = folder.metadata().is_ok_and(|found| is_private(&found));
    folder.is_absolute() && is_private && way.leads_somewhere && way.is_closed(writable)
}

/// Whether a link in a directory leads to where runs can write, also if there is nothing yet.
fn has_link(folder: &Path, writable: &WritableByRuns) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    links.any(|link| !Way::new(&link.path()).is_closed(writable))
}

/// A path as it is spelled, after each link in it is replaced by what it names, and at last without any.
struct Way {
    stages: Vec<PathBuf>,
    leads_somewhere: bool,
}

impl Way {
    fn new(path: &Path) -> Self {
        const MAX_LINKS: usize = 40;
        let mut way = Self { stages: vec![path.to_owned()], leads_somewhere: false };
        let mut path = path.to_owned();
        while way.stages.len() <= MAX_LINKS {
            let Some(next) = without_first_link(&path) else {
                way.leads_somewhere = path.exists();
                way.stages.extend(path.canonicalize());
                break;
            };
            way.stages.push(next.clone());
            path = next;
        }
        way
    }

    fn is_closed(&self, writable: &WritableByRuns) -> bool {
        !self.stages.iter().any(|stage| writable.holds(stage))
    }
}

/// The path with what its first link names in place of that; None without a link.
fn without_first_link(path: &Path) -> Option<PathBuf> {
    let mut around: Vec<&Path> = path.ancestors().collect();
    around.reverse();
    let link = around.into_iter().find(|part| part.is_symlink())?;
    let target = link.parent()?.join(link.read_link().ok()?);
    let rest = path.strip_prefix(link).ok()?;
    // An empty rest would add a slash, as if the target were a folder.
    Some(if rest.as_os_str().is_empty() { target } else { target.join(rest) })
}

/// Whether only the owner can change a directory; a group of administrators or of this user alone does not matter.
fn is_private(folder: &Metadata) -> bool {
    const GROUP_WRITES: u32 = 0o020;
    const OTHERS_WRITE: u32 = 0o002;
    /// The administrators of macOS, who own what Homebrew installs.
    const ADMIN: u32 = 80;
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let is_own_group = folder.gid() == group && group == user;
    let is_admin_group = folder.gid() == 0 || (cfg!(target_os = "macos") && folder.gid() == ADMIN);
    let mode = folder.mode();
    mode & OTHERS_WRITE == 0 && (mode & GROUP_WRITES == 0 || is_own_group || is_admin_group)
}

/// Returns the path of a program that is part of every system, without a look at `PATH`.
#[cfg(target_os = "linux")]
pub(crate) fn system_program(name: &str) -> PathBuf {
    const FOLDERS: [&str; 3] = ["/usr/bin", "/bin", "/run/current-system/sw/bin"];
    let mut found = FOLDERS.iter().map(|folder| Path::new(folder).join(name));
    found.find(|path| path.exists()).unwrap_or_else(|| Path::new(FOLDERS[0]).join(name))
}

/// An existing directory of `PATH`.
pub(crate) struct PathFolder {
    pub(crate) path: PathBuf,
    pub(crate) metadata: Metadata,
}

/// Returns the existing directories of `PATH`, without the duplicates that links and repetition cause.
pub(crate) fn folders() -> Vec<PathFolder> {
    let mut seen = HashSet::new();
    let existing = path_entries().into_iter().filter_map(|path| {
        let metadata = path.metadata().ok().filter(Metadata::is_dir)?;
        Some(PathFolder { path, metadata })
    });
    existing
        .filter(|PathFolder { metadata, .. }| seen.insert((metadata.dev(), metadata.ino())))
        .collect()
}

fn path_entries() -> Vec<PathBuf> {
    env::var_os("PATH").iter().flat_map(env::split_paths).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A folder that no run can write, with a project in it.
    struct Fixture {
        root: tempfile::TempDir,
        writable: WritableByRuns,
    }

    impl Fixture {
        fn new() -> Self {
            let home = env::home_dir().unwrap();
            let root = tempfile::Builder::new().prefix(".forebay-test-").tempdir_in(home).unwrap();
            let at = |name: &str| root.path().join(name);
            for name in ["p", "home/.cache", "opened"] {
                fs::create_dir_all(at(name)).unwrap();
            }
            let isolation = Isolation {
                project_root: Some(at("p")),
                home: Some(at("home")),
                write: vec![at("opened")],
                ..Isolation::default()
            };
            Self { writable: WritableByRuns::new(&isolation), root }
        }

        fn folder(&self, name: &str, mode: u32) -> PathBuf {
            let path = self.root.path().join(name);
            fs::create_dir_all(&path).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            path
        }

        fn link(&self, name: &str, target: impl AsRef<Path>) -> PathBuf {
            let link = self.root.path().join(name);
            symlink(target, &link).unwrap();
            link
        }

        fn program(&self, name: &str) -> PathBuf {
            let path = self.root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
            path
        }

        fn trusts(&self, path: &Path) -> bool {
            is_trusted(path, &self.writable)
        }

        fn trusts_program(&self, path: &Path) -> bool {
            is_trusted_program(path, &self.writable)
        }
    }

    #[test]
    fn what_runs_or_others_can_change_is_not_trusted() {
        let fixture = Fixture::new();
        assert!(fixture.trusts(&fixture.folder("own", 0o755)));
        let shared_group = fixture.folder("group", 0o775);
        let other = getegid().as_raw() + 1;
        if std::os::unix::fs::chown(&shared_group, None, Some(other)).is_ok() {
            fs::set_permissions(&shared_group, Permissions::from_mode(0o775)).unwrap();
            assert!(!fixture.trusts(&shared_group));
        }
        for (name, mode) in [
            ("shared", 0o777),
            ("p/bin", 0o755),
            ("home/.cache/uv/bin", 0o755),
            ("opened/bin", 0o755),
        ] {
            assert!(!fixture.trusts(&fixture.folder(name, mode)), "{name}");
        }
        let temp = tempfile::tempdir().unwrap();
        assert!(!fixture.trusts(temp.path()), "a private folder where every run can write");
        assert!(!fixture.trusts(&fixture.link("link", fixture.root.path().join("p/bin"))));
        assert!(!fixture.trusts(Path::new("bin")) && !fixture.trusts(Path::new("")));
    }

    #[test]
    fn a_link_is_trusted_if_its_whole_way_is() {
        let fixture = Fixture::new();
        let (own, cached) = (fixture.program("own/tool"), fixture.program("home/.cache/x/tool"));
        fs::create_dir(fixture.root.path().join("bin")).unwrap();
        assert!(fixture.trusts_program(&own));
        assert!(fixture.trusts_program(&fixture.link("bin/good", "../own/tool")));
        assert!(!fixture.trusts_program(&cached));
        assert!(!fixture.trusts_program(&fixture.link("bin/bad", &cached)));
        // A run could change the link in the middle.
        let middle = fixture.link("p/middle", &own);
        assert!(!fixture.trusts_program(&fixture.link("bin/through", &middle)));
        let folder = fixture.link("p/folder", fixture.root.path().join("own"));
        assert!(!fixture.trusts(&fixture.link("far", &folder)));
        assert!(!fixture.trusts_program(&fixture.link("bin/loop", "loop")));
        assert!(has_link(&fixture.root.path().join("bin"), &fixture.writable));
        assert!(!has_link(&fixture.root.path().join("own"), &fixture.writable));
        fixture.link("own/coming", fixture.root.path().join("home/.cache/not-yet"));
        assert!(has_link(&fixture.root.path().join("own"), &fixture.writable));
    }
}
