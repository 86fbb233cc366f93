//! Uploads: an entry's bytes on their way in, in short transactions and bounded memory.

use std::io;

use forebay_domain::Entry;
use forebay_store::blob::writer::{BlobWriter, EntryOrigin, StartedEntry};
use forebay_store::{NewChunk, NewEntry, ReplicaOrigin, ReplicateOutcome, StoreError, Upload};

use super::group_commit::{self, Arrived};
use super::{SqliteStore, blobs, chunks, entries, replicate};

/// What is held in memory before it is written, about a megabyte.
const PARTS_AT_ONCE: usize = 32;
const CHUNKS_AT_ONCE: usize = 2_000;

pub(super) struct SqliteUpload<'store> {
    store: &'store SqliteStore,
    incoming: BlobWriter,
    /// Present once something had to be written before the end.
    begun: Option<StartedEntry>,
}

impl<'store> SqliteUpload<'store> {
    pub(super) fn new(store: &'store SqliteStore) -> Self {
        Self { store, incoming: BlobWriter::new(), begun: None }
    }

    fn write_out_when_large(&mut self) -> Result<(), StoreError> {
        let BlobWriter { parts, chunks, .. } = &self.incoming;
        if parts.len() < PARTS_AT_ONCE && chunks.len() < CHUNKS_AT_ONCE {
            return Ok(());
        }
        let begun = self.begun;
        let all: Vec<&NewChunk> = chunks.iter().collect();
        self.begun = self.store.writing_words(&all, |transaction, placed| {
            let begun = match begun {
                Some(begun) => begun,
                None => entries::begin(transaction)?,
            };
            blobs::write_parts(transaction, begun.blob, parts)?;
            chunks::write(transaction, begun.entry, chunks, placed)?;
            Ok(Some(begun))
        })?;
        self.incoming.clear();
        Ok(())
    }

    fn explain(&self, error: io::Error) -> StoreError {
        StoreError::engine(self.store.path(), error)
    }
}

impl Upload for SqliteUpload<'_> {
    fn write(&mut self, mut raw: &[u8]) -> Result<(), StoreError> {
        while !raw.is_empty() {
            raw = self.incoming.take(raw).map_err(|error| self.explain(error))?;
            self.write_out_when_large()?;
        }
        Ok(())
    }

    fn chunk(&mut self, chunk: NewChunk) -> Result<(), StoreError> {
        self.incoming.chunks.push(chunk);
        self.write_out_when_large()
    }

    fn finish(mut self: Box<Self>, new: NewEntry) -> Result<Entry, StoreError> {
        let whole = self.incoming.close().map_err(|error| self.explain(error))?;
        if self.begun.is_none() && group_commit::is_small(&self.incoming) {
            let incoming = std::mem::replace(&mut self.incoming, BlobWriter::new());
            return self.store.write_arrived(&Arrived::new(incoming, whole, new));
        }
        let begun = self.begun;
        let chunks: Vec<&NewChunk> = self.incoming.chunks.iter().collect();
        let entry = self.store.writing_words(&chunks, |transaction, placed| {
            let content = self.incoming.left_of(whole);
            entries::complete(transaction, begun, &content, &new, EntryOrigin::Created, placed)
        })?;
        self.begun = None;
        Ok(entry)
    }

    fn adopt(
        mut self: Box<Self>,
        new: NewEntry,
        origin: &ReplicaOrigin,
    ) -> Result<ReplicateOutcome, StoreError> {
        let whole = self.incoming.close().map_err(|error| self.explain(error))?;
        let begun = self.begun;
        let chunks: Vec<&NewChunk> = self.incoming.chunks.iter().collect();
        let adopted = self.store.writing_words(&chunks, |transaction, placed| {
            let content = self.incoming.left_of(whole);
            replicate::adopt(transaction, begun, &content, &new, origin, placed)
        })?;
        if let ReplicateOutcome::Added(_) = adopted {
            self.begun = None;
        }
        Ok(adopted)
    }
}

impl Drop for SqliteUpload<'_> {
    /// An upload that was given up leaves nothing; after a crash the sweep removes it.
    fn drop(&mut self) {
        if let Some(begun) = self.begun.take()
            && let Err(error) =
                self.store.writing(|transaction| entries::delete(transaction, begun.entry))
        {
            tracing::warn!(%error, "an unfinished entry stays until the next sweep");
        }
    }
}
