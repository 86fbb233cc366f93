//! Search: passages by their words (any of them may match) and by their meaning.
//!
//! Both give their best; whoever asked weighs the one against the other, over all its stores.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use forebay_domain::{EntryKind, Hit, NoteKind, Reference, Timestamp};
use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params_from_iter};

use super::conditions::Conditions;
use super::entries;
use super::vectors::{self, Vectors};
use super::words::{Asked, Segments, Side};
use crate::contract::Query;
use crate::passage::Meaning;

/// A word that stands beside a short passage tells less than one in it.
pub(crate) const AROUND_WEIGHT: f64 = 0.6;
/// Candidates beyond the limit, so that replaced notes do not shorten the answer.
pub(crate) const SPARE_CANDIDATES: usize = 40;

pub(super) fn search(
    connection: &Connection,
    query: &Query,
    segments: &Segments,
    vectors: &Vectors,
) -> rusqlite::Result<Vec<Hit>> {
    if query.limit == 0 {
        return Ok(Vec::new());
    }
    let asked = Asked::of(query);
    let fitting = Fitting::of(connection, query)?;
    let mut scores: BTreeMap<i64, Scores> = BTreeMap::new();
    for (chunk, words) in by_words(connection, query, (&asked, segments), &fitting)? {
        scores.entry(chunk).or_default().words = words;
    }
    let is_remote = query.meaning.as_ref().is_some_and(Meaning::is_remote);
    let is_enough = query.compares_found_only && !scores.is_empty() && !is_remote;
    let near = if is_enough && vectors::are_many(connection)? {
        vectors::nearness_of(connection, query.meaning.as_ref(), scores.keys())?
    } else {
        let allowed = restricted(connection, (&asked, segments), fitting)?;
        by_meaning(connection, query, vectors, &allowed)?
    };
    for (chunk, nearness) in near {
        scores.entry(chunk).or_default().nearness = nearness;
    }
    Ok(best(load(connection, &scores)?, query.limit))
}

/// The best `limit` by words, best first, and after them those that are among the best by meaning only.
pub(crate) fn best(mut hits: Vec<Hit>, limit: usize) -> Vec<Hit> {
    hits.sort_by(|a, b| b.nearness.total_cmp(&a.nearness));
    let near = hits.iter().take(limit).take_while(|hit| hit.nearness > 0.0).count();
    let mut placed: Vec<(bool, Hit)> =
        hits.into_iter().enumerate().map(|(place, hit)| (place < near, hit)).collect();
    placed.sort_by(|(_, a), (_, b)| b.words.total_cmp(&a.words));
    let by_words = placed.iter().take(limit).take_while(|(_, hit)| hit.words > 0.0).count();
    let kept = placed
        .into_iter()
        .enumerate()
        .filter(|(place, (is_near, _))| *place < by_words || *is_near);
    kept.map(|(_, (_, hit))| hit).collect()
}

/// How well a passage fits, either way; 0 where it does not.
#[derive(Default)]
struct Scores {
    words: f64,
    nearness: f32,
}

/// The best by words, with those whose neighbours have them.
fn by_words(
    connection: &Connection,
    query: &Query,
    (asked, segments): (&Asked, &Segments),
    fitting: &Fitting<'_>,
) -> rusqlite::Result<Vec<(i64, f64)>> {
    if asked.is_empty() {
        return if query.lists_newest { newest(connection, query) } else { Ok(Vec::new()) };
    }
    let most = query.limit + SPARE_CANDIDATES;
    let allows = |passage| fitting.has(passage);
    let best = |side| asked.best(connection, (segments, side), most, allows);
    let mut scores: BTreeMap<i64, f64> = best(Side::Own)?.into_iter().collect();
    if query.phrases.is_empty() && query.without.is_empty() {
        for (chunk, score) in best(Side::Around)? {
            *scores.entry(chunk).or_default() += AROUND_WEIGHT * score;
        }
    }
    let mut best: Vec<(i64, f64)> = scores.into_iter().collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    best.truncate(most);
    Ok(best)
}

/// The first passages of the newest entries that fit; none is better than another.
fn newest(connection: &Connection, query: &Query) -> rusqlite::Result<Vec<(i64, f64)>> {
    let conditions = conditions(query);
    let sql = format!(
        "SELECT min(chunk.id) FROM chunk {JOINS} {SESSION} WHERE true {}
         GROUP BY entry.id ORDER BY entry.id DESC LIMIT ?",
        conditions.sql
    );
    let mut values = conditions.values;
    values.push(Value::from((query.limit + SPARE_CANDIDATES) as i64));
    let mut statement = connection.prepare_cached(&sql)?;
    statement.query_map(params_from_iter(values), |row| Ok((row.get(0)?, 1.0)))?.collect()
}

fn by_meaning(
    connection: &Connection,
    query: &Query,
    vectors: &Vectors,
    allowed: &Allowed,
) -> rusqlite::Result<Vec<(i64, f32)>> {
    let Some(meaning) = &query.meaning else { return Ok(Vec::new()) };
    let most = query.limit + SPARE_CANDIDATES;
    let allows = |passage| allowed.allows(passage);
    vectors.nearest(connection, meaning, most, allows)
}

/// Which passages may be found, also by meaning.
struct Allowed {
    only: Vec<HashSet<i64>>,
    without: HashSet<i64>,
}

impl Allowed {
    fn allows(&self, passage: i64) -> bool {
        self.only.iter().all(|only| only.contains(&passage)) && !self.without.contains(&passage)
    }
}

