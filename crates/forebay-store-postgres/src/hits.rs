//! Loads the hits for search candidates.
//!
//! The attributes of a chunk never change once its entry is complete, so they are cached; after a purge the server is
//! asked whether the chunk still exists. A note can be superseded, so notes are never cached.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ::postgres::Row;
use forebay_domain::{EntryKind, Hit, NoteKind, Reference, ScoreTerms, Timestamp};
use forebay_store::Candidate;
use forebay_text::excerpt::Excerpt;
use parking_lot::Mutex;

use super::connection::ScopedConn;
use super::entries;
use super::error::PgError;
use super::index_cache::IndexCache;
use super::parts::{BlobSpan, PartCache};
use super::search::{JOINS, chunks_by_id};

/// Maximum number of cached chunks; the cache is cleared beyond that.
const MAX_CACHED_CHUNKS: usize = 150_000;

/// The attributes of a chunk that a hit needs.
#[derive(Debug)]
struct ChunkInfo {
    reference: Reference,
    kind: EntryKind,
    note: Option<NoteKind>,
    is_note: bool,
    title: Arc<str>,
    source: Arc<str>,
    key: Option<Arc<str>>,
    created: Timestamp,
    lines: (u64, u64),
    supersedes: Option<Reference>,
    span: BlobSpan,
}

/// Attributes of chunks that were hits before; never those of notes.
#[derive(Debug, Default)]
struct ChunkInfoCache(Mutex<HashMap<i64, CachedChunk>>);

#[derive(Debug)]
struct CachedChunk {
    info: Arc<ChunkInfo>,
    /// The purge epoch at which the chunk was last known to exist.
    purge_epoch: u64,
}

/// The attributes of each requested chunk, None if it does not exist.
type ChunkInfos = Vec<Option<Arc<ChunkInfo>>>;

/// The caches of one store.
#[derive(Debug, Default)]
pub(super) struct Caches {
    pub(super) index: Arc<IndexCache>,
    parts: PartCache,
    chunks: ChunkInfoCache,
}

/// Returns the hit for each candidate; None if it was deleted or superseded.
pub(super) fn read(
    conn: &mut ScopedConn<'_>,
    candidates: &[Candidate],
    caches: &Caches,
) -> Result<Vec<Option<Hit>>, PgError> {
    let ids: Vec<i64> = candidates.iter().map(|candidate| candidate.chunk_id).collect();
    let infos = caches.chunks.get(conn, &ids, caches.index.purge_epoch())?;
    let spans: Vec<BlobSpan> = infos.iter().flatten().map(|info| info.span).collect();
    let mut texts = super::parts::texts(conn, &caches.parts, &spans)?.into_iter();
    let missing = ids.iter().zip(&infos).filter(|(_, info)| info.is_none());
    caches.index.forget_attributes(missing.map(|(chunk, _)| *chunk));
    let hit = |(candidate, info): (&Candidate, &Option<Arc<ChunkInfo>>)| {
        Some(hit(info.as_ref()?, texts.next()?, candidate))
    };
    Ok(candidates.iter().zip(&infos).map(hit).collect())
}

impl ChunkInfoCache {
    /// Returns the attributes of each chunk, from the cache or else from the server.
    fn get(
        &self,
        conn: &mut ScopedConn<'_>,
        requested: &[i64],
        purge_epoch: u64,
    ) -> Result<ChunkInfos, PgError> {
        let mut found = self.get_existing(conn, requested, purge_epoch)?;
        let missing = requested.iter().zip(&found).filter(|(_, info)| info.is_none());
        let missing: Vec<i64> = missing.map(|(chunk, _)| *chunk).collect();
        let read = self.read(conn, &missing, purge_epoch)?;
        if !read.is_empty() {
            for (chunk, info) in requested.iter().zip(&mut found) {
                *info = info.take().or_else(|| read.get(chunk).cloned());
            }
        }
        Ok(found)
    }

    /// Returns the cached attributes of chunks that still exist.
    fn get_existing(
        &self,
        conn: &mut ScopedConn<'_>,
        requested: &[i64],
        purge_epoch: u64,
    ) -> Result<ChunkInfos, PgError> {
        let (mut infos, mut unverified) = (ChunkInfos::with_capacity(requested.len()), Vec::new());
        {
            let all = self.0.lock();
            for chunk in requested {
                let cached = all.get(chunk);
                if cached.is_some_and(|cached| cached.purge_epoch != purge_epoch) {
                    unverified.push(*chunk);
                }
                infos.push(cached.map(|cached| Arc::clone(&cached.info)));
            }
        }
        if !unverified.is_empty() {
            let gone = self.evict_deleted(conn, &unverified, purge_epoch)?;
            let deleted =
                requested.iter().zip(&mut infos).filter(|(chunk, _)| gone.contains(chunk));
            deleted.for_each(|(_, info)| *info = None);
        }
        Ok(infos)
    }

