//! Whether files were written or replaced meanwhile, by their inodes and times of change.
//!
//! The content does not tell: what a run writes may be set back, and a file may be put in the place of an equal one. The
//! time of a change cannot be set.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The inode of a file and when it was changed.
pub(super) type FileState = (u64, i64, i64);

/// In folders with more, changes of the others go unnoticed.
const MAX_FILES: usize = 1024;

pub(super) fn file_state(path: &Path) -> Option<FileState> {
    let found = path.symlink_metadata().ok()?;
    Some((found.ino(), found.ctime(), found.ctime_nsec()))
}

/// The states of a file and of what a link leads to, or of what is in a folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stamp(Vec<(PathBuf, Option<FileState>)>);

impl Stamp {
    pub(super) fn new(path: &Path) -> Self {
        let mut states = vec![(path.to_owned(), file_state(path))];
        let target = path.canonicalize().ok();
        let mut unread: Vec<PathBuf> = target.into_iter().collect();
        while let Some(file) = unread.pop() {
            if states.len() == MAX_FILES {
                break;
            }
            states.push((file.clone(), file_state(&file)));
            unread.extend(sorted_entries(&file));
        }
        Self(states)
    }
}

/// What is in a folder, if it is one and no link to one.
fn sorted_entries(folder: &Path) -> Vec<PathBuf> {
    let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    let entries = is_folder.then(|| fs::read_dir(folder).ok()).flatten();
    let mut paths: Vec<PathBuf> =
        entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn notices_what_the_content_does_not_tell() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::create_dir_all(path("folder/inner")).unwrap();
        fs::write(path("folder/inner/file"), "same").unwrap();
        fs::write(path("other"), "same").unwrap();
        symlink("folder/inner/file", path("link")).unwrap();
        symlink("nowhere", path("dangling")).unwrap();
        symlink("../folder", path("folder/circle")).unwrap();
        let names = ["folder", "link", "other", "dangling", "missing"];
        let stamps = || names.map(|name| Stamp::new(&path(name)));
        let before = stamps();
        assert_eq!(before, stamps());
        fs::rename(path("other"), path("folder/inner/file")).unwrap();
        fs::write(path("other"), "same").unwrap();
        let is_changed: Vec<bool> =
            before.iter().zip(stamps()).map(|(before, after)| *before != after).collect();
        assert_eq!(is_changed, [true, true, true, false, false]);
    }
}
