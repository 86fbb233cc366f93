//! Sets aside the control files that a run makes.
//!
//! A control file that exists is read-only for a run. One that does not exist cannot be: the kernel has no way to deny
//! a single name in a writable directory. So what a run makes under such a name is renamed when the run ends, and the
//! answer says so; nothing is lost.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Isolation, Profile};

/// Appended to the name of what a run has made.
const SUFFIX: &str = ".from-run";
/// A repository that a run makes has hooks with this ending, which git does not execute.
const SAMPLE: &str = ".sample";
/// Parts of git settings that name programs or other files with settings, in lowercase.
const EXECUTING_SETTINGS: &[&str] = &[
    "fsmonitor",
    "hookspath",
    "sshcommand",
    "gitproxy",
    "askpass",
    "pager",
    "editor",
    "[include",
    "[alias",
    "[filter",
    "[diff",
    "[credential",
    "[merge",
    "[gpg",
    "[mergetool",
    "[difftool",
    "textconv",
    "worktree",
    "command",
    "program",
    "vcs",
    "uploadpack",
    "receivepack",
];
const MAX_SETTINGS_BYTES: u64 = 1024 * 1024;
const MAX_ATTEMPTS: u32 = 100;

/// The control files as they were before a run.
#[derive(Debug)]
pub(crate) struct ControlFiles(Vec<(PathBuf, Before)>);

/// What was at a path.
#[derive(Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    /// A link, which no mount protects.
    Link(PathBuf),
    Something,
}

impl ControlFiles {
    /// Looks at the control files of `isolation`.
    pub(crate) fn look(isolation: &Isolation) -> Self {
        let paths: &[PathBuf] =
            if isolation.profile == Profile::Off { &[] } else { &isolation.control_files };
        Self(paths.iter().map(|path| (path.clone(), before(path))).collect())
    }

    /// Renames what has been made since, and returns the paths under which it was made.
    pub(crate) fn set_aside(&self) -> Vec<PathBuf> {
        let mut moved = Vec::new();
        for (path, was) in &self.0 {
            let is = before(path);
            let is_repository = path.ends_with(".git") && path.is_dir() && is == Before::Something;
            if *was == Before::Something || is == *was || is_repository {
                continue;
            }
            if *was == Before::Nothing && is_git(path) {
                moved.extend(set_aside_in_git(path));
            } else if is == Before::Nothing || set_aside(path) {
                moved.push(path.clone());
            }
            if let Before::Link(target) = was {
                let _ = std::os::unix::fs::symlink(target, path);
            }
        }
        moved
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
        let is_moved = executes_something(path) && set_aside(path);
        return is_moved.then(|| path.to_owned()).into_iter().collect();
    }
    let Ok(entries) = fs::read_dir(path) else {
        return set_aside(path).then(|| path.to_owned()).into_iter().collect();
    };
    let files = entries.flatten().map(|entry| entry.path());
    files
        .filter(|file| !ends_with(file, SAMPLE) && !ends_with(file, SUFFIX) && set_aside(file))
        .collect()
}

/// Whether these settings of git name a program; settings that cannot be read may.
fn executes_something(path: &Path) -> bool {
    let is_plain = fs::symlink_metadata(path)
        .is_ok_and(|found| found.is_file() && found.len() <= MAX_SETTINGS_BYTES);
    let text = if is_plain { fs::read_to_string(path).ok() } else { None };
    text.is_none_or(|text| {
        let text = text.to_ascii_lowercase();
        EXECUTING_SETTINGS.iter().any(|part| text.contains(part))
    })
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

/// Renames without replacing anything.
#[cfg(target_os = "linux")]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

#[cfg(not(target_os = "linux"))]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    if to.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)
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
