//! Finding: from a question to its hits, over all the stores a search reaches.
//!
//! 1. `asking` reads the question and sets right what no store knows;
//! 2. `meant` asks a server's model what is meant, where the user named one;
//! 3. each store proposes passages by words and by meaning;
//! 4. `ranking` weighs the one against the other, reads the best and looks at how the words stand in them;
//! 5. `sorting` drops what breaks the question's word, folds what says the same (by its `wording`), sees what
//!    contradicts;
//! 6. `events` adds what happened.

mod embed_query;
pub(crate) mod embedder;
mod events;
mod near_duplicates;
mod postprocess;
mod query;
pub(crate) mod ranking;
pub(crate) mod render;
pub(crate) mod throttle;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use forebay_domain::event::Recorded;
use forebay_domain::{EntryKind, Hit, Query, Reference, Scope, Timestamp, ticket};
use forebay_store::{Candidate, IndexQuery, Store};

use self::embed_query::Progress;
use self::query::Asked;
pub(crate) use self::query::Reading;
use crate::ingest::pending;
use crate::search::embedder::Embedder;
use crate::search::ranking::Weights;
use crate::{App, AppError};

pub(crate) const MOST_QUERIES: usize = 20;
const MOST_HITS: u64 = 100;
/// Ranking needs a choice, however few hits are shown.
const LEAST_CANDIDATES: usize = 100;
/// The best so many are read before they are put in their last order.
const READ: usize = 50;
/// Notes about the same share so many words at least.
const SHARED_WORDS: usize = 2;
/// Output that is not searchable yet is caught up with, as far as this goes, before the search.
const CATCH_UP_BYTES: u64 = 16 * 1024 * 1024;

/// The order of the hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    #[default]
    Relevance,
    Newest,
    Oldest,
}

impl Sort {
    pub const ALL: [Self; 3] = [Self::Relevance, Self::Newest, Self::Oldest];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Relevance => "relevance",
            Self::Newest => "newest",
            Self::Oldest => "oldest",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sort| sort.word() == word)
    }
}

/// What a caller narrows a search to, beside its questions.
#[derive(Debug, Default)]
pub struct Limits {
    pub limit: Option<u64>,
    pub scope: Scope,
    /// The ticket that is meant; without one it is that of the branch.
    pub ticket: Option<String>,
    pub kinds: Vec<EntryKind>,
    /// A glob over the source.
    pub source: Option<String>,
    pub sort: Sort,
    /// Nothing is asked after this: what costs time and saves it later is left out.
    pub asks_once: bool,
}

/// Where a search looks.
pub struct Reach {
    stores: Vec<Arc<dyn Store>>,
    pub(crate) scope: Scope,
    pub(crate) filter: IndexQuery,
    sort: Sort,
    now: Timestamp,
    embedder: Option<Arc<Embedder>>,
    /// How far its model knows what is stored; looked at once.
    progress: OnceLock<Progress>,
}

/// The hits of one query, and how it was read.
pub struct Found {
    pub query: String,
    pub hits: Vec<Hit>,
    pub(crate) reading: Reading,
    /// What happened that has the words.
    pub(crate) events: Vec<Recorded>,
    /// Words of the stores that are written much like those asked for; only where nothing was found.
    pub(crate) nearest: Vec<String>,
}

/// A passage that a store proposes.
struct Proposed {
    /// Which of the stores.
    store: usize,
    candidate: Candidate,
    score: f64,
}

impl Reach {
    pub fn new(app: &App, limits: Limits) -> Result<Self, AppError> {
        let Limits { scope, kinds, .. } = limits;
        let limit = limits.limit.unwrap_or(app.settings.search.limit).clamp(1, MOST_HITS) as usize;
        let filter = IndexQuery {
            limit,
            kinds,
            sources: limits.source.into_iter().collect(),
            session: (scope == Scope::Session).then(|| app.session.clone()),
            branch: if scope == Scope::Branch { Some(checked_out_branch(app)?) } else { None },
            ticket: if scope == Scope::Ticket {
                Some(asked_ticket(app, limits.ticket)?)
            } else {
                None
            },
            vector_rerank_only: limits.asks_once,
            ..IndexQuery::default()
        };
        let stores = app.places.within(scope)?;
        Ok(Self {
            stores,
            scope,
            filter,
            sort: limits.sort,
            now: app.now(),
            embedder: app.embedder.clone(),
            progress: OnceLock::new(),
        })
    }

    /// Only what stands in these entries of the caller's own store.
    pub(crate) fn of_entries(app: &App, entries: Vec<Reference>) -> Result<Self, AppError> {
        let mut reach = Self::new(app, Limits::default())?;
        reach.stores = vec![app.places.own()?];
        reach.filter.entries = entries;
        Ok(reach)
    }

    /// The best hits of all stores for each query, and what must be said of how they were found.
    pub(crate) fn find_all(
        &self,
        queries: &[String],
    ) -> Result<(Vec<Found>, Option<String>), AppError> {
        let read = queries.iter().map(|query| self.read(query));
        let mut asked = read.collect::<Result<Vec<_>, _>>()?;
        let remark = self.ask_model(&mut asked)?;
        let found = queries.iter().zip(asked).map(|(query, asked)| self.find(query, asked));
        Ok((found.collect::<Result<_, _>>()?, remark))
    }

