//! A batch: the words of passages that are written in one transaction, put in order in memory.

use forebay_store::NewChunk;
use rusqlite::Transaction;

use super::Side;
use super::builder::Builder;
use super::encoded_segment::Draft;
use super::merge::{self, Leave};

/// The words of passages as they come. Memory is bounded: what makes a segment is put in order at once.
#[derive(Default)]
pub(in super::super) struct Gathered {
    /// Of each side the segment in the making; there is none before its first word comes, for it takes much memory.
    open: [Option<Builder>; Side::ALL.len()],
    full: Vec<(Side, Draft)>,
}

impl Gathered {
    /// Takes the words of a passage, which has a number until it has an id.
    pub(in super::super) fn add(&mut self, passage: i64, chunk: &NewChunk) {
        let [own, around] = &mut self.open;
        own.get_or_insert_default().add(passage, &chunk.title, &chunk.text);
        if !chunk.around.is_empty() {
            around.get_or_insert_default().add(passage, "", &chunk.around);
        }
        self.close_those(Builder::is_full);
    }

    /// Gives passages that have come since this was last done their ids in place of their numbers.
    pub(in super::super) fn name_passages(&mut self, ids: &[i64]) {
        self.open.iter_mut().flatten().for_each(|builder| builder.name_passages(ids));
        self.full.iter_mut().for_each(|(_, draft)| draft.name_passages(ids));
    }

    /// What makes whole segments, if there is any; the rest goes on.
    pub(in super::super) fn take_full(&mut self) -> Option<Batch> {
        let drafts = std::mem::take(&mut self.full);
        (!drafts.is_empty()).then_some(Batch { drafts })
    }

    /// All that has come so far.
    pub(in super::super) fn close(&mut self) -> Batch {
        self.close_those(|_| true);
        Batch { drafts: std::mem::take(&mut self.full) }
    }

    fn close_those(&mut self, are_due: impl Fn(&Builder) -> bool) {
        for (side, open) in Side::ALL.into_iter().zip(&mut self.open) {
            if let Some(builder) = open.take_if(|builder| are_due(builder)) {
                self.full.push((side, builder.close(side)));
            }
        }
    }
}

/// The words of some passages, in order. It is made before the transaction, so that nobody waits for it.
pub(in super::super) struct Batch {
    drafts: Vec<(Side, Draft)>,
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
        let mut gathered = Gathered::default();
        for (number, chunk) in (0..).zip(chunks) {
            gathered.add(number, chunk);
        }
        gathered.close()
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
        let own = self.drafts.iter().filter(|(side, _)| *side == Side::Own);
        let passages = own.map(|(_, draft)| draft.passages()).sum();
        let mut leave = None;
        for (side, mut draft) in self.drafts {
            draft.name_passages(ids);
            draft.write(transaction, side)?;
            leave = merge::after_write(transaction, side, passages)?.or(leave);
        }
        Ok(leave)
    }
}
