//! Raw text made ready for the store by whoever has a processor to spare: hashed and compressed.

use crate::StoreError;
use crate::blob::{PART_BYTES, Part};
use crate::imports::Import;

/// A content and its hash, which is taken once.
#[derive(Clone, Copy)]
pub struct HashedContent<'raw> {
    raw: &'raw [u8],
    hash: blake3::Hash,
}

impl<'raw> HashedContent<'raw> {
    pub fn of(raw: &'raw [u8]) -> Self {
        Self { raw, hash: blake3::hash(raw) }
    }

    /// What the content was turned into; where it was left as it is, its hash is known.
    #[must_use]
    pub fn turned_into(self, made: &'raw [u8]) -> Self {
        if std::ptr::eq(self.raw, made) { self } else { Self::of(made) }
    }

    /// What tells the content from others, and what this version makes of it from what others made.
    pub fn fingerprint(&self, version: &[u8]) -> [u8; 32] {
        fingerprint(&[version, self.hash.as_bytes()])
    }
}

/// An entry's raw bytes, ready to be written.
pub struct EncodedBlob {
    pub hash: blake3::Hash,
    pub bytes: u64,
    pub lines: u64,
    pub parts: Vec<Part>,
}

impl EncodedBlob {
    /// The content of each import.
    pub fn of_each(entries: &[Import]) -> Result<Vec<(&Import, Self)>, StoreError> {
        entries
            .iter()
            .map(|import| Ok((import, Self::of(HashedContent::of(&import.raw))?)))
            .collect()
    }

    pub fn of(HashedContent { raw, hash }: HashedContent<'_>) -> Result<Self, StoreError> {
        let (mut parts, mut start, mut line) = (Vec::new(), 0, 1);
        for piece in raw.chunks(PART_BYTES) {
            let part = Part::compress(piece, start, line)
                .map_err(|error| StoreError::engine("compression".as_ref(), error))?;
            parts.push(part);
            start += piece.len() as u64;
            line += memchr::memchr_iter(b'\n', piece).count() as u64;
        }
        let open_line = u64::from(raw.last().is_some_and(|last| *last != b'\n'));
        Ok(Self { hash, bytes: start, lines: line - 1 + open_line, parts })
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
