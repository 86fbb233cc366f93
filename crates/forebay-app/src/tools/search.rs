//! `ctx_search`: several questions at once over everything stored.

use std::collections::HashSet;

use forebay_domain::text::{cut, number, words};
use forebay_domain::{EntryKind, Hit, Reference, Scope, Timestamp, ticket};
use forebay_store::{Query, Store};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Nature, Tool, input};
use crate::indexing;
use crate::render::budgeted::Budgeted;
use crate::render::{describe, window};
use crate::{Answer, App, AppError, Call, meaning, ranking};

pub struct Search;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[serde(alias = "query", deserialize_with = "input::one_or_many")]
    pub queries: Vec<String>,
    /// Hits per query
    pub limit: Option<u64>,
    /// session, branch, ticket (or one: ABC-12), project (default), all
    pub scope: Option<String>,
    /// run, note, source, page, capture, turn
    pub kind: Option<String>,
    /// Glob
    pub source: Option<String>,
    pub budget: Option<u64>,
}

impl Tool for Search {
    const NAME: &'static str = "ctx_search";
    const DESCRIPTION: &'static str =
        "Find past output, notes and indexed sources. Ask several questions in one call.";
    const NATURE: Nature = Nature::Reads;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        let budget = input::budget(input.budget, app.settings.search.budget)?;
        let reach = Reach::read(app, &input)?;
        answer(&reach, &input.queries, app.now(), budget)
    }
}

/// Asks all `queries` and answers within `budget`.
pub(crate) fn answer(
    reach: &Reach,
    queries: &[String],
    now: Timestamp,
    budget: u64,
) -> Result<Answer, AppError> {
    let unfinished = reach.catch_up()?;
    let found: Vec<Found> =
        queries.iter().map(|query| reach.find(query)).collect::<Result<_, _>>()?;
    let text = render(&found, reach, unfinished, now, budget);
    let data = json!({ "queries": found.iter().map(|found| found.data(now)).collect::<Vec<_>>() });
    Ok(Answer::new(text, data))
}

/// More words than this add cost and no meaning.
const MOST_WORDS: usize = 64;
const MOST_QUERIES: usize = 20;
const MOST_HITS: u64 = 100;
/// Ranking needs a choice, however few hits are shown.
const LEAST_CANDIDATES: usize = 100;
/// Room for the line that tells how many hits are not shown.
const MORE_BYTES: usize = 40;
/// Output that is not searchable yet is caught up with, as far as this goes, before the search.
const CATCH_UP_BYTES: u64 = 16 * 1024 * 1024;

/// Where a search looks.
pub struct Reach {
    stores: Vec<std::sync::Arc<dyn Store>>,
    scope: Scope,
    filter: Query,
}

/// The hits of one query.
pub struct Found {
    pub query: String,
    pub hits: Vec<Hit>,
}

impl Reach {
    pub fn read(app: &App, input: &Input) -> Result<Self, AppError> {
        check_queries(&input.queries)?;
        let (scope, ticket) = scope(app, input.scope.as_deref())?;
        let limit = input.limit.unwrap_or(app.settings.search.limit).clamp(1, MOST_HITS) as usize;
        let kinds: Vec<EntryKind> =
            input.kind.as_deref().map(input::kind).transpose()?.into_iter().collect();
        let filter = Query {
            limit,
            kinds,
            source: input.source.clone(),
            session: (scope == Scope::Session).then(|| app.session.clone()),
            branch: if scope == Scope::Branch { Some(checked_out_branch(app)?) } else { None },
            ticket,
            ..Query::default()
        };
        Ok(Self { stores: app.places.within(scope)?, scope, filter })
    }

    /// Only what stands in these entries of the caller's own store.
    pub(crate) fn of_entries(
        app: &App,
        queries: &[String],
        entries: Vec<Reference>,
    ) -> Result<Self, AppError> {
        check_queries(queries)?;
        let limit = app.settings.search.limit.clamp(1, MOST_HITS) as usize;
        let filter = Query { limit, entries, ..Query::default() };
        Ok(Self { stores: vec![app.places.own()?], scope: Scope::Project, filter })
    }

