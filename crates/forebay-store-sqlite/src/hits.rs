//! Loads hits: the rows and texts of candidate chunks.

use std::sync::Arc;

use foldhash::HashMap;
use forebay_domain::{EntryKind, Hit, NoteKind, Reference, ScoreTerms, Timestamp};
use forebay_store::Candidate;
use forebay_store::blob::Damage;
use forebay_store::cache::{ByteCache, ByteSize, byte_cache};
use forebay_text::excerpt::Excerpt;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row};

use super::blobs::{self, BlobInfo};
use super::entries;
use super::part_cache::{BlobRange, PartCache};

/// Size of the cache of chunk rows, for about ten thousand chunks.
const CHUNK_CACHE_BYTES: usize = 3 * 1024 * 1024;

/// Caches of the data that hits are built from.
#[derive(Debug)]
pub(super) struct HitCache {
    chunks: ByteCache<i64, Arc<ChunkRow>>,
    parts: PartCache,
}

impl Default for HitCache {
    fn default() -> Self {
        Self { chunks: byte_cache(CHUNK_CACHE_BYTES), parts: PartCache::default() }
    }
}

/// Loads each candidate; None for a superseded note or a deleted chunk.
pub(super) fn load(
    connection: &Connection,
    candidates: &[Candidate],
    cache: &HitCache,
) -> rusqlite::Result<Vec<Option<Hit>>> {
    // One prepared statement per row: a list of ids would be prepared anew for each query.
    let mut reader = Reader {
        connection,
        cache,
        chunks: connection.prepare_cached(SELECT_CHUNK)?,
        entries: EntryRows {
            statement: connection.prepare_cached(SELECT_ENTRY)?,
            cached: HashMap::default(),
        },
    };
    candidates.iter().map(|candidate| reader.hit(candidate)).collect()
}

struct Reader<'a> {
    connection: &'a Connection,
    cache: &'a HitCache,
    chunks: CachedStatement<'a>,
    entries: EntryRows<'a>,
}

impl Reader<'_> {
    fn hit(&mut self, candidate: &Candidate) -> rusqlite::Result<Option<Hit>> {
        // A chunk is immutable while its entry exists. If it was deleted and its id given to
        // another chunk, that one has another entry, and the cached row yields nothing.
        if let Some(cached) = self.cache.chunks.get(&candidate.chunk_id)
            && let Some(hit) = self.build_hit(candidate, &cached)?
        {
            return Ok(Some(hit));
        }
        let found = self.chunks.query_row([candidate.chunk_id], ChunkRow::read).optional()?;
        let Some(chunk) = found.map(Arc::new) else { return Ok(None) };
        self.cache.chunks.insert(candidate.chunk_id, Arc::clone(&chunk));
        self.build_hit(candidate, &chunk)
    }

    /// Builds the hit of a chunk; None if its entry is deleted or superseded.
    fn build_hit(
        &mut self,
        candidate: &Candidate,
        chunk: &ChunkRow,
    ) -> rusqlite::Result<Option<Hit>> {
        let Some(entry) = self.entries.get(chunk.entry)? else { return Ok(None) };
        let text = match self.cache.parts.text(self.connection, chunk.blob_range(entry)) {
            Err(error) if blobs::damage_in(&error).is_some() => {
                Damage::CHUNK_TEXT.to_owned().into()
            }
            text => text?,
        };
        Ok(Some(hit(candidate, chunk, entry, text)))
    }
}

const SELECT_CHUNK: &str = "
    SELECT entry, title, key, created, first_line, last_line, start, bytes
    FROM chunk WHERE id = ?1";

/// The columns of a chunk.
#[derive(Debug)]
struct ChunkRow {
    entry: i64,
    title: Arc<str>,
    key: Option<Arc<str>>,
    created: Option<i64>,
    lines: (u64, u64),
    start: u64,
    bytes: usize,
}

impl ByteSize for ChunkRow {
    fn byte_size(&self) -> usize {
        size_of::<Self>() + self.title.len() + self.key.as_ref().map_or(0, |key| key.len())
    }
}

impl ChunkRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            entry: row.get(0)?,
            title: row.get(1)?,
            key: row.get(2)?,
            created: row.get(3)?,
            lines: (row.get::<_, i64>(4)? as u64, row.get::<_, i64>(5)? as u64),
            start: row.get::<_, i64>(6)? as u64,
            bytes: row.get::<_, i64>(7)? as usize,
        })
    }

    /// Returns the location of its text.
    fn blob_range(&self, entry: &EntryRow) -> BlobRange {
        BlobRange { blob: entry.blob, start: self.start, bytes: self.bytes }
    }
}

const SELECT_ENTRY: &str = "
    SELECT entry.ref, entry.kind, note.kind, entry.source, entry.created,
           CASE WHEN note.entry IS NOT NULL THEN
               (SELECT older.ref FROM note AS replaced
                JOIN entry AS older ON older.id = replaced.entry
                WHERE replaced.superseded_by = entry.id ORDER BY replaced.entry DESC LIMIT 1) END,
           blob.id, blob.hash, blob.bytes
    FROM entry LEFT JOIN note ON note.entry = entry.id JOIN blob ON blob.id = entry.blob
    WHERE entry.id = ?1 AND entry.complete AND note.superseded_by IS NULL";

/// The columns of an entry that its chunks share.
struct EntryRow {
    reference: Reference,
    kind: EntryKind,
    note: Option<NoteKind>,
    source: Arc<str>,
    created: i64,
    supersedes: Option<Reference>,
    blob: BlobInfo,
}

impl EntryRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            reference: entries::parse_reference(row.get_ref(0)?.as_str()?)?,
            kind: EntryKind::parse(row.get_ref(1)?.as_str()?).unwrap_or(EntryKind::Source),
            note: row.get_ref(2)?.as_str_or_null()?.and_then(NoteKind::parse),
            source: row.get(3)?,
            created: row.get(4)?,
            supersedes: entries::optional_reference(row, 5)?,
            blob: BlobInfo {
                id: row.get(6)?,
                hash: row.get(7)?,
                bytes: row.get::<_, i64>(8)? as u64,
            },
        })
    }
}

/// The candidates' entries, each read once: the best chunks are often of few entries.
struct EntryRows<'connection> {
    statement: CachedStatement<'connection>,
    cached: HashMap<i64, Option<EntryRow>>,
}

impl EntryRows<'_> {
    /// Returns None for a deleted or superseded entry.
    fn get(&mut self, entry: i64) -> rusqlite::Result<Option<&EntryRow>> {
        use std::collections::hash_map::Entry::{Occupied, Vacant};
        let cached = match self.cached.entry(entry) {
            Occupied(cached) => cached.into_mut(),
            Vacant(place) => {
                place.insert(self.statement.query_row([entry], EntryRow::read).optional()?)
            }
        };
        Ok(cached.as_ref())
    }
}

fn hit(candidate: &Candidate, chunk: &ChunkRow, entry: &EntryRow, text: Excerpt) -> Hit {
    Hit {
        reference: entry.reference,
        kind: entry.kind,
        note: entry.note,
        title: Arc::clone(&chunk.title),
        source: Arc::clone(&entry.source),
        key: chunk.key.clone(),
        created: Timestamp(chunk.created.unwrap_or(entry.created)),
        lines: chunk.lines,
        supersedes: entry.supersedes,
        words: candidate.word_score,
        similarity: candidate.similarity,
        score: 0.0,
        terms: ScoreTerms::default(),
        text,
        matched: Vec::new(),
        conflicts: None,
        near_duplicates: 0,
    }
}
