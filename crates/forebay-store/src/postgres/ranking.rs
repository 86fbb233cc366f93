//! Passages by their words: the server tells which passages have a word, BM25 tells how much that is worth.

use std::collections::HashMap;

use super::connection::Work;
use super::counts::{self, Counts, Sizes};
use super::fault::Fault;
use super::lexemes::{self, Standing, lexeme};
use super::text::texts;
use crate::contract::Query;
use crate::sqlite::search::AROUND_WEIGHT;

/// BM25: how soon a word that stands there more often counts no more, and how much length counts.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;
/// The least that a word is worth which stands nearly everywhere.
const LEAST_WORTH: f64 = 1e-6;
/// Passages of one word that are ever looked at.
const MOST_READ: i64 = 10_000;

/// Passages that have a word.
#[derive(Debug, Default, Clone)]
struct List {
    passages: Vec<i64>,
    lengths: Vec<i32>,
    /// Those that have it more than once, and about how often.
    often: HashMap<i64, f64>,
}

pub(super) type Ranked = HashMap<i64, f64>;

/// The place of a query, its passages and their lengths.
type Fitting = (usize, Vec<i64>, Vec<i32>);

/// Passages with any of the words, and what they are worth together.
pub(super) fn by_words(
    work: &mut Work<'_>,
    query: &Query,
    (sizes, counts): (&Sizes, &Counts),
    reads_all: bool,
) -> Result<Ranked, Fault> {
    let asked: Vec<String> = query.words.iter().flat_map(|word| lexemes::stems(word)).collect();
    let (telling, lists) = telling(work, &asked, sizes, counts, reads_all)?;
    let mut ranked = Ranked::new();
    for stem in &telling {
        if let Some(list) = lists.get(stem) {
            add(&mut ranked, list, 1.0, (sizes.passages, sizes.length));
        }
    }
    for list in beginnings(work, &query.beginnings)? {
        add(&mut ranked, &list, 1.0, (sizes.passages, sizes.length));
    }
    if sizes.arounds > 0.0 && query.phrases.is_empty() && query.without.is_empty() {
        for list in around(work, &telling)?.values() {
            add(&mut ranked, list, AROUND_WEIGHT, (sizes.arounds, sizes.around_length));
        }
    }
    Ok(ranked)
}

/// The words that are worth their time, and their passages: in a large project the rarest.
fn telling(
    work: &mut Work<'_>,
    asked: &[String],
    sizes: &Sizes,
    counts: &Counts,
    reads_all: bool,
) -> Result<(Vec<String>, HashMap<String, List>), Fault> {
    if reads_all || sizes.are_few() {
        return Ok((asked.to_vec(), lists(work, asked, MOST_READ)?));
    }
    // Words that were counted before are chosen first; one that was not is counted by reading it.
    let uncounted: Vec<String> =
        asked.iter().filter(|stem| counts.remembered(stem).is_none()).cloned().collect();
    let mut found = lists(work, &uncounted, counts::READ)?;
    for (stem, list) in &found {
        counts.remember(stem, list.passages.len() as i64);
    }
    let count = |stem: &String| found.get(stem).map(|list| list.passages.len() as i64);
    let counted = asked
        .iter()
        .map(|stem| (count(stem).or_else(|| counts.remembered(stem)).unwrap_or_default(), stem))
        .collect();
    let telling = counts::telling(counted);
    // Where even the rarest is in more than can be read, more is read than that.
    let is_read = |stem: &&String| {
        found
            .get(*stem)
            .is_some_and(|list| telling.len() > 1 || (list.passages.len() as i64) < counts::READ)
    };
    let missing: Vec<String> = telling.iter().filter(|stem| !is_read(stem)).cloned().collect();
    let most = if telling.len() == 1 { MOST_READ } else { counts::READ };
    found.extend(lists(work, &missing, most)?);
    Ok((telling, found))
}

