//! Uploads: an entry's bytes on their way in, in short transactions and bounded memory.

use forebay_domain::Entry;
use forebay_store::blob::writer::{BlobWriter, EntryOrigin, StartedEntry};
use forebay_store::{NewChunk, NewEntry, ReplicaOrigin, ReplicateOutcome, StoreError, Upload};

use super::error::Fault;
use super::{PostgresStore, blobs, chunks, entries, replicate};

/// What is held in memory before it is written: eight parts, a quarter of a megabyte.
const PARTS_AT_ONCE: usize = 8;
const CHUNKS_AT_ONCE: usize = 500;

pub(super) struct PostgresUpload<'store> {
    store: &'store PostgresStore,
    incoming: BlobWriter,
    /// Present once something had to be written before the end.
    begun: Option<StartedEntry>,
}

impl<'store> PostgresUpload<'store> {
    pub(super) fn new(store: &'store PostgresStore) -> Self {
        Self { store, incoming: BlobWriter::default(), begun: None }
    }

    fn write_out_when_large(&mut self) -> Result<(), StoreError> {
        let BlobWriter { parts, chunks, .. } = &self.incoming;
        if parts.len() < PARTS_AT_ONCE && chunks.len() < CHUNKS_AT_ONCE {
            return Ok(());
        }
        let begun = self.begun;
        self.begun = self.store.writing(|work| {
            let begun = match begun {
                Some(begun) => begun,
                None => entries::begin(work)?,
            };
            blobs::write_parts(work, begun.blob, parts)?;
            chunks::write_of(work, begun.entry, chunks)?;
            Ok(Some(begun))
        })?;
        self.store.learn(chunks);
        self.incoming.clear();
        Ok(())
    }

    fn explain(&self, error: std::io::Error) -> StoreError {
        Fault::content(error).explain(self.store.name())
    }
}

impl Upload for PostgresUpload<'_> {
    fn write(&mut self, mut raw: &[u8]) -> Result<(), StoreError> {
        while !raw.is_empty() {
            raw = self.incoming.write(raw).map_err(|error| self.explain(error))?;
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
        let begun = self.begun;
        let entry = self.store.writing(|work| {
            let content = self.incoming.unwritten(whole);
            entries::complete(work, begun, &content, &new, EntryOrigin::Created)
        })?;
        self.store.learn(&self.incoming.chunks);
        self.begun = None;
        Ok(entry)
    }

    fn finish_replica(
        mut self: Box<Self>,
        new: NewEntry,
        origin: &ReplicaOrigin,
    ) -> Result<ReplicateOutcome, StoreError> {
        let whole = self.incoming.close().map_err(|error| self.explain(error))?;
        let begun = self.begun;
        let adopted = self.store.writing(|work| {
            let content = self.incoming.unwritten(whole);
            replicate::adopt(work, begun, &content, &new, origin)
        })?;
        if let ReplicateOutcome::Added(_) = adopted {
            self.store.learn(&self.incoming.chunks);
            self.begun = None;
        }
        Ok(adopted)
    }
}

impl Drop for PostgresUpload<'_> {
    /// An upload that was given up leaves nothing; after a crash the sweep removes it.
    fn drop(&mut self) {
        if let Some(begun) = self.begun.take()
            && let Err(error) = self.store.writing(|work| entries::delete(work, &[begun.entry]))
        {
            tracing::warn!(%error, "an unfinished entry stays until the next sweep");
        }
    }
}
