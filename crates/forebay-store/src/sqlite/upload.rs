//! Uploads: an entry's bytes on their way in, in short transactions and bounded memory.

use forebay_domain::Entry;

use super::blobs::{self, PART_BYTES, Part};
use super::entries::Arrival;
use super::{SqliteStore, adopting, entries, passages};
use crate::StoreError;
use crate::contract::{NewChunk, NewEntry, Upload};
use crate::sharing::{Adopted, Origin};

/// What is held in memory before it is written, about a megabyte.
const PARTS_AT_ONCE: usize = 32;
const CHUNKS_AT_ONCE: usize = 2_000;

pub(super) struct SqliteUpload<'store> {
    store: &'store SqliteStore,
    hasher: blake3::Hasher,
    /// Raw bytes that do not fill a part yet, and where they start.
    filling: Vec<u8>,
    start: u64,
    line: u64,
    parts: Vec<Part>,
    chunks: Vec<NewChunk>,
    /// Present once something had to be written before the end.
    begun: Option<entries::Begun>,
}

/// All raw bytes of an entry, whichever of them were written before.
struct Whole {
    hash: blake3::Hash,
    bytes: u64,
    lines: u64,
}

impl Whole {
    /// With what is left to write.
    fn with<'a>(&self, parts: &'a [Part], chunks: &'a [NewChunk]) -> entries::Content<'a> {
        entries::Content { hash: self.hash, bytes: self.bytes, lines: self.lines, parts, chunks }
    }
}

impl<'store> SqliteUpload<'store> {
    pub(super) fn new(store: &'store SqliteStore) -> Self {
        Self {
            store,
            hasher: blake3::Hasher::new(),
            filling: Vec::new(),
            start: 0,
            line: 1,
            parts: Vec::new(),
            chunks: Vec::new(),
            begun: None,
        }
    }

    fn close_part(&mut self) -> Result<(), StoreError> {
        let raw = std::mem::take(&mut self.filling);
        let part = Part::compress(&raw, self.start, self.line)
            .map_err(|error| StoreError::engine(self.store.path(), error))?;
        self.parts.push(part);
        self.start += raw.len() as u64;
        self.line += memchr::memchr_iter(b'\n', &raw).count() as u64;
        Ok(())
    }

    fn write_out_when_large(&mut self) -> Result<(), StoreError> {
        if self.parts.len() < PARTS_AT_ONCE && self.chunks.len() < CHUNKS_AT_ONCE {
            return Ok(());
        }
        let (parts, chunks) = (&self.parts, &self.chunks);
        let begun = self.begun;
        let all: Vec<&NewChunk> = chunks.iter().collect();
        self.begun = self.store.writing_words(&all, |transaction, placed| {
            let begun = match begun {
                Some(begun) => begun,
                None => entries::begin(transaction)?,
            };
            blobs::write_parts(transaction, begun.blob, parts)?;
            passages::write(transaction, begun.entry, chunks, placed)?;
            Ok(Some(begun))
        })?;
        self.parts.clear();
        self.chunks.clear();
        Ok(())
    }

    /// Ends the raw bytes; tells what they are as a whole.
    fn close(&mut self) -> Result<Whole, StoreError> {
        let lines = self.lines();
        if !self.filling.is_empty() {
            self.close_part()?;
        }
        Ok(Whole { hash: self.hasher.finalize(), bytes: self.start, lines })
    }

    /// Lines so far, a last one without a newline counted.
    fn lines(&self) -> u64 {
        let open_line = !self.filling.is_empty() && !self.filling.ends_with(b"\n");
        let whole = self.line - 1 + memchr::memchr_iter(b'\n', &self.filling).count() as u64;
        whole + u64::from(open_line)
    }
}

impl Upload for SqliteUpload<'_> {
    fn write(&mut self, mut raw: &[u8]) -> Result<(), StoreError> {
        self.hasher.update(raw);
        while !raw.is_empty() {
            // A full part waits for the byte after it, so that the last part is never empty and
            // the end of the text is at hand for counting its lines.
            if self.filling.len() == PART_BYTES {
                self.close_part()?;
                self.write_out_when_large()?;
            }
            let taken = raw.len().min(PART_BYTES - self.filling.len());
            self.filling.extend_from_slice(&raw[..taken]);
            raw = &raw[taken..];
        }
        Ok(())
    }

    fn chunk(&mut self, chunk: NewChunk) -> Result<(), StoreError> {
        self.chunks.push(chunk);
        self.write_out_when_large()
    }

    fn finish(mut self: Box<Self>, new: NewEntry) -> Result<Entry, StoreError> {
        let content = self.close()?;
        let begun = self.begun;
        let chunks: Vec<&NewChunk> = self.chunks.iter().collect();
        let entry = self.store.writing_words(&chunks, |transaction, placed| {
            let content = content.with(&self.parts, &self.chunks);
            entries::complete(transaction, begun, &content, &new, Arrival::Made, placed)
        })?;
        self.begun = None;
        Ok(entry)
    }

    fn adopt(mut self: Box<Self>, new: NewEntry, origin: &Origin) -> Result<Adopted, StoreError> {
        let content = self.close()?;
        let begun = self.begun;
        let chunks: Vec<&NewChunk> = self.chunks.iter().collect();
        let adopted = self.store.writing_words(&chunks, |transaction, placed| {
            let content = content.with(&self.parts, &self.chunks);
            adopting::adopt(transaction, begun, &content, &new, origin, placed)
        })?;
        if let Adopted::Added(_) = adopted {
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
