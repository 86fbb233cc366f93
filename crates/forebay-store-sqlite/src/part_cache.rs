//! Cache of decompressed blob parts.

use forebay_text::excerpt::Excerpt;
use rusqlite::Connection;

use super::blobs;
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
    pub(crate) blob: i64,
    pub(crate) hash: [u8; 32],
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
    /// Returns the text of a chunk, as far as its blob exists.
    pub(super) fn text(
        &self,
        connection: &Connection,
        range: BlobRange,
    ) -> rusqlite::Result<Excerpt> {
        let cache = self.cached_tail(range.hash, range.start);
        let shared =
            cache.and_then(|PartTail { part, from }| part.excerpt(from..from + range.bytes));
        if let Some(text) = shared {
            return Ok(text);
        }
        let raw = self.read(connection, range)?;
        let text = String::from_utf8(raw)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Ok(text.into())
    }

    fn read(&self, connection: &Connection, range: BlobRange) -> rusqlite::Result<Vec<u8>> {
        let BlobRange { blob, hash, start, bytes } = range;
        let mut raw = Vec::with_capacity(bytes);
        while raw.len() < bytes {
            let offset = start + raw.len() as u64;
            let left = bytes - raw.len();
            if let Some(tail) = self.cached_tail(hash, offset) {
                raw.extend_from_slice(tail.take(left));
                continue;
            }
            let Some(part_start) = blobs::part_start(connection, blob, offset)? else { break };
            let part = self.part(connection, blob, (hash, part_start))?;
            let tail = PartTail { part, from: (offset - part_start) as usize };
            if tail.take(left).is_empty() {
                break;
            }
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

    fn part(&self, connection: &Connection, blob: i64, key: Key) -> rusqlite::Result<PartText> {
        if let Some(part) = self.cache.get(&key) {
            return Ok(part);
        }
        let (_, raw) = blobs::part_at(connection, blob, key.1)?;
        let part = PartText::from(raw);
        self.cache.insert(key, part.clone());
        Ok(part)
    }
}
