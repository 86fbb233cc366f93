//! The texts of passages, from parts of blobs that were read lately or are read now, all at once.

use std::collections::HashMap;

use forebay_text::excerpt::Excerpt;

use super::blobs;
use super::connection::Work;
use super::error::Fault;
use forebay_store::blob::PART_BYTES;
use forebay_store::blob::text::PartText;
use forebay_store::cache::{ByteCache, byte_cache};

/// What parts may hold together. A part that is not here is a question to a server, which many ask.
const MOST_BYTES: usize = 96 * 1024 * 1024;

/// A part by its blob and its start: a blob never changes, and its number is never given to another.
type Key = (i64, u64);

/// Parts that were read lately.
#[derive(Debug)]
pub(super) struct Parts(ByteCache<Key, PartText>);

impl Default for Parts {
    fn default() -> Self {
        Self(byte_cache(MOST_BYTES))
    }
}

/// A passage's place in a blob.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) blob: i64,
    pub(super) start: u64,
    pub(super) bytes: usize,
}

/// The text of each passage, as far as its blob is still there.
pub(super) fn texts(
    work: &mut Work<'_>,
    held: &Parts,
    stretches: &[Stretch],
) -> Result<Vec<Excerpt>, Fault> {
    let keys: Vec<Key> = stretches.iter().flat_map(keys_of).collect();
    let mut parts: Vec<Option<PartText>> = keys.iter().map(|key| held.0.get(key)).collect();
    let absent = keys.iter().zip(&parts).filter(|(_, part)| part.is_none());
    let mut missing: Vec<Key> = absent.map(|(key, _)| *key).collect();
    missing.sort_unstable();
    missing.dedup();
    let fetched: HashMap<Key, PartText> = fetch(work, &missing)?.into_iter().collect();
    for (key, part) in &fetched {
        held.0.insert(*key, part.clone());
    }
    if !fetched.is_empty() {
        for (key, part) in keys.iter().zip(&mut parts) {
            *part = part.take().or_else(|| fetched.get(key).cloned());
        }
    }
    let parts: Vec<(Key, Option<PartText>)> = keys.into_iter().zip(parts).collect();
    let mut rest = parts.as_slice();
    let next = |stretch: &Stretch| {
        let (own, others) = rest.split_at(keys_of(stretch).count());
        rest = others;
        text(stretch, own)
    };
    Ok(stretches.iter().map(next).collect())
}

/// The parts that a passage reaches into: all but the last are of one size.
fn keys_of(stretch: &Stretch) -> impl Iterator<Item = Key> + use<> {
    let Stretch { blob, start, bytes } = *stretch;
    let part = PART_BYTES as u64;
    let last = start + (bytes.max(1) as u64) - 1;
    (start / part..=last / part).map(move |number| (blob, number * part))
}

/// What a passage says, as far as its parts are there.
fn text(stretch: &Stretch, parts: &[(Key, Option<PartText>)]) -> Excerpt {
    if let [((_, start), Some(part))] = parts {
        let from = (stretch.start - start) as usize;
        if let Some(text) = part.excerpt(from..from + stretch.bytes) {
            return text;
        }
    }
    String::from_utf8_lossy(&cut(stretch, parts)).into_owned().into()
}

fn cut(stretch: &Stretch, parts: &[(Key, Option<PartText>)]) -> Vec<u8> {
    let mut raw = Vec::with_capacity(stretch.bytes);
    let end = stretch.start + stretch.bytes as u64;
    for ((_, start), part) in parts {
        // What follows a gap is not told.
        let Some(part) = part else { break };
        let from = stretch.start.saturating_sub(*start) as usize;
        let part = part.as_bytes();
        let to = part.len().min((end - start) as usize);
        raw.extend_from_slice(part.get(from..to).unwrap_or_default());
    }
    raw
}

fn fetch(work: &mut Work<'_>, missing: &[Key]) -> Result<Vec<(Key, PartText)>, Fault> {
    if missing.is_empty() {
        return Ok(Vec::new());
    }
    let blobs: Vec<i64> = missing.iter().map(|(blob, _)| *blob).collect();
    let starts: Vec<i64> = missing.iter().map(|(_, start)| *start as i64).collect();
    let rows = work.query(
        "SELECT wanted.place, part.bytes, part.data
         FROM unnest($3::bigint[], $4::bigint[]) WITH ORDINALITY AS wanted (blob, start, place)
         JOIN blob_part AS part ON part.workspace = $1 AND part.project = $2
             AND part.blob = wanted.blob AND part.start = wanted.start",
        &[&blobs, &starts],
    )?;
    let mut fetched = Vec::new();
    for row in &rows {
        let place = row.try_get::<_, i64>(0)? as usize - 1;
        let raw = blobs::unpack(row.try_get(2)?, row.try_get(1)?)?;
        fetched.extend(missing.get(place).map(|key| (*key, raw.into())));
    }
    Ok(fetched)
}
