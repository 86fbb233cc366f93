//! The database files that this process has open.
//!
//! POSIX drops all locks of a process on a file when the process closes any descriptor of it. A tool that reads a
//! database as if it were a text would take SQLite's locks away, so tools ask here before they open a file.

use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// Device and inode, so that links are recognised.
type FileId = (u64, u64);

/// How often each file is open.
static OPEN: RwLock<Option<HashMap<FileId, usize>>> = RwLock::new(None);

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

/// Whether a file is a database that this process has open.
pub fn contains(metadata: &Metadata) -> bool {
    let open = OPEN.read().unwrap_or_else(PoisonError::into_inner);
    open.as_ref().is_some_and(|open| open.contains_key(&id(metadata)))
}

/// Like [`contains`], for the file that a path leads to.
pub fn contains_path(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| contains(&metadata))
}

fn id(metadata: &Metadata) -> FileId {
    (metadata.dev(), metadata.ino())
}
