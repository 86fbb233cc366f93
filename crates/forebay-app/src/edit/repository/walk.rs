//! Lists the files below a folder that git does not ignore and rules do not deny.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ignore::{DirEntry, WalkBuilder};

use crate::edit::source_file::shown;
use crate::ingest::walk;
use crate::{App, AppError, rules};

/// Maximum number of files in a walk.
const MAX_FILES: usize = 60_000;

/// A file of the walk.
#[derive(Debug, Clone)]
pub(crate) struct WalkedFile {
    pub(crate) path: PathBuf,
    /// Relative to the project.
    pub(crate) shown: String,
    /// Changes with the content: derived from the modification time and the size.
    pub(crate) stamp: u64,
    pub(crate) bytes: u64,
}

/// The files of a walk, sorted by path.
pub(crate) struct WalkResult {
    pub(crate) files: Vec<WalkedFile>,
    /// Whether the walk stopped at the maximum.
    pub(crate) is_cut: bool,
}

/// Lists the files below a folder, without hidden, ignored, linked and denied ones.
pub(crate) fn walk(app: &App, folder: &Path) -> Result<WalkResult, AppError> {
    // Files are opened without following links.
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    walk::check_top(&folder)?;
    let walker =
        WalkBuilder::new(folder).require_git(false).filter_entry(walk::may_enter).build_parallel();
    let mut files = walk::find(walker, MAX_FILES, |entry| regular(app, &entry.ok()?));
    let is_cut = files.len() > MAX_FILES;
    files.truncate(MAX_FILES);
    files.sort_by(|one, other| one.shown.cmp(&other.shown));
    let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
    let mut readable = rules::readable(app, &paths)?.into_iter();
    files.retain(|_| readable.next().unwrap_or(false));
    Ok(WalkResult { files, is_cut })
}

fn regular(app: &App, entry: &DirEntry) -> Option<WalkedFile> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let facts = entry.metadata().ok()?;
    let changed = facts.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let stamp = (changed.as_nanos() as u64).rotate_left(20) ^ facts.len();
    let path = entry.path().to_owned();
    let shown = shown(app, &path);
    // No tool takes such a name, and in a list it would read as several lines.
    (!shown.contains(char::is_control)).then_some(WalkedFile {
        shown,
        path,
        stamp,
        bytes: facts.len(),
    })
}
