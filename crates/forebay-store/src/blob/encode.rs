//! Encodes raw bytes in memory: hashed, split into parts and compressed.

use crate::StoreError;
use crate::blob::{BlobPart, PART_BYTES};
use crate::imports::Import;

/// Content with its hash, computed once.
#[derive(Clone, Copy)]
pub struct HashedContent<'raw> {
    raw: &'raw [u8],
    hash: blake3::Hash,
}

impl<'raw> HashedContent<'raw> {
    pub fn new(raw: &'raw [u8]) -> Self {
        Self { raw, hash: blake3::hash(raw) }
    }

    /// Returns the result of a transformation; keeps the hash if nothing changed.
    #[must_use]
    pub fn transformed_to(self, output: &'raw [u8]) -> Self {
        if std::ptr::eq(self.raw, output) { self } else { Self::new(output) }
    }

    /// Identifies what this version of the code derives from the content.
    pub fn fingerprint(&self, version: &[u8]) -> [u8; 32] {
        fingerprint(&[version, self.hash.as_bytes()])
    }
}

/// An entry's raw bytes, ready to be written.
pub struct EncodedBlob {
    pub hash: blake3::Hash,
    pub bytes: u64,
    pub lines: u64,
    pub parts: Vec<BlobPart>,
}

impl EncodedBlob {
    /// Encodes the content of each import.
    pub fn encode_imports(entries: &[Import]) -> Result<Vec<(&Import, Self)>, StoreError> {
        entries
            .iter()
            .map(|import| Ok((import, Self::encode(HashedContent::new(&import.raw))?)))
            .collect()
    }

    pub fn encode(HashedContent { raw, hash }: HashedContent<'_>) -> Result<Self, StoreError> {
        let (mut parts, mut start, mut line) = (Vec::new(), 0, 1);
        for piece in raw.chunks(PART_BYTES) {
            let part = BlobPart::compress(piece, start, line)
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

/// Hashes the concatenated parts.
pub fn fingerprint(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}
