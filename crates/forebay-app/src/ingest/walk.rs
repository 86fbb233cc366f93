//! Parallel directory traversal.
//!
//! The parallel walker of `ignore` lists a folder before it looks for ignore files, so it does not probe for files
//! that do not exist, unlike the serial one.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ignore::{DirEntry, WalkParallel, WalkState};

use crate::AppError;

/// Files that tell the walker what to leave out; it opens them itself.
const IGNORE_FILES: &[&str] =
    &[".gitignore", ".ignore", ".git", ".git/info/exclude", ".git/commondir"];
const MAX_IGNORE_BYTES: u64 = 1024 * 1024;

/// Whether a folder can be walked: a pipe or a device in place of an ignore file would hang the walker.
pub(crate) fn is_walkable(folder: &Path) -> bool {
    IGNORE_FILES.iter().all(|name| {
        let found = fs::metadata(folder.join(name)).ok();
        found.is_none_or(|found| found.is_dir() || is_small_file(&found))
    })
}

fn is_small_file(found: &fs::Metadata) -> bool {
    found.is_file() && found.len() <= MAX_IGNORE_BYTES
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