    /// Returns those chunks that the server no longer has, and evicts them.
    fn evict_deleted(
        &self,
        conn: &mut ScopedConn<'_>,
        ids: &[i64],
        purge_epoch: u64,
    ) -> Result<HashSet<i64>, PgError> {
        let rows = conn.query(
            "SELECT chunk.id FROM unnest($3::bigint[]) AS wanted (id) JOIN chunk
                 ON chunk.workspace = $1 AND chunk.project = $2 AND chunk.id = wanted.id",
            &[&ids],
        )?;
        let mut gone: HashSet<i64> = ids.iter().copied().collect();
        for row in &rows {
            gone.remove(&row.try_get(0)?);
        }
        let mut all = self.0.lock();
        for chunk in ids {
            if gone.contains(chunk) {
                all.remove(chunk);
            } else if let Some(cached) = all.get_mut(chunk) {
                cached.purge_epoch = purge_epoch;
            }
        }
        Ok(gone)
    }

    /// Reads chunks, and caches those that are immutable.
    fn read(
        &self,
        conn: &mut ScopedConn<'_>,
        ids: &[i64],
        purge_epoch: u64,
    ) -> Result<HashMap<i64, Arc<ChunkInfo>>, PgError> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let sql = format!(
            "SELECT entry.ref, entry.kind, note.kind, chunk.title, entry.source, chunk.key,
                coalesce(chunk.created, entry.created), chunk.first_line, chunk.last_line,
                CASE WHEN note.entry IS NOT NULL THEN
                    (SELECT older.ref FROM note AS replaced
                     JOIN entry AS older ON older.workspace = $1 AND older.project = $2
                         AND older.id = replaced.entry
                     WHERE replaced.workspace = $1 AND replaced.project = $2
                         AND replaced.superseded_by = entry.id ORDER BY older.id DESC LIMIT 1) END,
                chunk.id, chunk.start, chunk.bytes, entry.blob
             FROM {} {JOINS}
             WHERE note.superseded_by IS NULL",
            chunks_by_id(3)
        );
        let rows = conn.query(&sql, &[&ids])?;
        let read = |row: &Row| Ok((row.try_get(10)?, Arc::new(ChunkInfo::read(row)?)));
        let read =
            rows.iter().map(read).collect::<Result<HashMap<i64, Arc<ChunkInfo>>, PgError>>()?;
        let is_immutable = |(_, info): &(&i64, &Arc<ChunkInfo>)| !info.is_note;
        let mut all = self.0.lock();
        if all.len() + read.len() > MAX_CACHED_CHUNKS {
            all.clear();
        }
        let cached = |info: &Arc<ChunkInfo>| CachedChunk { info: Arc::clone(info), purge_epoch };
        all.extend(read.iter().filter(is_immutable).map(|(id, info)| (*id, cached(info))));
        Ok(read)
    }
}

impl ChunkInfo {
    fn read(row: &Row) -> Result<Self, PgError> {
        Ok(Self {
            reference: entries::reference(row, 0)?,
            kind: EntryKind::parse(row.try_get(1)?).unwrap_or(EntryKind::Source),
            note: row.try_get::<_, Option<&str>>(2)?.and_then(NoteKind::parse),
            is_note: row.try_get::<_, Option<&str>>(2)?.is_some(),
            title: row.try_get::<_, &str>(3)?.into(),
            source: row.try_get::<_, &str>(4)?.into(),
            key: row.try_get::<_, Option<&str>>(5)?.map(Arc::from),
            created: Timestamp(row.try_get(6)?),
            lines: (row.try_get::<_, i64>(7)? as u64, row.try_get::<_, i64>(8)? as u64),
            supersedes: entries::optional_reference(row, 9)?,
            span: BlobSpan {
                start: row.try_get::<_, i64>(11)? as u64,
                bytes: row.try_get::<_, i64>(12)? as usize,
                blob: row.try_get(13)?,
            },
        })
    }
}

fn hit(info: &ChunkInfo, text: Excerpt, candidate: &Candidate) -> Hit {
    Hit {
        reference: info.reference,
        kind: info.kind,
        note: info.note,
        title: Arc::clone(&info.title),
        source: Arc::clone(&info.source),
        key: info.key.clone(),
        created: info.created,
        lines: info.lines,
        supersedes: info.supersedes,
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
