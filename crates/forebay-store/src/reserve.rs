//! Disk space set aside beside a store, so that a purge has space to work with when the disk is full.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, fallocate};

/// Enough for the log's index and for the log of a transaction that deletes a few entries.
const RESERVE_BYTES: u64 = 1 << 20;

/// The reserve of a store is free while this exists; it is set aside again when this is dropped.
#[derive(Debug)]
pub struct Released(PathBuf);

impl Released {
    /// Frees the reserve of a store, if it has one.
    pub fn free(store: &Path) -> Option<Self> {
        fs::remove_file(file_beside(store)).ok().map(|()| Self(store.to_owned()))
    }
}

impl Drop for Released {
    fn drop(&mut self) {
        set_aside(&self.0);
    }
}

/// Sets space aside for a store. Nothing depends on it while the disk has space.
pub fn set_aside(store: &Path) {
    let file = file_beside(store);
    // It fails where there is one already.
    let Ok(created) = create_private(&file) else { return };
    if fallocate(created, FallocateFlags::empty(), 0, RESERVE_BYTES).is_err() {
        let _ = fs::remove_file(file);
    }
}

fn create_private(path: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).mode(0o600).open(path)
}

fn file_beside(store: &Path) -> PathBuf {
    store.with_extension("reserve")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn a_reserve_takes_space_until_it_is_released() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store.db");
        let file = folder.path().join("store.reserve");
        assert!(Released::free(&store).is_none());
        set_aside(&store);
        let allocated = fs::metadata(&file).unwrap().blocks() * 512;
        assert!(allocated >= RESERVE_BYTES, "{allocated}");
        let released = Released::free(&store).unwrap();
        assert!(!file.exists());
        drop(released);
        assert!(file.exists());
    }
}
