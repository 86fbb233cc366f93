//! A batch: the words of passages that are written in one transaction, put in order in memory.

use rusqlite::Transaction;

use super::Side;
use super::builder::Builder;
use super::draft::Draft;
use super::merge::{self, Leave};
use crate::passage::NewChunk;

/// The words of passages as they come.
#[derive(Default)]
pub(in super::super) struct Gathered {
    own: Builder,
    around: Builder,
    passages: usize,
}

impl Gathered {
    /// Takes the words of a passage, which has a number until it has an id.
    pub(in super::super) fn add(&mut self, passage: i64, chunk: &NewChunk) {
        self.own.add(passage, &chunk.title, &chunk.text);
        if !chunk.around.is_empty() {
            self.around.add(passage, "", &chunk.around);
        }
        self.passages += 1;
    }

    /// Gives passages that have come since this was last done their ids in place of their numbers.
    pub(in super::super) fn name_passages(&mut self, ids: &[i64]) {
        self.own.name_passages(ids);
        self.around.name_passages(ids);
    }

    /// Whether there is as much as a segment may have.
    pub(in super::super) fn are_enough(&self) -> bool {
        self.own.is_full() || self.around.is_full()
    }

    /// Puts in order what has come so far.
    pub(in super::super) fn close(&mut self) -> Batch {
        let Self { own, around, passages } = std::mem::take(self);
        let mut drafts = Vec::new();
        for (side, builder) in [(Side::Own, own), (Side::Around, around)] {
            if !builder.is_empty() {
                drafts.push((side, builder.close(side)));
            }
        }
        Batch { drafts, passages }
    }
}

/// The words of some passages, in order. It is made before the transaction, so that nobody waits for it.
pub(in super::super) struct Batch {
    drafts: Vec<(Side, Draft)>,
    passages: usize,
}

/// Which passages a transaction has written, in the order of their batch; none for those it has not.
#[derive(Debug, Default)]
pub(in super::super) struct Placed(Vec<Option<i64>>);

impl Placed {
    /// Those that were written.
    pub(in super::super) fn into_ids(self) -> Vec<i64> {
        self.0.into_iter().flatten().collect()
    }

    pub(in super::super) fn add(&mut self, passage: i64) {
        self.0.push(Some(passage));
    }

    pub(in super::super) fn skip(&mut self, passages: usize) {
        self.0.resize(self.0.len() + passages, None);
    }
}

impl Batch {
    pub(in super::super) fn of(chunks: &[&NewChunk]) -> Self {
        if chunks.is_empty() {
            return Self { drafts: Vec::new(), passages: 0 };
        }
        let mut gathered = Gathered::default();
        let mut drafts = Vec::new();
        for (number, chunk) in (0..).zip(chunks) {
            gathered.add(number, chunk);
            if gathered.are_enough() {
                drafts.extend(gathered.close().drafts);
            }
        }
        drafts.extend(gathered.close().drafts);
        Self { drafts, passages: chunks.len() }
    }

    /// Writes all of it, and merges what has become too many small segments; tells what may be merged then.
    pub(in super::super) fn write(
        self,
        transaction: &Transaction<'_>,
        chunks: &[&NewChunk],
        Placed(mut ids): Placed,
    ) -> rusqlite::Result<Option<Leave>> {
        ids.resize(chunks.len(), None);
        if ids.iter().any(Option::is_none) {
            // Another process was faster with some of them.
            let left: Vec<(&NewChunk, i64)> =
                chunks.iter().zip(ids).filter_map(|(chunk, id)| Some((*chunk, id?))).collect();
            let (chunks, ids): (Vec<&NewChunk>, Vec<i64>) = left.into_iter().unzip();
            return Self::of(&chunks).write_as(transaction, &ids);
        }
        self.write_as(transaction, &Placed(ids).into_ids())
    }

    /// The same of passages that have these ids, or had theirs before.
    pub(in super::super) fn write_as(
        self,
        transaction: &Transaction<'_>,
        ids: &[i64],
    ) -> rusqlite::Result<Option<Leave>> {
        let mut leave = None;
        for (side, mut draft) in self.drafts {
            draft.name_passages(ids);
            draft.write(transaction, side)?;
            leave = merge::after_write(transaction, side, self.passages)?.or(leave);
        }
        Ok(leave)
    }
}
