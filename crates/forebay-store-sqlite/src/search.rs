//! Search: the passages that may answer a question, by their words (any of them may match) and by their meaning.
//!
//! Both give their best; whoever asked weighs the one against the other, over all its stores.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use forebay_domain::{EntryKind, Reference};
use forebay_store::bm25::CONTEXT_WEIGHT;
use forebay_store::candidates::{CandidateSet, in_order, wider};
use forebay_store::vector_index::VectorQuery;
use forebay_store::{Candidate, IndexQuery};
use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection, params_from_iter};

use super::chunk_attributes::Traits;
use super::conditions::Conditions;
use super::inverted_index::{Asked, Segments, Side};
use super::vectors::{self, OfTable, PendingQuery, Vectors};

/// What is held in memory of a store.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) segments: &'a Segments,
    pub(super) vectors: &'a Vectors,
    pub(super) traits: &'a Traits,
}

/// What the store tells of a question; meanings may still have to be compared.
pub(super) struct Found<'a> {
    gathered: CandidateSet,
    compared: Option<Compared<'a>>,
}

/// A meaning, and the passages that may be near to it.
struct Compared<'a> {
    meanings: &'a OfTable,
    wanted: VectorQuery<i64>,
    allowed: Allowed,
}

pub(super) fn look<'a>(
    connection: &Connection,
    query: &IndexQuery,
    known: &Known<'a>,
) -> rusqlite::Result<Found<'a>> {
    let Known { segments, vectors, traits } = *known;
    let asked = Asked::of(query);
    let fitting = Fitting::of(connection, query, traits)?;
    let mut gathered = CandidateSet::new(query.limit);
    gathered.add_by_words(by_words(connection, query, (&asked, segments), &fitting)?);
    let Some(meaning) = &query.meaning else { return Ok(Found { gathered, compared: None }) };
    let is_enough = query.compares_found_only && !gathered.is_empty() && !meaning.is_remote();
    if is_enough && vectors::are_many(connection)? {
        let near = vectors::nearness_of(connection, meaning, gathered.passages())?;
        gathered.add_by_meaning(near);
        return Ok(Found { gathered, compared: None });
    }
    let allowed = restricted(connection, (&asked, segments), fitting)?;
    let meanings = vectors.of(meaning);
    let wanted = meanings.prepare(connection, meaning, wider(query.limit))?;
    let compared = wanted.map(|wanted| Compared { meanings, wanted, allowed });
    Ok(Found { gathered, compared })
}

impl Found<'_> {
    /// Adds what is near in meaning. It needs no connection, for which others wait.
    pub(super) fn compare(&mut self, announced: Option<PendingQuery<'_>>) {
        let Some(Compared { meanings, wanted, allowed }) = self.compared.take() else { return };
        let near = match announced {
            Some(announced) if allowed.are_all() => meanings.nearest(announced, wanted),
            _ => meanings.nearest_of(&wanted, |passage| allowed.allows(passage)),
        };
        self.gathered.add_by_meaning(near);
    }

    pub(super) fn candidates(
        &self,
        connection: &Connection,
        traits: &Traits,
    ) -> rusqlite::Result<Vec<Candidate>> {
        let wanted = self.gathered.wanted();
        let are_code = traits.are_code(connection, &wanted)?;
        let candidate = |(passage, is_code)| self.gathered.candidate(passage, is_code);
        Ok(in_order(wanted.into_iter().zip(are_code).map(candidate).collect()))
    }
}

/// The best by words, with those whose neighbours have them.
fn by_words(
    connection: &Connection,
    query: &IndexQuery,
    (asked, segments): (&Asked, &Segments),
    fitting: &Fitting<'_>,
) -> rusqlite::Result<Vec<(i64, f64)>> {
    if asked.is_empty() {
        return if query.lists_newest { newest(connection, query) } else { Ok(Vec::new()) };
    }
    let reads_around =
        query.phrases.is_empty() && query.without.is_empty() && query.least_words < 2;
    // Who stands behind counts only where there is another side that may want it.
    let has_sides = reads_around || query.meaning.is_some();
    let most = if has_sides { wider(query.limit) } else { query.limit };
    let best = |side| best_fitting(connection, (asked, segments, side), most, fitting);
    let own = best(Side::Own)?;
    let around = if reads_around { best(Side::Around)? } else { Vec::new() };
    if around.is_empty() {
        return Ok(own);
    }
    let mut scores: BTreeMap<i64, f64> = own.into_iter().collect();
    for (chunk, score) in around {
        *scores.entry(chunk).or_default() += CONTEXT_WEIGHT * score;
    }
    let mut best: Vec<(i64, f64)> = scores.into_iter().collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    best.truncate(most);
    Ok(best)
}

