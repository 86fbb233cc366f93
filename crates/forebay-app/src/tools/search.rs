//! `ctx_search`: runs several queries over everything stored.

use forebay_domain::{Scope, Timestamp, ticket};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Effect, Tool};
use crate::input;
use crate::search::render::{self, Remarks};
use crate::search::{MAX_QUERIES, SearchOptions, Searcher, Sort, throttle};
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
        "Find past output, notes and indexed sources. Give several queries in one call.";
    const EFFECT: Effect = Effect::ReadOnly;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        check_queries(&input.queries)?;
        crate::ingest::sources::refresh(app);
        let allowance = throttle::count_call(app);
        let is_reduced = allowance.is_reduced && (input.limit.is_none() || input.budget.is_none());
        let budget = input::budget(input.budget, allowance.budget)?;
        let mut options = input.options()?;
        options.limit = options.limit.or(Some(allowance.limit));
        options.is_one_shot = app.is_one_shot();
        let searcher = Searcher::new(app, options)?;
        let notice = is_reduced.then_some(throttle::NOTICE);
        answer(&searcher, &input.queries, app.now(), budget, notice)
    }
}

impl Input {
    /// Parses the filters into search options.
    pub fn options(&self) -> Result<SearchOptions, AppError> {
        let ticket = self.scope.clone().filter(|word| ticket::is_ticket(word));
        let scope = match ticket {
            Some(_) => Scope::Ticket,
            None => input::scope(self.scope.as_deref())?,
        };
        Ok(SearchOptions {
            limit: self.limit,
            scope,
            ticket,
            kinds: self.kind.as_deref().map(input::kind).transpose()?.into_iter().collect(),
            source: self.source.clone(),
            sort: sort(self.sort.as_deref())?,
            ..SearchOptions::default()
        })
    }
}

/// Runs all `queries` and renders the results within `budget`.
pub(crate) fn answer(
    searcher: &Searcher,
    queries: &[String],
    now: Timestamp,
    budget: u64,
    notice: Option<&'static str>,
) -> Result<Answer, AppError> {
    let unindexed_bytes = searcher.index_pending()?;
    let (results, embedder) = searcher.search_all(queries)?;
    let remarks = Remarks { unindexed_bytes, embedder, notice };
    let text = render::text(&results, searcher, &remarks, now, budget);
    Ok(Answer::new(text, render::data(&results, &remarks, now)))
}

pub(crate) fn check_queries(queries: &[String]) -> Result<(), AppError> {
    if queries.is_empty() || queries.iter().all(|query| query.trim().is_empty()) {
        return Err(AppError::bad_input(
            "the query is empty",
            "use words that occur in what you look for",
        ));
    }
    if queries.len() > MAX_QUERIES {
        return Err(AppError::bad_input(
            format!("{} queries are too many for one call", queries.len()),
            format!("give at most {MAX_QUERIES}"),
        ));
    }
    Ok(())
}

fn sort(word: Option<&str>) -> Result<Sort, AppError> {
    let Some(word) = word else { return Ok(Sort::default()) };
    Sort::parse(word).ok_or_else(|| input::one_of("sort", word, Sort::ALL.map(Sort::as_str)))
}
