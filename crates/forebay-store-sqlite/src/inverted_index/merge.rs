//! Merging: segments of about one size become one, so that a word is looked up in few places.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, Transaction};

use super::encoded_segment::Draft;
use super::members::Members;
use super::page::Packed;
use super::postings::{List, Posting, Postings, take_places};
use super::segment::Segment;
use super::{PAGES, Side, gone, term, varint, vocabulary};

/// So many segments of about one size are merged.
const ENOUGH: usize = 8;
/// Passages that are merged in the transaction that wrote the last of them: that takes no longer than the write.
const MERGED_WITHIN: i64 = 500;
/// Passages that a small write may merge when it is done; larger merges wait for a large write, or until nobody waits.
const MERGED_AT_ONCE: i64 = 6_000;
/// A large write may merge so many times its own passages.
const MERGED_TIMES: i64 = 10;
/// Passages that are merged when nobody waits.
const MERGED_IDLE: i64 = 50_000;
/// A share of forgotten passages that is worth a merge, and the fewest.
const GONE_SHARE: i64 = 10;
const GONE_LEAST: i64 = 500;

/// Leave to merge segments that have together at most so many passages.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Leave(i64);

impl Leave {
    /// For whom nobody waits.
    pub(in super::super) const IDLE: Self = Self(MERGED_IDLE);

    /// What takes no longer than the write of so many passages.
    fn after(passages: usize) -> Self {
        Self(MERGED_AT_ONCE.max(passages as i64 * MERGED_TIMES))
    }
}

/// Merges what is small at once; tells what else may be merged now, if there is anything.
pub(super) fn after_write(
    transaction: &Transaction<'_>,
    side: Side,
    passages: usize,
) -> rusqlite::Result<Option<Leave>> {
    loop {
        let sizes = sizes(transaction, side)?;
        let Some(segments) = alike(&sizes, Leave(MERGED_WITHIN)) else {
            let leave = Leave::after(passages);
            return Ok(alike(&sizes, leave).map(|_| leave));
        };
        merge(transaction, side, &segments)?;
    }
}