fn add(ranked: &mut Ranked, list: &List, weight: f64, (passages, average): (f64, f64)) {
    let count = list.passages.len() as f64;
    let worth = ((passages - count + 0.5) / (count + 0.5)).max(1.0).ln().max(LEAST_WORTH);
    for (passage, length) in list.passages.iter().zip(&list.lengths) {
        let times = list.often.get(passage).copied().unwrap_or(1.0);
        let stretch = 1.0 - LENGTH + LENGTH * f64::from(*length) / average.max(1.0);
        let score = worth * times * (SATURATION + 1.0) / (times + SATURATION * stretch);
        *ranked.entry(*passage).or_default() += weight * score;
    }
}

/// The passages of each word, at most so many.
fn lists(work: &mut Work<'_>, stems: &[String], most: i64) -> Result<HashMap<String, List>, Fault> {
    let mut stems = stems.to_vec();
    stems.sort();
    stems.dedup();
    let project = work.place().project;
    let standings = [Standing::There, Standing::Often, Standing::Mostly];
    let asked: Vec<(&String, Standing)> =
        stems.iter().flat_map(|stem| standings.map(|standing| (stem, standing))).collect();
    let queries: Vec<String> =
        asked.iter().map(|(stem, standing)| lexeme(project, *standing, stem)).collect();
    let mut lists: HashMap<String, List> =
        stems.iter().map(|stem| (stem.clone(), List::default())).collect();
    for (place, passages, lengths) in having(work, &queries, "length", most)? {
        let Some((stem, standing)) = asked.get(place) else { continue };
        let list = lists.entry((*stem).clone()).or_default();
        if *standing == Standing::There {
            (list.passages, list.lengths) = (passages, lengths);
        } else {
            list.often.extend(passages.into_iter().map(|passage| (passage, standing.times())));
        }
    }
    Ok(lists)
}

fn beginnings(work: &mut Work<'_>, beginnings: &[String]) -> Result<Vec<List>, Fault> {
    let project = work.place().project;
    let queries: Vec<String> =
        beginnings.iter().filter_map(|text| lexemes::beginning(project, text)).collect();
    let found = having(work, &queries, "length", MOST_READ)?;
    let list = |(_, passages, lengths)| List { passages, lengths, often: HashMap::new() };
    Ok(found.into_iter().map(list).collect())
}

fn around(work: &mut Work<'_>, stems: &[String]) -> Result<HashMap<usize, List>, Fault> {
    let project = work.place().project;
    let queries: Vec<String> =
        stems.iter().map(|stem| lexeme(project, Standing::Around, stem)).collect();
    let found = having(work, &queries, "around_length", counts::READ)?;
    let list =
        |(place, passages, lengths)| (place, List { passages, lengths, often: HashMap::new() });
    Ok(found.into_iter().map(list).collect())
}

/// Written so that no index over all passages of the project is read beside the one over words.
const PLACE: &str = "workspace + 0 = $1 AND project + 0 = $2";

/// The passages that fit each of the text queries, with their lengths; by the place of the query.
fn having(
    work: &mut Work<'_>,
    queries: &[String],
    length: &str,
    most: i64,
) -> Result<Vec<Fitting>, Fault> {
    if queries.is_empty() {
        return Ok(Vec::new());
    }
    let rows = work.query(
        &format!(
            "SELECT wanted.place, found.passages, found.lengths
             FROM unnest($3::text[]) WITH ORDINALITY AS wanted (query, place)
             CROSS JOIN LATERAL
                 (SELECT array_agg(id) AS passages, array_agg({length}) AS lengths FROM
                     (SELECT id, {length} FROM chunk
                      WHERE {PLACE} AND words @@ wanted.query::tsquery LIMIT $4) AS bounded) AS found
             WHERE found.passages IS NOT NULL"
        ),
        &[&texts(queries.iter().map(String::as_str)), &most],
    )?;
    let read = |row: &postgres::Row| {
        Ok((row.try_get::<_, i64>(0)? as usize - 1, row.try_get(1)?, row.try_get(2)?))
    };
    rows.iter().map(read).collect()
}
