//! Raw text made ready for the store by whoever has a processor to spare: hashed and compressed.

use crate::StoreError;
use crate::contract::Import;
use crate::sqlite::blobs::{PART_BYTES, Part};

/// An entry's raw bytes, ready to be written.
pub struct Packed {
    pub(crate) hash: blake3::Hash,
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    pub(crate) parts: Vec<Part>,
}

impl Packed {
    /// The content of each import.
    pub(crate) fn of_each(entries: &[Import]) -> Result<Vec<(&Import, Self)>, StoreError> {
        entries.iter().map(|import| Ok((import, Self::of(&import.raw)?))).collect()
    }

    pub fn of(raw: &[u8]) -> Result<Self, StoreError> {
        let (mut parts, mut start, mut line) = (Vec::new(), 0, 1);
        for piece in raw.chunks(PART_BYTES) {
            let part = Part::compress(piece, start, line)
                .map_err(|error| StoreError::engine("compression".as_ref(), error))?;
            parts.push(part);
            start += piece.len() as u64;
            line += memchr::memchr_iter(b'\n', piece).count() as u64;
        }
        let open_line = u64::from(raw.last().is_some_and(|last| *last != b'\n'));
        Ok(Self { hash: blake3::hash(raw), bytes: start, lines: line - 1 + open_line, parts })
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// What tells one content from another.
pub fn fingerprint(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}
