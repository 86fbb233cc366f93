//! Search: passages by their words (BM25, any word may match) and by their meaning.
//!
//! Both give their best; whoever asked weighs the one against the other, over all its stores.

use std::cmp::Ordering;

use ::postgres::Row;
use forebay_domain::Reference;
use forebay_store::candidates::{CandidateSet, oversampled, sorted_by_words};
use forebay_store::vector_index::{MIN_SIMILARITY, exceeds_max_vectors};
use forebay_store::{Candidate, Embedding, IndexQuery};

use super::conditions::Conditions;
use super::connection::Work;
use super::counts::{Counts, Sizes};
use super::error::Fault;
use super::index_cache::Held;
use super::lexemes;
use super::ranking::{self, Ranked};
use super::vectors::{self, INDEXED_DIMENSIONS};

/// Vectors of these lengths from a server's model are found by an index.
const REMOTE_DIMENSIONS: &[usize] = &[256, 384, 512, 768, 1024, 1536, 3072];
/// In a project with fewer passages each of those is compared. Those of the built-in model are, as long as a process
/// can hold them.
const COMPARED: f64 = 3_000.0;
/// Passages with a phrase that are looked at.
const MOST_WITH_PHRASE: i64 = 5_000;
/// Ranked passages that the server is first asked about: whether conditions leave them.
const ASKED_AT_ONCE: usize = 500;
/// Near passages that are looked at for those that conditions leave.
const MOST_NEAR: usize = 20_000;

/// What is known of the project before a question is asked.
pub(super) struct Known<'a> {
    pub(super) sizes: Sizes,
    pub(super) counts: &'a Counts,
    pub(super) held: &'a Held,
}

pub(super) fn candidates(
    work: &mut Work<'_>,
    query: &IndexQuery,
    counts: &Counts,
    held: &Held,
) -> Result<Vec<Candidate>, Fault> {
    if query.limit == 0 {
        return Ok(Vec::new());
    }
    let newest = held.keep_up(work)?;
    let sizes = match held.sizes() {
        Some(sizes) => sizes,
        None => counts.sizes(work, newest)?,
    };
    let known = Known { sizes, counts, held };
    let mut gathered = CandidateSet::new(query.limit);
    gathered.add_by_words(by_words(work, query, &known)?);
    gathered.add_by_similarity(by_meaning(work, query, &known)?);
    let wanted = gathered.selected();
    let there = match held.are_code(&wanted) {
        Some(known) => known,
        None => ask_which_are_code(work, &wanted, held)?,
    };
    let candidate = |(passage, is_code)| gathered.candidate(passage, is_code);
    Ok(sorted_by_words(there.into_iter().map(candidate).collect()))
}

/// Those of the passages that are there, and whether they are code.
fn ask_which_are_code(
    work: &mut Work<'_>,
    wanted: &[i64],
    held: &Held,
) -> Result<Vec<(i64, bool)>, Fault> {
    let sql = format!("SELECT chunk.id, chunk.code FROM {}", these(3));
    let rows = work.query(&sql, &[&wanted])?;
    let read = |row: &Row| Ok((row.try_get(0)?, row.try_get(1)?));
    let there = rows.iter().map(read).collect::<Result<Vec<_>, Fault>>()?;
    held.remember(work, wanted, &there)?;
    Ok(there)
}

/// The best by words, with those whose neighbours have them.
fn by_words(
    work: &mut Work<'_>,
    query: &IndexQuery,
    known: &Known<'_>,
) -> Result<Vec<(i64, f64)>, Fault> {
    let has_words = !query.words.is_empty() || !query.prefixes.is_empty();
    if !has_words && query.phrases.is_empty() {
        return if query.lists_newest { newest(work, query) } else { Ok(Vec::new()) };
    }
    let conditions = conditions(work, query);
    if has_words && let Some(best) = by_held_words(work, query, known.held, &conditions)? {
        return Ok(best);
    }
    // A phrase may be made of words that stand nearly everywhere.
    let ranked = if has_words {
        ranking::by_words(work, query, known, !query.phrases.is_empty())?
    } else {
        with_phrases(work, query)?
    };
    let mut best = fitting(work, ranked, &conditions)?;
    if best.is_empty() && !conditions.is_empty() && has_words && query.phrases.is_empty() {
        let all = ranking::by_words(work, query, known, true)?;
        best = fitting(work, all, &conditions)?;
    }
    best.sort_by(better);
    best.truncate(oversampled(query.limit));
    Ok(best)
}

/// The best by words, where all words are held.
fn by_held_words(
    work: &mut Work<'_>,
    query: &IndexQuery,
    held: &Held,
    conditions: &Conditions,
) -> Result<Option<Vec<(i64, f64)>>, Fault> {
    let wanted = oversampled(query.limit);
    let most = if conditions.is_empty() { wanted } else { usize::MAX };
    let Some(ranked) = held.best(&ranking::asked(query), most) else { return Ok(None) };
    let ranked: Vec<(i64, f64)> =
        ranked.into_iter().map(|(passage, score)| (passage, f64::from(score))).collect();
    first_fitting(work, ranked, wanted, conditions).map(Some)
}

