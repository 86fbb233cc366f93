//! Merges segments of the inverted index after writes and in idle time.

use forebay_store::StoreError;
use rusqlite::Transaction;

use super::SqliteStore;
use super::connection::WriteLock;
use super::inverted_index::{self, MergeBudget, MergedSegment};

impl SqliteStore {
    /// Merges segments after a write, within the budget. A failure is logged only: the next write
    /// tries again, and the index is complete without the merge.
    pub(super) fn merge_segments(&self, write_lock: &WriteLock<'_>, budget: Option<MergeBudget>) {
        let Some(budget) = budget else { return };
        // Does not wait for other processes: the entry is stored, and its caller waits for the answer.
        let install = |merged: MergedSegment| {
            let install = |transaction: &Transaction<'_>| merged.install(transaction);
            Ok(self.pool.try_transaction_locked(write_lock, install)?.unwrap_or(false))
        };
        if let Err(error) = self.merge_all(write_lock, budget, install) {
            tracing::warn!(%error, "cannot merge index segments");
        }
    }

    /// Merges until nothing is due or another process has merged the same segments. Other processes
    /// can write in between.
    fn merge_all(
        &self,
        write_lock: &WriteLock<'_>,
        budget: MergeBudget,
        install: impl Fn(MergedSegment) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let next = || {
            self.pool.read_locked(write_lock, |connection| MergedSegment::next(connection, budget))
        };
        while let Some(merged) = next()? {
            if !install(merged)? {
                break;
            }
        }
        Ok(())
    }

    /// Merges segments and purges tombstones in idle time; skipped while another thread or process
    /// writes.
    pub(super) fn maintain_index(&self) -> Result<(), StoreError> {
        let Some(write_lock) = self.pool.try_write_lock() else { return Ok(()) };
        self.pool.try_transaction_locked(&write_lock, inverted_index::purge_many_tombstones)?;
        self.merge_all(&write_lock, MergeBudget::IDLE, |merged| {
            let install = |transaction: &Transaction<'_>| merged.install(transaction);
            Ok(self.pool.try_transaction_locked(&write_lock, install)?.unwrap_or(false))
        })
    }
}
