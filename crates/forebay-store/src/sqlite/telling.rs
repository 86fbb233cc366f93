//! Which words of a query are worth their time.
//!
//! BM25 reads every passage that has a word, and gives a word that stands in many next to no weight. In
//! a store of 50,000 passages such words are most of a query's time, so the rarest are taken first, as
//! many as a bounded number of passages allows.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use super::search::any_of;

/// Passages that one query may read, about a microsecond each.
const PASSAGES_READ: i64 = 3_000;
/// A store with fewer passages is searched for every word.
pub(crate) const FEW_PASSAGES: i64 = 10_000;
/// Words whose counts are remembered.
const REMEMBERED: usize = 10_000;

/// How many passages have a word, as far as it was asked for, while the store has about one size.
#[derive(Debug, Default)]
pub(super) struct WordCounts {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    passages: i64,
    counts: HashMap<String, i64>,
}

impl WordCounts {
    /// The words to search for: the rarest, as many as can be read.
    pub(super) fn telling(
        &self,
        connection: &Connection,
        words: &[String],
    ) -> rusqlite::Result<Vec<String>> {
        let passages: i64 = connection
            .prepare_cached("SELECT coalesce(max(id), 0) FROM chunk")?
            .query_row([], |row| row.get(0))?;
        if passages <= FEW_PASSAGES {
            return Ok(words.to_vec());
        }
        let mut counted = Vec::with_capacity(words.len());
        for word in words {
            counted.push((self.count(connection, word, passages)?, word));
        }
        counted.sort();
        Ok(rarest(&counted))
    }

    /// Those of the words that no passage has.
    pub(super) fn unknown(
        &self,
        connection: &Connection,
        words: &[String],
    ) -> rusqlite::Result<Vec<String>> {
        let mut unknown = Vec::new();
        for word in words {
            if bounded_count(connection, word, 1)? == 0 {
                unknown.push(word.clone());
            }
        }
        Ok(unknown)
    }

    /// How many passages have a word, or more than may be read.
    fn count(&self, connection: &Connection, word: &str, passages: i64) -> rusqlite::Result<i64> {
        if let Some(count) = self.remembered(word, passages) {
            return Ok(count);
        }
        let count = bounded_count(connection, word, PASSAGES_READ + 1)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.counts.len() < REMEMBERED {
            known.counts.insert(word.to_owned(), count);
        }
        Ok(count)
    }

    /// A count from a store of about this size.
    fn remembered(&self, word: &str, passages: i64) -> Option<i64> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let has_changed = (passages - known.passages).abs() > passages / 10;
        if has_changed || known.counts.len() >= REMEMBERED {
            *known = Known { passages, counts: HashMap::new() };
        }
        known.counts.get(word).copied()
    }
}

/// How many passages have a word, counted up to `most`.
pub(super) fn bounded_count(
    connection: &Connection,
    word: &str,
    most: i64,
) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "SELECT count(*) FROM (SELECT 1 FROM chunk_words WHERE chunk_words MATCH ?1 LIMIT ?2)",
        )?
        .query_row((any_of(&[word.to_owned()]), most), |row| row.get(0))
}

/// The rarest words whose passages together can be read; at least one.
fn rarest(counted: &[(i64, &String)]) -> Vec<String> {
    let mut read = 0;
    let fits = |(count, _): &&(i64, &String)| {
        let is_first = read == 0;
        read += count;
        is_first || read <= PASSAGES_READ
    };
    counted.iter().take_while(fits).map(|(_, word)| (*word).clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(counts: &[i64], expect: usize) {
        let words: Vec<String> = counts.iter().map(ToString::to_string).collect();
        let counted: Vec<(i64, &String)> = counts.iter().copied().zip(&words).collect();
        assert_eq!(rarest(&counted).len(), expect, "{counts:?}");
    }

    #[test]
    fn the_rarest_words_are_taken_while_they_can_be_read() {
        check(&[10, 200, 2_000], 3);
        check(&[10, 200, 3_001], 2);
        check(&[2_000, 2_000], 1);
        check(&[3_001, 3_001], 1);
        check(&[0, 0, 10], 3);
    }
}
