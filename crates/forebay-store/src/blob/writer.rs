//! An entry on its way into a store, whichever engine it is.

use std::io;

use forebay_domain::Reference;

use crate::blob::{EncodedBlob, PART_BYTES, Part};
use crate::chunk::NewChunk;

/// An entry of which parts were written before it is complete.
#[derive(Debug, Clone, Copy)]
pub struct StartedEntry {
    pub entry: i64,
    pub reference: Reference,
    pub blob: i64,
}

/// How an entry comes into the store.
#[derive(Debug, Clone, Copy)]
pub enum EntryOrigin {
    Created,
    /// Another store made it, and it has this reference.
    Replicated(Reference),
}

/// An entry's raw bytes, as far as they are not written yet.
pub struct BlobContent<'a> {
    pub hash: blake3::Hash,
    pub bytes: u64,
    pub lines: u64,
    pub parts: &'a [Part],
    pub chunks: &'a [NewChunk],
}

impl<'a> BlobContent<'a> {
    /// What is ready as a whole.
    pub fn of(packed: &'a EncodedBlob, chunks: &'a [NewChunk]) -> Self {
        let EncodedBlob { hash, bytes, lines, parts } = packed;
        Self { hash: *hash, bytes: *bytes, lines: *lines, parts, chunks }
    }
}

/// What arrived of an entry and is not written yet.
pub struct BlobWriter {
    hasher: blake3::Hasher,
    /// Raw bytes that do not fill a part yet, and where they start.
    filling: Vec<u8>,
    start: u64,
    line: u64,
    pub parts: Vec<Part>,
    pub chunks: Vec<NewChunk>,
}

/// All raw bytes of an entry, whichever of them were written before.
#[derive(Clone, Copy)]
pub struct BlobSummary {
    hash: blake3::Hash,
    bytes: u64,
    lines: u64,
}

impl BlobWriter {
    pub fn new() -> Self {
        Self {
            hasher: blake3::Hasher::new(),
            filling: Vec::new(),
            start: 0,
            line: 1,
            parts: Vec::new(),
            chunks: Vec::new(),
        }
    }

    /// Takes raw bytes up to the end of a part; the rest is handed back.
    pub fn take<'r>(&mut self, raw: &'r [u8]) -> io::Result<&'r [u8]> {
        // A full part waits for the byte after it, so that the last part is never empty and
        // the end of the text is at hand for counting its lines.
        if self.filling.len() == PART_BYTES && !raw.is_empty() {
            self.close_part()?;
        }
        let (taken, rest) = raw.split_at(raw.len().min(PART_BYTES - self.filling.len()));
        self.hasher.update(taken);
        self.filling.extend_from_slice(taken);
        Ok(rest)
    }

    /// Forgets what is written now.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.chunks.clear();
    }

    /// Ends the raw bytes; tells what they are as a whole.
    pub fn close(&mut self) -> io::Result<BlobSummary> {
        let lines = self.lines();
        if !self.filling.is_empty() {
            self.close_part()?;
        }
        Ok(BlobSummary { hash: self.hasher.finalize(), bytes: self.start, lines })
    }

    /// What is left to write of the whole.
    pub fn left_of(&self, whole: BlobSummary) -> BlobContent<'_> {
        let BlobSummary { hash, bytes, lines } = whole;
        BlobContent { hash, bytes, lines, parts: &self.parts, chunks: &self.chunks }
    }

    fn close_part(&mut self) -> io::Result<()> {
        let raw = std::mem::take(&mut self.filling);
        self.parts.push(Part::compress(&raw, self.start, self.line)?);
        self.start += raw.len() as u64;
        self.line += memchr::memchr_iter(b'\n', &raw).count() as u64;
        Ok(())
    }

    /// Lines so far, a last one without a newline counted.
    fn lines(&self) -> u64 {
        let open_line = !self.filling.is_empty() && !self.filling.ends_with(b"\n");
        let whole = self.line - 1 + memchr::memchr_iter(b'\n', &self.filling).count() as u64;
        whole + u64::from(open_line)
    }
}