    fn find(&self, query: &str, mut asked: Asked) -> Result<Found, AppError> {
        let mut hits = self.fitting(&mut asked, |mut hits| {
            postprocess::newer_first(&mut hits);
            postprocess::fold(&mut hits, self.filter.limit);
            postprocess::sort(&mut hits, self.sort);
            hits
        })?;
        postprocess::name_conflicts(&mut hits);
        for hit in &mut hits {
            hit.matched = asked.matched(hit);
        }
        let narrowed = asked.query(&self.filter, self.filter.limit);
        let events = events::find(&self.stores, &narrowed, &asked.question.text)?;
        let nearest = if hits.is_empty() { asked.nearest(&self.stores)? } else { Vec::new() };
        Ok(Found { query: query.to_owned(), hits, reading: asked.reading, events, nearest })
    }

    /// The best documents for one query, each once however many of its passages match.
    pub fn find_documents(&self, query: &str) -> Result<Vec<Hit>, AppError> {
        let mut asked = [self.read(query)?];
        if let Some(remark) = self.ask_model(&mut asked)? {
            tracing::warn!(remark, "searched otherwise than the settings say");
        }
        let [mut asked] = asked;
        self.fitting(&mut asked, |mut hits| {
            let mut seen = HashSet::new();
            hits.retain(|hit| seen.insert((hit.reference, hit.key.clone())));
            hits
        })
    }

    /// Notes that share words with `text`, as it stands: nothing in it is a filter.
    pub(crate) fn find_notes(&self, text: &str) -> Result<Vec<Hit>, AppError> {
        let asked = Asked::for_words_of(text);
        let min_words = SHARED_WORDS.min(asked.words.len());
        let query = IndexQuery { min_words, ..asked.query(&self.filter, self.filter.limit) };
        let mut proposed = self.proposed(&query)?;
        proposed.truncate(self.filter.limit);
        self.hits(&proposed)
    }

    /// The hits that fit, as `arrange` leaves them; where no passage has the phrases as they are, those that
    /// have their words.
    fn fitting(
        &self,
        asked: &mut Asked,
        arrange: impl Fn(Vec<Hit>) -> Vec<Hit>,
    ) -> Result<Vec<Hit>, AppError> {
        let hits = self.arranged(asked, &arrange)?;
        if !hits.is_empty() || !asked.loosen() {
            return Ok(hits);
        }
        self.arranged(asked, &arrange)
    }

    fn read(&self, query: &str) -> Result<Asked, AppError> {
        Asked::read(Query::parse(query, self.now), &self.stores)
    }

    /// The best of what the stores propose. The first are read; all of them only if too few of those stay.
    fn arranged(
        &self,
        asked: &Asked,
        arrange: impl Fn(Vec<Hit>) -> Vec<Hit>,
    ) -> Result<Vec<Hit>, AppError> {
        let limit = self.filter.limit;
        let proposed = self.proposed(&asked.query(&self.filter, limit.max(LEAST_CANDIDATES)))?;
        let reads_all = asked.is_read_whole() || self.sort != Sort::Relevance;
        let mut most = if reads_all { proposed.len() } else { READ.max(2 * limit) };
        loop {
            let best = &proposed[..most.min(proposed.len())];
            let mut hits = postprocess::kept(self.hits(best)?, &asked.question);
            ranking::rerank(&mut hits, &asked.words, self.now);
            let mut hits = arrange(hits);
            if hits.len() >= limit || most >= proposed.len() {
                hits.truncate(limit);
                return Ok(hits);
            }
            most = proposed.len();
        }
    }

    /// What the stores propose, best first.
    fn proposed(&self, query: &IndexQuery) -> Result<Vec<Proposed>, AppError> {
        let mut proposed = Vec::new();
        for (store, own) in self.stores.iter().enumerate() {
            let candidates = own.candidates(query)?.into_iter();
            proposed.extend(candidates.map(|candidate| Proposed { store, candidate, score: 0.0 }));
        }
        let candidates: Vec<&Candidate> = proposed.iter().map(|one| &one.candidate).collect();
        let scores = ranking::fuse(&candidates, Weights::of(query.embedding.as_ref()));
        for (one, score) in proposed.iter_mut().zip(scores) {
            one.score = score;
        }
        // Equal ones stay in the order of their store.
        proposed.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(proposed)
    }

    /// Reads what was proposed, each store's at once.
    fn hits(&self, proposed: &[Proposed]) -> Result<Vec<Hit>, AppError> {
        let mut hits: Vec<Option<Hit>> = vec![None; proposed.len()];
        for (number, store) in self.stores.iter().enumerate() {
            let own = || proposed.iter().enumerate().filter(|(_, one)| one.store == number);
            let candidates: Vec<Candidate> = own().map(|(_, one)| one.candidate).collect();
            for ((place, one), hit) in own().zip(store.load_hits(&candidates)?) {
                hits[place] = hit.map(|hit| Hit { score: one.score, ..hit });
            }
        }
        let mut found = Vec::with_capacity(hits.len());
        found.extend(hits.into_iter().flatten());
        Ok(found)
    }

    /// Makes pending output searchable; returns how many bytes are still to come.
    pub(crate) fn catch_up(&self) -> Result<u64, AppError> {
        let mut left = 0;
        for store in &self.stores {
            if !pending::finish_all(&**store, |done| done < CATCH_UP_BYTES)? {
                left += store.unindexed_bytes()?;
            }
        }
        Ok(left)
    }
}

fn asked_ticket(app: &App, named: Option<String>) -> Result<String, AppError> {
    let of_branch = || app.places.branch().and_then(|branch| ticket::from_branch(&branch));
    named.or_else(of_branch).ok_or_else(|| {
        AppError::bad_input("the branch here names no ticket", "give one as scope: ABC-12, #12")
    })
}

fn checked_out_branch(app: &App) -> Result<String, AppError> {
    app.places
        .branch()
        .ok_or_else(|| AppError::bad_input("no branch is checked out here", "use scope project"))
}
