//! An entry on its way into a store, whichever engine it is.

use forebay_domain::Reference;

use crate::packed::Packed;
use crate::passage::NewChunk;
use crate::sqlite::blobs::{PART_BYTES, Part};

/// An entry of which parts were written before it is complete.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun {
    pub(crate) entry: i64,
    pub(crate) reference: Reference,
    pub(crate) blob: i64,
}

/// How an entry comes into the store.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arrival {
    Made,
    /// Another store made it, and it has this reference.
    Adopted(Reference),
}

/// An entry's raw bytes, as far as they are not written yet.
pub(crate) struct Content<'a> {
    pub(crate) hash: blake3::Hash,
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    pub(crate) parts: &'a [Part],
    pub(crate) chunks: &'a [NewChunk],
}

impl<'a> Content<'a> {
    /// What is ready as a whole.
    pub(crate) fn of(packed: &'a Packed, chunks: &'a [NewChunk]) -> Self {
        let Packed { hash, bytes, lines, parts } = packed;
        Self { hash: *hash, bytes: *bytes, lines: *lines, parts, chunks }
    }
}

/// What arrived of an entry and is not written yet.
pub(crate) struct Incoming {
    hasher: blake3::Hasher,
    /// Raw bytes that do not fill a part yet, and where they start.
    filling: Vec<u8>,
    start: u64,
    line: u64,
    pub(crate) parts: Vec<Part>,
    pub(crate) chunks: Vec<NewChunk>,
}

/// All raw bytes of an entry, whichever of them were written before.
#[derive(Clone, Copy)]
pub(crate) struct Whole {
    hash: blake3::Hash,
    bytes: u64,
    lines: u64,
}

impl Incoming {
    pub(crate) fn new() -> Self {
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
    pub(crate) fn take<'r>(&mut self, raw: &'r [u8]) -> rusqlite::Result<&'r [u8]> {
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
    pub(crate) fn clear(&mut self) {
        self.parts.clear();
        self.chunks.clear();
    }

    /// Ends the raw bytes; tells what they are as a whole.
    pub(crate) fn close(&mut self) -> rusqlite::Result<Whole> {
        let lines = self.lines();
        if !self.filling.is_empty() {
            self.close_part()?;
        }
        Ok(Whole { hash: self.hasher.finalize(), bytes: self.start, lines })
    }

    /// What is left to write of the whole.
    pub(crate) fn left_of(&self, whole: Whole) -> Content<'_> {
        let Whole { hash, bytes, lines } = whole;
        Content { hash, bytes, lines, parts: &self.parts, chunks: &self.chunks }
    }

    fn close_part(&mut self) -> rusqlite::Result<()> {
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
