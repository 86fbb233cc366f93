//! Parallel directory traversal.
//!
//! The parallel walker of `ignore` lists a folder before it looks for ignore files, so it does not probe for files
//! that do not exist, unlike the serial one.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use forebay_store::{control_file, regular_file};
use ignore::{DirEntry, WalkParallel, WalkState};

use crate::AppError;

/// Files that tell the walker what to leave out; it opens them itself.
const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore"];
const MAX_IGNORE_BYTES: u64 = 1024 * 1024;

/// Whether the walker may look at an entry: any file, and folders with harmless ignore files.
pub(crate) fn may_enter(entry: &DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    !is_folder || is_walkable(entry.path())
}

/// Whether a folder can be walked: a pipe or a device in place of an ignore file would hang the walker.
fn is_walkable(folder: &Path) -> bool {
    IGNORE_FILES.iter().all(|name| is_harmless(&folder.join(name)))
        && is_git_harmless(&folder.join(".git"))
}

/// The same for the ignore file of the git folder, which a file `.git` may name.
fn is_git_harmless(dot_git: &Path) -> bool {
    match fs::metadata(dot_git) {
        Err(_) => true,
        Ok(found) if found.is_dir() => is_harmless(&exclude_file(dot_git)),
        Ok(_) => is_pointer_harmless(dot_git),
    }
}

/// Follows a file `.git` as the walker does: relative to the working directory, and to the common folder only.
fn is_pointer_harmless(dot_git: &Path) -> bool {
    let Ok(pointer) = control_file::read(dot_git) else { return false };
    let pointer = pointer.unwrap_or_default();
    let Some(named) = pointer.lines().next().and_then(|line| line.strip_prefix("gitdir: ")) else {
        return true;
    };
    let named = Path::new(named);
    match control_file::read(&named.join("commondir")) {
        Err(_) => false,
        Ok(common) => common.unwrap_or_default().lines().next().is_none_or(|common| {
            is_harmless(&exclude_file(Path::new(common)))
                && is_harmless(&exclude_file(&named.join(common)))
        }),
    }
}

fn exclude_file(git_folder: &Path) -> PathBuf {
    git_folder.join("info/exclude")
}

fn is_harmless(path: &Path) -> bool {
    match fs::metadata(path) {
        Err(_) => true,
        Ok(found) if found.is_dir() => true,
        // Files of `/proc` are said to be empty, and some never end.
        Ok(found) if found.is_file() && found.len() == 0 => regular_file::is_empty(path)
            .unwrap_or_else(|error| error.kind() == ErrorKind::PermissionDenied),
        Ok(found) => found.is_file() && found.len() <= MAX_IGNORE_BYTES,
    }
}

/// Refuses the top of a walk, whose ignore files and those above it are read first.
pub(crate) fn check_top(folder: &Path) -> Result<(), AppError> {
    let top = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    match top.ancestors().find(|folder| !is_walkable(folder)) {
        None => Ok(()),
        Some(folder) => Err(AppError::bad_input(
            format!("an ignore file in {} is not a regular file of at most 1 MB", folder.display()),
            "remove or fix .gitignore, .ignore or .git there",
        )),
    }
}

/// Collects what `judge` returns, unordered; stops once more than `most` are found.
pub(crate) fn find<T: Send>(
    walker: WalkParallel,
    most: usize,
    judge: impl Fn(Result<DirEntry, ignore::Error>) -> Option<T> + Sync,
) -> Vec<T> {
    let found = Mutex::new(Vec::new());
    walker.run(|| {
        Box::new(|entry| {
            let Some(one) = judge(entry) else { return WalkState::Continue };
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.push(one);
            if found.len() > most { WalkState::Quit } else { WalkState::Continue }
        })
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}
