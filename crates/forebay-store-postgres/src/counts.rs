//! Document frequencies and chunk counts, the statistics that BM25 needs.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use forebay_store::WordStatistics;

use super::connection::ScopedConn;
use super::error::PgError;
use super::index_cache::IndexCache;
use super::lexemes::{Occurrence, lexeme, stems};
use super::text::texts;

/// A project with at most so many chunks is counted exactly and searched for every word.
const SMALL_PROJECT_CHUNKS: i64 = 10_000;
/// Maximum number of words with a cached count.
const MAX_CACHED_WORDS: usize = 10_000;

/// Cached statistics of a project, valid while its size is about the same.
#[derive(Debug, Default)]
pub(super) struct Counts {
    cached: Mutex<CachedCounts>,
}

#[derive(Debug, Default)]
struct CachedCounts {
    sizes: Sizes,
    /// The newest chunk at the last count, and at the last check that the count still holds.
    counted_up_to: i64,
    checked_up_to: i64,
    words: HashMap<String, i64>,
}

/// Number of chunks and their average length in words.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sizes {
    pub(super) chunks: f64,
    pub(super) average_length: f64,
    /// The same for the context of short chunks.
    pub(super) chunks_with_context: f64,
    pub(super) average_context_length: f64,
}

impl Sizes {
    pub(super) fn is_small(&self) -> bool {
        self.chunks <= SMALL_PROJECT_CHUNKS as f64
    }
}

impl Counts {
    /// Returns the sizes of a project with this newest chunk: exact if it is small, else within a tenth.
    pub(super) fn sizes(&self, conn: &mut ScopedConn<'_>, newest: i64) -> Result<Sizes, PgError> {
        let (sizes, counted_up_to, checked_up_to) = {
            let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
            (cached.sizes, cached.counted_up_to, cached.checked_up_to)
        };
        let is_current = sizes.chunks > 0.0
            && (newest == checked_up_to
                || !sizes.is_small() && !has_grown(conn, &sizes, counted_up_to)?);
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        cached.checked_up_to = newest;
        if is_current {
            return Ok(cached.sizes);
        }
        let sizes = count(conn)?;
        *cached = CachedCounts {
            sizes,
            counted_up_to: newest,
            checked_up_to: newest,
            words: HashMap::new(),
        };
        Ok(sizes)
    }

    /// Returns whether the project was small when it was last counted.
    pub(super) fn is_small(&self) -> bool {
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        cached.sizes.is_small()
    }

    /// Returns how many chunks contain a word, if cached; capped at the number that is read.
    pub(super) fn cached_count(&self, stem: &str) -> Option<i64> {
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        cached.words.get(stem).copied()
    }

    pub(super) fn cache_count(&self, stem: &str, count: i64) {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.words.len() < MAX_CACHED_WORDS {
            cached.words.insert(stem.to_owned(), count);
        }
    }

    /// Returns how frequent words are: exactly if the cache has all of them, otherwise up to a limit.
    pub(super) fn statistics(
        &self,
        conn: &mut ScopedConn<'_>,
        words: &[String],
        cache: &IndexCache,
    ) -> Result<WordStatistics, PgError> {
        let newest = cache.sync(conn)?;
        let sizes = match cache.sizes() {
            Some(sizes) => sizes,
            None => self.sizes(conn, newest)?,
        };
        let stems: Vec<String> =
            words.iter().map(|word| stems(word).into_iter().next().unwrap_or_default()).collect();
        let known = |stem: &String| cache.count(stem).or_else(|| self.cached_count(stem));
        let mut uncounted: Vec<String> = stems
            .iter()
            .filter(|stem| !stem.is_empty() && known(stem).is_none())
            .cloned()
            .collect();
        uncounted.sort();
        uncounted.dedup();
        let counts = count_up_to(conn, &uncounted, MAX_POSTINGS_READ)?;
        for (stem, count) in uncounted.iter().zip(counts) {
            self.cache_count(stem, count);
        }
        let containing = |stem: &String| known(stem).unwrap_or_default() as u64;
        Ok(WordStatistics {
            chunks: sizes.chunks as u64,
            average_length: sizes.average_length,
            containing: stems.iter().map(containing).collect(),
        })
    }

