//! Small entries that arrive at once are written in one transaction: each for itself would write the same pages again,
//! and leave a segment of words that is soon merged with the others.
//!
//! Whoever finds nobody who writes for all does so; who comes meanwhile waits for the next turn. An entry is told as
//! written when its transaction is committed, never before.

use std::fmt;
use std::sync::Arc;

use forebay_domain::Entry;
use forebay_store::blob::writer::{BlobSummary, BlobWriter, EntryOrigin};
use forebay_store::busy_timeout;
use forebay_store::{NewChunk, NewEntry, StoreError};
use parking_lot::{Condvar, Mutex};
use rusqlite::Transaction;

use super::inverted_index::{Batch, Placed};
use super::{SqliteStore, entries};

/// Entries that are written in one transaction; more would keep others waiting.
const MOST_TOGETHER: usize = 64;
/// What is larger is written alone: its words are put in order before its turn comes.
const MOST_CHUNKS: usize = 8;
const MOST_PARTS: usize = 1;

/// Entries that wait to be written.
#[derive(Debug, Default)]
pub(super) struct Joining {
    queue: Mutex<Queue>,
    some_are_written: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Arc<Arrived>>,
    /// Somebody writes for all, or is about to.
    is_led: bool,
}

/// An entry that arrived whole, and what became of it.
pub(super) struct Arrived {
    incoming: BlobWriter,
    whole: BlobSummary,
    new: NewEntry,
    outcome: Mutex<Outcome>,
}

enum Outcome {
    Waits,
    Written(Box<Entry>),
    /// It was to be written with others and one of them failed; whose fault it was is seen when each is written alone.
    Failed,
}

/// Whether an entry is small enough to be written with others.
pub(super) fn is_small(incoming: &BlobWriter) -> bool {
    incoming.chunks.len() <= MOST_CHUNKS && incoming.parts.len() <= MOST_PARTS
}

impl Arrived {
    pub(super) fn new(incoming: BlobWriter, whole: BlobSummary, new: NewEntry) -> Arc<Self> {
        Arc::new(Self { incoming, whole, new, outcome: Mutex::new(Outcome::Waits) })
    }

    fn chunks(&self) -> impl Iterator<Item = &NewChunk> {
        self.incoming.chunks.iter()
    }

    fn write(&self, transaction: &Transaction<'_>, placed: &mut Placed) -> rusqlite::Result<Entry> {
        let content = self.incoming.left_of(self.whole);
        entries::complete(transaction, None, &content, &self.new, EntryOrigin::Created, placed)
    }

    fn is_waiting(&self) -> bool {
        matches!(*self.outcome.lock(), Outcome::Waits)
    }

    /// The entry, if it was written.
    fn written(&self) -> Option<Entry> {
        match std::mem::replace(&mut *self.outcome.lock(), Outcome::Failed) {
            Outcome::Written(entry) => Some(*entry),
            Outcome::Waits | Outcome::Failed => None,
        }
    }
}

impl fmt::Debug for Arrived {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Arrived").field("title", &self.new.title).finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// Writes an entry, with others that arrive at the same time where that is possible.
    pub(super) fn write_arrived(&self, own: &Arc<Arrived>) -> Result<Entry, StoreError> {
        if let Some(lead) = self.joining.enter(own) {
            self.write_together(lead);
        }
        match own.written() {
            Some(entry) => Ok(entry),
            None => self.write_alone(own),
        }
    }

    fn write_alone(&self, own: &Arrived) -> Result<Entry, StoreError> {
        let chunks: Vec<&NewChunk> = own.chunks().collect();
        self.writing_words(&chunks, |transaction, placed| own.write(transaction, placed))
    }

    /// Writes all who wait when the turn comes. Where that fails each of them tries alone, and tells why.
    fn write_together(&self, mut lead: Lead<'_>) {
        let Ok(turn) = self.pool.take_turn() else { return };
        lead.take_others();
        let chunks: Vec<&NewChunk> = lead.taken.iter().flat_map(|one| one.chunks()).collect();
        let words = Batch::of(&chunks);
        let written = self.pool.in_turn(&turn, |transaction| {
            let mut placed = Placed::default();
            let each = lead.taken.iter().map(|one| one.write(transaction, &mut placed));
            let entries = each.collect::<rusqlite::Result<Vec<_>>>()?;
            Ok((entries, words.write(transaction, &chunks, placed)?))
        });
        match written {
            Ok((entries, leave)) => {
                lead.tell(entries);
                drop(lead);
                self.merge_words(&turn, leave);
            }
            Err(error) => {
                tracing::debug!(%error, entries = lead.taken.len(), "each is written alone");
            }
        }
    }
}

impl Joining {
    /// Waits until an entry is written by another, or could not be; or until it is its own turn to lead.
    fn enter(&self, own: &Arc<Arrived>) -> Option<Lead<'_>> {
        let mut queue = self.queue.lock();
        queue.waiting.push(Arc::clone(own));
        while queue.is_led {
            let has_waited_long =
                self.some_are_written.wait_for(&mut queue, busy_timeout()).timed_out();
            if !own.is_waiting() {
                return None;
            }
            // Whoever leads waits for another process; so does who tries alone, and tells it.
            if has_waited_long && queue.leave(own) {
                return None;
            }
        }
        queue.is_led = true;
        queue.leave(own);
        Some(Lead { joining: self, taken: vec![Arc::clone(own)] })
    }
}

impl Queue {
    /// Whether it was still waiting, and does so no longer.
    fn leave(&mut self, own: &Arc<Arrived>) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|other| !Arc::ptr_eq(other, own));
        self.waiting.len() < before
    }
}

/// The right to write for all who wait, its owner first. However it ends, nobody waits for ever.
struct Lead<'a> {
    joining: &'a Joining,
    taken: Vec<Arc<Arrived>>,
}

impl Lead<'_> {
    fn take_others(&mut self) {
        let mut queue = self.joining.queue.lock();
        let most = queue.waiting.len().min(MOST_TOGETHER);
        self.taken.extend(queue.waiting.drain(..most));
    }

    fn tell(&self, entries: Vec<Entry>) {
        for (one, entry) in self.taken.iter().zip(entries) {
            *one.outcome.lock() = Outcome::Written(Box::new(entry));
        }
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        for one in self.taken.iter().filter(|one| one.is_waiting()) {
            *one.outcome.lock() = Outcome::Failed;
        }
        self.joining.queue.lock().is_led = false;
        self.joining.some_are_written.notify_all();
    }
}
