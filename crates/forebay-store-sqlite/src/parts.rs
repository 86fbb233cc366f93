//! Parts of blobs that were read lately: a search reads many passages, and the next one many of the same.

use forebay_text::excerpt::Excerpt;
use rusqlite::Connection;

use super::blobs;
use forebay_store::blob::PART_BYTES;
use forebay_store::blob::text::PartText;
use forebay_store::lru::LruCache;

/// Bytes of raw text that are held.
const HELD_BYTES: usize = 16 * 1024 * 1024;

/// A part by the hash of its blob's content and its start: whatever is stored later, it is never another text.
type Key = ([u8; 32], u64);

/// A passage's place in a blob.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) blob: i64,
    pub(crate) hash: [u8; 32],
    pub(crate) start: u64,
    pub(crate) bytes: usize,
}

/// A part from somewhere in it to its end.
struct Rest {
    part: PartText,
    from: usize,
}

impl Rest {
    fn cut(&self, most: usize) -> &[u8] {
        let rest = self.part.as_bytes().get(self.from..).unwrap_or_default();
        &rest[..rest.len().min(most)]
    }
}

#[derive(Debug)]
pub(crate) struct Parts {
    held: LruCache<Key, PartText>,
}

impl Default for Parts {
    fn default() -> Self {
        Self { held: LruCache::new(HELD_BYTES) }
    }
}

impl Parts {
    /// The text of a passage, as far as its blob is still there.
    pub(super) fn text(
        &self,
        connection: &Connection,
        stretch: Stretch,
    ) -> rusqlite::Result<Excerpt> {
        let held = self.held_from(stretch.hash, stretch.start);
        let shared = held.and_then(|Rest { part, from }| part.excerpt(from..from + stretch.bytes));
        if let Some(text) = shared {
            return Ok(text);
        }
        let raw = self.read(connection, stretch)?;
        let text = String::from_utf8(raw)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Ok(text.into())
    }

    fn read(&self, connection: &Connection, stretch: Stretch) -> rusqlite::Result<Vec<u8>> {
        let Stretch { blob, hash, start, bytes } = stretch;
        let mut raw = Vec::with_capacity(bytes);
        while raw.len() < bytes {
            let offset = start + raw.len() as u64;
            let left = bytes - raw.len();
            if let Some(rest) = self.held_from(hash, offset) {
                raw.extend_from_slice(rest.cut(left));
                continue;
            }
            let Some(part_start) = blobs::part_start(connection, blob, offset)? else { break };
            let part = self.part(connection, blob, (hash, part_start))?;
            let rest = Rest { part, from: (offset - part_start) as usize };
            if rest.cut(left).is_empty() {
                break;
            }
            raw.extend_from_slice(rest.cut(left));
        }
        Ok(raw)
    }

    /// What is held of a blob from an offset on, if it starts where parts mostly do.
    fn held_from(&self, hash: [u8; 32], offset: u64) -> Option<Rest> {
        let start = offset - offset % PART_BYTES as u64;
        let rest = Rest { part: self.held.get((hash, start))?, from: (offset - start) as usize };
        (rest.from < rest.part.as_bytes().len()).then_some(rest)
    }

    fn part(&self, connection: &Connection, blob: i64, key: Key) -> rusqlite::Result<PartText> {
        if let Some(part) = self.held.get(key) {
            return Ok(part);
        }
        let (_, raw) = blobs::part_at(connection, blob, key.1)?;
        let part = PartText::from(raw);
        self.held.put(key, part.clone());
        Ok(part)
    }
}
