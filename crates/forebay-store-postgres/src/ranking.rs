//! Ranks chunks by words: the server's full-text index finds the postings, BM25 scores them.

use std::collections::HashMap;
use std::sync::Arc;

use forebay_store::IndexQuery;
use forebay_store::bm25::CONTEXT_WEIGHT;
use forebay_store::bm25::{B, K1, MIN_IDF};

use super::connection::ScopedConn;
use super::counts;
use super::error::PgError;
use super::index_cache::{IndexCache, Posting, PostingList, WordQuery};
use super::lexemes::{self, Occurrence, lexeme};
use super::search::SearchContext;
use super::text::texts;

/// Maximum number of postings that are read for one word.
const MAX_POSTINGS_PER_WORD: i64 = 10_000;

pub(super) type Ranked = HashMap<i64, f64>;

/// Posting lists by stem.
type PostingLists = HashMap<String, Arc<PostingList>>;

/// The index of a query, and its postings.
type QueryPostings = (usize, Vec<Posting>);

/// Converts a query for the inverted index of the snapshot.
pub(super) fn word_query(query: &IndexQuery) -> WordQuery {
    let stems = |texts: &[String]| texts.iter().flat_map(|text| lexemes::stems(text)).collect();
    WordQuery {
        any: stems(&query.words),
        prefixes: query.prefixes.iter().flat_map(|text| lexemes::words(text)).collect(),
        all: stems(&query.phrases),
        matches_context: query.phrases.is_empty() && query.excluded.is_empty(),
    }
}

/// Returns the chunks that contain any of the words, with their scores.
pub(super) fn by_words(
    conn: &mut ScopedConn<'_>,
    query: &IndexQuery,
    context: &SearchContext<'_>,
    reads_all: bool,
) -> Result<Ranked, PgError> {
    let sizes = context.sizes;
    let stems: Vec<String> = query.words.iter().flat_map(|word| lexemes::stems(word)).collect();
    let (selected, lists) = select_words(conn, &stems, context, reads_all)?;
    let mut ranked = Ranked::new();
    for stem in &selected {
        if let Some(list) = lists.get(stem) {
            add(&mut ranked, list, 1.0, (sizes.chunks, sizes.average_length));
        }
    }
    for list in prefix_lists(conn, &query.prefixes)? {
        add(&mut ranked, &list, 1.0, (sizes.chunks, sizes.average_length));
    }
    if sizes.chunks_with_context > 0.0 && query.phrases.is_empty() && query.excluded.is_empty() {
        for list in context_lists(conn, &selected, context.cache)?.values() {
            add(
                &mut ranked,
                list,
                CONTEXT_WEIGHT,
                (sizes.chunks_with_context, sizes.average_context_length),
            );
        }
    }
    context.cache.remove_gone(&mut ranked);
    Ok(ranked)
}

/// Selects the words to rank by, and returns their posting lists: in a large project, the rarest words.
fn select_words(
    conn: &mut ScopedConn<'_>,
    stems: &[String],
    SearchContext { sizes, counts, cache }: &SearchContext<'_>,
    reads_all: bool,
) -> Result<(Vec<String>, PostingLists), PgError> {
    if reads_all || sizes.is_small() {
        return Ok((stems.to_vec(), lists(conn, stems, MAX_POSTINGS_PER_WORD, cache)?));
    }
    // Cached counts decide first; a word without one is counted by reading its list.
    let uncounted: Vec<String> =
        stems.iter().filter(|stem| counts.cached_count(stem).is_none()).cloned().collect();
    let mut found = lists(conn, &uncounted, counts::MAX_POSTINGS_READ, cache)?;
    for (stem, list) in &found {
        counts.cache_count(stem, list.postings.len() as i64);
    }
    let count = |stem: &String| found.get(stem).map(|list| list.postings.len() as i64);
    let counted = stems
        .iter()
        .map(|stem| (count(stem).or_else(|| counts.cached_count(stem)).unwrap_or_default(), stem))
        .collect();
    let selected = counts::select_rarest(counted);
    // If even the rarest word exceeds the limit, a higher limit applies to it.
    let is_read = |stem: &&String| {
        found.get(*stem).is_some_and(|list| {
            selected.len() > 1 || (list.postings.len() as i64) < counts::MAX_POSTINGS_READ
        })
    };
    let missing: Vec<String> = selected.iter().filter(|stem| !is_read(stem)).cloned().collect();
    let limit = if selected.len() == 1 { MAX_POSTINGS_PER_WORD } else { counts::MAX_POSTINGS_READ };
    found.extend(lists(conn, &missing, limit, cache)?);
    Ok((selected, found))
}

fn add(ranked: &mut Ranked, list: &PostingList, weight: f64, (chunks, average): (f64, f64)) {
    let count = list.postings.len() as f64;
    let idf = ((chunks - count + 0.5) / (count + 0.5)).max(1.0).ln().max(MIN_IDF);
    for Posting { chunk, length, frequency } in &list.postings {
        let frequency = f64::from(*frequency);
        let norm = 1.0 - B + B * f64::from(*length) / average.max(1.0);
        let score = idf * frequency * (K1 + 1.0) / (frequency + K1 * norm);
        *ranked.entry(*chunk).or_default() += weight * score;
    }
}

/// Returns the posting list of each word, up to `limit` postings; cached, or else read from the server.
fn lists(
    conn: &mut ScopedConn<'_>,
    stems: &[String],
    limit: i64,
    cache: &IndexCache,
) -> Result<PostingLists, PgError> {
    cached_or_read(conn, Occurrence::Present, stems, (cache, limit), |conn, missing| {
        read_lists(conn, missing, limit)
    })
}

