//! Search: chunks by words (BM25, any word may match) and by embedding.
//!
//! Returns the best of both; the caller fuses the rankings of all its stores.

use std::cmp::Ordering;
use std::collections::HashMap;

use ::postgres::Row;
use forebay_domain::Reference;
use forebay_store::candidates::{CandidateSet, oversampled, sorted_by_words};
use forebay_store::document::{self, ChunkRanges, DocumentId, Places};
use forebay_store::vector_index::{MIN_SIMILARITY, exceeds_max_vectors};
use forebay_store::{Candidate, Embedding, IndexQuery};

use super::conditions::Conditions;
use super::connection::ScopedConn;
use super::counts::{Counts, Sizes};
use super::error::PgError;
use super::index_cache::{ChunkAttributes, IndexCache};
use super::lexemes;
use super::ranking::{self, Ranked};
use super::vectors::{self, INDEXED_DIMENSIONS};

/// Dimensions of a server's model for which there is a vector index.
const REMOTE_DIMENSIONS: &[usize] = &[256, 384, 512, 768, 1024, 1536, 3072];
/// Up to this many chunks, remote embeddings are compared exhaustively. Built-in ones are as long as they fit in the
/// cache.
const MAX_COMPARED: f64 = 3_000.0;
/// Maximum number of chunks that are read for a phrase.
const MAX_WITH_PHRASE: i64 = 5_000;
/// Batch size of the first check of ranked chunks against the conditions.
const FIRST_BATCH_SIZE: usize = 500;
/// Number of nearest chunks that are checked against the conditions.
const MAX_NEAREST: usize = 20_000;

/// Statistics and cache that a search uses.
pub(super) struct SearchContext<'a> {
    pub(super) sizes: Sizes,
    pub(super) counts: &'a Counts,
    pub(super) cache: &'a IndexCache,
}

pub(super) fn candidates(
    conn: &mut ScopedConn<'_>,
    query: &IndexQuery,
    counts: &Counts,
    cache: &IndexCache,
) -> Result<Vec<Candidate>, PgError> {
    if query.limit == 0 {
        return Ok(Vec::new());
    }
    let newest = cache.sync(conn)?;
    let sizes = match cache.sizes() {
        Some(sizes) => sizes,
        None => counts.sizes(conn, newest)?,
    };
    let context = SearchContext { sizes, counts, cache };
    let mut documents = Documents { conn, cache };
    let mut set = CandidateSet::new(query.limit);
    set.add_by_words(by_words(&mut documents, query, &context)?);
    set.add_by_similarity(by_embedding(&mut documents, query, &context)?);
    let candidate = |(chunk, attributes): (i64, ChunkAttributes)| {
        set.candidate(chunk, attributes.is_code, attributes.document)
    };
    let existing = documents.attributes(&set.selected())?;
    Ok(sorted_by_words(existing.into_iter().map(candidate).collect()))
}

/// Looks up the attributes and documents of chunks.
struct Documents<'a, 'conn> {
    conn: &'a mut ScopedConn<'conn>,
    cache: &'a IndexCache,
}

impl Documents<'_, '_> {
    /// Returns those of the chunks that exist, with their attributes.
    fn attributes(&mut self, wanted: &[i64]) -> Result<Vec<(i64, ChunkAttributes)>, PgError> {
        if let Some(cached) = self.cache.attributes(wanted) {
            return Ok(cached);
        }
        let columns = ChunkAttributes::COLUMNS;
        let sql = format!("SELECT chunk.id, {columns} FROM {}", chunks_by_id(3));
        let rows = self.conn.query(&sql, &[&wanted])?;
        let read = |row: &Row| Ok((row.try_get(0)?, ChunkAttributes::read(row, 1)?));
        let existing = rows.iter().map(read).collect::<Result<Vec<_>, PgError>>()?;
        self.cache.cache_attributes(self.conn, wanted, &existing)?;
        Ok(existing)
    }
}

impl document::Documents for Documents<'_, '_> {
    type Error = PgError;

