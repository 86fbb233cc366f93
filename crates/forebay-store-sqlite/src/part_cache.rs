//! Cache of decompressed blob parts.

use forebay_text::excerpt::Excerpt;
use rusqlite::Connection;

use super::blobs::{self, BlobInfo};
use forebay_store::blob::PART_BYTES;
use forebay_store::blob::text::PartText;
use forebay_store::cache::{ByteCache, byte_cache};

/// Maximum size of cached raw text.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Hash of the blob's content and start of the part: always the same text.
type Key = ([u8; 32], u64);

/// A chunk's location in a blob.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlobRange {
    pub(crate) blob: BlobInfo,
    pub(crate) start: u64,
    pub(crate) bytes: usize,
}

/// A part from an offset to its end.
struct PartTail {
    part: PartText,
    from: usize,
}

impl PartTail {
    fn take(&self, limit: usize) -> &[u8] {
        let tail = self.part.as_bytes().get(self.from..).unwrap_or_default();
        &tail[..tail.len().min(limit)]
    }
}

#[derive(Debug)]
pub(crate) struct PartCache {
    cache: ByteCache<Key, PartText>,
}

impl Default for PartCache {
    fn default() -> Self {
        Self { cache: byte_cache(MAX_BYTES) }
    }
}

impl PartCache {
    /// Returns the text of a chunk; it ends where its blob does.
    pub(super) fn text(
        &self,
        connection: &Connection,
        range: BlobRange,
    ) -> rusqlite::Result<Excerpt> {
        let cache = self.cached_tail(range.blob.hash, range.start);
        let shared = cache.and_then(|PartTail { part, from }| {
            part.excerpt(from..from.saturating_add(range.bytes))
        });
        if let Some(text) = shared {
            return Ok(text);
        }
        let raw = self.read(connection, range)?;
        let text = String::from_utf8(raw)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Ok(text.into())
    }

    fn read(&self, connection: &Connection, range: BlobRange) -> rusqlite::Result<Vec<u8>> {
        let BlobRange { blob, start, bytes } = range;
        // A damaged row may claim any size.
        let mut raw = Vec::with_capacity(bytes.min(PART_BYTES));
        while raw.len() < bytes {
            let offset = start.saturating_add(raw.len() as u64);
            let left = bytes - raw.len();
            if let Some(tail) = self.cached_tail(blob.hash, offset) {
                raw.extend_from_slice(tail.take(left));
                continue;
            }
            if offset >= blob.bytes {
                break;
            }
            let tail = self.tail(connection, &blob, offset)?;
            raw.extend_from_slice(tail.take(left));
        }
        Ok(raw)
    }

    /// Returns the cached bytes from an offset on, if parts have their regular size.
    fn cached_tail(&self, hash: [u8; 32], offset: u64) -> Option<PartTail> {
        let start = offset - offset % PART_BYTES as u64;
        let tail =
            PartTail { part: self.cache.get(&(hash, start))?, from: (offset - start) as usize };
        (tail.from < tail.part.as_bytes().len()).then_some(tail)
    }

    /// Reads the part that contains an offset, and caches it.
    fn tail(
        &self,
        connection: &Connection,
        blob: &BlobInfo,
        offset: u64,
    ) -> rusqlite::Result<PartTail> {
        let read = blobs::part_at(connection, blob, offset)?;
        let part = PartText::from(read.raw);
        self.cache.insert((blob.hash, read.start), part.clone());
        Ok(PartTail { part, from: (offset - read.start) as usize })
    }
}
