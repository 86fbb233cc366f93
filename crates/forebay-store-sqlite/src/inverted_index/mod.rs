//! The index over words: which passages have a word, how often, and where.
//!
//! - `term`: a word as the index knows it;
//! - `batch`: the words of passages that are written together become a segment; `builder` makes it, `members` are
//!   its passages, `terms` its words, `table` finds these, `names` holds them;
//! - `draft`, `segment`, `page`, `postings`: how a segment is laid out and read;
//! - `merge`: small segments become one, and what was forgotten is left out;
//! - `rank`: the passages that fit best;
//! - `vocabulary`: words as they are written, for slips and parts.
//!
//! A segment never changes. So an index grows by what is new, a reader keeps what it has read, and words
//! that were put in order in memory are written as they stand, 4,000 bytes a row. What is forgotten is noted in
//! `word_gone` until its segment is merged; ids of passages are never given out twice.

mod batch;
mod builder;
mod encoded_segment;
mod members;
mod merge;
mod names;
mod page;
mod postings;
mod rank;
mod segment;
mod table;
mod term;
mod terms;
#[cfg(test)]
mod tests;
mod varint;
mod vocabulary;

use std::collections::HashSet;

use rusqlite::{Connection, Transaction};

pub(super) use self::batch::{Batch, Gathered, Placed};
pub(super) use self::merge::{Leave, Merged, forget, leave_out_many_gone, wants_tidying};
pub(super) use self::rank::Asked;
use self::rank::Present;
pub(super) use self::segment::Segments;
pub(super) use self::vocabulary::{Vocabulary, similar};

/// Pages that a segment may have; its number times this is the id of its first.
const PAGES: i64 = 1 << 24;

/// What is indexed of a passage: its own words, or those that stand around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Own = 0,
    Around = 1,
}

impl Side {
    const ALL: [Self; 2] = [Self::Own, Self::Around];

    fn of(number: i64) -> Self {
        if number == 0 { Self::Own } else { Self::Around }
    }
}

/// An id for a new passage that none ever had, as far as the index remembers.
pub(super) fn next_passage(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(
            "SELECT max((SELECT coalesce(max(id), 0) FROM chunk),
                        (SELECT coalesce(max(last), 0) FROM word_segment)) + 1",
        )?
        .query_row([], |row| row.get(0))
}

/// Takes an entry's passages out of the index.
pub(super) fn unindex(transaction: &Transaction<'_>, entry: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR IGNORE INTO word_gone (side, passage)
             SELECT DISTINCT side, chunk.id FROM chunk
             JOIN word_segment ON chunk.id BETWEEN first AND last
             WHERE chunk.entry = ?1",
        )?
        .execute([entry])
        .map(drop)
}

/// The passages that were forgotten and still stand in a segment.
fn gone(connection: &Connection, side: Side) -> rusqlite::Result<HashSet<i64>> {
    connection
        .prepare_cached("SELECT passage FROM word_gone WHERE side = ?1")?
        .query_map([side as i64], |row| row.get(0))?
        .collect()
}

/// Those of the words that no passage has.
pub(super) fn unknown(
    connection: &Connection,
    segments: &Segments,
    words: &[String],
) -> rusqlite::Result<Vec<String>> {
    let present = Present::of(connection, segments, Side::Own)?;
    let mut unknown = Vec::new();
    for word in words {
        if present.count(connection, word, 1)? == 0 {
            unknown.push(word.clone());
        }
    }
    Ok(unknown)
}