    fn of_chunks(&mut self, chunk_ids: &[i64]) -> Result<Vec<Option<DocumentId>>, PgError> {
        let existing: HashMap<i64, ChunkAttributes> =
            self.attributes(chunk_ids)?.into_iter().collect();
        let document = |chunk| existing.get(chunk).map(|attributes| attributes.document);
        Ok(chunk_ids.iter().map(document).collect())
    }

    fn chunks(&mut self, document: DocumentId) -> Result<Vec<i64>, PgError> {
        let columns = ChunkAttributes::COLUMNS;
        let sql = format!(
            "SELECT chunk.id, {columns} FROM chunk WHERE {SCOPE_FILTER} AND chunk.entry = $3"
        );
        let rows = self.conn.query(&sql, &[&document.entry])?;
        let read = |row: &Row| Ok((row.try_get(0)?, ChunkAttributes::read(row, 1)?.document));
        let all = rows.iter().map(read).collect::<Result<Vec<(i64, DocumentId)>, PgError>>()?;
        Ok(all.into_iter().filter(|(_, of)| *of == document).map(|(chunk, _)| chunk).collect())
    }
}

/// Returns the best chunks by words, including matches in their context.
fn by_words(
    documents: &mut Documents<'_, '_>,
    query: &IndexQuery,
    context: &SearchContext<'_>,
) -> Result<Vec<(i64, f64)>, PgError> {
    let has_words = !query.words.is_empty() || !query.prefixes.is_empty();
    if !has_words && query.phrases.is_empty() {
        return if query.lists_newest { newest(documents.conn, query) } else { Ok(Vec::new()) };
    }
    let limit = oversampled(query.limit);
    // Read from the server at most once.
    let mut ranked = None;
    document::spread(Places::new(limit, query.limit), documents, |documents, excluded| {
        let Documents { conn, cache } = documents;
        let conditions = conditions(conn, query);
        if has_words
            && ranked.is_none()
            && let Some(best) = by_cached_words(conn, query, (cache, excluded), &conditions)?
        {
            return Ok(best);
        }
        let ranked: &Vec<(i64, f64)> = match &mut ranked {
            Some(ranked) => ranked,
            none => none.insert(by_read_words(conn, query, context, &conditions)?),
        };
        let best = ranked.iter().filter(|(chunk, _)| !excluded.contains(*chunk));
        Ok(best.take(limit).copied().collect())
    })
}

/// Returns all chunks by words as the server's index finds them, best first.
fn by_read_words(
    conn: &mut ScopedConn<'_>,
    query: &IndexQuery,
    context: &SearchContext<'_>,
    conditions: &Conditions,
) -> Result<Vec<(i64, f64)>, PgError> {
    let has_words = !query.words.is_empty() || !query.prefixes.is_empty();
    // A phrase may consist of very common words.
    let ranked = if has_words {
        ranking::by_words(conn, query, context, !query.phrases.is_empty())?
    } else {
        with_phrases(conn, query)?
    };
    let mut best = matching(conn, ranked, conditions)?;
    if best.is_empty() && !conditions.is_empty() && has_words && query.phrases.is_empty() {
        let all = ranking::by_words(conn, query, context, true)?;
        best = matching(conn, all, conditions)?;
    }
    best.sort_by(compare_ranked);
    Ok(best)
}

/// Returns the best chunks by words from the snapshot, if loaded.
fn by_cached_words(
    conn: &mut ScopedConn<'_>,
    query: &IndexQuery,
    (cache, excluded): (&IndexCache, &ChunkRanges),
    conditions: &Conditions,
) -> Result<Option<Vec<(i64, f64)>>, PgError> {
    let wanted = oversampled(query.limit);
    let limit = if conditions.is_empty() { wanted } else { usize::MAX };
    let Some(ranked) = cache.best(&ranking::word_query(query), limit, excluded) else {
        return Ok(None);
    };
    let ranked: Vec<(i64, f64)> =
        ranked.into_iter().map(|(chunk, score)| (chunk, f64::from(score))).collect();
    first_matching(conn, ranked, wanted, conditions).map(Some)
}

