//! Finds candidate chunks by words (any may match) and by embedding.
//!
//! Returns the best of each ranking; the caller combines them across stores.

use std::cell::RefCell;
use std::collections::BTreeMap;

use foldhash::HashSet;
use forebay_domain::{EntryKind, Reference};
use forebay_store::bm25::CONTEXT_WEIGHT;
use forebay_store::candidates::{CandidateSet, oversampled, sorted_by_words};
use forebay_store::document::{self, ChunkRanges, Documents as _, Places};
use forebay_store::vector_index::{Neighbours, VectorQuery};
use forebay_store::{Candidate, IndexQuery};
use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection, params_from_iter};

use super::chunk_attributes::{ChunkAttributes, Documents};
use super::conditions::Conditions;
use super::inverted_index::{Field, FieldScores, SegmentCache, TermQuery};
use super::vectors::{self, PendingQuery, VectorTable, Vectors};

/// The in-memory parts of a store that a search uses.
#[derive(Clone, Copy)]
pub(super) struct SearchCaches<'a> {
    pub(super) segments: &'a SegmentCache,
    pub(super) vectors: &'a Vectors,
    pub(super) attributes: &'a ChunkAttributes,
}

/// The results by words, and the vector search still to be run.
pub(super) struct Search<'a> {
    candidates: CandidateSet,
    vector_search: Option<VectorSearch<'a>>,
}

/// A vector query with its filter, and what it found.
struct VectorSearch<'a> {
    table: &'a VectorTable,
    query: VectorQuery<i64>,
    filter: VectorFilter,
    found: Neighbours,
}

pub(super) fn start<'a>(
    connection: &Connection,
    query: &IndexQuery,
    caches: &SearchCaches<'a>,
) -> rusqlite::Result<Search<'a>> {
    let SearchCaches { segments, vectors, attributes } = *caches;
    let term_query = TermQuery::new(query);
    let filter = Filter::new(connection, query, attributes)?;
    let mut candidates = CandidateSet::new(query.limit);
    let mut documents = Documents { connection, attributes };
    let best = by_words(&mut documents, query, (&term_query, segments), &filter)?;
    candidates.add_by_words(best);
    let Some(embedding) = &query.embedding else {
        return Ok(Search { candidates, vector_search: None });
    };
    let is_enough = query.vector_rerank_only && !candidates.is_empty() && !embedding.is_remote();
    if is_enough && vectors::is_large(connection)? {
        let neighbours = vectors::similarities(connection, embedding, candidates.chunk_ids())?;
        candidates.add_by_similarity(neighbours);
        return Ok(Search { candidates, vector_search: None });
    }
    let filter = vector_filter(connection, (&term_query, segments), filter)?;
    let table = vectors.table_for(embedding);
    let vector_query = table.prepare(connection, embedding, oversampled(query.limit))?;
    let vector_search =
        vector_query.map(|query| VectorSearch { table, query, filter, found: Vec::new() });
    Ok(Search { candidates, vector_search })
}

impl Search<'_> {
    /// Finds the most similar chunks. Runs without a connection, which others may be waiting for.
    pub(super) fn run_vector_search(&mut self, pending: Option<PendingQuery<'_>>) {
        let Some(VectorSearch { table, query, filter, found }) = &mut self.vector_search else {
            return;
        };
        *found = match pending {
            Some(pending) if filter.accepts_all() => table.search(pending, query.clone()),
            _ => table.search_filtered(query, |chunk_id| filter.accepts(chunk_id)),
        };
    }

    pub(super) fn candidates(
        mut self,
        connection: &Connection,
        attributes: &ChunkAttributes,
    ) -> rusqlite::Result<Vec<Candidate>> {
        let mut documents = Documents { connection, attributes };
        if let Some(search) = self.vector_search.take() {
            let places = Places::new(search.query.limit, self.candidates.limit());
            self.candidates.add_by_similarity(search.spread(places, &mut documents)?);
        }
        let selected = self.candidates.selected();
        let are_code = attributes.are_code(connection, &selected)?;
        let documents = documents.of_chunks(&selected)?;
        let attributes = are_code.into_iter().zip(documents);
        let candidate = |(chunk_id, (is_code, document)): (i64, (bool, Option<_>))| {
            document.map(|document| self.candidates.candidate(chunk_id, is_code, document))
        };
        Ok(sorted_by_words(selected.into_iter().zip(attributes).filter_map(candidate).collect()))
    }
}

impl VectorSearch<'_> {
    /// Returns what was found, searching again without the documents that crowd out others.
    fn spread(self, places: Places, documents: &mut Documents<'_>) -> rusqlite::Result<Neighbours> {
        let Self { table, query, filter, mut found } = self;
        document::spread(places, documents, |_, excluded| {
            let accepts = |chunk_id| filter.accepts(chunk_id) && !excluded.contains(chunk_id);
            Ok(if excluded.is_empty() {
                std::mem::take(&mut found)
            } else {
                table.search_filtered(&query, accepts)
            })
        })
    }
}

