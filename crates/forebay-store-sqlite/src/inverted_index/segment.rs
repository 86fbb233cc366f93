//! Reads segments, which are immutable, and caches their pages.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::atomic::{self, AtomicU32};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use foldhash::HashMap;
use forebay_domain::EntryKind;
use forebay_text::packed_word::prefix_key;
use rusqlite::{Connection, OptionalExtension};

use super::page::{Page, PageContent, TermEntry};
use super::{Field, MAX_PAGES, varint};
use forebay_store::cache::{ByteCache, byte_cache};

/// Smaller segments are searched without checking entry kinds.
const MIN_CHUNKS_FOR_KINDS: usize = 256;
/// Kinds are loaded after this many queries, since that reads all chunks of the segment.
const KIND_QUERIES_BEFORE_LOADING: u32 = 3;

const PAGE: &str = "SELECT terms FROM word_page WHERE id = ?1";

/// SQLite drops its own page cache after each write of another process.
const PAGE_CACHE_BYTES: usize = 8 * 1024 * 1024;

/// Cached pages by id.
type PageCache = ByteCache<i64, Arc<PageContent>>;

/// Cached segments, dropped when they are merged.
#[derive(Debug)]
pub(in super::super) struct SegmentCache {
    segments: Mutex<HashMap<i64, Arc<Segment>>>,
    pages: Arc<PageCache>,
}

impl Default for SegmentCache {
    fn default() -> Self {
        Self { segments: Mutex::default(), pages: Arc::new(byte_cache(PAGE_CACHE_BYTES)) }
    }
}

impl SegmentCache {
    /// Returns all segments of a field, oldest first.
    pub(super) fn load(
        &self,
        connection: &Connection,
        field: Field,
    ) -> rusqlite::Result<Vec<Arc<Segment>>> {
        let ids: Vec<i64> = connection
            .prepare_cached("SELECT id FROM word_segment WHERE side = ?1 ORDER BY id")?
            .query_map([field as i64], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let mut cached = self.segments.lock().unwrap_or_else(PoisonError::into_inner);
        cached.retain(|id, segment| segment.field != field || ids.binary_search(id).is_ok());
        let mut segments = Vec::with_capacity(ids.len());
        for id in ids {
            let segment = match cached.get(&id) {
                Some(segment) => Arc::clone(segment),
                None => Arc::new(self.read(connection, id)?),
            };
            cached.insert(id, Arc::clone(&segment));
            segments.push(segment);
        }
        Ok(segments)
    }

    fn read(&self, connection: &Connection, id: i64) -> rusqlite::Result<Segment> {
        let pages = Some(Arc::clone(&self.pages));
        Ok(Segment { pages, ..Segment::read(connection, id)? })
    }
}

#[derive(Debug)]
pub(super) struct Segment {
    pub(super) id: i64,
    field: Field,
    /// Chunk ids by ordinal, and their lengths in words.
    pub(super) chunk_ids: Vec<i64>,
    pub(super) lengths: Vec<u32>,
    pub(super) words: u64,
    directory: PageDirectory,
    /// The page cache; None while merging.
    pages: Option<Arc<PageCache>>,
    kind_cache: KindCache,
}

impl Segment {
    pub(super) fn read(connection: &Connection, id: i64) -> rusqlite::Result<Self> {
        connection
            .prepare_cached(
                "SELECT side, words, members, directory FROM word_segment WHERE id = ?1",
            )?
            .query_row([id], |row| {
                let (chunk_ids, lengths) = chunk_lengths(row.get_ref(2)?.as_blob()?);
                let directory = PageDirectory::read(row.get_ref(3)?.as_blob()?);
                Ok(Self {
                    id,
                    field: Field::from_number(row.get(0)?),
                    words: row.get::<_, i64>(1)? as u64,
                    chunk_ids,
                    lengths,
                    directory,
                    pages: None,
                    kind_cache: KindCache::default(),
                })
            })
    }

    /// Returns whether chunks may have one of these kinds; an empty list matches all.
    pub(super) fn may_have(
        &self,
        connection: &Connection,
        kinds: &[EntryKind],
    ) -> rusqlite::Result<bool> {
        if kinds.is_empty() || self.chunk_ids.len() < MIN_CHUNKS_FOR_KINDS {
            return Ok(true);
        }
        let present = self.kind_cache.get(connection, &self.chunk_ids)?;
        Ok(present.is_none_or(|present| kinds.iter().any(|kind| present.contains(kind))))
    }

    /// Finds a term.
    pub(super) fn find(
        &self,
        connection: &Connection,
        term: &str,
    ) -> rusqlite::Result<Option<TermEntry>> {
        let Some(page_number) = self.page_for(term) else { return Ok(None) };
        let page = self.page(connection, page_number)?;
        Ok(page.and_then(|page| page.find(term)))
    }

    /// Loads a page through the cache.
    fn page(&self, connection: &Connection, page_number: usize) -> rusqlite::Result<Option<Page>> {
        let id = self.id * MAX_PAGES + page_number as i64;
        if let Some(content) = self.pages.as_ref().and_then(|pages| pages.get(&id)) {
            return Ok(Some(Page::new(id, content)));
        }
        let read = |row: &rusqlite::Row<'_>| Ok(PageContent::new(row.get_ref(0)?.as_blob()?));
        let content = connection.prepare_cached(PAGE)?.query_row([id], read).optional()?;
        let content: Option<Arc<PageContent>> = content.map(Arc::new);
        if let (Some(pages), Some(content)) = (&self.pages, &content) {
            pages.insert(id, Arc::clone(content));
        }
        Ok(content.map(|content| Page::new(id, content)))
    }