/// Returns the first `wanted` ranked chunks that meet the conditions. The server checks the best ones first, then
/// ever larger batches while there are too few.
fn first_matching(
    conn: &mut ScopedConn<'_>,
    mut ranked: Vec<(i64, f64)>,
    wanted: usize,
    conditions: &Conditions,
) -> Result<Vec<(i64, f64)>, PgError> {
    if conditions.is_empty() {
        ranked.truncate(wanted);
        return Ok(ranked);
    }
    let (mut best, mut remaining, mut batch_size) = (Vec::new(), &ranked[..], FIRST_BATCH_SIZE);
    while !remaining.is_empty() && best.len() < wanted {
        let (batch, rest) = remaining.split_at(batch_size.min(remaining.len()));
        let mut matching = matching(conn, batch.iter().copied().collect(), conditions)?;
        matching.sort_by(compare_ranked);
        best.extend(matching);
        remaining = rest;
        batch_size *= 8;
    }
    best.truncate(wanted);
    Ok(best)
}

/// Orders by descending score, then newest first.
fn compare_ranked(a: &(i64, f64), b: &(i64, f64)) -> Ordering {
    b.1.total_cmp(&a.1).then(b.0.cmp(&a.0))
}

/// Returns those of the ranked chunks that meet the conditions.
fn matching(
    conn: &mut ScopedConn<'_>,
    ranked: Ranked,
    conditions: &Conditions,
) -> Result<Vec<(i64, f64)>, PgError> {
    if conditions.is_empty() || ranked.is_empty() {
        return Ok(ranked.into_iter().collect());
    }
    let ids: Vec<i64> = ranked.keys().copied().collect();
    let mut values = conditions.values();
    values.push(&ids);
    let sql = format!(
        "SELECT chunk.id FROM {} {JOINS} {SESSION} WHERE true {}",
        chunks_by_id(values.len() + 2),
        conditions.sql
    );
    let rows = conn.query(&sql, &values)?;
    let score = |row: &Row| {
        let id: i64 = row.try_get(0)?;
        Ok((id, ranked.get(&id).copied().unwrap_or_default()))
    };
    rows.iter().map(score).collect()
}

/// Returns the chunks that contain all of the phrases.
fn with_phrases(conn: &mut ScopedConn<'_>, query: &IndexQuery) -> Result<Ranked, PgError> {
    let project = conn.scope().project;
    let phrases: Vec<String> = query
        .phrases
        .iter()
        .filter_map(|text| lexemes::phrase(project, text))
        .map(|phrase| format!("({phrase})"))
        .collect();
    if phrases.is_empty() {
        return Ok(Ranked::new());
    }
    let rows = conn.query(
        "SELECT id FROM chunk WHERE workspace = $1 AND project = $2 AND words @@ $3::text::tsquery
         ORDER BY id DESC LIMIT $4",
        &[&phrases.join(" & "), &MAX_WITH_PHRASE],
    )?;
    rows.iter().map(|row| Ok((row.try_get(0)?, 1.0))).collect()
}

/// Returns the first chunk of each of the newest matching entries, with equal scores.
fn newest(conn: &mut ScopedConn<'_>, query: &IndexQuery) -> Result<Vec<(i64, f64)>, PgError> {
    let conditions = conditions(conn, query);
    let limit = query.limit as i64;
    let mut values = conditions.values();
    values.push(&limit);
    let sql = format!(
        "SELECT min(chunk.id) FROM chunk {JOINS} {SESSION} WHERE {SCOPE_FILTER} AND note.superseded_by IS NULL {}
         GROUP BY entry.id ORDER BY entry.id DESC LIMIT ${}",
        conditions.sql,
        values.len() + 2
    );
    conn.query(&sql, &values)?.iter().map(|row| Ok((row.try_get(0)?, 1.0))).collect()
}

/// Returns the nearest chunks by embedding.
fn by_embedding(
    documents: &mut Documents<'_, '_>,
    query: &IndexQuery,
    context: &SearchContext<'_>,
) -> Result<Vec<(i64, f32)>, PgError> {
    let Some(embedding) = &query.embedding else { return Ok(Vec::new()) };
    if embedding.vector.iter().all(|number| *number == 0) {
        return Ok(Vec::new());
    }
    let places = Places::new(oversampled(query.limit), query.limit);
    document::spread(places, documents, |documents, excluded| {
        nearest(documents.conn, query, embedding, (context, excluded))
    })
}

