//! Uploads: an entry's bytes on their way in, in short transactions and bounded memory.

use forebay_domain::Entry;

use super::entries::{Arrival, Content};
use super::fault::Fault;
use super::{PostgresStore, adopting, blobs, entries, passages};
use crate::StoreError;
use crate::contract::{NewChunk, NewEntry, Upload};
use crate::sharing::{Adopted, Origin};
use crate::sqlite::blobs::{PART_BYTES, Part};

/// What is held in memory before it is written: eight parts, about a megabyte.
const PARTS_AT_ONCE: usize = 8;
const CHUNKS_AT_ONCE: usize = 500;

pub(super) struct PostgresUpload<'store> {
    store: &'store PostgresStore,
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
    fn with<'a>(&self, parts: &'a [Part], chunks: &'a [NewChunk]) -> Content<'a> {
        Content { hash: self.hash, bytes: self.bytes, lines: self.lines, parts, chunks }
    }
}

impl<'store> PostgresUpload<'store> {
    pub(super) fn new(store: &'store PostgresStore) -> Self {
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
            .map_err(|error| Fault::content(error).explain(self.store.name()))?;
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
        self.begun = self.store.writing(|work| {
            let begun = match begun {
                Some(begun) => begun,
                None => entries::begin(work)?,
            };
            blobs::write_parts(work, begun.blob, parts)?;
            passages::write(work, begun.entry, chunks)?;
            Ok(Some(begun))
        })?;
        self.store.learn(chunks);
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

impl Upload for PostgresUpload<'_> {
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
        let entry = self.store.writing(|work| {
            let content = content.with(&self.parts, &self.chunks);
            entries::complete(work, begun, &content, &new, Arrival::Made)
        })?;
        self.store.learn(&self.chunks);
        self.begun = None;
        Ok(entry)
    }

    fn adopt(mut self: Box<Self>, new: NewEntry, origin: &Origin) -> Result<Adopted, StoreError> {
        let content = self.close()?;
        let begun = self.begun;
        let adopted = self.store.writing(|work| {
            let content = content.with(&self.parts, &self.chunks);
            adopting::adopt(work, begun, &content, &new, origin)
        })?;
        if let Adopted::Added(_) = adopted {
            self.store.learn(&self.chunks);
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
