//! The files below a folder, as git sees them and as far as they may be read.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::UNIX_EPOCH;

use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::source_file::shown;
use crate::{App, AppError, rules};

/// More files than this are no project that fits a map.
const MOST_FILES: usize = 60_000;

/// A file that was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    /// Relative to the project.
    pub(crate) shown: String,
    /// Another for another content: made of the moment of change and the size.
    pub(crate) stamp: u64,
    pub(crate) bytes: u64,
}

/// All files that were found, in order of paths.
pub(crate) struct Walked {
    pub(crate) files: Vec<Found>,
    /// There are more than are looked at.
    pub(crate) is_cut: bool,
}

/// The files below a folder; hidden and ignored ones, links and denied ones are left out.
pub(crate) fn walk(app: &App, folder: &Path) -> Result<Walked, AppError> {
    let found = Mutex::new(Vec::new());
    let count = AtomicUsize::new(0);
    let walker = WalkBuilder::new(folder).require_git(false).build_parallel();
    walker.run(|| {
        Box::new(|entry| {
            let Some(file) = entry.ok().and_then(|entry| regular(app, &entry)) else {
                return WalkState::Continue;
            };
            if count.fetch_add(1, Ordering::Relaxed) >= MOST_FILES {
                return WalkState::Quit;
            }
            found.lock().unwrap_or_else(PoisonError::into_inner).push(file);
            WalkState::Continue
        })
    });
    let mut files = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    files.sort_by(|one, other| one.shown.cmp(&other.shown));
    let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
    let mut readable = rules::readable(app, &paths)?.into_iter();
    files.retain(|_| readable.next().unwrap_or(false));
    Ok(Walked { files, is_cut: count.load(Ordering::Relaxed) > MOST_FILES })
}

fn regular(app: &App, entry: &DirEntry) -> Option<Found> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let facts = entry.metadata().ok()?;
    let changed = facts.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let stamp = (changed.as_nanos() as u64).rotate_left(20) ^ facts.len();
    let path = entry.path().to_owned();
    Some(Found { shown: shown(app, &path), path, stamp, bytes: facts.len() })
}