/// What the conditions leave, without what lacks a phrase or has an unwanted word.
fn restricted(
    connection: &Connection,
    (asked, segments): (&Asked, &Segments),
    fitting: Fitting<'_>,
) -> rusqlite::Result<Allowed> {
    let required = asked.required(connection, segments)?;
    let without = asked.unwanted(connection, segments)?;
    let fitting = match fitting {
        Fitting::These(passages) => Some(passages),
        Fitting::All | Fitting::Looked(..) => None,
    };
    Ok(Allowed { only: fitting.into_iter().chain(required).collect(), without })
}

/// The passages that the conditions of a query leave.
enum Fitting<'connection> {
    All,
    These(HashSet<i64>),
    /// Each is looked at when it is asked for.
    Looked(RefCell<CachedStatement<'connection>>, Vec<Value>),
}

impl<'connection> Fitting<'connection> {
    fn of(connection: &'connection Connection, query: &Query) -> rusqlite::Result<Self> {
        let Conditions { sql, values } = conditions(query);
        if sql.is_empty() {
            return Ok(Self::All);
        }
        let passages = format!("SELECT chunk.id FROM chunk {JOINS} {SESSION} WHERE true {sql}");
        if query.meaning.is_none() {
            // By words alone few are asked for; all that fit may be most of the store.
            let one = connection.prepare_cached(&format!("{passages} AND chunk.id = ?"))?;
            return Ok(Self::Looked(RefCell::new(one), values));
        }
        let mut statement = connection.prepare_cached(&passages)?;
        let all = statement.query_map(params_from_iter(values), |row| row.get(0))?;
        Ok(Self::These(all.collect::<Result<_, _>>()?))
    }

    fn has(&self, passage: i64) -> rusqlite::Result<bool> {
        match self {
            Self::All => Ok(true),
            Self::These(passages) => Ok(passages.contains(&passage)),
            Self::Looked(statement, values) => {
                let passage = Value::from(passage);
                statement.borrow_mut().exists(params_from_iter(values.iter().chain([&passage])))
            }
        }
    }
}

const JOINS: &str = "
    JOIN entry ON entry.id = chunk.entry AND entry.complete
    LEFT JOIN note ON note.entry = entry.id";
const SESSION: &str = "LEFT JOIN session ON session.id = entry.session";

fn conditions(query: &Query) -> Conditions {
    let mut conditions = Conditions::default();
    conditions.add_text("session.key = ?", query.session.as_deref());
    conditions.add_text("entry.branch = ?", query.branch.as_deref());
    conditions.add_text("entry.ticket = ?", query.ticket.as_deref());
    for source in &query.sources {
        conditions.add_text("entry.source GLOB ?", Some(source));
    }
    conditions.add_one_of("entry.ref", query.entries.iter().map(Reference::as_str));
    add_kinds(&mut conditions, query);
    let moment = "coalesce(chunk.created, entry.created)";
    if let Some(after) = query.after {
        conditions.add(&format!("{moment} >= ?"), [after.0.into()]);
    }
    if let Some(before) = query.before {
        conditions.add(&format!("{moment} < ?"), [before.0.into()]);
    }
    conditions
}

fn add_kinds(conditions: &mut Conditions, query: &Query) {
    let kinds = query.kinds.iter().map(|kind| ("entry.kind = ?", kind.word()));
    let notes = query.notes.iter().map(|note| ("note.kind = ?", note.word()));
    let (any, words): (Vec<&str>, Vec<&str>) = kinds.chain(notes).unzip();
    if !any.is_empty() {
        let values = words.into_iter().map(|word| Value::from(word.to_owned()));
        conditions.add(&format!("({})", any.join(" OR ")), values);
    }
}

/// What is known of the candidates; a note that was replaced is none.
fn load(connection: &Connection, scores: &BTreeMap<i64, Scores>) -> rusqlite::Result<Vec<Hit>> {
    // One statement that is known, for each: a list of all would be read anew for every question.
    let sql = format!(
        "SELECT entry.ref, entry.kind, note.kind, chunk.title, entry.source, chunk.key,
                coalesce(chunk.created, entry.created), chunk.first_line, chunk.last_line,
                CASE WHEN note.entry IS NOT NULL THEN
                    (SELECT older.ref FROM note AS replaced
                     JOIN entry AS older ON older.id = replaced.entry
                     WHERE replaced.superseded_by = entry.id ORDER BY older.id DESC LIMIT 1) END,
                chunk.start, chunk.bytes, coalesce(meaning.code, 0)
         FROM chunk {JOINS} LEFT JOIN meaning ON meaning.chunk = chunk.id
         WHERE chunk.id = ?1 AND note.superseded_by IS NULL"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut hits = Vec::with_capacity(scores.len());
    for (chunk, score) in scores.iter().rev() {
        hits.extend(statement.query_row([chunk], |row| read_hit(row, score)).optional()?);
    }
    Ok(hits)
}

fn read_hit(row: &Row<'_>, score: &Scores) -> rusqlite::Result<Hit> {
    Ok(Hit {
        reference: entries::parse_reference(&row.get::<_, String>(0)?)?,
        kind: EntryKind::from_word(&row.get::<_, String>(1)?).unwrap_or(EntryKind::Source),
        note: row.get::<_, Option<String>>(2)?.and_then(|word| NoteKind::from_word(&word)),
        title: row.get(3)?,
        source: row.get(4)?,
        key: row.get(5)?,
        created: Timestamp(row.get(6)?),
        lines: (row.get::<_, i64>(7)? as u64, row.get::<_, i64>(8)? as u64),
        supersedes: entries::optional_reference(row, 9)?,
        start: row.get::<_, i64>(10)? as u64,
        bytes: row.get::<_, i64>(11)? as u64,
        is_code: row.get(12)?,
        words: score.words,
        nearness: score.nearness,
        score: 0.0,
        text: String::new(),
        matched: Vec::new(),
        conflicts: None,
        alike: 0,
    })
}