    /// The best hits of all stores for one query.
    pub fn find(&self, query: &str) -> Result<Found, AppError> {
        let mut hits = self.candidates(query)?;
        hits.truncate(self.filter.limit);
        let asked = words::telling(query, MOST_WORDS);
        for (store, hit) in &mut hits {
            hit.text = store.passage(hit)?;
            hit.matched = matched_words(&asked, hit);
        }
        let hits = hits.into_iter().map(|(_, hit)| hit).collect();
        Ok(Found { query: query.to_owned(), hits })
    }

    /// The best documents for one query, each once however many of its passages match.
    pub fn find_documents(&self, query: &str) -> Result<Vec<Hit>, AppError> {
        let mut seen = HashSet::new();
        let hits = self.candidates(query)?.into_iter().map(|(_, hit)| hit);
        let documents = hits.filter(|hit| seen.insert((hit.reference, hit.key.clone())));
        Ok(documents.take(self.filter.limit).collect())
    }

    /// What the stores propose, best first, each with the store that has it.
    fn candidates(&self, query: &str) -> Result<Vec<(&dyn Store, Hit)>, AppError> {
        let question = words::without_languages(query);
        let asked = Query {
            words: words::telling(&question, MOST_WORDS),
            meaning: meaning::of(&question),
            limit: self.filter.limit.max(LEAST_CANDIDATES),
            ..self.filter.clone()
        };
        let mut hits = Vec::new();
        for store in &self.stores {
            hits.extend(store.search(&asked)?.into_iter().map(|hit| (&**store, hit)));
        }
        ranking::fuse(&mut hits);
        Ok(hits)
    }

    /// Makes pending output searchable; returns how many bytes are still to come.
    fn catch_up(&self) -> Result<u64, AppError> {
        let mut left = 0;
        for store in &self.stores {
            indexing::finish_all(&**store, |done| done < CATCH_UP_BYTES)?;
            left += store.unindexed()?.iter().map(|state| state.bytes - state.offset).sum::<u64>();
        }
        Ok(left)
    }
}

/// The query's words that stand in the passage.
fn matched_words(query: &[String], hit: &Hit) -> Vec<String> {
    let text: Vec<String> = words::words(&hit.title).chain(words::words(&hit.text)).collect();
    let stands = |wanted: &&String| text.iter().any(|word| words::alike(word, wanted));
    query.iter().filter(stands).cloned().collect()
}

impl Found {
    fn data(&self, now: Timestamp) -> Value {
        let hits: Vec<Value> = self.hits.iter().map(|hit| hit_data(hit, now)).collect();
        json!({ "query": self.query, "hits": hits })
    }
}

fn hit_data(hit: &Hit, now: Timestamp) -> Value {
    json!({
        "ref": hit.reference.as_str(),
        "kind": hit.kind.word(),
        "title": hit.title,
        "source": hit.source,
        "id": hit.key,
        "age": describe::age(hit.created, now),
        "lines": [hit.lines.0, hit.lines.1],
        "score": hit.score,
        "matched": hit.matched,
        "supersedes": hit.supersedes.map(|older| older.as_str().to_owned()),
        "text": hit.text,
    })
}

fn check_queries(queries: &[String]) -> Result<(), AppError> {
    if queries.is_empty() || queries.iter().all(|query| query.trim().is_empty()) {
        return Err(AppError::bad_input(
            "there is no query",
            "ask with words that stand in what you look for",
        ));
    }
    if queries.len() > MOST_QUERIES {
        return Err(AppError::bad_input(
            format!("{} queries are too many for one call", queries.len()),
            format!("ask at most {MOST_QUERIES}"),
        ));
    }
    Ok(())
}