fn context_lists(
    conn: &mut ScopedConn<'_>,
    stems: &[String],
    cache: &IndexCache,
) -> Result<PostingLists, PgError> {
    cached_or_read(
        conn,
        Occurrence::Context,
        stems,
        (cache, counts::MAX_POSTINGS_READ),
        read_context,
    )
}

fn cached_or_read(
    conn: &mut ScopedConn<'_>,
    occurrence: Occurrence,
    stems: &[String],
    (cache, limit): (&IndexCache, i64),
    read: impl FnOnce(&mut ScopedConn<'_>, &[String]) -> Result<Vec<PostingList>, PgError>,
) -> Result<PostingLists, PgError> {
    let version = cache.version();
    let mut lists = PostingLists::new();
    let mut missing = Vec::new();
    for stem in stems {
        match cache.list(occurrence, stem, limit) {
            Some(list) => drop(lists.insert(stem.clone(), list)),
            None => missing.push(stem.clone()),
        }
    }
    missing.sort();
    missing.dedup();
    for (stem, list) in missing.iter().zip(read(conn, &missing)?) {
        let list = Arc::new(list);
        cache.put_list(occurrence, stem, &list, version);
        lists.insert(stem.clone(), list);
    }
    Ok(lists)
}

fn read_lists(
    conn: &mut ScopedConn<'_>,
    stems: &[String],
    limit: i64,
) -> Result<Vec<PostingList>, PgError> {
    let project = conn.scope().project;
    let occurrences = [Occurrence::Present, Occurrence::Repeated, Occurrence::Frequent];
    let terms: Vec<(usize, Occurrence)> = (0..stems.len())
        .flat_map(|stem| occurrences.map(|occurrence| (stem, occurrence)))
        .collect();
    let queries: Vec<String> = terms
        .iter()
        .map(|(stem, occurrence)| lexeme(project, *occurrence, &stems[*stem]))
        .collect();
    let mut found: Vec<Vec<Posting>> = vec![Vec::new(); stems.len()];
    let mut often: Vec<HashMap<i64, f32>> = vec![HashMap::new(); stems.len()];
    for (index, postings) in matching(conn, &queries, "length", limit)? {
        let (stem, occurrence) = terms[index];
        if occurrence == Occurrence::Present {
            found[stem] = postings;
        } else {
            let frequency = occurrence.frequency() as f32;
            often[stem].extend(postings.iter().map(|posting| (posting.chunk, frequency)));
        }
    }
    for (postings, often) in found.iter_mut().zip(often) {
        for posting in postings {
            posting.frequency = often.get(&posting.chunk).copied().unwrap_or(1.0);
        }
    }
    Ok(found.into_iter().map(|postings| PostingList::new(postings, limit)).collect())
}

fn read_context(conn: &mut ScopedConn<'_>, stems: &[String]) -> Result<Vec<PostingList>, PgError> {
    let project = conn.scope().project;
    let queries: Vec<String> =
        stems.iter().map(|stem| lexeme(project, Occurrence::Context, stem)).collect();
    let mut lists = vec![PostingList::new(Vec::new(), counts::MAX_POSTINGS_READ); stems.len()];
    for (index, postings) in matching(conn, &queries, "around_length", counts::MAX_POSTINGS_READ)? {
        lists[index].postings = postings;
    }
    Ok(lists)
}

fn prefix_lists(
    conn: &mut ScopedConn<'_>,
    prefixes: &[String],
) -> Result<Vec<PostingList>, PgError> {
    let project = conn.scope().project;
    let queries: Vec<String> =
        prefixes.iter().filter_map(|text| lexemes::prefix(project, text)).collect();
    let found = matching(conn, &queries, "length", MAX_POSTINGS_PER_WORD)?;
    Ok(found
        .into_iter()
        .map(|(_, postings)| PostingList::new(postings, MAX_POSTINGS_PER_WORD))
        .collect())
}

/// The `+ 0` keeps the planner from scanning the project's index in addition to the full-text index.
const SCOPE_FILTER: &str = "workspace + 0 = $1 AND project + 0 = $2";

/// Returns the postings that match each text query, with the query's index.
fn matching(
    conn: &mut ScopedConn<'_>,
    queries: &[String],
    length: &str,
    limit: i64,
) -> Result<Vec<QueryPostings>, PgError> {
    if queries.is_empty() {
        return Ok(Vec::new());
    }
    let rows = conn.query(
        &format!(
            "SELECT wanted.ordinal, found.chunks, found.lengths
             FROM unnest($3::text[]) WITH ORDINALITY AS wanted (query, ordinal)
             CROSS JOIN LATERAL
                 (SELECT array_agg(id) AS chunks, array_agg({length}) AS lengths FROM
                     (SELECT id, {length} FROM chunk
                      WHERE {SCOPE_FILTER} AND words @@ wanted.query::tsquery LIMIT $4) AS bounded) AS found
             WHERE found.chunks IS NOT NULL"
        ),
        &[&texts(queries.iter().map(String::as_str)), &limit],
    )?;
    let read = |row: &postgres::Row| {
        let (chunks, lengths): (Vec<i64>, Vec<i32>) = (row.try_get(1)?, row.try_get(2)?);
        let pairs = chunks.into_iter().zip(lengths);
        let postings = pairs.map(|(chunk, length)| Posting { chunk, length, frequency: 1.0 });
        Ok((row.try_get::<_, i64>(0)? as usize - 1, postings.collect()))
    };
    rows.iter().map(read).collect()
}
