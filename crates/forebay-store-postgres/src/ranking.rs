//! Passages by their words: the server tells which passages have a word, BM25 tells how much that is worth.

use std::collections::HashMap;
use std::sync::Arc;

use forebay_store::IndexQuery;
use forebay_store::bm25::CONTEXT_WEIGHT;
use forebay_store::bm25::{B, K1, MIN_IDF};

use super::connection::Work;
use super::counts;
use super::error::Fault;
use super::index_cache::{Asked, Held, List, Posting};
use super::lexemes::{self, Standing, lexeme};
use super::search::Known;
use super::text::texts;

/// Passages of one word that are ever looked at.
const MOST_READ: i64 = 10_000;

pub(super) type Ranked = HashMap<i64, f64>;

/// By their stems.
type Lists = HashMap<String, Arc<List>>;

/// The place of a query, and its passages.
type Fitting = (usize, Vec<Posting>);

/// What is asked of all words, where they are held.
pub(super) fn asked(query: &IndexQuery) -> Asked {
    let stems = |texts: &[String]| texts.iter().flat_map(|text| lexemes::stems(text)).collect();
    Asked {
        any: stems(&query.words),
        beginnings: query.prefixes.iter().flat_map(|text| lexemes::words(text)).collect(),
        all: stems(&query.phrases),
        counts_around: query.phrases.is_empty() && query.excluded.is_empty(),
    }
}

/// Passages with any of the words, and what they are worth together.
pub(super) fn by_words(
    work: &mut Work<'_>,
    query: &IndexQuery,
    known: &Known<'_>,
    reads_all: bool,
) -> Result<Ranked, Fault> {
    let sizes = known.sizes;
    let asked: Vec<String> = query.words.iter().flat_map(|word| lexemes::stems(word)).collect();
    let (telling, lists) = telling(work, &asked, known, reads_all)?;
    let mut ranked = Ranked::new();
    for stem in &telling {
        if let Some(list) = lists.get(stem) {
            add(&mut ranked, list, 1.0, (sizes.passages, sizes.length));
        }
    }
    for list in beginnings(work, &query.prefixes)? {
        add(&mut ranked, &list, 1.0, (sizes.passages, sizes.length));
    }
    if sizes.arounds > 0.0 && query.phrases.is_empty() && query.excluded.is_empty() {
        for list in around(work, &telling, known.held)?.values() {
            add(&mut ranked, list, CONTEXT_WEIGHT, (sizes.arounds, sizes.around_length));
        }
    }
    known.held.leave_out_gone(&mut ranked);
    Ok(ranked)
}

/// The words that are worth their time, and their passages: in a large project the rarest.
fn telling(
    work: &mut Work<'_>,
    asked: &[String],
    Known { sizes, counts, held }: &Known<'_>,
    reads_all: bool,
) -> Result<(Vec<String>, Lists), Fault> {
    if reads_all || sizes.are_few() {
        return Ok((asked.to_vec(), lists(work, asked, MOST_READ, held)?));
    }
    // Words that were counted before are chosen first; one that was not is counted by reading it.
    let uncounted: Vec<String> =
        asked.iter().filter(|stem| counts.remembered(stem).is_none()).cloned().collect();
    let mut found = lists(work, &uncounted, counts::READ, held)?;
    for (stem, list) in &found {
        counts.remember(stem, list.postings.len() as i64);
    }
    let count = |stem: &String| found.get(stem).map(|list| list.postings.len() as i64);
    let counted = asked
        .iter()
        .map(|stem| (count(stem).or_else(|| counts.remembered(stem)).unwrap_or_default(), stem))
        .collect();
    let telling = counts::telling(counted);
    // Where even the rarest is in more than can be read, more is read than that.
    let is_read = |stem: &&String| {
        found
            .get(*stem)
            .is_some_and(|list| telling.len() > 1 || (list.postings.len() as i64) < counts::READ)
    };
    let missing: Vec<String> = telling.iter().filter(|stem| !is_read(stem)).cloned().collect();
    let most = if telling.len() == 1 { MOST_READ } else { counts::READ };
    found.extend(lists(work, &missing, most, held)?);
    Ok((telling, found))
}

