//! Merging segments of words when they have become too many, in the turn of whoever wrote the last of them.

use forebay_store::StoreError;
use rusqlite::Transaction;

use super::SqliteStore;
use super::connection::Turn;
use super::inverted_index::{self, Leave, Merged};

impl SqliteStore {
    /// Merges segments of words after they were written, as far as there is leave to. What fails here is tried again
    /// with the next write: what was written is found in any case.
    pub(super) fn merge_words(&self, turn: &Turn<'_>, leave: Option<Leave>) {
        let Some(leave) = leave else { return };
        let put = |merged: Merged| {
            self.pool.in_turn(turn, |transaction| merged.put_in_place(transaction))
        };
        if let Err(error) = self.merge_each(turn, leave, put) {
            tracing::warn!(%error, "words are not merged yet");
        }
    }

    /// Merges what there is leave to, until nothing is left or another was faster. Other processes write meanwhile.
    fn merge_each(
        &self,
        turn: &Turn<'_>,
        leave: Leave,
        put: impl Fn(Merged) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let next = || self.pool.read_in_turn(turn, |connection| Merged::next(connection, leave));
        while let Some(merged) = next()? {
            if !put(merged)? {
                break;
            }
        }
        Ok(())
    }

    /// Does what keeps the index over words quick; not where somebody else writes, for nobody waits for it.
    pub(super) fn tidy_words(&self) -> Result<(), StoreError> {
        let Some(turn) = self.pool.turn_unless_taken() else { return Ok(()) };
        self.pool.in_turn_unless_busy(&turn, inverted_index::leave_out_many_gone)?;
        self.merge_each(&turn, Leave::IDLE, |merged| {
            let put = |transaction: &Transaction<'_>| merged.put_in_place(transaction);
            Ok(self.pool.in_turn_unless_busy(&turn, put)?.unwrap_or(false))
        })
    }
}