fn nearest(
    conn: &mut ScopedConn<'_>,
    query: &IndexQuery,
    embedding: &Embedding,
    (context, excluded): (&SearchContext<'_>, &ChunkRanges),
) -> Result<Vec<(i64, f32)>, PgError> {
    let conditions = conditions(conn, query);
    let from_cache = |conn: &mut ScopedConn<'_>| {
        by_cached_embedding(conn, query, (embedding, context.cache, excluded), &conditions)
    };
    if let Some(nearest) = from_cache(conn)? {
        return Ok(nearest);
    }
    let chunks = context.sizes.chunks;
    let length = embedding.vector.len();
    let (table, is_indexed) = if embedding.is_remote() {
        ("embedding", REMOTE_DIMENSIONS.contains(&length) && chunks > MAX_COMPARED)
    } else {
        ("meaning", length == INDEXED_DIMENSIONS && exceeds_max_vectors(chunks as i64))
    };
    let _scan = (!is_indexed && chunks > MAX_COMPARED).then(|| context.cache.lock_scans());
    // The snapshot may have been loaded while this search waited for the lock.
    if let Some(nearest) = from_cache(conn)? {
        return Ok(nearest);
    }
    let limit = oversampled(query.limit);
    read_nearest(conn, embedding, (table, is_indexed, limit), conditions, excluded)
}

/// Returns the nearest chunks as the server finds them.
fn read_nearest(
    conn: &mut ScopedConn<'_>,
    Embedding { model, vector }: &Embedding,
    (table, is_indexed, limit): (&str, bool, usize),
    mut conditions: Conditions,
    excluded: &ChunkRanges,
) -> Result<Vec<(i64, f32)>, PgError> {
    let joins = if conditions.is_empty() {
        String::new()
    } else {
        format!("JOIN chunk ON {SCOPE_FILTER} AND chunk.id = meaning.chunk {JOINS} {SESSION}")
    };
    if !excluded.is_empty() {
        let (first, last) = excluded.bounds();
        let (first, last) = (conditions.bind(first), conditions.bind(last));
        conditions.add_raw(&format!(
            "NOT EXISTS (SELECT FROM unnest({first}::bigint[], {last}::bigint[]) AS excluded (first, last)
                 WHERE meaning.chunk BETWEEN excluded.first AND excluded.last)"
        ));
    }
    let length = vector.len();
    let sql_conditions = conditions.sql.clone();
    let model = conditions.bind(super::text::stored(model));
    let target = conditions.bind(vectors::vector(vector));
    let dimensions = conditions.bind(length as i32);
    // The generic plan of the prepared statement needs a literal limit and a single evaluation of the vector;
    // otherwise it compares every chunk.
    let target = format!("(SELECT {target}::text::halfvec)");
    let embeddings = format!(
        "{table} AS meaning {joins} WHERE meaning.workspace = $1 AND meaning.project = $2
             AND meaning.model = (SELECT id FROM model WHERE name = {model}) {sql_conditions}"
    );
    let sql = if is_indexed {
        format!(
            "SELECT meaning.chunk,
                 1 - ((meaning.vector::halfvec({length})) <=> {target})
             FROM {embeddings} AND vector_dims(meaning.vector) = {length}
                 AND {dimensions}::integer > 0
             ORDER BY meaning.vector::halfvec({length}) <=> {target}
             LIMIT {limit}"
        )
    } else {
        format!(
            "SELECT chunk, 1 - (vector <=> {target}) FROM
                 (SELECT meaning.chunk, meaning.vector FROM {embeddings}
                      AND vector_dims(meaning.vector) = {dimensions} OFFSET 0) AS compared
             ORDER BY 2 DESC, 1 DESC LIMIT {limit}"
        )
    };
    let rows = conn.query(&sql, &conditions.values())?;
    let read = |row: &Row| Ok((row.try_get(0)?, row.try_get::<_, f64>(1)? as f32));
    let nearest: Vec<(i64, f32)> = rows.iter().map(read).collect::<Result<_, PgError>>()?;
    Ok(nearest.into_iter().filter(|(_, similarity)| *similarity >= MIN_SIMILARITY).collect())
}

