//! Writing what is searchable: passages and their words in one transaction, and merging what that made too many.

use forebay_store::{NewChunk, StoreError};
use rusqlite::Transaction;

use super::SqliteStore;
use super::inverted_index::{Batch, Placed};

impl SqliteStore {
    /// Runs what adds these passages; their words are put in order first, so that it is short.
    pub(super) fn writing_words<T>(
        &self,
        chunks: &[&NewChunk],
        work: impl FnOnce(&Transaction<'_>, &mut Placed) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.writing_batch(Batch::of(chunks), chunks, work)
    }

    /// The same with words that are in order.
    pub(super) fn writing_batch<T>(
        &self,
        words: Batch,
        chunks: &[&NewChunk],
        work: impl FnOnce(&Transaction<'_>, &mut Placed) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let turn = self.pool.take_turn()?;
        let (value, leave) = self.pool.in_turn(&turn, |transaction| {
            let mut placed = Placed::default();
            let value = work(transaction, &mut placed)?;
            Ok((value, words.write(transaction, chunks, placed)?))
        })?;
        self.merge_words(&turn, leave);
        Ok(value)
    }

    /// Writes passages, and with them the words of these and of others that were written before; then what needs them.
    pub(super) fn writing_gathered<Passages, T>(
        &self,
        words: Batch,
        passages: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<(Passages, Placed)>,
        then: impl FnOnce(&Transaction<'_>, Passages) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let turn = self.pool.take_turn()?;
        let (value, leave) = self.pool.in_turn(&turn, |transaction| {
            let (written, placed) = passages(transaction)?;
            let leave = words.write_as(transaction, &placed.into_ids())?;
            Ok((then(transaction, written)?, leave))
        })?;
        self.merge_words(&turn, leave);
        Ok(value)
    }
}
