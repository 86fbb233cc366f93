//! Texts of chunks, from cached blob parts; all missing parts are fetched with one query.

use std::collections::{HashMap, HashSet};

use forebay_text::excerpt::Excerpt;

use super::connection::ScopedConn;
use super::error::PgError;
use forebay_store::blob::text::PartText;
use forebay_store::blob::{Damage, PART_BYTES, StoredPart};
use forebay_store::cache::{ByteCache, byte_cache};

/// Size of the part cache. Each miss is a query to a shared server.
const MAX_CACHE_BYTES: usize = 96 * 1024 * 1024;

/// A part's blob and start; blobs are immutable and their ids are never reused.
type Key = (i64, u64);

/// Recently read parts.
#[derive(Debug)]
pub(super) struct PartCache(ByteCache<Key, PartText>);

impl Default for PartCache {
    fn default() -> Self {
        Self(byte_cache(MAX_CACHE_BYTES))
    }
}

/// The byte range of a chunk in a blob.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlobSpan {
    pub(super) blob: i64,
    pub(super) start: u64,
    pub(super) bytes: usize,
}

/// Returns the text of each chunk, as far as its blob still exists.
pub(super) fn texts(
    conn: &mut ScopedConn<'_>,
    cache: &PartCache,
    spans: &[BlobSpan],
) -> Result<Vec<Excerpt>, PgError> {
    let keys: Vec<Key> = spans.iter().flat_map(keys_of).collect();
    let mut parts: Vec<Option<PartText>> = keys.iter().map(|key| cache.0.get(key)).collect();
    let absent = keys.iter().zip(&parts).filter(|(_, part)| part.is_none());
    let mut missing: Vec<Key> = absent.map(|(key, _)| *key).collect();
    missing.sort_unstable();
    missing.dedup();
    let Fetched { parts: fetched, damaged } = fetch(conn, &missing)?;
    for (key, part) in &fetched {
        cache.0.insert(*key, part.clone());
    }
    if !fetched.is_empty() {
        for (key, part) in keys.iter().zip(&mut parts) {
            *part = part.take().or_else(|| fetched.get(key).cloned());
        }
    }
    let parts: Vec<(Key, Option<PartText>)> = keys.into_iter().zip(parts).collect();
    let mut rest = parts.as_slice();
    let next = |span: &BlobSpan| {
        let (own, others) = rest.split_at(keys_of(span).count());
        rest = others;
        if keys_of(span).any(|key| damaged.contains(&key)) {
            return Damage::CHUNK_TEXT.to_owned().into();
        }
        text(span, own)
    };
    Ok(spans.iter().map(next).collect())
}

/// Returns the keys of the parts a span overlaps: all parts but the last have the same size.
fn keys_of(span: &BlobSpan) -> impl Iterator<Item = Key> + use<> {
    let BlobSpan { blob, start, bytes } = *span;
    let part = PART_BYTES as u64;
    let last = start + (bytes.max(1) as u64) - 1;
    (start / part..=last / part).map(move |number| (blob, number * part))
}

/// Returns the text of a span, as far as its parts exist.
fn text(span: &BlobSpan, parts: &[(Key, Option<PartText>)]) -> Excerpt {
    if let [((_, start), Some(part))] = parts {
        let from = (span.start - start) as usize;
        if let Some(text) = part.excerpt(from..from + span.bytes) {
            return text;
        }
    }
    String::from_utf8_lossy(&concat(span, parts)).into_owned().into()
}

fn concat(span: &BlobSpan, parts: &[(Key, Option<PartText>)]) -> Vec<u8> {
    let mut raw = Vec::with_capacity(span.bytes);
    let end = span.start + span.bytes as u64;
    for ((_, start), part) in parts {
        // The text ends at the first gap.
        let Some(part) = part else { break };
        let from = span.start.saturating_sub(*start) as usize;
        let part = part.as_bytes();
        let to = part.len().min((end - start) as usize);
        raw.extend_from_slice(part.get(from..to).unwrap_or_default());
    }
    raw
}

/// Parts from the server.
#[derive(Default)]
struct Fetched {
    parts: HashMap<Key, PartText>,
    damaged: HashSet<Key>,
}

fn fetch(conn: &mut ScopedConn<'_>, missing: &[Key]) -> Result<Fetched, PgError> {
    let mut fetched = Fetched::default();
    if missing.is_empty() {
        return Ok(fetched);
    }
    let blobs: Vec<i64> = missing.iter().map(|(blob, _)| *blob).collect();
    let starts: Vec<i64> = missing.iter().map(|(_, start)| *start as i64).collect();
    let rows = conn.query(
        "SELECT wanted.ordinal, part.line, part.bytes, part.data
         FROM unnest($3::bigint[], $4::bigint[]) WITH ORDINALITY AS wanted (blob, start, ordinal)
         JOIN blob_part AS part ON part.workspace = $1 AND part.project = $2
             AND part.blob = wanted.blob AND part.start = wanted.start",
        &[&blobs, &starts],
    )?;
    for row in &rows {
        let index = row.try_get::<_, i64>(0)? as usize - 1;
        let Some(key) = missing.get(index) else { continue };
        let line = row.try_get::<_, i64>(1)? as u64;
        let bytes = row.try_get::<_, i64>(2)? as u64;
        let part = StoredPart { start: key.1, line, bytes, data: row.try_get(3)? };
        match part.decode() {
            Some(raw) => drop(fetched.parts.insert(*key, raw.into())),
            None => drop(fetched.damaged.insert(*key)),
        }
    }
    Ok(fetched)
}
