//! The inverted index: which chunks contain a term, how often, and at which positions.
//!
//! # Structure
//!
//! The index consists of immutable segments, as in Lucene. A write adds one or more segments; small
//! ones are merged; deleted chunks are listed as tombstones until a merge drops them. So the index
//! grows by what is new, and readers cache what they have read.
//!
//! There are two independent indexes, one per [`Field`] (column `side`): 0 for the chunks' own text,
//! 1 for the context of short chunks. A chunk has a title and a body; a field-1 chunk has only a body.
//!
//! A term is a token (a run of letters, digits and emoji) in lower case, without accents, stemmed, and
//! truncated to 64 bytes. A compound token such as `parseHTTPResponse` also yields its subwords: they
//! are appended after the last word of the title or body, once per text.
//!
//! # Format
//!
//! `varint` is an unsigned LEB128 integer of at most 63 bits, `slice` a varint length followed by that
//! many bytes. Terms are UTF-8 and ordered bytewise. "Front-coded" strings are stored as the length of
//! the prefix shared with the previous one (varint) and the rest (slice).
//!
//! `word_segment` has one row per segment:
//!
//! | column | content |
//! |---|---|
//! | `id` | ascending, never reused |
//! | `side` | the field |
//! | `passages`, `words` | number of chunks, and the sum of their lengths |
//! | `first`, `last` | lowest and highest chunk id |
//! | `members` | per chunk, in order of ordinals: varint of the delta from the previous chunk id (the first from 0) as `abs(delta) << 1 \| (delta < 0)`, varint of the chunk's length in words |
//! | `directory` | per page: the first term, as a slice |
//! | `vocabulary` | for field 0, the distinct words as spelled (lower case, unstemmed), sorted and front-coded; empty for field 1 |
//!
//! A chunk's index in `members` is its ordinal; postings refer to chunks by ordinal.
//!
//! `word_page` and `word_places` have one row per page with the same id: `segment id << 24 | page`,
//! pages counted from 0. A page holds up to 4,000 bytes of terms, or a single larger one.
//!
//! - `word_page.terms`: per term, in order: the front-coded term (the first of a page shares nothing),
//!   varint of the number of chunks, slice of postings. A posting is varint `delta << 1 | flag`, where
//!   delta is the distance from the previous ordinal (the first from 0). Flag 0 means one occurrence,
//!   in the body; flag 1 is followed by two varints, the occurrences in the title and in the body.
//! - `word_places.places`: per term, in the same order: slice of positions. For each posting, first
//!   the positions in the title, then those in the body, each as a varint delta from the previous one
//!   (the first from 0). A position is the index of the word in its title or body, at most 4,095.
//!
//! `word_gone` lists tombstones: ids of deleted chunks (`passage`) per field. Readers skip those chunks.
//! Chunk ids are never reused, so a tombstone stays valid until a merge drops the chunk and the row.
//!
//! # Reading
//!
//! The page of a term is the last one in the directory whose first term is not greater. Chunks are
//! ranked by BM25 ([`forebay_store::bm25`]) over all segments of a field, with an occurrence in the
//! title counted twice. Counts include tombstoned chunks. A phrase matches consecutive positions.
//!
//! # Merging
//!
//! The level of a segment is `floor(log8(chunks))`. When a field has eight segments of one level, the
//! oldest eight are merged if the budget allows that many chunks: 500 within the writing transaction;
//! then, between transactions, the larger of 6,000 and ten times the chunks of the write; 50,000 when
//! no request is waiting. Segments that together exceed this stay as they are. A merge is computed
//! without a write transaction and installed only if all its source segments still exist.
//!
//! Tombstoned chunks are dropped by every merge, by a purge (so that deleted words leave the file), and
//! in idle time when there are more than 500 and more than 10% of the field's chunks. A merge that
//! drops chunks keeps a word of the vocabulary only if all its terms still occur.
//!
//! # Modules
//!
//! - `term`: normalizes words;
//! - `batch`, `builder`: make segments from chunks, with `chunk_lengths`, `term_interner`, `word_table`
//!   and `string_arena`;
//! - `encoded_segment`, `postings`, `varint`: encode; `segment`, `page`: read;
//! - `merge`: merges segments and drops deleted chunks;
//! - `term_query`: finds the best chunks;
//! - `check`: finds damage;
//! - `vocabulary`: finds similar words.

mod batch;
mod builder;
mod check;
mod chunk_lengths;
mod encoded_segment;
mod merge;
mod page;
mod postings;
mod segment;
mod string_arena;
mod term;
mod term_interner;
mod term_query;
#[cfg(test)]
mod tests;
mod varint;
mod vocabulary;
mod word_table;

use foldhash::HashSet;
use forebay_store::WordStatistics;
use rusqlite::{Connection, Transaction};

pub(super) use self::batch::{AssignedIds, Batch, BatchBuilder};
pub(super) use self::check::problems;
pub(super) use self::merge::{
    MergeBudget, MergedSegment, needs_maintenance, purge_many_tombstones, purge_tombstones,
};
pub(super) use self::segment::SegmentCache;
use self::term_query::LiveIndex;
pub(super) use self::term_query::{FieldScores, TermQuery};
pub(super) use self::vocabulary::{Vocabulary, similar_words};

/// Maximum number of pages per segment, and the factor from segment ids to page ids.
const MAX_PAGES: i64 = 1 << 24;

/// The indexed texts of a chunk: its own, or its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Text = 0,
    Context = 1,
}

impl Field {
    const ALL: [Self; 2] = [Self::Text, Self::Context];

    fn from_number(number: i64) -> Self {
        if number == 0 { Self::Text } else { Self::Context }
    }
}

/// Returns an id for a new chunk, higher than any the index has seen.
pub(super) fn next_chunk_id(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(
            "SELECT max((SELECT coalesce(max(id), 0) FROM chunk),
                        (SELECT coalesce(max(last), 0) FROM word_segment)) + 1",
        )?
        .query_row([], |row| row.get(0))
}

/// Removes an entry's chunks from the index by adding tombstones.
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

/// Returns the deleted chunks that are still in a segment.
fn tombstones(connection: &Connection, field: Field) -> rusqlite::Result<HashSet<i64>> {
    connection
        .prepare_cached("SELECT passage FROM word_gone WHERE side = ?1")?
        .query_map([field as i64], |row| row.get(0))?
        .collect()
}

/// Returns how frequent words are.
pub(super) fn statistics(
    connection: &Connection,
    segments: &SegmentCache,
    words: &[String],
) -> rusqlite::Result<WordStatistics> {
    let live = LiveIndex::load(connection, segments, Field::Text)?;
    let count = |word: &String| Ok(live.count(connection, word, usize::MAX)? as u64);
    Ok(WordStatistics {
        chunks: live.chunks() as u64,
        average_length: f64::from(live.average_length()),
        containing: words.iter().map(count).collect::<rusqlite::Result<_>>()?,
    })
}

/// Returns the words that no chunk contains.
pub(super) fn unknown(
    connection: &Connection,
    segments: &SegmentCache,
    words: &[String],
) -> rusqlite::Result<Vec<String>> {
    let live = LiveIndex::load(connection, segments, Field::Text)?;
    let mut unknown = Vec::new();
    for word in words {
        if live.count(connection, word, 1)? == 0 {
            unknown.push(word.clone());
        }
    }
    Ok(unknown)
}