/// Ranks by words, including matches in the context.
fn by_words(
    documents: &mut Documents<'_>,
    query: &IndexQuery,
    (term_query, segments): (&TermQuery, &SegmentCache),
    filter: &Filter<'_>,
) -> rusqlite::Result<Vec<(i64, f64)>> {
    let connection = documents.connection;
    if term_query.is_empty() {
        return if query.lists_newest { newest(connection, query) } else { Ok(Vec::new()) };
    }
    let searches_context =
        query.phrases.is_empty() && query.excluded.is_empty() && query.min_words < 2;
    // Chunks beyond the limit matter only if another ranking may select them.
    let has_other_ranking = searches_context || query.embedding.is_some();
    let limit = if has_other_ranking { oversampled(query.limit) } else { query.limit };
    let score = |field| term_query.score_field(connection, segments, field);
    let text = score(Field::Text)?;
    let context = if searches_context { Some(score(Field::Context)?) } else { None };
    document::spread(Places::new(limit, query.limit), documents, |_, excluded| {
        let best = |scores| best_in_field(scores, limit, (filter, excluded));
        let context = context.as_ref().map(best).transpose()?;
        Ok(with_context(best(&text)?, context.unwrap_or_default(), limit))
    })
}

/// Adds the scores of matches in the context.
fn with_context(
    text_scores: Vec<(i64, f64)>,
    context_scores: Vec<(i64, f64)>,
    limit: usize,
) -> Vec<(i64, f64)> {
    if context_scores.is_empty() {
        return text_scores;
    }
    let mut scores: BTreeMap<i64, f64> = text_scores.into_iter().collect();
    for (chunk, score) in context_scores {
        *scores.entry(chunk).or_default() += CONTEXT_WEIGHT * score;
    }
    let mut best: Vec<(i64, f64)> = scores.into_iter().collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    best.truncate(limit);
    best
}

/// Returns the best chunks of one field that match the filter. The exact check is expensive and
/// rarely fails, so it is applied to the best only.
fn best_in_field(
    scores: &FieldScores,
    limit: usize,
    (filter, excluded): (&Filter<'_>, &ChunkRanges),
) -> rusqlite::Result<Vec<(i64, f64)>> {
    let best = |accepts: &dyn Fn(i64) -> rusqlite::Result<bool>| {
        scores.top(limit, |chunk_id| Ok(!excluded.contains(chunk_id) && accepts(chunk_id)?))
    };
    let probable = best(&|chunk_id| filter.may_contain(chunk_id))?;
    let is_complete = probable.len() < limit;
    let mut confirmed = Vec::with_capacity(probable.len());
    for (chunk_id, score) in probable {
        if filter.contains(chunk_id)? {
            confirmed.push((chunk_id, score));
        }
    }
    // If some failed, searches again with the exact check.
    if is_complete || confirmed.len() == limit {
        Ok(confirmed)
    } else {
        best(&|chunk_id| filter.contains(chunk_id))
    }
}

/// Returns the first chunk of each of the newest entries that match, with equal scores.
fn newest(connection: &Connection, query: &IndexQuery) -> rusqlite::Result<Vec<(i64, f64)>> {
    let conditions = conditions(query);
    let sql = format!(
        "SELECT min(chunk.id) FROM chunk {JOINS} {SESSION} WHERE note.superseded_by IS NULL {}
         GROUP BY entry.id ORDER BY entry.id DESC LIMIT ?",
        conditions.sql
    );
    let mut values = conditions.values;
    values.push(Value::from(query.limit as i64));
    let mut statement = connection.prepare_cached(&sql)?;
    statement.query_map(params_from_iter(values), |row| Ok((row.get(0)?, 1.0)))?.collect()
}

/// The chunks that a vector search may return.
struct VectorFilter {
    only: Vec<HashSet<i64>>,
    excluded: HashSet<i64>,
}

impl VectorFilter {
    fn accepts_all(&self) -> bool {
        self.only.is_empty() && self.excluded.is_empty()
    }

    fn accepts(&self, chunk_id: i64) -> bool {
        self.only.iter().all(|only| only.contains(&chunk_id)) && !self.excluded.contains(&chunk_id)
    }
}

/// Combines the query's filter with its required and excluded phrases.
fn vector_filter(
    connection: &Connection,
    (term_query, segments): (&TermQuery, &SegmentCache),
    filter: Filter<'_>,
) -> rusqlite::Result<VectorFilter> {
    let required = term_query.required(connection, segments)?;
    let excluded = term_query.excluded(connection, segments)?;
    let filter = match filter {
        Filter::Ids(chunk_ids) => Some(chunk_ids),
        Filter::All | Filter::PerChunk(..) => None,
    };
    Ok(VectorFilter { only: filter.into_iter().chain(required).collect(), excluded })
}

/// The chunks that match the conditions of a query.
enum Filter<'connection> {
    All,
    Ids(HashSet<i64>),
    /// Checked one by one.
    PerChunk(ChunkFilter<'connection>),
}

struct ChunkFilter<'connection> {
    connection: &'connection Connection,
    /// Any of these kinds; empty for all.
    kinds: Vec<EntryKind>,
    attributes: &'connection ChunkAttributes,
    statement: RefCell<CachedStatement<'connection>>,
    values: Vec<Value>,
}

