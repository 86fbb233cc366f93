//! Parts of blobs that were read lately: a search reads many passages, and the next one many of the same.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

use forebay_domain::Hit;
use rusqlite::{Connection, OptionalExtension};

use super::blobs;

/// Bytes of raw text that are held.
const HELD_BYTES: usize = 16 * 1024 * 1024;

/// A part by the hash of its blob's content and its start: whatever is stored later, it is never another text.
pub(crate) type Key = ([u8; 32], u64);

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
    /// The text of each passage; empty for one that was forgotten meanwhile.
    pub(super) fn passages(
        &self,
        connection: &Connection,
        hits: &[&Hit],
    ) -> rusqlite::Result<Vec<String>> {
        let mut blobs = HashMap::new();
        let mut texts = Vec::with_capacity(hits.len());
        for hit in hits {
            let blob = match blobs.entry(hit.reference) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => *new.insert(blob_of(connection, hit.reference.as_str())?),
            };
            let raw = match blob {
                Some(blob) => self.read(connection, blob, hit.start, hit.bytes as usize)?,
                None => Vec::new(),
            };
            let text = String::from_utf8(raw)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
            texts.push(text);
        }
        Ok(texts)
    }

    fn read(
        &self,
        connection: &Connection,
        (blob, hash): (i64, [u8; 32]),
        start: u64,
        bytes: usize,
    ) -> rusqlite::Result<Vec<u8>> {
        let mut raw = Vec::with_capacity(bytes);
        while raw.len() < bytes {
            let offset = start + raw.len() as u64;
            let Some(part_start) = blobs::part_start(connection, blob, offset)? else { break };
            let part = self.part(connection, blob, (hash, part_start))?;
            let Some(rest) = part.get((offset - part_start) as usize..) else { break };
            if rest.is_empty() {
                break;
            }
            raw.extend_from_slice(&rest[..rest.len().min(bytes - raw.len())]);
        }
        Ok(raw)
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

fn blob_of(connection: &Connection, reference: &str) -> rusqlite::Result<Option<(i64, [u8; 32])>> {
    connection
        .prepare_cached(
            "SELECT blob.id, blob.hash FROM entry JOIN blob ON blob.id = entry.blob
             WHERE entry.complete AND entry.ref = ?1",
        )?
        .query_row([reference], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
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
