//! Builds the segments of the chunks that one transaction writes.

use forebay_store::NewChunk;
use rusqlite::Transaction;

use super::Field;
use super::builder::Builder;
use super::encoded_segment::EncodedSegment;
use super::merge::{self, MergeBudget};

/// Indexes chunks as they arrive. Memory is bounded: a full segment is sorted and encoded at once.
#[derive(Default)]
pub(in super::super) struct BatchBuilder {
    /// The open segment of each field; None before its first chunk, since a builder allocates much.
    open: [Option<Builder>; Field::ALL.len()],
    closed: Vec<(Field, EncodedSegment)>,
}

impl BatchBuilder {
    /// Adds the terms of a chunk, which has an ordinal until it has an id.
    pub(in super::super) fn add(&mut self, chunk_id: i64, chunk: &NewChunk) {
        let [text, context] = &mut self.open;
        text.get_or_insert_default().add(chunk_id, &chunk.title, &chunk.text);
        if !chunk.context.is_empty() {
            context.get_or_insert_default().add(chunk_id, "", &chunk.context);
        }
        self.close_if(Builder::is_full);
    }

    /// Replaces the ordinals of the chunks added since the last call by their ids.
    pub(in super::super) fn assign_ids(&mut self, ids: &[i64]) {
        self.open.iter_mut().flatten().for_each(|builder| builder.assign_ids(ids));
        self.closed.iter_mut().for_each(|(_, segment)| segment.assign_ids(ids));
    }

    /// Returns the segments that are full, if any.
    pub(in super::super) fn take_closed(&mut self) -> Option<Batch> {
        let segments = std::mem::take(&mut self.closed);
        (!segments.is_empty()).then_some(Batch { segments })
    }

    /// Closes and returns all segments.
    pub(in super::super) fn close(&mut self) -> Batch {
        self.close_if(|_| true);
        Batch { segments: std::mem::take(&mut self.closed) }
    }

    fn close_if(&mut self, is_due: impl Fn(&Builder) -> bool) {
        for (field, open) in Field::ALL.into_iter().zip(&mut self.open) {
            if let Some(builder) = open.take_if(|builder| is_due(builder)) {
                self.closed.push((field, builder.close(field)));
            }
        }
    }
}

/// Encoded segments of some chunks. Built before the transaction, to keep the write lock short.
pub(in super::super) struct Batch {
    segments: Vec<(Field, EncodedSegment)>,
}

/// Ids of the chunks that a transaction wrote, in batch order; None for those it skipped.
#[derive(Debug, Default)]
pub(in super::super) struct AssignedIds(Vec<Option<i64>>);

impl AssignedIds {
    /// Returns the ids of the chunks written.
    pub(in super::super) fn into_ids(self) -> Vec<i64> {
        self.0.into_iter().flatten().collect()
    }

    pub(in super::super) fn add(&mut self, chunk_id: i64) {
        self.0.push(Some(chunk_id));
    }

    pub(in super::super) fn skip(&mut self, chunks: usize) {
        self.0.resize(self.0.len() + chunks, None);
    }
}

impl Batch {
    pub(in super::super) fn new(chunks: &[&NewChunk]) -> Self {
        let mut builder = BatchBuilder::default();
        for (ordinal, chunk) in (0..).zip(chunks) {
            builder.add(ordinal, chunk);
        }
        builder.close()
    }

    /// Writes all segments and merges small ones; returns the budget for further merges, if any are
    /// due.
    pub(in super::super) fn write(
        self,
        transaction: &Transaction<'_>,
        chunks: &[&NewChunk],
        AssignedIds(mut ids): AssignedIds,
    ) -> rusqlite::Result<Option<MergeBudget>> {
        ids.resize(chunks.len(), None);
        if ids.iter().any(Option::is_none) {
            // Another process has written some of the chunks.
            let remaining: Vec<(&NewChunk, i64)> =
                chunks.iter().zip(ids).filter_map(|(chunk, id)| Some((*chunk, id?))).collect();
            let (chunks, ids): (Vec<&NewChunk>, Vec<i64>) = remaining.into_iter().unzip();
            return Self::new(&chunks).write_with_ids(transaction, &ids);
        }
        self.write_with_ids(transaction, &AssignedIds(ids).into_ids())
    }

    /// Like [`Self::write`], for chunks with these ids or with ids assigned before.
    pub(in super::super) fn write_with_ids(
        self,
        transaction: &Transaction<'_>,
        ids: &[i64],
    ) -> rusqlite::Result<Option<MergeBudget>> {
        let text = self.segments.iter().filter(|(field, _)| *field == Field::Text);
        let chunks = text.map(|(_, segment)| segment.chunks()).sum();
        let mut merge_budget = None;
        for (field, mut segment) in self.segments {
            segment.assign_ids(ids);
            segment.write(transaction, field)?;
            merge_budget = merge::after_write(transaction, field, chunks)?.or(merge_budget);
        }
        Ok(merge_budget)
    }
}