/// The best of one side that fit. Nearly all that may fit do, so only the best are looked at closely.
fn best_fitting(
    connection: &Connection,
    (asked, segments, side): (&Asked, &Segments, Side),
    most: usize,
    fitting: &Fitting<'_>,
) -> rusqlite::Result<Vec<(i64, f64)>> {
    let best = |allows: &dyn Fn(i64) -> rusqlite::Result<bool>| {
        asked.best(connection, (segments, side), most, allows)
    };
    let likely = best(&|passage| fitting.may_have(passage))?;
    let are_all = likely.len() < most;
    let mut sure = Vec::with_capacity(likely.len());
    for (passage, score) in likely {
        if fitting.has(passage)? {
            sure.push((passage, score));
        }
    }
    // Where some do not fit, others stand behind them.
    if are_all || sure.len() == most { Ok(sure) } else { best(&|passage| fitting.has(passage)) }
}

/// The first passages of the newest entries that fit; none is better than another.
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

/// Which passages may be found, also by meaning.
struct Allowed {
    only: Vec<HashSet<i64>>,
    without: HashSet<i64>,
}

impl Allowed {
    fn are_all(&self) -> bool {
        self.only.is_empty() && self.without.is_empty()
    }

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
    Looked(Look<'connection>),
}

struct Look<'connection> {
    connection: &'connection Connection,
    /// Any of these; empty for all.
    wanted: Vec<EntryKind>,
    traits: &'connection Traits,
    statement: RefCell<CachedStatement<'connection>>,
    values: Vec<Value>,
}

impl Look<'_> {
    /// Whether it is of a wanted kind: most are of another, and that is known.
    fn is_wanted(&self, passage: i64) -> rusqlite::Result<bool> {
        if self.wanted.is_empty() {
            return Ok(true);
        }
        let kind = self.traits.kind(self.connection, passage)?;
        Ok(kind.is_some_and(|kind| self.wanted.contains(&kind)))
    }

    fn fits(&self, passage: i64) -> rusqlite::Result<bool> {
        if !self.is_wanted(passage)? {
            return Ok(false);
        }
        let passage = Value::from(passage);
        self.statement.borrow_mut().exists(params_from_iter(self.values.iter().chain([&passage])))
    }
}

impl<'connection> Fitting<'connection> {
    fn of(
        connection: &'connection Connection,
        query: &IndexQuery,
        traits: &'connection Traits,
    ) -> rusqlite::Result<Self> {
        let Conditions { sql, values } = conditions(query);
        if sql.is_empty() {
            return Ok(Self::All);
        }
        let passages = format!("SELECT chunk.id FROM chunk {JOINS} {SESSION} WHERE true {sql}");
        if query.meaning.is_none() {
            // By words alone few are asked for; all that fit may be most of the store.
            let one = connection.prepare_cached(&format!("{passages} AND chunk.id = ?"))?;
            let wanted = if query.notes.is_empty() { query.kinds.clone() } else { Vec::new() };
            let statement = RefCell::new(one);
            return Ok(Self::Looked(Look { connection, wanted, traits, statement, values }));
        }
        let mut statement = connection.prepare_cached(&passages)?;
        let all = statement.query_map(params_from_iter(values), |row| row.get(0))?;
        Ok(Self::These(all.collect::<Result<_, _>>()?))
    }

    /// Whether a passage may be among them, as far as that is quickly told.
    fn may_have(&self, passage: i64) -> rusqlite::Result<bool> {
        match self {
            Self::All => Ok(true),
            Self::These(passages) => Ok(passages.contains(&passage)),
            Self::Looked(look) => look.is_wanted(passage),
        }
    }

    fn has(&self, passage: i64) -> rusqlite::Result<bool> {
        match self {
            Self::All => Ok(true),
            Self::These(passages) => Ok(passages.contains(&passage)),
            Self::Looked(look) => look.fits(passage),
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
    let moment = "coalesce(chunk.created, entry.created)";
    if let Some(after) = query.after {
        conditions.add(&format!("{moment} >= ?"), [after.0.into()]);
    }
    if let Some(before) = query.before {
        conditions.add(&format!("{moment} < ?"), [before.0.into()]);
    }
    if !conditions.sql.is_empty() {
        // Where few fit anyway, notes that were replaced do not stand in their way.
        conditions.add("note.superseded_by IS NULL", []);
    }
    conditions
}

fn add_kinds(conditions: &mut Conditions, query: &IndexQuery) {
    let kinds = query.kinds.iter().map(|kind| ("entry.kind = ?", kind.word()));
    let notes = query.notes.iter().map(|note| ("note.kind = ?", note.word()));
    let (any, words): (Vec<&str>, Vec<&str>) = kinds.chain(notes).unzip();
    if !any.is_empty() {
        let values = words.into_iter().map(|word| Value::from(word.to_owned()));
        conditions.add(&format!("({})", any.join(" OR ")), values);
    }
}
