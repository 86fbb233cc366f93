//! Encodes an entry's bytes as they arrive, for every engine.

use std::io;

use forebay_domain::Reference;

use crate::blob::{BlobPart, EncodedBlob, PART_BYTES};
use crate::chunk::NewChunk;

/// An incomplete entry, part of which is written.
#[derive(Debug, Clone, Copy)]
pub struct StartedEntry {
    pub entry: i64,
    pub reference: Reference,
    pub blob: i64,
}

/// How an entry got into the store.
#[derive(Debug, Clone, Copy)]
pub enum EntryOrigin {
    Created,
    /// Copied from another store, with this reference.
    Replicated(Reference),
}

/// The part of an entry's raw bytes that is not written yet.
pub struct BlobContent<'a> {
    pub hash: blake3::Hash,
    pub bytes: u64,
    pub lines: u64,
    pub parts: &'a [BlobPart],
    pub chunks: &'a [NewChunk],
}

impl<'a> BlobContent<'a> {
    /// The whole content of an encoded blob.
    pub fn new(blob: &'a EncodedBlob, chunks: &'a [NewChunk]) -> Self {
        let EncodedBlob { hash, bytes, lines, parts } = blob;
        Self { hash: *hash, bytes: *bytes, lines: *lines, parts, chunks }
    }
}

/// Compresses raw bytes into parts; holds those that are not written yet.
pub struct BlobWriter {
    hasher: blake3::Hasher,
    /// Raw bytes of the current part, which starts at `start`.
    buffer: Vec<u8>,
    start: u64,
    line: u64,
    pub parts: Vec<BlobPart>,
    pub chunks: Vec<NewChunk>,
}

/// Hash and size of all raw bytes of an entry, written or not.
#[derive(Clone, Copy)]
pub struct BlobSummary {
    hash: blake3::Hash,
    bytes: u64,
    lines: u64,
}

impl Default for BlobWriter {
    fn default() -> Self {
        Self {
            hasher: blake3::Hasher::new(),
            buffer: Vec::new(),
            start: 0,
            line: 1,
            parts: Vec::new(),
            chunks: Vec::new(),
        }
    }
}

impl BlobWriter {
    /// Accepts raw bytes up to the end of a part; returns the rest.
    pub fn write<'r>(&mut self, raw: &'r [u8]) -> io::Result<&'r [u8]> {
        // A full part is closed by the next byte, so that the last part is never empty and the end
        // of the text is available for counting lines.
        if self.buffer.len() == PART_BYTES && !raw.is_empty() {
            self.close_part()?;
        }
        let (accepted, rest) = raw.split_at(raw.len().min(PART_BYTES - self.buffer.len()));
        self.hasher.update(accepted);
        self.buffer.extend_from_slice(accepted);
        Ok(rest)
    }

    /// Drops parts and chunks that were written.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.chunks.clear();
    }

    /// Closes the last part; returns the summary of all bytes.
    pub fn close(&mut self) -> io::Result<BlobSummary> {
        let lines = self.lines();
        if !self.buffer.is_empty() {
            self.close_part()?;
        }
        Ok(BlobSummary { hash: self.hasher.finalize(), bytes: self.start, lines })
    }

    /// Returns what is not written yet.
    pub fn unwritten(&self, summary: BlobSummary) -> BlobContent<'_> {
        let BlobSummary { hash, bytes, lines } = summary;
        BlobContent { hash, bytes, lines, parts: &self.parts, chunks: &self.chunks }
    }

    fn close_part(&mut self) -> io::Result<()> {
        let raw = std::mem::take(&mut self.buffer);
        self.parts.push(BlobPart::compress(&raw, self.start, self.line)?);
        self.start += raw.len() as u64;
        self.line += memchr::memchr_iter(b'\n', &raw).count() as u64;
        Ok(())
    }

    /// Lines so far, including a last one without a newline.
    fn lines(&self) -> u64 {
        let open_line = !self.buffer.is_empty() && !self.buffer.ends_with(b"\n");
        let summary = self.line - 1 + memchr::memchr_iter(b'\n', &self.buffer).count() as u64;
        summary + u64::from(open_line)
    }
}
