//! Writes chunks and their index segments in one transaction, then merges segments if due.

use forebay_store::{NewChunk, StoreError};
use rusqlite::Transaction;

use super::SqliteStore;
use super::inverted_index::{AssignedIds, Batch};

impl SqliteStore {
    /// Runs `work`, which writes these chunks, and indexes them; segments are built before the
    /// transaction.
    pub(super) fn write_indexed<T>(
        &self,
        chunks: &[&NewChunk],
        work: impl FnOnce(&Transaction<'_>, &mut AssignedIds) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.write_batch(Batch::new(chunks), chunks, work)
    }

    /// Like [`Self::write_indexed`], for chunks that can be indexed later: waits only briefly for
    /// other writers.
    pub(super) fn write_indexed_briefly<T>(
        &self,
        chunks: &[&NewChunk],
        work: impl FnOnce(&Transaction<'_>, &mut AssignedIds) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let batch = Batch::new(chunks);
        let (value, merge_budget) = self.pool.brief_transaction(|transaction| {
            let mut assigned = AssignedIds::default();
            let value = work(transaction, &mut assigned)?;
            Ok((value, batch.write(transaction, chunks, assigned)?))
        })?;
        if let Some(write_lock) = self.pool.try_write_lock() {
            self.merge_segments(&write_lock, merge_budget);
        }
        Ok(value)
    }

    /// Like [`Self::write_indexed`], with segments built by the caller.
    pub(super) fn write_batch<T>(
        &self,
        batch: Batch,
        chunks: &[&NewChunk],
        work: impl FnOnce(&Transaction<'_>, &mut AssignedIds) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let write_lock = self.pool.write_lock()?;
        let (value, merge_budget) = self.pool.transaction_locked(&write_lock, |transaction| {
            let mut assigned = AssignedIds::default();
            let value = work(transaction, &mut assigned)?;
            Ok((value, batch.write(transaction, chunks, assigned)?))
        })?;
        self.merge_segments(&write_lock, merge_budget);
        Ok(value)
    }

    /// Writes chunks, index segments of these and of chunks written before, and then what depends
    /// on them.
    pub(super) fn write_built<Written, T>(
        &self,
        batch: Batch,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<(Written, AssignedIds)>,
        then: impl FnOnce(&Transaction<'_>, Written) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let write_lock = self.pool.write_lock()?;
        let (value, merge_budget) = self.pool.transaction_locked(&write_lock, |transaction| {
            let (written, assigned) = write(transaction)?;
            let merge_budget = batch.write_with_ids(transaction, &assigned.into_ids())?;
            Ok((then(transaction, written)?, merge_budget))
        })?;
        self.merge_segments(&write_lock, merge_budget);
        Ok(value)
    }
}