impl ChunkFilter<'_> {
    /// Checks the cached kind first, which rejects most chunks.
    fn has_wanted_kind(&self, chunk_id: i64) -> rusqlite::Result<bool> {
        if self.kinds.is_empty() {
            return Ok(true);
        }
        let kind = self.attributes.kind(self.connection, chunk_id)?;
        Ok(kind.is_some_and(|kind| self.kinds.contains(&kind)))
    }

    fn matches(&self, chunk_id: i64) -> rusqlite::Result<bool> {
        if !self.has_wanted_kind(chunk_id)? {
            return Ok(false);
        }
        let chunk_id = Value::from(chunk_id);
        self.statement.borrow_mut().exists(params_from_iter(self.values.iter().chain([&chunk_id])))
    }
}

impl<'connection> Filter<'connection> {
    fn new(
        connection: &'connection Connection,
        query: &IndexQuery,
        attributes: &'connection ChunkAttributes,
    ) -> rusqlite::Result<Self> {
        let Conditions { sql, values } = conditions(query);
        if sql.is_empty() {
            return Ok(Self::All);
        }
        let select = format!("SELECT chunk.id FROM chunk {JOINS} {SESSION} WHERE true {sql}");
        if query.embedding.is_none() {
            // A search by words checks few chunks, while the matching ones may be most of the
            // store.
            let one = connection.prepare_cached(&format!("{select} AND chunk.id = ?"))?;
            let kinds = if query.notes.is_empty() { query.kinds.clone() } else { Vec::new() };
            let statement = RefCell::new(one);
            return Ok(Self::PerChunk(ChunkFilter {
                connection,
                kinds,
                attributes,
                statement,
                values,
            }));
        }
        let mut statement = connection.prepare_cached(&select)?;
        let all = statement.query_map(params_from_iter(values), |row| row.get(0))?;
        Ok(Self::Ids(all.collect::<Result<_, _>>()?))
    }

    /// Returns `false` only if a cheap check rules the chunk out.
    fn may_contain(&self, chunk_id: i64) -> rusqlite::Result<bool> {
        match self {
            Self::All => Ok(true),
            Self::Ids(chunk_ids) => Ok(chunk_ids.contains(&chunk_id)),
            Self::PerChunk(filter) => filter.has_wanted_kind(chunk_id),
        }
    }

    fn contains(&self, chunk_id: i64) -> rusqlite::Result<bool> {
        match self {
            Self::All => Ok(true),
            Self::Ids(chunk_ids) => Ok(chunk_ids.contains(&chunk_id)),
            Self::PerChunk(filter) => filter.matches(chunk_id),
        }
    }
}

const JOINS: &str = "
    JOIN entry ON entry.id = chunk.entry AND entry.complete
    LEFT JOIN note ON note.entry = entry.id";
const SESSION: &str = "LEFT JOIN session ON session.id = entry.session";

fn conditions(query: &IndexQuery) -> Conditions {
    let mut conditions = Conditions::default();
    conditions.add_text("session.key = ?", query.session.as_deref());
    conditions.add_text("entry.branch = ?", query.branch.as_deref());
    conditions.add_text("entry.ticket = ?", query.ticket.as_deref());
    for source in &query.sources {
        conditions.add_text("entry.source GLOB ?", Some(source));
    }
    conditions.add_one_of("entry.ref", query.entries.iter().map(Reference::as_str));
    add_kinds(&mut conditions, query);
    let created = "coalesce(chunk.created, entry.created)";
    if let Some(after) = query.after {
        conditions.add(&format!("{created} >= ?"), [after.0.into()]);
    }
    if let Some(before) = query.before {
        conditions.add(&format!("{created} < ?"), [before.0.into()]);
    }
    if !conditions.sql.is_empty() {
        // With few matches, superseded notes would take the place of others.
        conditions.add("note.superseded_by IS NULL", []);
    }
    conditions
}

fn add_kinds(conditions: &mut Conditions, query: &IndexQuery) {
    let kinds = query.kinds.iter().map(|kind| ("entry.kind = ?", kind.as_str()));
    let notes = query.notes.iter().map(|note| ("note.kind = ?", note.as_str()));
    let (any, words): (Vec<&str>, Vec<&str>) = kinds.chain(notes).unzip();
    if !any.is_empty() {
        let values = words.into_iter().map(|word| Value::from(word.to_owned()));
        conditions.add(&format!("({})", any.join(" OR ")), values);
    }
}
