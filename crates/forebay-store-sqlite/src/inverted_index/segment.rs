//! A segment as it is read: its passages and where its words stand in the file. It never changes.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{self, AtomicU32};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use forebay_domain::EntryKind;
use forebay_text::packed_word::prefix_key;
use rusqlite::{Connection, OptionalExtension};

use super::page::{Content, Entry, Page};
use super::{PAGES, Side, varint};
use forebay_store::lru::LruCache;

/// A segment with fewer passages is not worth a look at what they are.
const SMALL: usize = 256;
/// Who asks less often than this leaves the kinds of a segment alone.
const ASKED_BEFORE: u32 = 3;

const PAGE: &str = "SELECT terms FROM word_page WHERE id = ?1";

/// Bytes of pages that are held: SQLite's own cache is empty after every write of another.
const HELD_BYTES: usize = 8 * 1024 * 1024;

/// The pages that were read lately, by their ids.
type Pages = LruCache<i64, Arc<Content>>;

/// The segments that were read, for as long as they are there.
#[derive(Debug)]
pub(in super::super) struct Segments {
    known: Mutex<HashMap<i64, Arc<Segment>>>,
    pages: Arc<Pages>,
}

impl Default for Segments {
    fn default() -> Self {
        Self { known: Mutex::default(), pages: Arc::new(Pages::new(HELD_BYTES)) }
    }
}

