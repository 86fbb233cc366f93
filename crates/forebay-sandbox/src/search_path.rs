//! Program lookup on `PATH`.

use std::collections::HashSet;
use std::env;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::{getegid, geteuid};

use crate::own_executable;

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

/// Returns the part of `PATH` whose programs may be started without isolation: absolute directories outside the project
/// at `project` that only their owner can change. A project could put its own `bash` in any other.
pub fn trusted_path(project: &Path) -> String {
    let trusted = trusted_folders(project);
    let trusted: Vec<String> =
        trusted.filter_map(|folder| folder.into_os_string().into_string().ok()).collect();
    trusted.join(":")
}

fn trusted_folders(project: &Path) -> impl Iterator<Item = PathBuf> {
    let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    path_entries().into_iter().filter(move |folder| is_trusted(folder, &project))
}

/// Returns the first file in the trusted part of `PATH` with this name that can be started.
pub(crate) fn find_trusted(program: &str, project: &Path) -> Option<PathBuf> {
    trusted_folders(project).map(|folder| folder.join(program)).find(|path| is_program(path))
}

/// Returns the name of a program if it is installed in the trusted part of `PATH`, or if it is this program.
///
/// `aws` is, `./aws` and `/tmp/aws` are not: a run could have made them.
pub fn trusted_program(program: &str, project: &Path) -> Option<String> {
    let path = Path::new(program);
    let name = path.file_name()?.to_str()?;
    let trusted = trusted_path(project);
    let is_installed = env::split_paths(&trusted).any(|folder| {
        let named = folder.join(name);
        (path == Path::new(name) || path == named) && named.is_file()
    });
    let is_this = || own_executable() == Some(path);
    (is_installed || is_this()).then(|| name.to_owned())
}

fn is_trusted(folder: &Path, project: &Path) -> bool {
    let Ok(real) = folder.canonicalize() else { return false };
    // The root of the file system is no project.
    let is_inside =
        project.parent().is_some() && (real.starts_with(project) || folder.starts_with(project));
    let is_private = real.metadata().is_ok_and(|found| is_private(&found));
    folder.is_absolute() && is_private && !is_inside
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

/// Whether a program is in a directory of the trusted path.
pub(crate) fn is_trusted_program(program: &Path, project: &Path) -> bool {
    let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    program.parent().is_some_and(|folder| is_trusted(folder, &project))
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
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_project_or_anybody_else_is_not_trusted() {
        let root = tempfile::tempdir().unwrap();
        let folder = |name: &str, mode: u32| {
            let path = root.path().join(name);
            fs::create_dir_all(&path).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            path
        };
        let project = folder("p", 0o755);
        symlink(folder("p/bin", 0o755), root.path().join("link")).unwrap();
        let trusts = |path: &Path| is_trusted(path, &project.canonicalize().unwrap());
        assert!(trusts(&folder("own", 0o755)));
        let shared_group = folder("group", 0o775);
        let other = getegid().as_raw() + 1;
        if std::os::unix::fs::chown(&shared_group, None, Some(other)).is_ok() {
            fs::set_permissions(&shared_group, Permissions::from_mode(0o775)).unwrap();
            assert!(!trusts(&shared_group));
        }
        assert!(!trusts(&folder("shared", 0o777)));
        assert!(!trusts(&project.join("bin")));
        assert!(!trusts(&root.path().join("link")), "a link into the project");
        assert!(!trusts(Path::new("bin")));
        assert!(!trusts(Path::new("")));
    }
}
