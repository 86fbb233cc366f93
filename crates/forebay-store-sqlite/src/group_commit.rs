//! Group commit: small entries that arrive concurrently share one transaction.
//!
//! Committed separately, they would rewrite the same pages and leave many tiny index segments. The
//! first entry to arrive leads a group; entries that arrive in the meantime wait for the next one.
//! A caller returns only after its transaction is committed.

use std::fmt;
use std::sync::Arc;

use forebay_domain::Entry;
use forebay_store::blob::writer::{BlobSummary, BlobWriter, EntryOrigin};
use forebay_store::busy_timeout;
use forebay_store::{NewChunk, NewEntry, StoreError};
use parking_lot::{Condvar, Mutex};
use rusqlite::Transaction;

use super::inverted_index::{AssignedIds, Batch};
use super::{SqliteStore, entries};

/// Maximum number of entries per transaction; bounds the wait of others.
const MAX_GROUP: usize = 64;
/// Larger entries are committed alone, indexed before they take the write lock.
const MAX_CHUNKS: usize = 8;
const MAX_PARTS: usize = 1;

/// Entries waiting for a commit.
#[derive(Debug, Default)]
pub(super) struct GroupCommit {
    state: Mutex<State>,
    committed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    queue: Vec<Arc<PendingEntry>>,
    /// A leader is committing a group, or about to.
    has_leader: bool,
}

/// A complete entry waiting for its commit, with the outcome.
pub(super) struct PendingEntry {
    blob: BlobWriter,
    summary: BlobSummary,
    new: NewEntry,
    outcome: Mutex<Outcome>,
}

enum Outcome {
    Pending,
    Written(Box<Entry>),
    /// The group failed; each entry is committed alone to find out which one is at fault.
    Failed,
    /// Another process held the write lock too long; waiting once more would double the time.
    Locked,
}

/// Returns whether an entry is small enough for a group.
pub(super) fn is_small(blob: &BlobWriter) -> bool {
    blob.chunks.len() <= MAX_CHUNKS && blob.parts.len() <= MAX_PARTS
}

impl PendingEntry {
    pub(super) fn new(blob: BlobWriter, summary: BlobSummary, new: NewEntry) -> Arc<Self> {
        Arc::new(Self { blob, summary, new, outcome: Mutex::new(Outcome::Pending) })
    }

    fn chunks(&self) -> impl Iterator<Item = &NewChunk> {
        self.blob.chunks.iter()
    }

    fn write(
        &self,
        transaction: &Transaction<'_>,
        assigned: &mut AssignedIds,
    ) -> rusqlite::Result<Entry> {
        let content = self.blob.unwritten(self.summary);
        entries::complete(transaction, None, &content, &self.new, EntryOrigin::Created, assigned)
    }

    fn is_waiting(&self) -> bool {
        matches!(*self.outcome.lock(), Outcome::Pending)
    }

    fn take_outcome(&self) -> Outcome {
        std::mem::replace(&mut *self.outcome.lock(), Outcome::Failed)
    }
}

impl fmt::Debug for PendingEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PendingEntry")
            .field("title", &self.new.title)
            .finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// Commits an entry, in a group if others arrive concurrently.
    pub(super) fn commit(&self, entry: &Arc<PendingEntry>) -> Result<Entry, StoreError> {
        if let Some(leader) = self.group_commit.enter(entry) {
            self.commit_group(leader);
        }
        match entry.take_outcome() {
            Outcome::Written(entry) => Ok(*entry),
            Outcome::Locked => Err(StoreError::Locked(self.path().to_owned())),
            Outcome::Pending | Outcome::Failed => self.commit_alone(entry),
        }
    }

    fn commit_alone(&self, entry: &PendingEntry) -> Result<Entry, StoreError> {
        let chunks: Vec<&NewChunk> = entry.chunks().collect();
        self.write_indexed(&chunks, |transaction, assigned| entry.write(transaction, assigned))
    }

    /// Commits all waiting entries once it has the write lock. If that fails, each caller commits
    /// its entry alone and reports the error.
    fn commit_group(&self, mut leader: Leader<'_>) {
        let Ok(write_lock) = self.pool.write_lock() else { return leader.give_up() };
        leader.collect_group();
        let chunks: Vec<&NewChunk> = leader.group.iter().flat_map(|entry| entry.chunks()).collect();
        let batch = Batch::new(&chunks);
        let written = self.pool.transaction_locked(&write_lock, |transaction| {
            let mut assigned = AssignedIds::default();
            let each = leader.group.iter().map(|entry| entry.write(transaction, &mut assigned));
            let entries = each.collect::<rusqlite::Result<Vec<_>>>()?;
            Ok((entries, batch.write(transaction, &chunks, assigned)?))
        });
        match written {
            Ok((entries, merge_budget)) => {
                leader.complete(entries);
                drop(leader);
                self.merge_segments(&write_lock, merge_budget);
            }
            Err(StoreError::Locked(_)) => leader.give_up(),
            Err(error) => {
                tracing::debug!(%error, entries = leader.group.len(), "group commit failed; committing each entry alone");
            }
        }
    }
}

impl GroupCommit {
    /// Waits until a leader has committed the entry or failed; returns a leader if there is none.
    fn enter(&self, entry: &Arc<PendingEntry>) -> Option<Leader<'_>> {
        let mut state = self.state.lock();
        state.queue.push(Arc::clone(entry));
        while state.has_leader {
            let timed_out = self.committed.wait_for(&mut state, busy_timeout()).timed_out();
            if !entry.is_waiting() {
                return None;
            }
            // The leader waits for another process; a commit alone would wait as well.
            if timed_out && state.remove(entry) {
                *entry.outcome.lock() = Outcome::Locked;
                return None;
            }
        }
        state.has_leader = true;
        state.remove(entry);
        Some(Leader { group_commit: self, group: vec![Arc::clone(entry)] })
    }
}

impl State {
    /// Removes an entry from the queue; returns whether it was there.
    fn remove(&mut self, entry: &Arc<PendingEntry>) -> bool {
        let before = self.queue.len();
        self.queue.retain(|other| !Arc::ptr_eq(other, entry));
        self.queue.len() < before
    }
}

/// Commits a group, its own entry first. Dropping it wakes all waiting callers, whatever the
/// outcome.
struct Leader<'a> {
    group_commit: &'a GroupCommit,
    group: Vec<Arc<PendingEntry>>,
}

impl Leader<'_> {
    fn collect_group(&mut self) {
        let mut state = self.group_commit.state.lock();
        let size = state.queue.len().min(MAX_GROUP);
        self.group.extend(state.queue.drain(..size));
    }

    fn give_up(&self) {
        for pending in &self.group {
            *pending.outcome.lock() = Outcome::Locked;
        }
    }

    fn complete(&self, entries: Vec<Entry>) {
        for (pending, entry) in self.group.iter().zip(entries) {
            *pending.outcome.lock() = Outcome::Written(Box::new(entry));
        }
    }
}

impl Drop for Leader<'_> {
    fn drop(&mut self) {
        for entry in self.group.iter().filter(|entry| entry.is_waiting()) {
            *entry.outcome.lock() = Outcome::Failed;
        }
        self.group_commit.state.lock().has_leader = false;
        self.group_commit.committed.notify_all();
    }
}