/// Whether there is something to merge when nobody waits.
pub(in super::super) fn wants_tidying(connection: &Connection) -> rusqlite::Result<bool> {
    for side in Side::ALL {
        let is_due = alike(&sizes(connection, side)?, Leave::IDLE).is_some();
        if is_due || has_many_gone(connection, side)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Leaves out what was forgotten where that is much.
pub(in super::super) fn leave_out_many_gone(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    for side in Side::ALL {
        if has_many_gone(transaction, side)? {
            leave_out_gone(transaction, side)?;
        }
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

/// Enough segments of about one size that may be merged.
fn alike(sizes: &[(i64, i64)], Leave(most): Leave) -> Option<Vec<i64>> {
    let level = |passages: i64| passages.max(1).ilog2() / ENOUGH.ilog2();
    (0..=i64::BITS / ENOUGH.ilog2()).find_map(|wanted| {
        let same = sizes.iter().filter(|(_, passages)| level(*passages) == wanted);
        let same: Vec<&(i64, i64)> = same.take(ENOUGH).collect();
        let together: i64 = same.iter().map(|(_, passages)| passages).sum();
        let is_due = same.len() == ENOUGH && together <= most;
        is_due.then(|| same.into_iter().map(|(id, _)| *id).collect())
    })
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
    Merged::of(transaction, side, ids.to_vec())?.put_in_place(transaction).map(drop)
}

/// One segment made of several, without what was forgotten, and not in their place yet.
///
/// Segments do not change. So this needs no transaction that others wait for, and what was forgotten in the meantime
/// is still noted.
pub(in super::super) struct Merged {
    side: Side,
    of: Vec<i64>,
    left_out: Vec<i64>,
    draft: Draft,
}

impl Merged {
    /// Merges the next segments that may be; none where there are not enough.
    pub(in super::super) fn next(
        connection: &Connection,
        leave: Leave,
    ) -> rusqlite::Result<Option<Self>> {
        for side in Side::ALL {
            if let Some(segments) = alike(&sizes(connection, side)?, leave) {
                return Self::of(connection, side, segments).map(Some);
            }
        }
        Ok(None)
    }

    pub(super) fn of(connection: &Connection, side: Side, ids: Vec<i64>) -> rusqlite::Result<Self> {
        let gone = gone(connection, side)?;
        let mut sources = Vec::with_capacity(ids.len());
        let (mut passages, mut left_out) = (Vec::new(), Vec::new());
        for id in &ids {
            let segment = Segment::read(connection, *id)?;
            sources.push(Source::open(
                connection,
                &segment,
                &gone,
                (&mut passages, &mut left_out),
            )?);
        }
        let words = vocabulary::of_segments(connection, &ids)?;
        let mut draft = Draft::new(Members::of_ids(passages), words);
        let mut terms = HashSet::new();
        let (mut term, mut list) = (Vec::new(), List::default());
        while let Some(next) = sources.iter().filter_map(Source::term).min() {
            next.clone_into(&mut term);
            list.clear();
            for source in sources.iter_mut().filter(|source| source.term() == Some(&term)) {
                source.add_to(&mut list);
                source.advance(connection)?;
            }
            if list.count > 0 {
                draft.add(&term, &list);
                if !left_out.is_empty() {
                    terms.insert(term.clone());
                }
            }
        }
        if !left_out.is_empty() {
            draft.keep_words(|word| {
                term::of_text(word).iter().all(|term| terms.contains(term.as_bytes()))
            });
        }
        Ok(Self { side, of: ids, left_out, draft })
    }

    /// Puts it in the place of those it was made of; not where somebody else has merged one of them.
    pub(in super::super) fn put_in_place(
        self,
        transaction: &Transaction<'_>,
    ) -> rusqlite::Result<bool> {
        for id in &self.of {
            let is_there: bool = transaction
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM word_segment WHERE id = ?1)")?
                .query_row([id], |row| row.get(0))?;
            if !is_there {
                return Ok(false);
            }
        }
        remove(transaction, self.side, &self.of, &self.left_out)?;
        self.draft.write(transaction, self.side)?;
        Ok(true)
    }
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
    numbers: Numbers,
}

/// The new number of each passage.
enum Numbers {
    /// They follow each other from this one on.
    From(u32),
    /// Some were forgotten, and have none.
    Each(Vec<Option<u32>>),
}

impl Numbers {
    /// Gives the passages of a segment numbers after those that are there.
    fn of(
        segment: &Segment,
        gone: &HashSet<i64>,
        (passages, left_out): (&mut Vec<(i64, u32)>, &mut Vec<i64>),
    ) -> Self {
        let before = (passages.len() as u32, left_out.len());
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
        if left_out.len() == before.1 { Self::From(before.0) } else { Self::Each(numbers) }
    }
}

impl Source {
    fn open(
        connection: &Connection,
        segment: &Segment,
        gone: &HashSet<i64>,
        merged: (&mut Vec<(i64, u32)>, &mut Vec<i64>),
    ) -> rusqlite::Result<Self> {
        let mut source = Self {
            next_page: segment.id * PAGES,
            terms: Vec::new(),
            places: Vec::new(),
            at: (0, 0),
            term: Vec::new(),
            is_open: true,
            postings: 0..0,
            own_places: 0..0,
            numbers: Numbers::of(segment, gone, merged),
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
        let postings = &self.terms[self.postings.clone()];
        let places = &self.places[self.own_places.clone()];
        match &self.numbers {
            Numbers::From(first) => list.append(postings, places, *first),
            Numbers::Each(numbers) => add_those_left(list, postings, places, numbers),
        }
    }
}

fn add_those_left(list: &mut List, postings: &[u8], mut left: &[u8], numbers: &[Option<u32>]) {
    for posting in Postings::of(postings) {
        let Some(places) = take_places(&mut left, posting) else { return };
        if let Some(passage) = numbers.get(posting.passage as usize).copied().flatten() {
            list.add(Posting { passage, ..posting });
            list.places.extend_from_slice(places);
        }
    }
}
