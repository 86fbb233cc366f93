//! The texts of passages, from parts of blobs that were read lately or are read now, all at once.

use std::collections::HashMap;
use std::sync::Arc;

use forebay_domain::Hit;

use super::blobs;
use super::connection::Work;
use super::fault::Fault;
use crate::sqlite::blobs::PART_BYTES;
use crate::sqlite::parts::{Key, Parts};

/// A blob by its number and the hash of its content.
type Blob = (i64, [u8; 32]);

/// A part that was read.
type Part = (Key, Arc<Vec<u8>>);

/// The text of each passage; empty for one that was forgotten meanwhile.
pub(super) fn passages(
    work: &mut Work<'_>,
    parts: &Parts,
    hits: &[&Hit],
) -> Result<Vec<String>, Fault> {
    let blobs = blobs_of(work, hits)?;
    let needed = |hit: &&Hit| {
        let (_, hash) = *blobs.get(hit.reference.as_str())?;
        Some(starts(hit).map(move |start| (hash, start)))
    };
    let keys: Vec<Key> = hits.iter().filter_map(needed).flatten().collect();
    let mut read: HashMap<Key, Arc<Vec<u8>>> =
        keys.iter().filter_map(|key| Some((*key, parts.held(*key)?))).collect();
    let missing = hits.iter().filter_map(|hit| {
        let (id, hash) = *blobs.get(hit.reference.as_str())?;
        Some(starts(hit).map(move |start| (id, (hash, start))))
    });
    let mut missing: Vec<(i64, Key)> =
        missing.flatten().filter(|(_, key)| !read.contains_key(key)).collect();
    missing.sort_unstable();
    missing.dedup();
    for (key, part) in fetch(work, &missing)? {
        parts.hold(key, Arc::clone(&part));
        read.insert(key, part);
    }
    let text = |hit: &&Hit| {
        let hash = blobs.get(hit.reference.as_str()).map(|(_, hash)| *hash);
        let raw = hash.map(|hash| cut(hit, hash, &read)).unwrap_or_default();
        String::from_utf8_lossy(&raw).into_owned()
    };
    Ok(hits.iter().map(text).collect())
}

/// Where the parts start that a passage reaches into: all but the last are of one size.
fn starts(hit: &Hit) -> impl Iterator<Item = u64> + use<> {
    let part = PART_BYTES as u64;
    let last = hit.start + hit.bytes.max(1) - 1;
    (hit.start / part..=last / part).map(move |number| number * part)
}

fn cut(hit: &Hit, hash: [u8; 32], read: &HashMap<Key, Arc<Vec<u8>>>) -> Vec<u8> {
    let mut raw = Vec::with_capacity(hit.bytes as usize);
    let end = hit.start + hit.bytes;
    for start in starts(hit) {
        let Some(part) = read.get(&(hash, start)) else { break };
        let from = hit.start.saturating_sub(start) as usize;
        let to = part.len().min((end - start) as usize);
        raw.extend_from_slice(part.get(from..to).unwrap_or_default());
    }
    raw
}

fn blobs_of(work: &mut Work<'_>, hits: &[&Hit]) -> Result<HashMap<String, Blob>, Fault> {
    let mut references: Vec<&str> = hits.iter().map(|hit| hit.reference.as_str()).collect();
    references.sort_unstable();
    references.dedup();
    let rows = work.query(
        "SELECT entry.ref, blob.id, blob.hash FROM entry
         JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
         WHERE entry.workspace = $1 AND entry.project = $2 AND entry.ref = ANY ($3) AND entry.complete",
        &[&references],
    )?;
    let read = |row: &postgres::Row| {
        let hash = row.try_get::<_, &[u8]>(2)?.try_into().map_err(Fault::content)?;
        Ok((row.try_get(0)?, (row.try_get(1)?, hash)))
    };
    rows.iter().map(read).collect()
}

fn fetch(work: &mut Work<'_>, missing: &[(i64, Key)]) -> Result<Vec<Part>, Fault> {
    if missing.is_empty() {
        return Ok(Vec::new());
    }
    let blobs: Vec<i64> = missing.iter().map(|(blob, _)| *blob).collect();
    let starts: Vec<i64> = missing.iter().map(|(_, (_, start))| *start as i64).collect();
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
        fetched.extend(missing.get(place).map(|(_, key)| (*key, Arc::new(raw))));
    }
    Ok(fetched)
}