    /// Returns those of the words that no chunk contains.
    pub(super) fn unknown(
        &self,
        conn: &mut ScopedConn<'_>,
        words: &[String],
        cache: &IndexCache,
    ) -> Result<Vec<String>, PgError> {
        let is_cached = |stem: &String| {
            cache.has(stem) || self.cached_count(stem).is_some_and(|count| count > 0)
        };
        let stems_by_word: Vec<(&String, Vec<String>)> =
            words.iter().map(|word| (word, stems(word))).collect();
        let mut unverified: Vec<String> =
            stems_by_word.iter().flat_map(|(_, stems)| stems.clone()).collect();
        unverified.retain(|stem| !is_cached(stem));
        let missing = missing(conn, unverified)?;
        let is_unknown = |stems: &Vec<String>| {
            stems.is_empty() || stems.iter().any(|stem| missing.contains(stem))
        };
        let unknown = stems_by_word.into_iter().filter(|(_, stems)| is_unknown(stems));
        Ok(unknown.map(|(word, _)| word.clone()).collect())
    }
}

/// Returns those of the stems that no chunk contains. Most are in the vocabulary, which is a quick lookup.
fn missing(conn: &mut ScopedConn<'_>, unverified: Vec<String>) -> Result<Vec<String>, PgError> {
    if unverified.is_empty() {
        return Ok(Vec::new());
    }
    // One lookup per stem: a joint plan would scan the whole table.
    let rows = conn.query(
        "SELECT stem FROM unnest($3::text[]) AS wanted (stem) WHERE
             (SELECT true FROM word WHERE workspace = $1 AND project = $2 AND word.stem = wanted.stem
              LIMIT 1) IS NULL",
        &[&unverified],
    )?;
    let unlisted =
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Result<Vec<String>, PgError>>()?;
    if unlisted.is_empty() {
        return Ok(unlisted);
    }
    let counts = count_up_to(conn, &unlisted, 1)?;
    let counted = unlisted.into_iter().zip(counts);
    Ok(counted.filter(|(_, count)| *count == 0).map(|(stem, _)| stem).collect())
}

/// Counts the chunks that contain each of the stems, up to `limit`.
pub(super) fn count_up_to(
    conn: &mut ScopedConn<'_>,
    stems: &[String],
    limit: i64,
) -> Result<Vec<i64>, PgError> {
    if stems.is_empty() {
        return Ok(Vec::new());
    }
    let project = conn.scope().project;
    let lexemes: Vec<String> =
        stems.iter().map(|stem| lexeme(project, Occurrence::Present, stem)).collect();
    let rows = conn.query(
        "SELECT (SELECT count(*) FROM (SELECT FROM chunk
                 WHERE workspace + 0 = $1 AND project + 0 = $2 AND words @@ wanted.lexeme::tsquery
                 LIMIT $4) AS bounded)
         FROM unnest($3::text[]) WITH ORDINALITY AS wanted (lexeme, ordinal) ORDER BY ordinal",
        &[&texts(lexemes.iter().map(String::as_str)), &limit],
    )?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Selects the rarest words whose chunks can be read together; at least one.
pub(super) fn select_rarest(mut counted: Vec<(i64, &String)>) -> Vec<String> {
    counted.sort();
    let mut read = 0;
    let fits = |(count, _): &&(i64, &String)| {
        let is_first = read == 0;
        read += count;
        is_first || read <= MAX_POSTINGS_READ
    };
    counted.iter().take_while(fits).map(|(_, stem)| (*stem).clone()).collect()
}

/// Chunks that a search in a large project reads for its words; each is a row fetch.
pub(super) const MAX_POSTINGS_READ: i64 = 800;

fn has_grown(
    conn: &mut ScopedConn<'_>,
    sizes: &Sizes,
    counted_up_to: i64,
) -> Result<bool, PgError> {
    let tenth = sizes.chunks as i64 / 10;
    let row = conn.one(
        "SELECT count(*) > $4 FROM (SELECT FROM chunk
             WHERE workspace = $1 AND project = $2 AND id > $3 LIMIT $4 + 1) AS newer",
        &[&counted_up_to, &tenth],
    )?;
    Ok(row.try_get(0)?)
}

fn count(conn: &mut ScopedConn<'_>) -> Result<Sizes, PgError> {
    let row = conn.one(
        "SELECT count(*)::float8, coalesce(avg(length), 0)::float8,
             count(*) FILTER (WHERE around_length > 0)::float8,
             coalesce(avg(around_length) FILTER (WHERE around_length > 0), 0)::float8
         FROM chunk WHERE workspace = $1 AND project = $2",
        &[],
    )?;
    Ok(Sizes {
        chunks: row.try_get(0)?,
        average_length: row.try_get(1)?,
        chunks_with_context: row.try_get(2)?,
        average_context_length: row.try_get(3)?,
    })
}
