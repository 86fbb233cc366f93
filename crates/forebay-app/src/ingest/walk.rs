//! Walking through folders with all processors.
//!
//! Unlike the plain walker of `ignore` the parallel one lists a folder first, and so need not ask for rules that are
//! not there.

use std::sync::{Mutex, PoisonError};

use ignore::{DirEntry, WalkParallel, WalkState};

/// What `judge` finds, in no order; more than `most` are found where there are more, and then it goes no further.
pub(crate) fn find<Found: Send>(
    walker: WalkParallel,
    most: usize,
    judge: impl Fn(Result<DirEntry, ignore::Error>) -> Option<Found> + Sync,
) -> Vec<Found> {
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