    /// Returns the only page that may contain a term: the last that does not start after it.
    fn page_for(&self, term: &str) -> Option<usize> {
        self.directory.pages_up_to(term).checked_sub(1)
    }

    /// Returns up to `limit` terms with a prefix.
    pub(super) fn find_prefix(
        &self,
        connection: &Connection,
        prefix: &str,
        limit: usize,
    ) -> rusqlite::Result<Vec<TermEntry>> {
        let mut found = Vec::new();
        for page_number in self.page_for(prefix).unwrap_or(0)..self.directory.len() {
            let Some(page) = self.page(connection, page_number)? else { break };
            if page.collect_prefix(prefix.as_bytes(), limit, &mut found).is_break() {
                break;
            }
        }
        Ok(found)
    }

    /// Whether each page exists and is read to its end.
    pub(super) fn has_readable_pages(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let mut select = connection.prepare_cached(PAGE)?;
        for page in 0..self.directory.len() as i64 {
            let is_readable = select
                .query_row([self.id * MAX_PAGES + page], |row| {
                    Ok(PageContent::is_readable(row.get_ref(0)?.as_blob()?))
                })
                .optional()?;
            if is_readable != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads the encoded positions of a term, chunk after chunk.
    pub(super) fn positions(
        &self,
        connection: &Connection,
        entry: &TermEntry,
    ) -> rusqlite::Result<Vec<u8>> {
        let read = |row: &rusqlite::Row<'_>| {
            let mut bytes = row.get_ref(0)?.as_blob()?;
            for _ in 0..entry.index {
                varint::read_slice(&mut bytes);
            }
            Ok(varint::read_slice(&mut bytes).unwrap_or_default().to_vec())
        };
        let positions = connection
            .prepare_cached("SELECT places FROM word_places WHERE id = ?1")?
            .query_row([entry.page.id], read)
            .optional()?;
        Ok(positions.unwrap_or_default())
    }
}

/// The entry kinds of a segment's chunks, loaded after repeated queries.
#[derive(Debug, Default)]
struct KindCache {
    queries: AtomicU32,
    kinds: OnceLock<Vec<EntryKind>>,
}

impl KindCache {
    /// Returns the kinds in the range of these chunks; None if not loaded.
    fn get(
        &self,
        connection: &Connection,
        chunk_ids: &[i64],
    ) -> rusqlite::Result<Option<&[EntryKind]>> {
        if let Some(kinds) = self.kinds.get() {
            return Ok(Some(kinds));
        }
        if self.queries.fetch_add(1, atomic::Ordering::Relaxed) < KIND_QUERIES_BEFORE_LOADING {
            return Ok(None);
        }
        let range = (chunk_ids.iter().min(), chunk_ids.iter().max());
        let words: Vec<String> = connection
            .prepare_cached(
                "SELECT DISTINCT kind FROM entry
                 WHERE id IN (SELECT entry FROM chunk WHERE id BETWEEN ?1 AND ?2)",
            )?
            .query_map(range, |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        // An incomplete entry has no kind yet.
        let kinds: Option<Vec<EntryKind>> =
            words.iter().map(|word| EntryKind::parse(word)).collect();
        Ok(kinds.map(|kinds| &**self.kinds.get_or_init(|| kinds)))
    }
}

fn chunk_lengths(mut bytes: &[u8]) -> (Vec<i64>, Vec<u32>) {
    let (mut chunk_ids, mut lengths) = (Vec::new(), Vec::new());
    let mut last = 0_i64;
    while let (Some(delta), Some(words)) = (varint::read(&mut bytes), varint::read(&mut bytes)) {
        let distance = (delta >> 1) as i64;
        last = last.wrapping_add(if delta & 1 == 0 { distance } else { -distance });
        chunk_ids.push(last);
        lengths.push(words as u32);
    }
    (chunk_ids, lengths)
}

/// The first term of each page, with its first eight bytes as a number, which decides most
/// comparisons.
#[derive(Debug)]
struct PageDirectory {
    bytes: Box<[u8]>,
    first_terms: Vec<(u64, Range<u32>)>,
}

impl PageDirectory {
    fn read(bytes: &[u8]) -> Self {
        let (mut left, mut first_terms) = (bytes, Vec::new());
        while let Some(first) = varint::read_slice(&mut left) {
            let end = bytes.len() - left.len();
            first_terms.push((prefix_key(first), (end - first.len()) as u32..end as u32));
        }
        Self { bytes: bytes.into(), first_terms }
    }

    fn len(&self) -> usize {
        self.first_terms.len()
    }

    /// Returns how many pages start with this term or before it.
    fn pages_up_to(&self, term: &str) -> usize {
        let own = prefix_key(term.as_bytes());
        self.first_terms.partition_point(|(first, range)| match first.cmp(&own) {
            Ordering::Equal => self.term(range) <= term.as_bytes(),
            unequal => unequal.is_lt(),
        })
    }

    fn term(&self, range: &Range<u32>) -> &[u8] {
        &self.bytes[range.start as usize..range.end as usize]
    }
}
