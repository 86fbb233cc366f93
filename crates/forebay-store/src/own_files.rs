//! The files that tools never open: databases of Forebay.
//!
//! POSIX drops all locks of a process on a file when the process closes any descriptor of it. A tool that reads a
//! database as if it were a text would take SQLite's locks away, so tools ask here before they open a file. The open
//! databases are known by inode, so that links are recognised; all others by their place in the data folder, because
//! another thread may open one while a tool reads it.

use std::collections::{BTreeSet, HashMap};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use crate::home;

/// Device and inode, so that links are recognised.
type FileId = (u64, u64);

/// How often each file is open.
static OPEN: RwLock<Option<HashMap<FileId, usize>>> = RwLock::new(None);

/// Data folders of this process, without links.
static DATA_FOLDERS: RwLock<BTreeSet<PathBuf>> = RwLock::new(BTreeSet::new());

/// The databases below this folder belong to Forebay from now on.
pub fn add_data_folder(folder: &Path) {
    let mut folders = DATA_FOLDERS.write().unwrap_or_else(PoisonError::into_inner);
    folders.insert(without_links(folder));
}

/// Files that count as open until this is dropped.
#[derive(Debug)]
pub struct OwnFiles(Vec<FileId>);

impl OwnFiles {
    /// Counts these files as open, as far as they exist.
    pub fn add(paths: &[PathBuf]) -> Self {
        let ids = paths.iter().filter_map(|path| std::fs::metadata(path).ok());
        let ids: Vec<FileId> = ids.map(|metadata| id(&metadata)).collect();
        let mut open = OPEN.write().unwrap_or_else(PoisonError::into_inner);
        let open = open.get_or_insert_default();
        for id in &ids {
            *open.entry(*id).or_default() += 1;
        }
        Self(ids)
    }
}

impl Drop for OwnFiles {
    fn drop(&mut self) {
        let mut open = OPEN.write().unwrap_or_else(PoisonError::into_inner);
        let open = open.get_or_insert_default();
        for id in &self.0 {
            if let Some(count) = open.get_mut(id) {
                *count -= 1;
                if *count == 0 {
                    open.remove(id);
                }
            }
        }
    }
}

/// Whether a path leads to a database of Forebay, its log or its lock.
pub fn contains_path(path: &Path) -> bool {
    is_in_data_folder(path) || std::fs::metadata(path).is_ok_and(|metadata| is_open(&metadata))
}

fn is_open(metadata: &Metadata) -> bool {
    let open = OPEN.read().unwrap_or_else(PoisonError::into_inner);
    open.as_ref().is_some_and(|open| open.contains_key(&id(metadata)))
}

/// Only names of databases are resolved: the data folder may contain other folders of the user.
fn is_in_data_folder(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    if !name.starts_with(home::DATABASE_STEM.as_bytes()) {
        return false;
    }
    let path = without_links(path);
    let folders = DATA_FOLDERS.read().unwrap_or_else(PoisonError::into_inner);
    folders.iter().any(|folder| path.starts_with(folder))
}

/// Resolves the links of the longest part of a path that exists.
fn without_links(path: &Path) -> PathBuf {
    let resolve = |ancestor: &Path| {
        let rest = path.strip_prefix(ancestor).ok()?;
        Some(ancestor.canonicalize().ok()?.join(rest))
    };
    path.ancestors().find_map(resolve).unwrap_or_else(|| path.to_owned())
}

fn id(metadata: &Metadata) -> FileId {
    (metadata.dev(), metadata.ino())
}