/// The first so many of ranked passages that the conditions leave. The server says which these are: of the best first,
/// and of ever more as long as they are too few.
fn first_fitting(
    work: &mut Work<'_>,
    mut ranked: Vec<(i64, f64)>,
    wanted: usize,
    conditions: &Conditions,
) -> Result<Vec<(i64, f64)>, Fault> {
    if conditions.is_empty() {
        ranked.truncate(wanted);
        return Ok(ranked);
    }
    let (mut best, mut left, mut at_once) = (Vec::new(), &ranked[..], ASKED_AT_ONCE);
    while !left.is_empty() && best.len() < wanted {
        let (some, rest) = left.split_at(at_once.min(left.len()));
        let mut fitting = fitting(work, some.iter().copied().collect(), conditions)?;
        fitting.sort_by(better);
        best.extend(fitting);
        left = rest;
        at_once *= 8;
    }
    best.truncate(wanted);
    Ok(best)
}

/// The higher score first; of equal ones the newer.
fn better(a: &(i64, f64), b: &(i64, f64)) -> Ordering {
    b.1.total_cmp(&a.1).then(b.0.cmp(&a.0))
}

/// Those of the ranked passages that the conditions leave.
fn fitting(
    work: &mut Work<'_>,
    ranked: Ranked,
    conditions: &Conditions,
) -> Result<Vec<(i64, f64)>, Fault> {
    if conditions.is_empty() || ranked.is_empty() {
        return Ok(ranked.into_iter().collect());
    }
    let ids: Vec<i64> = ranked.keys().copied().collect();
    let mut values = conditions.values();
    values.push(&ids);
    let sql = format!(
        "SELECT chunk.id FROM {} {JOINS} {SESSION} WHERE true {}",
        these(values.len() + 2),
        conditions.sql
    );
    let rows = work.query(&sql, &values)?;
    let score = |row: &Row| {
        let id: i64 = row.try_get(0)?;
        Ok((id, ranked.get(&id).copied().unwrap_or_default()))
    };
    rows.iter().map(score).collect()
}

/// Passages that have all of the phrases.
fn with_phrases(work: &mut Work<'_>, query: &IndexQuery) -> Result<Ranked, Fault> {
    let project = work.place().project;
    let phrases: Vec<String> = query
        .phrases
        .iter()
        .filter_map(|text| lexemes::phrase(project, text))
        .map(|phrase| format!("({phrase})"))
        .collect();
    if phrases.is_empty() {
        return Ok(Ranked::new());
    }
    let rows = work.query(
        "SELECT id FROM chunk WHERE workspace = $1 AND project = $2 AND words @@ $3::text::tsquery
         ORDER BY id DESC LIMIT $4",
        &[&phrases.join(" & "), &MOST_WITH_PHRASE],
    )?;
    rows.iter().map(|row| Ok((row.try_get(0)?, 1.0))).collect()
}

/// The first passages of the newest entries that fit; none is better than another.
fn newest(work: &mut Work<'_>, query: &IndexQuery) -> Result<Vec<(i64, f64)>, Fault> {
    let conditions = conditions(work, query);
    let most = query.limit as i64;
    let mut values = conditions.values();
    values.push(&most);
    let sql = format!(
        "SELECT min(chunk.id) FROM chunk {JOINS} {SESSION} WHERE {PLACE} AND note.superseded_by IS NULL {}
         GROUP BY entry.id ORDER BY entry.id DESC LIMIT ${}",
        conditions.sql,
        values.len() + 2
    );
    work.query(&sql, &values)?.iter().map(|row| Ok((row.try_get(0)?, 1.0))).collect()
}