fn add(ranked: &mut Ranked, list: &List, weight: f64, (passages, average): (f64, f64)) {
    let count = list.postings.len() as f64;
    let worth = ((passages - count + 0.5) / (count + 0.5)).max(1.0).ln().max(MIN_IDF);
    for Posting { passage, length, times } in &list.postings {
        let times = f64::from(*times);
        let stretch = 1.0 - B + B * f64::from(*length) / average.max(1.0);
        let score = worth * times * (K1 + 1.0) / (times + K1 * stretch);
        *ranked.entry(*passage).or_default() += weight * score;
    }
}

/// The passages of each word, at most so many; as they are held, or else as the server tells.
fn lists(work: &mut Work<'_>, stems: &[String], most: i64, held: &Held) -> Result<Lists, Fault> {
    held_or_read(work, Standing::There, stems, (held, most), |work, missing| {
        read_lists(work, missing, most)
    })
}

fn around(work: &mut Work<'_>, stems: &[String], held: &Held) -> Result<Lists, Fault> {
    held_or_read(work, Standing::Around, stems, (held, counts::READ), read_around)
}

fn held_or_read(
    work: &mut Work<'_>,
    standing: Standing,
    stems: &[String],
    (held, most): (&Held, i64),
    read: impl FnOnce(&mut Work<'_>, &[String]) -> Result<Vec<List>, Fault>,
) -> Result<Lists, Fault> {
    let changes = held.changes();
    let mut lists = Lists::new();
    let mut missing = Vec::new();
    for stem in stems {
        match held.list(standing, stem, most) {
            Some(list) => drop(lists.insert(stem.clone(), list)),
            None => missing.push(stem.clone()),
        }
    }
    missing.sort();
    missing.dedup();
    for (stem, list) in missing.iter().zip(read(work, &missing)?) {
        let list = Arc::new(list);
        held.hold(standing, stem, &list, changes);
        lists.insert(stem.clone(), list);
    }
    Ok(lists)
}

fn read_lists(work: &mut Work<'_>, stems: &[String], most: i64) -> Result<Vec<List>, Fault> {
    let project = work.place().project;
    let standings = [Standing::There, Standing::Often, Standing::Mostly];
    let asked: Vec<(usize, Standing)> =
        (0..stems.len()).flat_map(|stem| standings.map(|standing| (stem, standing))).collect();
    let queries: Vec<String> =
        asked.iter().map(|(stem, standing)| lexeme(project, *standing, &stems[*stem])).collect();
    let mut found: Vec<Vec<Posting>> = vec![Vec::new(); stems.len()];
    let mut often: Vec<HashMap<i64, f32>> = vec![HashMap::new(); stems.len()];
    for (place, postings) in having(work, &queries, "length", most)? {
        let (stem, standing) = asked[place];
        if standing == Standing::There {
            found[stem] = postings;
        } else {
            let times = standing.times() as f32;
            often[stem].extend(postings.iter().map(|posting| (posting.passage, times)));
        }
    }
    for (postings, often) in found.iter_mut().zip(often) {
        for posting in postings {
            posting.times = often.get(&posting.passage).copied().unwrap_or(1.0);
        }
    }
    Ok(found.into_iter().map(|postings| List::new(postings, most)).collect())
}

fn read_around(work: &mut Work<'_>, stems: &[String]) -> Result<Vec<List>, Fault> {
    let project = work.place().project;
    let queries: Vec<String> =
        stems.iter().map(|stem| lexeme(project, Standing::Around, stem)).collect();
    let mut lists = vec![List::new(Vec::new(), counts::READ); stems.len()];
    for (place, postings) in having(work, &queries, "around_length", counts::READ)? {
        lists[place].postings = postings;
    }
    Ok(lists)
}

fn beginnings(work: &mut Work<'_>, beginnings: &[String]) -> Result<Vec<List>, Fault> {
    let project = work.place().project;
    let queries: Vec<String> =
        beginnings.iter().filter_map(|text| lexemes::beginning(project, text)).collect();
    let found = having(work, &queries, "length", MOST_READ)?;
    Ok(found.into_iter().map(|(_, postings)| List::new(postings, MOST_READ)).collect())
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
        let (passages, lengths): (Vec<i64>, Vec<i32>) = (row.try_get(1)?, row.try_get(2)?);
        let pairs = passages.into_iter().zip(lengths);
        let postings = pairs.map(|(passage, length)| Posting { passage, length, times: 1.0 });
        Ok((row.try_get::<_, i64>(0)? as usize - 1, postings.collect()))
    };
    rows.iter().map(read).collect()
}
