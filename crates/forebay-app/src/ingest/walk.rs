//! Parallel directory traversal.
//!
//! The parallel walker of `ignore` lists a folder before it looks for ignore files, so it does not probe for files
//! that do not exist, unlike the serial one.

use std::sync::{Mutex, PoisonError};

use ignore::{DirEntry, WalkParallel, WalkState};

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
