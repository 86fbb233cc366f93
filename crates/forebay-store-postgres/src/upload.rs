//! Uploads: stream an entry's bytes in short transactions and bounded memory.

use forebay_domain::Entry;
use forebay_store::blob::writer::{BlobWriter, EntryOrigin, StartedEntry};
use forebay_store::{NewChunk, NewEntry, ReplicaOrigin, ReplicateOutcome, StoreError, Upload};

use super::error::PgError;
use super::{PostgresStore, blobs, chunks, entries, replicate};

/// Parts and chunks that are buffered before a write: eight parts are a quarter of a megabyte.
const MAX_BUFFERED_PARTS: usize = 8;
const MAX_BUFFERED_CHUNKS: usize = 500;

pub(super) struct PostgresUpload<'store> {
    store: &'store PostgresStore,
    incoming: BlobWriter,
    /// Present once something was written before the end.
    started: Option<StartedEntry>,
}

impl<'store> PostgresUpload<'store> {
    pub(super) fn new(store: &'store PostgresStore) -> Self {
        Self { store, incoming: BlobWriter::default(), started: None }
    }

    fn flush_if_large(&mut self) -> Result<(), StoreError> {
        let BlobWriter { parts, chunks, .. } = &self.incoming;
        if parts.len() < MAX_BUFFERED_PARTS && chunks.len() < MAX_BUFFERED_CHUNKS {
            return Ok(());
        }
        let started = self.started;
        self.started = self.store.transaction(|conn| {
            let started = match started {
                Some(started) => started,
                None => entries::start(conn)?,
            };
            blobs::write_parts(conn, started.blob, parts)?;
            chunks::write_for_entry(conn, started.entry, chunks)?;
            Ok(Some(started))
        })?;
        self.store.record_words(chunks);
        self.incoming.clear();
        Ok(())
    }

    fn explain(&self, error: std::io::Error) -> StoreError {
        PgError::invalid_data(error).explain(self.store.name())
    }
}

impl Upload for PostgresUpload<'_> {
    fn write(&mut self, mut raw: &[u8]) -> Result<(), StoreError> {
        while !raw.is_empty() {
            raw = self.incoming.write(raw).map_err(|error| self.explain(error))?;
            self.flush_if_large()?;
        }
        Ok(())
    }

    fn chunk(&mut self, chunk: NewChunk) -> Result<(), StoreError> {
        self.incoming.chunks.push(chunk);
        self.flush_if_large()
    }

    fn finish(mut self: Box<Self>, new: NewEntry) -> Result<Entry, StoreError> {
        let summary = self.incoming.close().map_err(|error| self.explain(error))?;
        let started = self.started;
        let entry = self.store.transaction(|conn| {
            let content = self.incoming.unwritten(summary);
            entries::complete(conn, started, &content, &new, EntryOrigin::Created)
        })?;
        self.store.record_words(&self.incoming.chunks);
        self.started = None;
        Ok(entry)
    }

    fn finish_replica(
        mut self: Box<Self>,
        new: NewEntry,
        origin: &ReplicaOrigin,
    ) -> Result<ReplicateOutcome, StoreError> {
        let summary = self.incoming.close().map_err(|error| self.explain(error))?;
        let started = self.started;
        let adopted = self.store.transaction(|conn| {
            let content = self.incoming.unwritten(summary);
            replicate::replicate(conn, started, &content, &new, origin)
        })?;
        if let ReplicateOutcome::Added(_) = adopted {
            self.store.record_words(&self.incoming.chunks);
            self.started = None;
        }
        Ok(adopted)
    }
}

impl Drop for PostgresUpload<'_> {
    /// Deletes what an abandoned upload wrote; after a crash the sweep does.
    fn drop(&mut self) {
        if let Some(started) = self.started.take()
            && let Err(error) =
                self.store.transaction(|conn| entries::delete(conn, &[started.entry]))
        {
            tracing::warn!(%error, "cannot delete an abandoned upload; the next sweep will");
        }
    }
}