impl Segments {
    /// All segments of one side, oldest first.
    pub(super) fn of(
        &self,
        connection: &Connection,
        side: Side,
    ) -> rusqlite::Result<Vec<Arc<Segment>>> {
        let ids: Vec<i64> = connection
            .prepare_cached("SELECT id FROM word_segment WHERE side = ?1 ORDER BY id")?
            .query_map([side as i64], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|id, segment| segment.side != side || ids.binary_search(id).is_ok());
        let mut segments = Vec::with_capacity(ids.len());
        for id in ids {
            let segment = match known.get(&id) {
                Some(segment) => Arc::clone(segment),
                None => Arc::new(self.read(connection, id)?),
            };
            known.insert(id, Arc::clone(&segment));
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
    side: Side,
    /// The passages by their numbers in the segment, and how many words each has.
    pub(super) passages: Vec<i64>,
    pub(super) lengths: Vec<u32>,
    pub(super) words: u64,
    directory: Directory,
    /// Where its pages are held once they were read.
    pages: Option<Arc<Pages>>,
    kinds: Kinds,
}

impl Segment {
    pub(super) fn read(connection: &Connection, id: i64) -> rusqlite::Result<Self> {
        connection
            .prepare_cached(
                "SELECT side, words, members, directory FROM word_segment WHERE id = ?1",
            )?
            .query_row([id], |row| {
                let (passages, lengths) = members(row.get_ref(2)?.as_blob()?);
                let directory = Directory::read(row.get_ref(3)?.as_blob()?);
                Ok(Self {
                    id,
                    side: Side::of(row.get(0)?),
                    words: row.get::<_, i64>(1)? as u64,
                    passages,
                    lengths,
                    directory,
                    pages: None,
                    kinds: Kinds::default(),
                })
            })
    }

    /// Whether some of its passages may be of one of these kinds; of any where none is named.
    pub(super) fn may_have(
        &self,
        connection: &Connection,
        kinds: &[EntryKind],
    ) -> rusqlite::Result<bool> {
        if kinds.is_empty() || self.passages.len() < SMALL {
            return Ok(true);
        }
        let known = self.kinds.of(connection, &self.passages)?;
        Ok(known.is_none_or(|known| kinds.iter().any(|kind| known.contains(kind))))
    }

    /// A word, if the segment has it.
    pub(super) fn find(
        &self,
        connection: &Connection,
        term: &str,
    ) -> rusqlite::Result<Option<Entry>> {
        let Some(number) = self.page_with(term) else { return Ok(None) };
        let page = self.page(connection, number)?;
        Ok(page.and_then(|page| page.find(term)))
    }

    /// A page by its number; it is held from then on.
    fn page(&self, connection: &Connection, number: usize) -> rusqlite::Result<Option<Page>> {
        let id = self.id * PAGES + number as i64;
        if let Some(content) = self.pages.as_ref().and_then(|pages| pages.get(id)) {
            return Ok(Some(Page::new(id, content)));
        }
        let read = |row: &rusqlite::Row<'_>| Ok(Content::of(row.get_ref(0)?.as_blob()?));
        let content = connection.prepare_cached(PAGE)?.query_row([id], read).optional()?;
        let content: Option<Arc<Content>> = content.map(Arc::new);
        if let (Some(pages), Some(content)) = (&self.pages, &content) {
            pages.put(id, Arc::clone(content));
        }
        Ok(content.map(|content| Page::new(id, content)))
    }

    /// The page that has a word, if one has it: the last that does not begin after it.
    fn page_with(&self, term: &str) -> Option<usize> {
        self.directory.not_after(term).checked_sub(1)
    }

    /// The words that begin with this, at most so many.
    pub(super) fn beginning(
        &self,
        connection: &Connection,
        with: &str,
        most: usize,
    ) -> rusqlite::Result<Vec<Entry>> {
        let mut found = Vec::new();
        for number in self.page_with(with).unwrap_or(0)..self.directory.len() {
            let Some(page) = self.page(connection, number)? else { break };
            if page.add_beginning(with.as_bytes(), most, &mut found).is_break() {
                break;
            }
        }
        Ok(found)
    }

    /// The places of a word, passage after passage.
    pub(super) fn places(
        &self,
        connection: &Connection,
        entry: &Entry,
    ) -> rusqlite::Result<Vec<u8>> {
        let read = |row: &rusqlite::Row<'_>| {
            let mut bytes = row.get_ref(0)?.as_blob()?;
            for _ in 0..entry.number {
                varint::take_slice(&mut bytes);
            }
            Ok(varint::take_slice(&mut bytes).unwrap_or_default().to_vec())
        };
        let places = connection
            .prepare_cached("SELECT places FROM word_places WHERE id = ?1")?
            .query_row([entry.page.id], read)
            .optional()?;
        Ok(places.unwrap_or_default())
    }
}

/// The kinds of a segment's passages, looked at by whoever asks again and again: that reads all of them.
#[derive(Debug, Default)]
struct Kinds {
    asked: AtomicU32,
    known: OnceLock<Vec<EntryKind>>,
}

impl Kinds {
    /// Those of these passages, and of what lies between them; none where they are not known.
    fn of(
        &self,
        connection: &Connection,
        passages: &[i64],
    ) -> rusqlite::Result<Option<&[EntryKind]>> {
        if let Some(known) = self.known.get() {
            return Ok(Some(known));
        }
        if self.asked.fetch_add(1, atomic::Ordering::Relaxed) < ASKED_BEFORE {
            return Ok(None);
        }
        let range = (passages.iter().min(), passages.iter().max());
        let words: Vec<String> = connection
            .prepare_cached(
                "SELECT DISTINCT kind FROM entry
                 WHERE id IN (SELECT entry FROM chunk WHERE id BETWEEN ?1 AND ?2)",
            )?
            .query_map(range, |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        // An entry that still arrives is of no kind yet.
        let kinds: Option<Vec<EntryKind>> =
            words.iter().map(|word| EntryKind::from_word(word)).collect();
        Ok(kinds.map(|kinds| &**self.known.get_or_init(|| kinds)))
    }
}

fn members(mut bytes: &[u8]) -> (Vec<i64>, Vec<u32>) {
    let (mut passages, mut lengths) = (Vec::new(), Vec::new());
    let mut last = 0_i64;
    while let (Some(step), Some(words)) = (varint::take(&mut bytes), varint::take(&mut bytes)) {
        let distance = (step >> 1) as i64;
        last = last.wrapping_add(if step & 1 == 0 { distance } else { -distance });
        passages.push(last);
        lengths.push(words as u32);
    }
    (passages, lengths)
}

/// The first word of each page, as it is written, and where each stands there with the number of its beginning: that
/// mostly tells which of two comes first.
#[derive(Debug)]
struct Directory {
    bytes: Box<[u8]>,
    firsts: Vec<(u64, Range<u32>)>,
}

impl Directory {
    fn read(bytes: &[u8]) -> Self {
        let (mut left, mut firsts) = (bytes, Vec::new());
        while let Some(first) = varint::take_slice(&mut left) {
            let end = bytes.len() - left.len();
            firsts.push((prefix_key(first), (end - first.len()) as u32..end as u32));
        }
        Self { bytes: bytes.into(), firsts }
    }

    fn len(&self) -> usize {
        self.firsts.len()
    }

    /// How many pages begin with this word or before it.
    fn not_after(&self, term: &str) -> usize {
        let own = prefix_key(term.as_bytes());
        self.firsts.partition_point(|(first, place)| match first.cmp(&own) {
            Ordering::Equal => self.word(place) <= term.as_bytes(),
            unequal => unequal.is_lt(),
        })
    }

    fn word(&self, place: &Range<u32>) -> &[u8] {
        &self.bytes[place.start as usize..place.end as usize]
    }
}
