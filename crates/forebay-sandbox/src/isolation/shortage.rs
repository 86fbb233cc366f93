//! Shortages of the system. A lookup that fails for want of descriptors or memory says nothing about the path, so it ends
//! the run instead of leaving a gap in its isolation.

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

use rustix::io::Errno;

/// Whether the system is out of descriptors, memory, namespaces or mounts. Async-signal-safe.
pub(super) fn is_shortage(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::NOSPC | Errno::AGAIN)
    )
}

/// Turns an error that is no shortage into nothing.
pub(super) fn unless_shortage<T>(outcome: io::Result<T>) -> io::Result<Option<T>> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(error) if is_shortage(&error) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Lists a directory. One that is missing or unreadable is empty, since a run cannot list it either.
pub(super) fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let listed = fs::read_dir(folder).and_then(Iterator::collect);
    Ok(unless_shortage(listed)?.unwrap_or_default())
}
