//! Batches on their way into the store: while one is written, the next is made ready.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Scope;

use forebay_store::{Import, ImportStep};

use crate::AppError;
use crate::stores::registry::SharedStore;

/// Batches that are in work at once. Compressing a batch takes as long as writing it.
const WORKERS: usize = 2;

/// What was read of a transcript, and how far.
pub(super) struct Batch {
    /// Its place among the batches of the transcript.
    pub(super) number: usize,
    pub(super) entries: Vec<Import>,
    pub(super) step: ImportStep,
}

/// Workers that store batches in their order, until there are no more.
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
    while let Some(Batch { number, entries, step }) = next() {
        let turn = Turn { turns, number };
        // Another process that imports the same transcript has been here; it will do the rest.
        if !store.import_ordered(&entries, &step, &|| turn.wait())? {
            break;
        }
    }
    Ok(())
}

/// Whose batch is written.
#[derive(Default)]
struct Turns {
    next: Mutex<usize>,
    changed: Condvar,
}

/// The turn of one batch. It passes on also where the batch came to nothing: those after it then see that the
/// transcript is not read so far, and store nothing.
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
        "storing was interrupted",
        Some("import again: it goes on where it ended"),
    )
}
