//! Parts of blobs that were read lately: a search reads many passages, and the next one many of the same.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::blobs;

/// Bytes of raw text that are held.
const HELD_BYTES: usize = 16 * 1024 * 1024;

/// A part by the hash of its blob's content and its start: whatever is stored later, it is never another text.
pub(crate) type Key = ([u8; 32], u64);

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
    part: Arc<Vec<u8>>,
    from: usize,
}

impl Rest {
    fn cut(&self, most: usize) -> &[u8] {
        let rest = self.part.get(self.from..).unwrap_or_default();
        &rest[..rest.len().min(most)]
    }
}

#[derive(Debug, Default)]
pub(crate) struct Parts {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// Counts up with every use.
    clock: u64,
    bytes: usize,
    parts: HashMap<Key, (u64, Arc<Vec<u8>>)>,
}

impl Parts {
    /// The text of a passage, as far as its blob is still there.
    pub(super) fn text(
        &self,
        connection: &Connection,
        stretch: Stretch,
    ) -> rusqlite::Result<String> {
        let raw = self.read(connection, stretch)?;
        Ok(String::from_utf8(raw)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
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
        let start = offset - offset % blobs::PART_BYTES as u64;
        let rest = Rest { part: self.held((hash, start))?, from: (offset - start) as usize };
        (rest.from < rest.part.len()).then_some(rest)
    }

    fn part(&self, connection: &Connection, blob: i64, key: Key) -> rusqlite::Result<Arc<Vec<u8>>> {
        if let Some(part) = self.held(key) {
            return Ok(part);
        }
        let (_, raw) = blobs::part_at(connection, blob, key.1)?;
        let part = Arc::new(raw);
        self.hold(key, Arc::clone(&part));
        Ok(part)
    }

    pub(crate) fn held(&self, key: Key) -> Option<Arc<Vec<u8>>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.clock += 1;
        let clock = held.clock;
        let (used, part) = held.parts.get_mut(&key)?;
        *used = clock;
        Some(Arc::clone(part))
    }

    pub(crate) fn hold(&self, key: Key, part: Arc<Vec<u8>>) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.bytes + part.len() > HELD_BYTES {
            held.let_go_of_half();
        }
        let clock = held.clock;
        held.bytes += part.len();
        if let Some((_, before)) = held.parts.insert(key, (clock, part)) {
            held.bytes -= before.len();
        }
    }
}

impl Held {
    /// Lets go of the half that was not used for longest.
    fn let_go_of_half(&mut self) {
        let mut used: Vec<u64> = self.parts.values().map(|(used, _)| *used).collect();
        used.sort_unstable();
        let middle = used.get(used.len() / 2).copied().unwrap_or_default();
        self.parts.retain(|_, (used, _)| *used > middle);
        self.bytes = self.parts.values().map(|(_, part)| part.len()).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_is_held() {
        let parts = Parts::default();
        let key = |number: u64| ([0; 32], number);
        let part = Arc::new(vec![0; HELD_BYTES / 8]);
        for number in 0..8 {
            parts.hold(key(number), Arc::clone(&part));
            assert!(parts.held(key(number)).is_some());
        }
        assert!(parts.held(key(0)).is_some(), "all fit");
        parts.hold(key(9), part);
        assert!(parts.held(key(0)).is_some() && parts.held(key(9)).is_some());
        assert!(parts.held(key(1)).is_none());
        assert!(parts.held.lock().unwrap().bytes <= HELD_BYTES);
    }
}
