//! How many passages a project has and how many of them have a word: what ranking by words needs to know.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::connection::Work;
use super::error::Fault;
use super::index_cache::Held;
use super::lexemes::{Standing, lexeme, stems};
use super::text::texts;

/// A project with fewer passages is searched for every word, and counted exactly.
const FEW_PASSAGES: i64 = 10_000;
/// Words whose counts are remembered.
const REMEMBERED: usize = 10_000;

/// What is known of a project's passages while it has about one size.
#[derive(Debug, Default)]
pub(super) struct Counts {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    sizes: Sizes,
    /// The newest passage when the sizes were found, and when they were last found to hold.
    counted_to: i64,
    seen: i64,
    words: HashMap<String, i64>,
}

/// How many passages there are, and how long they are on average.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sizes {
    pub(super) passages: f64,
    pub(super) length: f64,
    /// The same for what stands around short passages.
    pub(super) arounds: f64,
    pub(super) around_length: f64,
}

impl Sizes {
    pub(super) fn are_few(&self) -> bool {
        self.passages <= FEW_PASSAGES as f64
    }
}

impl Counts {
    /// The sizes of a project with this newest passage: exact in a small one, within a tenth in a large one.
    pub(super) fn sizes(&self, work: &mut Work<'_>, newest: i64) -> Result<Sizes, Fault> {
        let (sizes, counted_to, seen) = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            (known.sizes, known.counted_to, known.seen)
        };
        let is_known = sizes.passages > 0.0
            && (newest == seen || !sizes.are_few() && !has_grown(work, &sizes, counted_to)?);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.seen = newest;
        if is_known {
            return Ok(known.sizes);
        }
        let sizes = count(work)?;
        *known = Known { sizes, counted_to: newest, seen: newest, words: HashMap::new() };
        Ok(sizes)
    }

    /// Whether the project was small when it was last counted.
    pub(super) fn are_few(&self) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.sizes.are_few()
    }

    /// How many passages have a word, where that was found out; more than can be read counts as that.
    pub(super) fn remembered(&self, stem: &str) -> Option<i64> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.words.get(stem).copied()
    }

    pub(super) fn remember(&self, stem: &str, count: i64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.words.len() < REMEMBERED {
            known.words.insert(stem.to_owned(), count);
        }
    }

    /// Those of the words that no passage has.
    pub(super) fn unknown(
        &self,
        work: &mut Work<'_>,
        words: &[String],
        held: &Held,
    ) -> Result<Vec<String>, Fault> {
        let is_remembered =
            |stem: &String| held.has(stem) || self.remembered(stem).is_some_and(|count| count > 0);
        let asked: Vec<(&String, Vec<String>)> =
            words.iter().map(|word| (word, stems(word))).collect();
        let mut unsure: Vec<String> = asked.iter().flat_map(|(_, stems)| stems.clone()).collect();
        unsure.retain(|stem| !is_remembered(stem));
        let missing = missing(work, unsure)?;
        let is_unknown = |stems: &Vec<String>| {
            stems.is_empty() || stems.iter().any(|stem| missing.contains(stem))
        };
        let unknown = asked.into_iter().filter(|(_, stems)| is_unknown(stems));
        Ok(unknown.map(|(word, _)| word.clone()).collect())
    }
}

/// Those of the stems that no passage has. Most are words, which are quickly found to be there.
fn missing(work: &mut Work<'_>, unsure: Vec<String>) -> Result<Vec<String>, Fault> {
    if unsure.is_empty() {
        return Ok(Vec::new());
    }
    // Looked up one by one: a plan for all of them would rather read every word.
    let rows = work.query(
        "SELECT stem FROM unnest($3::text[]) AS wanted (stem) WHERE
             (SELECT true FROM word WHERE workspace = $1 AND project = $2 AND word.stem = wanted.stem
              LIMIT 1) IS NULL",
        &[&unsure],
    )?;
    let unlearned =
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Result<Vec<String>, Fault>>()?;
    if unlearned.is_empty() {
        return Ok(unlearned);
    }
    let counts = bounded(work, &unlearned, 1)?;
    let counted = unlearned.into_iter().zip(counts);
    Ok(counted.filter(|(_, count)| *count == 0).map(|(stem, _)| stem).collect())
}

/// How many passages have each of the stems, counted up to `most`.
pub(super) fn bounded(work: &mut Work<'_>, stems: &[String], most: i64) -> Result<Vec<i64>, Fault> {
    if stems.is_empty() {
        return Ok(Vec::new());
    }
    let project = work.place().project;
    let lexemes: Vec<String> =
        stems.iter().map(|stem| lexeme(project, Standing::There, stem)).collect();
    let rows = work.query(
        "SELECT (SELECT count(*) FROM (SELECT FROM chunk
                 WHERE workspace + 0 = $1 AND project + 0 = $2 AND words @@ wanted.lexeme::tsquery
                 LIMIT $4) AS bounded)
         FROM unnest($3::text[]) WITH ORDINALITY AS wanted (lexeme, place) ORDER BY place",
        &[&texts(lexemes.iter().map(String::as_str)), &most],
    )?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// The rarest of counted words, as many as can be read; at least one.
pub(super) fn telling(mut counted: Vec<(i64, &String)>) -> Vec<String> {
    counted.sort();
    let mut read = 0;
    let fits = |(count, _): &&(i64, &String)| {
        let is_first = read == 0;
        read += count;
        is_first || read <= READ
    };
    counted.iter().take_while(fits).map(|(_, stem)| (*stem).clone()).collect()
}

/// Passages that a search in a large project reads for its words: each is a row that is fetched.
pub(super) const READ: i64 = 800;

fn has_grown(work: &mut Work<'_>, sizes: &Sizes, counted_to: i64) -> Result<bool, Fault> {
    let tenth = sizes.passages as i64 / 10;
    let row = work.one(
        "SELECT count(*) > $4 FROM (SELECT FROM chunk
             WHERE workspace = $1 AND project = $2 AND id > $3 LIMIT $4 + 1) AS newer",
        &[&counted_to, &tenth],
    )?;
    Ok(row.try_get(0)?)
}

fn count(work: &mut Work<'_>) -> Result<Sizes, Fault> {
    let row = work.one(
        "SELECT count(*)::float8, coalesce(avg(length), 0)::float8,
             count(*) FILTER (WHERE around_length > 0)::float8,
             coalesce(avg(around_length) FILTER (WHERE around_length > 0), 0)::float8
         FROM chunk WHERE workspace = $1 AND project = $2",
        &[],
    )?;
    Ok(Sizes {
        passages: row.try_get(0)?,
        length: row.try_get(1)?,
        arounds: row.try_get(2)?,
        around_length: row.try_get(3)?,
    })
}