/// The scope, and the ticket where it is one: that of the branch, or the one that is named.
fn scope(app: &App, word: Option<&str>) -> Result<(Scope, Option<String>), AppError> {
    if let Some(named) = word.filter(|word| ticket::is_ticket(word)) {
        return Ok((Scope::Ticket, Some(named.to_owned())));
    }
    let scope = input::scope(word)?;
    if scope != Scope::Ticket {
        return Ok((scope, None));
    }
    let of_branch = app.places.branch().and_then(|branch| ticket::of_branch(&branch));
    let of_branch = of_branch.ok_or_else(|| {
        AppError::bad_input("the branch here names no ticket", "give one as scope: ABC-12, #12")
    })?;
    Ok((scope, Some(of_branch)))
}

fn checked_out_branch(app: &App) -> Result<String, AppError> {
    app.places
        .branch()
        .ok_or_else(|| AppError::bad_input("no branch is checked out here", "use scope project"))
}

fn render(found: &[Found], reach: &Reach, unfinished: u64, now: Timestamp, budget: u64) -> String {
    let mut text = Budgeted::new(budget);
    for (index, one) in found.iter().enumerate() {
        // What one query leaves over, the following ones share.
        let share = text.room() / (found.len() - index);
        let block = render_query(one, reach, now, share.saturating_sub(1));
        text.push_cut(&block);
    }
    if unfinished > 0 {
        text.push_cut(&format!(
            "not searchable yet: {} of large output",
            number::bytes(unfinished)
        ));
    }
    text.into_text()
}

/// The hits of one query within `bytes` bytes.
fn render_query(found: &Found, reach: &Reach, now: Timestamp, bytes: usize) -> String {
    let query = cut::one_line(&found.query, 80);
    if found.hits.is_empty() {
        return nothing_found(&query, reach);
    }
    let mut text = Budgeted::of_bytes(bytes);
    text.push_cut(&format!("\"{query}\" · {}", number::counted(found.hits.len() as u64, "hit")));
    text.keep_back(MORE_BYTES);
    let shown = found
        .hits
        .iter()
        .enumerate()
        .take_while(|(index, hit)| push_hit(&mut text, hit, now, found.hits.len() - index))
        .count();
    text.release();
    if shown < found.hits.len() {
        text.push(&format!("{} more with a larger budget", found.hits.len() - shown));
    }
    text.into_text()
}

/// Appends a hit with its share of the room; says whether its first line fitted.
fn push_hit(text: &mut Budgeted, hit: &Hit, now: Timestamp, hits_left: usize) -> bool {
    let share = text.room() / hits_left;
    let head = hit_head(hit, now);
    if !text.push(&head) {
        return false;
    }
    let passage = forebay_digest::clean(hit.text.as_bytes());
    let room = share.saturating_sub(head.len() + 2).min(text.room().saturating_sub(1));
    let shown = window::around(&passage, &hit.matched, room);
    if !shown.is_empty() && shown != hit.title {
        text.push(&shown);
    }
    true
}

/// `[ctx:k3v9m2a1xq] run · cargo test · lines 640-660 · 3 min ago · has: failed, parser`
fn hit_head(hit: &Hit, now: Timestamp) -> String {
    let what = hit.note.map_or_else(|| hit.kind.word(), forebay_domain::NoteKind::word);
    let mut parts = vec![format!("{} {what}", hit.reference), cut::one_line(&hit.title, 100)];
    if !hit.source.is_empty() && hit.source != hit.title {
        parts.push(cut::one_line(&hit.source, 80));
    }
    if hit.note.is_none() {
        parts.push(format!("lines {}-{}", hit.lines.0, hit.lines.1));
    }
    parts.push(describe::age(hit.created, now));
    if hit.matched.is_empty() {
        parts.push("by meaning".to_owned());
    } else {
        parts.push(format!("has: {}", hit.matched.join(", ")));
    }
    if let Some(older) = hit.supersedes {
        parts.push(format!("replaces {older}"));
    }
    parts.join(" · ")
}

fn nothing_found(query: &str, reach: &Reach) -> String {
    if !reach.filter.entries.is_empty() {
        return format!("\"{query}\" · nothing found in these outputs");
    }
    let wider = match reach.scope {
        Scope::All => "try other words",
        _ => "try other words, or scope all",
    };
    format!("\"{query}\" · nothing found in scope {}; {wider}", reach.scope.word())
}
