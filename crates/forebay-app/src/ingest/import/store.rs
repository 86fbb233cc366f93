//! Stores batches in order: while one is written, the next is prepared.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Scope;

use forebay_store::{Import, ImportStep};

use crate::AppError;
use crate::ledger::Collected;
use crate::stores::registry::SharedStore;

/// Batches in progress. Compressing a batch takes as long as writing it.
const WORKERS: usize = 2;

/// Part of a transcript, and its end position.
pub(super) struct Batch {
    /// Its index among the batches of the transcript.
    pub(super) number: usize,
    pub(super) entries: Vec<Import>,
    pub(super) requests: Collected,
    pub(super) step: ImportStep,
}

/// Workers that store batches in order.
pub(super) struct Workers<'scope>(Vec<std::thread::ScopedJoinHandle<'scope, Result<(), AppError>>>);

impl<'scope> Workers<'scope> {
    pub(super) fn start<'env>(
        scope: &'scope Scope<'scope, 'env>,
        store: &SharedStore,
        batches: Receiver<Batch>,
    ) -> Self {
        let shared = Arc::new((Mutex::new(batches), Turns::default()));
        let worker = |_| {
            let (store, shared) = (Arc::clone(store), Arc::clone(&shared));
            scope.spawn(move || store_batches(&store, &shared.0, &shared.1))
        };
        Self((0..WORKERS).map(worker).collect())
    }

    pub(super) fn join(self) -> Result<(), AppError> {
        let ends =
            self.0.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Err(interrupted())));
        ends.fold(Ok(()), Result::and)
    }
}

fn store_batches(
    store: &SharedStore,
    batches: &Mutex<Receiver<Batch>>,
    turns: &Turns,
) -> Result<(), AppError> {
    let next = || batches.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
    while let Some(Batch { number, entries, requests, step }) = next() {
        let turn = Turn { turns, number };
        requests.record(&**store)?;
        // Another process is importing the same transcript and will finish it.
        if !store.import_ordered(&entries, &step, &|| turn.wait())? {
            break;
        }
    }
    Ok(())
}

/// The index of the batch to write next.
#[derive(Default)]
struct Turns {
    next: Mutex<usize>,
    changed: Condvar,
}

/// The turn of one batch. It also passes on if the batch failed: the batches after it then do not match the
/// stored position, and store nothing.
struct Turn<'a> {
    turns: &'a Turns,
    number: usize,
}

impl Turn<'_> {
    fn wait(&self) {
        let next = self.turns.next.lock().unwrap_or_else(PoisonError::into_inner);
        let is_early = |next: &mut usize| *next < self.number;
        drop(self.turns.changed.wait_while(next, is_early));
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut next = self.turns.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = (*next).max(self.number + 1);
        self.turns.changed.notify_all();
    }
}

fn interrupted() -> AppError {
    AppError::unavailable(
        "a storing thread panicked",
        Some("import again: it continues where it stopped"),
    )
}
