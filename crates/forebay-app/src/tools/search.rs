//! `ctx_search`: several questions at once over everything stored.

use forebay_domain::{Scope, Timestamp, ticket};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Nature, Tool};
use crate::input;
use crate::search::render::{self, Remarks};
use crate::search::{Limits, MOST_QUERIES, Reach, Sort, throttle};
use crate::{Answer, App, AppError, Call};

pub struct Search;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Words; also "exact phrase" -word kind: source: path: after:2d before:2026-01-31
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
    /// newest, oldest
    pub sort: Option<String>,
    pub budget: Option<u64>,
}

impl Tool for Search {
    const NAME: &'static str = "ctx_search";
    const DESCRIPTION: &'static str =
        "Find past output, notes and indexed sources. Ask several questions in one call.";
    const NATURE: Nature = Nature::Reads;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        check_queries(&input.queries)?;
        crate::ingest::sources::refresh(app);
        let pace = throttle::of_call(app);
        let is_shortened = pace.is_shortened && (input.limit.is_none() || input.budget.is_none());
        let budget = input::budget(input.budget, pace.budget)?;
        let mut limits = input.limits()?;
        limits.limit = limits.limit.or(Some(pace.limit));
        limits.asks_once = app.asks_once();
        let reach = Reach::new(app, limits)?;
        let last = is_shortened.then_some(throttle::WORD_ON_BATCHING);
        answer(&reach, &input.queries, app.now(), budget, last)
    }
}

impl Input {
    /// What it is narrowed to.
    pub fn limits(&self) -> Result<Limits, AppError> {
        let ticket = self.scope.clone().filter(|word| ticket::is_ticket(word));
        let scope = match ticket {
            Some(_) => Scope::Ticket,
            None => input::scope(self.scope.as_deref())?,
        };
        Ok(Limits {
            limit: self.limit,
            scope,
            ticket,
            kinds: self.kind.as_deref().map(input::kind).transpose()?.into_iter().collect(),
            source: self.source.clone(),
            sort: sort(self.sort.as_deref())?,
            ..Limits::default()
        })
    }
}

/// Asks all `queries` and answers within `budget`.
pub(crate) fn answer(
    reach: &Reach,
    queries: &[String],
    now: Timestamp,
    budget: u64,
    last: Option<&'static str>,
) -> Result<Answer, AppError> {
    let unfinished = reach.catch_up()?;
    let (found, meaning) = reach.find_all(queries)?;
    let remarks = Remarks { unfinished, meaning, last };
    let text = render::text(&found, reach, &remarks, now, budget);
    Ok(Answer::new(text, render::data(&found, &remarks, now)))
}

pub(crate) fn check_queries(queries: &[String]) -> Result<(), AppError> {
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

fn sort(word: Option<&str>) -> Result<Sort, AppError> {
    let Some(word) = word else { return Ok(Sort::default()) };
    Sort::from_word(word).ok_or_else(|| input::one_of("sort", word, Sort::ALL.map(Sort::word)))
}
