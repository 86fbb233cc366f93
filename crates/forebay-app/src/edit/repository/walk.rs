//! The files below a folder, as git sees them and as far as they may be read.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ignore::{DirEntry, WalkBuilder};

use crate::edit::source_file::shown;
use crate::ingest::walk;
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
    let walker = WalkBuilder::new(folder).require_git(false).build_parallel();
    let mut files = walk::find(walker, MOST_FILES, |entry| regular(app, &entry.ok()?));
    let is_cut = files.len() > MOST_FILES;
    files.truncate(MOST_FILES);
    files.sort_by(|one, other| one.shown.cmp(&other.shown));
    let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
    let mut readable = rules::readable(app, &paths)?.into_iter();
    files.retain(|_| readable.next().unwrap_or(false));
    Ok(Walked { files, is_cut })
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