/// Returns the nearest chunks from the snapshot, if it covers the model.
fn by_cached_embedding(
    conn: &mut ScopedConn<'_>,
    query: &IndexQuery,
    (embedding, cache, excluded): (&Embedding, &IndexCache, &ChunkRanges),
    conditions: &Conditions,
) -> Result<Option<Vec<(i64, f32)>>, PgError> {
    let wanted = oversampled(query.limit);
    let limit = if conditions.is_empty() { wanted } else { MAX_NEAREST };
    let Some(nearest) = cache.nearest(embedding, limit, excluded) else { return Ok(None) };
    let nearest = nearest.into_iter().map(|(chunk, similarity)| (chunk, f64::from(similarity)));
    let nearest = first_matching(conn, nearest.collect(), wanted, conditions)?;
    Ok(Some(nearest.into_iter().map(|(chunk, similarity)| (chunk, similarity as f32)).collect()))
}

/// Returns a FROM item for the chunks whose ids are bound to `$number`, looked up one by one: if one entry has most
/// of a project's chunks, the planner would scan them all.
pub(super) fn chunks_by_id(number: usize) -> String {
    format!(
        "(SELECT chunk.* FROM unnest(${number}::bigint[]) AS wanted (id) JOIN chunk
             ON chunk.workspace = $1 AND chunk.project = $2 AND chunk.id = wanted.id OFFSET 0) AS chunk"
    )
}

const SCOPE_FILTER: &str = "chunk.workspace = $1 AND chunk.project = $2";
pub(super) const JOINS: &str = "
    JOIN entry ON entry.workspace = $1 AND entry.project = $2 AND entry.id = chunk.entry AND entry.complete
    LEFT JOIN note ON note.workspace = $1 AND note.project = $2 AND note.entry = entry.id";
const SESSION: &str = "
    LEFT JOIN session ON session.workspace = $1 AND session.project = $2 AND session.id = entry.session";

fn conditions(conn: &ScopedConn<'_>, query: &IndexQuery) -> Conditions {
    let mut conditions = Conditions::default();
    conditions.add_name("session.key = ?", query.session.as_deref());
    conditions.add_name("entry.branch = ?", query.branch.as_deref());
    conditions.add_name("entry.ticket = ?", query.ticket.as_deref());
    for source in &query.sources {
        conditions.add_glob("entry.source", source);
    }
    conditions.add_one_of("entry.ref", query.entries.iter().map(Reference::as_str));
    add_kinds(&mut conditions, query);
    let moment = "coalesce(chunk.created, entry.created)";
    if let Some(after) = query.after {
        conditions.add(&format!("{moment} >= ?"), after.0);
    }
    if let Some(before) = query.before {
        conditions.add(&format!("{moment} < ?"), before.0);
    }
    if !conditions.is_empty() {
        // With conditions few chunks match; superseded notes must not displace others.
        conditions.add_raw("note.superseded_by IS NULL");
    }
    let project = conn.scope().project;
    for text in &query.excluded {
        if let Some(unwanted) = lexemes::phrase(project, text) {
            conditions.add("NOT chunk.words @@ ?::text::tsquery", unwanted);
        }
    }
    // Matches by embedding must contain the phrases, too.
    for text in &query.phrases {
        match lexemes::phrase(project, text) {
            Some(phrase) => conditions.add("chunk.words @@ ?::text::tsquery", phrase),
            None => conditions.add_raw("false"),
        }
    }
    conditions
}

fn add_kinds(conditions: &mut Conditions, query: &IndexQuery) {
    if query.kinds.is_empty() && query.notes.is_empty() {
        return;
    }
    let words = |words: Vec<&'static str>| -> Vec<String> {
        words.into_iter().map(str::to_owned).collect()
    };
    let kinds = conditions.bind(words(query.kinds.iter().map(|kind| kind.as_str()).collect()));
    let notes = conditions.bind(words(query.notes.iter().map(|note| note.as_str()).collect()));
    conditions.add_raw(&format!("(entry.kind = ANY ({kinds}) OR note.kind = ANY ({notes}))"));
}