/// The passages whose meaning is nearest.
fn by_meaning(
    work: &mut Work<'_>,
    query: &IndexQuery,
    known: &Known<'_>,
) -> Result<Vec<(i64, f32)>, Fault> {
    let Some(wanted) = &query.embedding else { return Ok(Vec::new()) };
    let Embedding { model, vector } = wanted;
    if vector.iter().all(|number| *number == 0) {
        return Ok(Vec::new());
    }
    let mut conditions = conditions(work, query);
    let passages = known.sizes.passages;
    if let Some(near) = by_held_meaning(work, query, (wanted, known.held), &conditions)? {
        return Ok(near);
    }
    let length = vector.len();
    let (table, is_indexed) = if wanted.is_remote() {
        ("embedding", REMOTE_DIMENSIONS.contains(&length) && passages > COMPARED)
    } else {
        ("meaning", length == INDEXED_DIMENSIONS && exceeds_max_vectors(passages as i64))
    };
    let _turn = (!is_indexed && passages > COMPARED).then(|| known.held.take_turn());
    // While others had theirs, all may have been read.
    if let Some(near) = by_held_meaning(work, query, (wanted, known.held), &conditions)? {
        return Ok(near);
    }
    let joins = if conditions.is_empty() {
        String::new()
    } else {
        format!("JOIN chunk ON {PLACE} AND chunk.id = meaning.chunk {JOINS} {SESSION}")
    };
    let sql_conditions = conditions.sql.clone();
    let model = conditions.number(super::text::kept(model));
    let wanted = conditions.number(vectors::vector(vector));
    let dimensions = conditions.number(length as i32);
    // A plan that is made once for all questions must know how few are wanted and read the vector once, or it
    // compares every passage.
    let (wanted, most) = (format!("(SELECT {wanted}::text::halfvec)"), oversampled(query.limit));
    let meanings = format!(
        "{table} AS meaning {joins} WHERE meaning.workspace = $1 AND meaning.project = $2
             AND meaning.model = (SELECT id FROM model WHERE name = {model}) {sql_conditions}"
    );
    let sql = if is_indexed {
        format!(
            "SELECT meaning.chunk,
                 1 - ((meaning.vector::halfvec({length})) <=> {wanted})
             FROM {meanings} AND vector_dims(meaning.vector) = {length}
                 AND {dimensions}::integer > 0
             ORDER BY meaning.vector::halfvec({length}) <=> {wanted}
             LIMIT {most}"
        )
    } else {
        format!(
            "SELECT chunk, 1 - (vector <=> {wanted}) FROM
                 (SELECT meaning.chunk, meaning.vector FROM {meanings}
                      AND vector_dims(meaning.vector) = {dimensions} OFFSET 0) AS compared
             ORDER BY 2 DESC, 1 DESC LIMIT {most}"
        )
    };
    let rows = work.query(&sql, &conditions.values())?;
    let read = |row: &Row| Ok((row.try_get(0)?, row.try_get::<_, f64>(1)? as f32));
    let near: Vec<(i64, f32)> = rows.iter().map(read).collect::<Result<_, Fault>>()?;
    Ok(near.into_iter().filter(|(_, similarity)| *similarity >= MIN_SIMILARITY).collect())
}

/// The passages whose meaning is nearest, where meanings are held.
fn by_held_meaning(
    work: &mut Work<'_>,
    query: &IndexQuery,
    (meaning, held): (&Embedding, &Held),
    conditions: &Conditions,
) -> Result<Option<Vec<(i64, f32)>>, Fault> {
    let wanted = oversampled(query.limit);
    let most = if conditions.is_empty() { wanted } else { MOST_NEAR };
    let Some(near) = held.nearest(meaning, most) else { return Ok(None) };
    let near = near.into_iter().map(|(passage, similarity)| (passage, f64::from(similarity)));
    let near = first_fitting(work, near.collect(), wanted, conditions)?;
    Ok(Some(near.into_iter().map(|(passage, similarity)| (passage, similarity as f32)).collect()))
}

/// The passages whose numbers are the value of this number, looked up one by one: where one entry has most of a
/// project's passages, the server would rather read them all.
pub(super) fn these(number: usize) -> String {
    format!(
        "(SELECT passage.* FROM unnest(${number}::bigint[]) AS wanted (id) JOIN chunk AS passage
             ON passage.workspace = $1 AND passage.project = $2 AND passage.id = wanted.id OFFSET 0) AS chunk"
    )
}

const PLACE: &str = "chunk.workspace = $1 AND chunk.project = $2";
pub(super) const JOINS: &str = "
    JOIN entry ON entry.workspace = $1 AND entry.project = $2 AND entry.id = chunk.entry AND entry.complete
    LEFT JOIN note ON note.workspace = $1 AND note.project = $2 AND note.entry = entry.id";
const SESSION: &str = "
    LEFT JOIN session ON session.workspace = $1 AND session.project = $2 AND session.id = entry.session";

fn conditions(work: &Work<'_>, query: &IndexQuery) -> Conditions {
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
        // Where few fit anyway, notes that were replaced do not stand in their way.
        conditions.add_plain("note.superseded_by IS NULL");
    }
    let project = work.place().project;
    for text in &query.excluded {
        if let Some(unwanted) = lexemes::phrase(project, text) {
            conditions.add("NOT chunk.words @@ ?::text::tsquery", unwanted);
        }
    }
    // What is found by its meaning must have the phrases, too.
    for text in &query.phrases {
        match lexemes::phrase(project, text) {
            Some(phrase) => conditions.add("chunk.words @@ ?::text::tsquery", phrase),
            None => conditions.add_plain("false"),
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
    let kinds = conditions.number(words(query.kinds.iter().map(|kind| kind.word()).collect()));
    let notes = conditions.number(words(query.notes.iter().map(|note| note.word()).collect()));
    conditions.add_plain(&format!("(entry.kind = ANY ({kinds}) OR note.kind = ANY ({notes}))"));
}
