//! Merging: segments of about one size become one, so that a word is looked up in few places.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, Transaction};

use super::draft::Draft;
use super::page::Packed;
use super::postings::{List, Posting, Postings, take_places};
use super::segment::Segment;
use super::{PAGES, Side, gone, term, varint, vocabulary};

/// So many segments of about one size are merged.
const ENOUGH: usize = 8;
/// Passages that a small write may merge; larger merges wait for a large write, or until nobody waits.
const MERGED_AT_ONCE: i64 = 6_000;
/// A large write may merge so many times its own passages.
const MERGED_TIMES: i64 = 10;
/// Passages that are merged when nobody waits: half a second in which nobody else can write.
const MERGED_IDLE: i64 = 50_000;
/// A share of forgotten passages that is worth a merge, and the fewest.
const GONE_SHARE: i64 = 10;
const GONE_LEAST: i64 = 500;

/// Merges what has become too many segments, as far as it does not take longer than the write it follows.
pub(super) fn after_write(
    transaction: &Transaction<'_>,
    side: Side,
    passages: usize,
) -> rusqlite::Result<()> {
    merge_alike(transaction, side, MERGED_AT_ONCE.max(passages as i64 * MERGED_TIMES))
}

fn merge_alike(transaction: &Transaction<'_>, side: Side, most: i64) -> rusqlite::Result<()> {
    while let Some(segments) = alike(transaction, side, most)? {
        merge(transaction, side, &segments)?;
    }
    Ok(())
}

/// Whether there is something to merge when nobody waits.
pub(in super::super) fn wants_tidying(connection: &Connection) -> rusqlite::Result<bool> {
    for side in Side::ALL {
        if alike(connection, side, MERGED_IDLE)?.is_some() || has_many_gone(connection, side)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Merges whatever is worth it.
pub(in super::super) fn tidy(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    for side in Side::ALL {
        if has_many_gone(transaction, side)? {
            leave_out_gone(transaction, side)?;
        }
        merge_alike(transaction, side, MERGED_IDLE)?;
    }
    Ok(())
}

/// Writes every segment anew that has a forgotten passage.
pub(in super::super) fn forget(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    Side::ALL.into_iter().try_for_each(|side| leave_out_gone(transaction, side))
}

fn leave_out_gone(transaction: &Transaction<'_>, side: Side) -> rusqlite::Result<()> {
    let gone = gone(transaction, side)?;
    for (id, _) in sizes(transaction, side)? {
        let segment = Segment::read(transaction, id)?;
        if segment.passages.iter().any(|passage| gone.contains(passage)) {
            merge(transaction, side, &[id])?;
        }
    }
    // What is left was never indexed on this side.
    transaction.execute("DELETE FROM word_gone WHERE side = ?1", [side as i64]).map(drop)
}

fn has_many_gone(connection: &Connection, side: Side) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT count(*) > max(?2, ?3 * (SELECT coalesce(sum(passages), 0) / 100 FROM word_segment
                                             WHERE side = ?1))
             FROM word_gone WHERE side = ?1",
        )?
        .query_row((side as i64, GONE_LEAST, GONE_SHARE), |row| row.get(0))
}

/// Enough segments of about one size with at most so many passages together.
fn alike(connection: &Connection, side: Side, most: i64) -> rusqlite::Result<Option<Vec<i64>>> {
    let sizes = sizes(connection, side)?;
    let level = |passages: i64| passages.max(1).ilog2() / ENOUGH.ilog2();
    for wanted in 0..=i64::BITS / ENOUGH.ilog2() {
        let same = sizes.iter().filter(|(_, passages)| level(*passages) == wanted);
        let same: Vec<&(i64, i64)> = same.take(ENOUGH).collect();
        let together: i64 = same.iter().map(|(_, passages)| passages).sum();
        if same.len() == ENOUGH && together <= most {
            return Ok(Some(same.into_iter().map(|(id, _)| *id).collect()));
        }
    }
    Ok(None)
}

