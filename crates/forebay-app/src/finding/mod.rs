//! Finding: from a question to its hits, over all the stores a search reaches.
//!
//! 1. `asking` reads the question and sets right what no store knows;
//! 2. `meant` asks a server's model what is meant, where the user named one;
//! 3. each store proposes passages by words and by meaning;
//! 4. `ranking` weighs the one against the other, reads the best and looks at how the words stand in them;
//! 5. `sorting` drops what breaks the question's word, folds what says the same, sees what contradicts;
//! 6. `events` adds what happened.

mod asking;
mod events;
mod meant;
pub(crate) mod pace;
mod sorting;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use forebay_domain::event::Recorded;
use forebay_domain::{EntryKind, Hit, Question, Reference, Scope, Timestamp, ticket};
use forebay_store::{Query, Store};

use self::asking::Asked;
pub(crate) use self::asking::Reading;
use self::meant::Progress;
use crate::embedder::Embedder;
use crate::ranking::Weights;
use crate::{App, AppError, indexing, ranking};

pub(crate) const MOST_QUERIES: usize = 20;
const MOST_HITS: u64 = 100;
/// Ranking needs a choice, however few hits are shown.
const LEAST_CANDIDATES: usize = 100;
/// The best so many are read before they are put in their last order.
const READ: usize = 50;
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
    pub(crate) filter: Query,
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

impl Reach {
    pub fn new(app: &App, limits: Limits) -> Result<Self, AppError> {
        let Limits { scope, kinds, .. } = limits;
        let limit = limits.limit.unwrap_or(app.settings.search.limit).clamp(1, MOST_HITS) as usize;
        let filter = Query {
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
            compares_found_only: limits.asks_once,
            ..Query::default()
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
        let mut hits = self.fitting(&mut asked)?;
        sorting::newer_first(&mut hits);
        sorting::fold(&mut hits);
        sorting::sort(&mut hits, self.sort);
        hits.truncate(self.filter.limit);
        sorting::name_conflicts(&mut hits);
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
        let mut hits = self.fitting(&mut asked)?;
        let mut seen = HashSet::new();
        hits.retain(|hit| seen.insert((hit.reference, hit.key.clone())));
        hits.truncate(self.filter.limit);
        Ok(hits)
    }

    /// Notes that have the words of `text`, as it stands: nothing in it is a filter.
    pub(crate) fn find_notes(&self, text: &str) -> Result<Vec<Hit>, AppError> {
        let asked = Asked::for_words_of(text);
        let mut hits = self.proposed(&asked.query(&self.filter, self.filter.limit))?;
        hits.truncate(self.filter.limit);
        self.read_texts(&mut hits)?;
        Ok(hits.into_iter().map(|(_, hit)| hit).collect())
    }

    /// The candidates that fit; where no passage has the phrases as they are, those that have their words.
    fn fitting(&self, asked: &mut Asked) -> Result<Vec<Hit>, AppError> {
        let hits = sorting::kept(self.candidates(asked)?, &asked.question);
        if !hits.is_empty() || !asked.loosen() {
            return Ok(hits);
        }
        self.candidates(asked)
    }

    fn read(&self, query: &str) -> Result<Asked, AppError> {
        Asked::read(Question::read(query, self.now), &self.stores)
    }

    /// The best that the stores propose, the first of them with their text and in their last order.
    fn candidates(&self, asked: &Asked) -> Result<Vec<Hit>, AppError> {
        let query = asked.query(&self.filter, self.filter.limit.max(LEAST_CANDIDATES));
        let mut hits = self.proposed(&query)?;
        let most = if asked.is_read_whole() { hits.len() } else { READ.max(2 * self.filter.limit) };
        let best = most.min(hits.len());
        self.read_texts(&mut hits[..best])?;
        let mut hits: Vec<Hit> = hits.into_iter().map(|(_, hit)| hit).collect();
        ranking::rerank(&mut hits[..best], &asked.words, self.now);
        Ok(hits)
    }

    /// What the stores propose, each hit with its store's number, without its text.
    fn proposed(&self, query: &Query) -> Result<Vec<(usize, Hit)>, AppError> {
        let mut hits = Vec::new();
        for (number, store) in self.stores.iter().enumerate() {
            hits.extend(store.search(query)?.into_iter().map(|hit| (number, hit)));
        }
        ranking::fuse(&mut hits, Weights::of(query.meaning.as_ref()));
        Ok(hits)
    }

    /// Reads the texts of hits, each store's at once.
    fn read_texts(&self, hits: &mut [(usize, Hit)]) -> Result<(), AppError> {
        for (number, store) in self.stores.iter().enumerate() {
            let own = hits.iter().filter(|(of, _)| *of == number).map(|(_, hit)| hit);
            let texts = store.passages(&own.collect::<Vec<_>>())?;
            let own = hits.iter_mut().filter(|(of, _)| *of == number).map(|(_, hit)| hit);
            for (hit, text) in own.zip(texts) {
                hit.text = text;
            }
        }
        Ok(())
    }

    /// Makes pending output searchable; returns how many bytes are still to come.
    pub(crate) fn catch_up(&self) -> Result<u64, AppError> {
        let mut left = 0;
        for store in &self.stores {
            indexing::finish_all(&**store, |done| done < CATCH_UP_BYTES)?;
            left += store.unindexed_bytes()?;
        }
        Ok(left)
    }
}

fn asked_ticket(app: &App, named: Option<String>) -> Result<String, AppError> {
    let of_branch = || app.places.branch().and_then(|branch| ticket::of_branch(&branch));
    named.or_else(of_branch).ok_or_else(|| {
        AppError::bad_input("the branch here names no ticket", "give one as scope: ABC-12, #12")
    })
}

fn checked_out_branch(app: &App) -> Result<String, AppError> {
    app.places
        .branch()
        .ok_or_else(|| AppError::bad_input("no branch is checked out here", "use scope project"))
}
