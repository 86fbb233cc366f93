//! Uploads: writes an entry's bytes in short transactions with bounded memory.

use std::io;

use forebay_domain::Entry;
use forebay_store::blob::writer::{BlobWriter, EntryOrigin, StartedEntry};
use forebay_store::{NewChunk, NewEntry, ReplicaOrigin, ReplicateOutcome, StoreError, Upload};

use super::group_commit::{self, PendingEntry};
use super::{SqliteStore, blobs, chunks, entries, replicate};

/// Limits of what is kept in memory, about a megabyte.
const MAX_PENDING_PARTS: usize = 32;
const MAX_PENDING_CHUNKS: usize = 2_000;

pub(super) struct SqliteUpload<'store> {
    store: &'store SqliteStore,
    blob: BlobWriter,
    /// Set once something was written before the end.
    started: Option<StartedEntry>,
}

impl<'store> SqliteUpload<'store> {
    pub(super) fn new(store: &'store SqliteStore) -> Self {
        Self { store, blob: BlobWriter::default(), started: None }
    }

    fn flush_if_large(&mut self) -> Result<(), StoreError> {
        let BlobWriter { parts, chunks, .. } = &self.blob;
        if parts.len() < MAX_PENDING_PARTS && chunks.len() < MAX_PENDING_CHUNKS {
            return Ok(());
        }
        let started = self.started;
        let all: Vec<&NewChunk> = chunks.iter().collect();
        self.started = self.store.write_indexed(&all, |transaction, assigned| {
            let started = match started {
                Some(started) => started,
                None => entries::start(transaction)?,
            };
            blobs::write_parts(transaction, started.blob, parts)?;
            chunks::write(transaction, started.entry, chunks, assigned)?;
            Ok(Some(started))
        })?;
        self.blob.clear();
        Ok(())
    }

    fn explain(&self, error: io::Error) -> StoreError {
        StoreError::engine(self.store.path(), error)
    }
}

impl Upload for SqliteUpload<'_> {
    fn write(&mut self, mut raw: &[u8]) -> Result<(), StoreError> {
        while !raw.is_empty() {
            raw = self.blob.write(raw).map_err(|error| self.explain(error))?;
            self.flush_if_large()?;
        }
        Ok(())
    }

    fn chunk(&mut self, chunk: NewChunk) -> Result<(), StoreError> {
        self.blob.chunks.push(chunk);
        self.flush_if_large()
    }

    fn finish(mut self: Box<Self>, new: NewEntry) -> Result<Entry, StoreError> {
        let summary = self.blob.close().map_err(|error| self.explain(error))?;
        if self.started.is_none() && group_commit::is_small(&self.blob) {
            let blob = std::mem::take(&mut self.blob);
            return self.store.commit(&PendingEntry::new(blob, summary, new));
        }
        let started = self.started;
        let chunks: Vec<&NewChunk> = self.blob.chunks.iter().collect();
        let entry = self.store.write_indexed(&chunks, |transaction, assigned| {
            let content = self.blob.unwritten(summary);
            entries::complete(transaction, started, &content, &new, EntryOrigin::Created, assigned)
        })?;
        self.started = None;
        Ok(entry)
    }

    fn finish_replica(
        mut self: Box<Self>,
        new: NewEntry,
        origin: &ReplicaOrigin,
    ) -> Result<ReplicateOutcome, StoreError> {
        let summary = self.blob.close().map_err(|error| self.explain(error))?;
        let started = self.started;
        let chunks: Vec<&NewChunk> = self.blob.chunks.iter().collect();
        let outcome = self.store.write_indexed(&chunks, |transaction, assigned| {
            let content = self.blob.unwritten(summary);
            replicate::complete(transaction, started, &content, &new, origin, assigned)
        })?;
        if let ReplicateOutcome::Added(_) = outcome {
            self.started = None;
        }
        Ok(outcome)
    }
}

impl Drop for SqliteUpload<'_> {
    /// Deletes an abandoned upload; after a crash the next purge does.
    fn drop(&mut self) {
        if let Some(started) = self.started.take()
            && let Err(error) =
                self.store.transaction(|transaction| entries::delete(transaction, started.entry))
        {
            tracing::warn!(%error, "cannot delete an unfinished upload; the next purge will");
        }
    }
}