/// Each segment and its passages, oldest first.
fn sizes(connection: &Connection, side: Side) -> rusqlite::Result<Vec<(i64, i64)>> {
    connection
        .prepare_cached("SELECT id, passages FROM word_segment WHERE side = ?1 ORDER BY id")?
        .query_map([side as i64], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Writes one segment in place of several, without what was forgotten.
fn merge(transaction: &Transaction<'_>, side: Side, ids: &[i64]) -> rusqlite::Result<()> {
    let gone = gone(transaction, side)?;
    let mut sources = Vec::with_capacity(ids.len());
    let (mut passages, mut left_out) = (Vec::new(), Vec::new());
    for id in ids {
        let segment = Segment::read(transaction, *id)?;
        sources.push(Source::open(transaction, &segment, &gone, (&mut passages, &mut left_out))?);
    }
    let words = vocabulary::of_segments(transaction, ids)?;
    let mut draft = Draft::new(passages, words);
    let mut terms = HashSet::new();
    let mut list = List::default();
    while let Some(term) = sources.iter().filter_map(Source::term).min().map(<[u8]>::to_vec) {
        list.clear();
        for source in sources.iter_mut().filter(|source| source.term() == Some(&term)) {
            source.add_to(&mut list);
            source.advance(transaction)?;
        }
        if list.count > 0 {
            draft.add(&term, &list);
            if !left_out.is_empty() {
                terms.insert(term);
            }
        }
    }
    if !left_out.is_empty() {
        draft.keep_words(|word| {
            term::of_text(word).iter().all(|term| terms.contains(term.as_bytes()))
        });
    }
    remove(transaction, side, ids, &left_out)?;
    draft.write(transaction, side)
}

fn remove(
    transaction: &Transaction<'_>,
    side: Side,
    ids: &[i64],
    left_out: &[i64],
) -> rusqlite::Result<()> {
    for id in ids {
        transaction.prepare_cached("DELETE FROM word_segment WHERE id = ?1")?.execute([id])?;
        for table in ["word_page", "word_places"] {
            transaction
                .prepare_cached(&format!("DELETE FROM {table} WHERE id >= ?1 AND id < ?2"))?
                .execute((id * PAGES, (id + 1) * PAGES))?;
        }
    }
    let mut forgotten =
        transaction.prepare_cached("DELETE FROM word_gone WHERE side = ?1 AND passage = ?2")?;
    left_out.iter().try_for_each(|passage| forgotten.execute((side as i64, passage)).map(drop))
}

/// A segment that is read word by word.
struct Source {
    next_page: i64,
    terms: Vec<u8>,
    places: Vec<u8>,
    /// How far each of them was read.
    at: (usize, usize),
    term: Vec<u8>,
    is_open: bool,
    postings: std::ops::Range<usize>,
    own_places: std::ops::Range<usize>,
    /// The new number of each passage; none for those that were forgotten.
    numbers: Vec<Option<u32>>,
}

impl Source {
    fn open(
        connection: &Connection,
        segment: &Segment,
        gone: &HashSet<i64>,
        (passages, left_out): (&mut Vec<(i64, u32)>, &mut Vec<i64>),
    ) -> rusqlite::Result<Self> {
        let mut numbers = Vec::with_capacity(segment.passages.len());
        for (passage, words) in segment.passages.iter().zip(&segment.lengths) {
            if gone.contains(passage) {
                left_out.push(*passage);
                numbers.push(None);
            } else {
                numbers.push(Some(passages.len() as u32));
                passages.push((*passage, *words));
            }
        }
        let mut source = Self {
            next_page: segment.id * PAGES,
            terms: Vec::new(),
            places: Vec::new(),
            at: (0, 0),
            term: Vec::new(),
            is_open: true,
            postings: 0..0,
            own_places: 0..0,
            numbers,
        };
        source.advance(connection)?;
        Ok(source)
    }

    /// The word whose turn it is.
    fn term(&self) -> Option<&[u8]> {
        self.is_open.then_some(&self.term[..])
    }

    fn advance(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if self.at.0 >= self.terms.len() && !self.turn_page(connection)? {
            self.is_open = false;
            return Ok(());
        }
        self.is_open = self.read_entry().is_some();
        Ok(())
    }

    fn turn_page(&mut self, connection: &Connection) -> rusqlite::Result<bool> {
        let found = connection
            .prepare_cached(
                "SELECT terms, places FROM word_page JOIN word_places USING (id) WHERE id = ?1",
            )?
            .query_row([self.next_page], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        self.next_page += 1;
        let is_there = found.is_some();
        (self.terms, self.places) = found.unwrap_or_default();
        self.at = (0, 0);
        self.term.clear();
        Ok(is_there)
    }

    fn read_entry(&mut self) -> Option<()> {
        let mut left = self.terms.get(self.at.0..)?;
        let word = Packed::take(&mut left)?;
        word.follow(&mut self.term);
        let postings = word.postings;
        let end = self.terms.len() - left.len();
        self.postings = end - postings.len()..end;
        self.at.0 = end;
        let mut left = self.places.get(self.at.1..)?;
        let places = varint::take_slice(&mut left)?;
        let end = self.places.len() - left.len();
        self.own_places = end - places.len()..end;
        self.at.1 = end;
        Some(())
    }

    /// Adds the passages of the present word under their new numbers.
    fn add_to(&self, list: &mut List) {
        let mut left = &self.places[self.own_places.clone()];
        for posting in Postings::of(&self.terms[self.postings.clone()]) {
            let Some(places) = take_places(&mut left, posting) else { return };
            if let Some(passage) = self.numbers.get(posting.passage as usize).copied().flatten() {
                list.add(Posting { passage, ..posting });
                list.places.extend_from_slice(places);
            }
        }
    }
}
