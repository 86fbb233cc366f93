//! Search: BM25 over porter-stemmed words, any of which may match.

use forebay_domain::{EntryKind, Hit, NoteKind, Reference, Timestamp, text::words};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use super::conditions::Conditions;
use super::telling::WordCounts;
use super::{blobs, entries};
use crate::contract::Query;

/// A match in the title tells more than one in the body.
const TITLE_WEIGHT: f64 = 2.0;
const BODY_WEIGHT: f64 = 1.0;
/// Candidates beyond the limit, so that hidden ones do not shorten the answer.
const SPARE_CANDIDATES: usize = 40;

pub(super) fn search(
    connection: &Connection,
    query: &Query,
    counts: &WordCounts,
) -> rusqlite::Result<Vec<Hit>> {
    if query.words.is_empty() || query.limit == 0 {
        return Ok(Vec::new());
    }
    let telling = counts.telling(connection, &query.words)?;
    let mut found = candidates(connection, query, &telling)?;
    if found.is_empty() && telling.len() < query.words.len() {
        found = candidates(connection, query, &query.words)?;
    }
    found.truncate(query.limit);
    if !query.without_text {
        for candidate in &mut found {
            candidate.load_text(connection, &query.words)?;
        }
    }
    Ok(found.into_iter().map(|candidate| candidate.hit).collect())
}

struct Candidate {
    hit: Hit,
    blob: i64,
    start: u64,
    bytes: u64,
}

impl Candidate {
    fn load_text(&mut self, connection: &Connection, words: &[String]) -> rusqlite::Result<()> {
        let raw = blobs::slice(connection, self.blob, self.start, self.bytes)?;
        self.hit.text = String::from_utf8_lossy(&raw).into_owned();
        self.hit.matched = matched_words(words, &self.hit);
        Ok(())
    }
}

/// The query's words that stand in the passage.
fn matched_words(query: &[String], hit: &Hit) -> Vec<String> {
    let text: Vec<String> = words::words(&hit.title).chain(words::words(&hit.text)).collect();
    let stands = |wanted: &&String| text.iter().any(|word| words::alike(word, wanted));
    query.iter().filter(stands).cloned().collect()
}

const COLUMNS: &str = "
    SELECT entry.ref, entry.kind, note.kind, chunk.title, entry.source, chunk.key,
           coalesce(chunk.created, entry.created), ranked.rank, chunk.first_line, chunk.last_line,
           (SELECT older.ref FROM note AS replaced JOIN entry AS older ON older.id = replaced.entry
            WHERE replaced.superseded_by = entry.id ORDER BY older.id DESC LIMIT 1),
           entry.blob, chunk.start, chunk.bytes";

const JOINS: &str = "
    JOIN entry ON entry.id = chunk.entry AND entry.complete
    LEFT JOIN note ON note.entry = entry.id";

fn candidates(
    connection: &Connection,
    query: &Query,
    words: &[String],
) -> rusqlite::Result<Vec<Candidate>> {
    let conditions = conditions(query);
    let inner =
        if conditions.is_empty() { ranked_first() } else { filtered_first(&conditions.sql) };
    let sql = format!(
        "{COLUMNS} FROM ({inner}) AS ranked JOIN chunk ON chunk.id = ranked.id {JOINS}
         WHERE note.superseded_by IS NULL ORDER BY ranked.rank, chunk.id DESC"
    );
    let mut values = vec![Value::from(match_expression(words))];
    values.extend(conditions.values);
    values.push(Value::from((query.limit + SPARE_CANDIDATES) as i64));
    connection.prepare_cached(&sql)?.query_map(params_from_iter(values), read_candidate)?.collect()
}

/// Without conditions the index alone picks the best; nothing else is looked up for the rest.
fn ranked_first() -> String {
    format!(
        "SELECT rowid AS id, bm25(chunk_words, {TITLE_WEIGHT}, {BODY_WEIGHT}) AS rank
         FROM chunk_words WHERE chunk_words MATCH ? ORDER BY rank, rowid DESC LIMIT ?"
    )
}

fn filtered_first(conditions: &str) -> String {
    format!(
        "SELECT chunk_words.rowid AS id, bm25(chunk_words, {TITLE_WEIGHT}, {BODY_WEIGHT}) AS rank
         FROM chunk_words JOIN chunk ON chunk.id = chunk_words.rowid {JOINS}
         LEFT JOIN session ON session.id = entry.session
         WHERE chunk_words MATCH ? {conditions} ORDER BY rank, chunk_words.rowid DESC LIMIT ?"
    )
}

fn conditions(query: &Query) -> Conditions {
    let mut conditions = Conditions::default();
    conditions.add_text("session.key = ?", query.session.as_deref());
    conditions.add_text("entry.branch = ?", query.branch.as_deref());
    conditions.add_text("entry.source GLOB ?", query.source.as_deref());
    conditions.add_one_of("entry.ref", query.entries.iter().map(Reference::as_str));
    conditions.add_one_of("entry.kind", query.kinds.iter().map(|kind| kind.word()));
    conditions
}

/// Each word as a quoted string, so that no word is ever read as an operator.
pub(super) fn match_expression(words: &[String]) -> String {
    let quoted: Vec<_> =
        words.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
    quoted.join(" OR ")
}

fn read_candidate(row: &Row<'_>) -> rusqlite::Result<Candidate> {
    let hit = Hit {
        reference: entries::parse_reference(&row.get::<_, String>(0)?)?,
        kind: EntryKind::from_word(&row.get::<_, String>(1)?).unwrap_or(EntryKind::Source),
        note: row.get::<_, Option<String>>(2)?.and_then(|word| NoteKind::from_word(&word)),
        title: row.get(3)?,
        source: row.get(4)?,
        key: row.get(5)?,
        created: Timestamp(row.get(6)?),
        // bm25() is smaller for better matches.
        score: -row.get::<_, f64>(7)?,
        lines: (row.get::<_, i64>(8)? as u64, row.get::<_, i64>(9)? as u64),
        text: String::new(),
        matched: Vec::new(),
        supersedes: entries::optional_reference(row, 10)?,
    };
    Ok(Candidate {
        hit,
        blob: row.get(11)?,
        start: row.get::<_, i64>(12)? as u64,
        bytes: row.get::<_, i64>(13)? as u64,
    })
}
