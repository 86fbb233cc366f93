//! Hybrid search: from a query to its hits, over all stores in scope.
//!
//! 1. `prepared_query` corrects words that no store contains;
//! 2. `embed_query` embeds it with the remote model, if one is configured;
//! 3. each store returns candidate chunks by BM25 and by vector similarity, already filtered;
//! 4. `ranking` fuses both scores, and the texts of the best candidates are read, few of each document; `reranker`, a
//!    learned model, adds to their scores, with what `learned_scores` reads for it;
//! 5. `postprocess` drops hits without the exact phrases;
//! 6. `ranking` reranks the rest by their text;
//! 7. `postprocess` moves the newer of two conflicting notes before the older, folds `near_duplicates`, sorts by time
//!    if requested;
//! 8. if fewer hits than requested are left, steps 4 to 7 are repeated with all candidates;
//! 9. `postprocess` marks conflicting notes, and `events` adds matching session events.

mod embed_query;
pub(crate) mod embedder;
mod events;
mod learned_scores;
mod near_duplicates;
mod postprocess;
mod prepared_query;
pub(crate) mod ranking;
pub(crate) mod render;
mod reranker;
pub(crate) mod throttle;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use forebay_domain::event::RecordedEvent;
use forebay_domain::{EntryKind, Hit, Query, Reference, Scope, Timestamp, ticket};
use forebay_store::{Candidate, IndexQuery, Store};

use self::embed_query::Coverage;
pub(crate) use self::prepared_query::Interpretation;
use self::prepared_query::PreparedQuery;
use crate::ingest::pending;
use crate::own_calls::SNAPSHOT_SOURCE;
use crate::search::embedder::Embedder;
use crate::search::ranking::{ScoreParts, Weights};
use crate::{App, AppError};

pub(crate) const MAX_QUERIES: usize = 20;
const MAX_HITS: u64 = 100;
/// Ranking needs a choice of candidates, however few hits are shown.
const MIN_CANDIDATES: usize = 100;
/// Candidates of a query of one or two words, all of which are read: their stems may be frequent, and only the text
/// tells the form that was asked for.
const SHORT_QUERY_CANDIDATES: usize = 300;
/// Candidates whose text is read for reranking.
const MIN_RERANK_DEPTH: usize = 50;
/// The candidates of one document that are read before those of others.
const MAX_PER_DOCUMENT: usize = 5;
/// Words that related notes have in common at least.
const MIN_SHARED_WORDS: usize = 2;
/// Pending output that is indexed before a search.
const MAX_PENDING_INDEX_BYTES: u64 = 16 * 1024 * 1024;

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

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Relevance => "relevance",
            Self::Newest => "newest",
            Self::Oldest => "oldest",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sort| sort.as_str() == word)
    }
}

/// Filters and options of a search, besides its queries.
#[derive(Debug, Default)]
pub struct SearchOptions {
    pub limit: Option<u64>,
    pub scope: Scope,
    /// The ticket to search; by default that of the branch.
    pub ticket: Option<String>,
    pub kinds: Vec<EntryKind>,
    /// A glob over the source.
    pub source: Option<String>,
    pub sort: Sort,
    /// No further search follows in this process, so nothing is cached for later.
    pub is_one_shot: bool,
}

/// Runs queries over the stores in scope.
pub struct Searcher {
    stores: Vec<Arc<dyn Store>>,
    pub(crate) scope: Scope,
    pub(crate) filter: IndexQuery,
    sort: Sort,
    now: Timestamp,
    uses_reranker: bool,
    embedder: Option<Arc<Embedder>>,
    /// How many chunks its model has embedded; computed once.
    coverage: OnceLock<Coverage>,
}

/// The hits of one query, and how it was interpreted.
pub struct QueryResult {
    pub query: String,
    pub hits: Vec<Hit>,
    pub(crate) interpretation: Interpretation,
    /// Session events that contain the words.
    pub(crate) events: Vec<RecordedEvent>,
    /// Words of the stores that are spelled similarly; only if there are no hits.
    pub(crate) similar_words: Vec<String>,
}

/// A candidate chunk of one of the stores.
struct ScoredCandidate {
    /// Index into the stores.
    store: usize,
    candidate: Candidate,
    score: f64,
    /// The normalized scores that `score` is the sum of.
    parts: ScoreParts,
}

impl Searcher {
    pub fn new(app: &App, options: SearchOptions) -> Result<Self, AppError> {
        let SearchOptions { scope, kinds, .. } = options;
        let limit = options.limit.unwrap_or(app.settings.search.limit).clamp(1, MAX_HITS) as usize;
        let filter = IndexQuery {
            limit,
            kinds,
            sources: options.source.into_iter().collect(),
            session: (scope == Scope::Session).then(|| app.session.clone()),
            branch: if scope == Scope::Branch { Some(checked_out_branch(app)?) } else { None },
            ticket: if scope == Scope::Ticket {
                Some(requested_ticket(app, options.ticket)?)
            } else {
                None
            },
            vector_rerank_only: options.is_one_shot,
            ..IndexQuery::default()
        };
        let stores = app.stores.within(scope)?;
        Ok(Self {
            stores,
            scope,
            filter,
            sort: options.sort,
            now: app.now(),
            uses_reranker: app.settings.search.reranker,
            embedder: app.embedder.clone(),
            coverage: OnceLock::new(),
        })
    }

    /// Searches only these entries of the caller's own store.
    pub(crate) fn for_entries(app: &App, entries: Vec<Reference>) -> Result<Self, AppError> {
        let mut searcher = Self::new(app, SearchOptions::default())?;
        searcher.stores = vec![app.stores.own()?];
        searcher.filter.entries = entries;
        Ok(searcher)
    }

    /// Returns the best hits of all stores for each query, and a remark if the remote embedder fell short.
    pub(crate) fn search_all(
        &self,
        queries: &[String],
    ) -> Result<(Vec<QueryResult>, Option<String>), AppError> {
        let prepared = queries.iter().map(|query| self.prepare(query));
        let mut prepared = prepared.collect::<Result<Vec<_>, _>>()?;
        let remark = self.embed_queries(&mut prepared)?;
        let results =
            queries.iter().zip(prepared).map(|(query, prepared)| self.search(query, prepared));
        Ok((results.collect::<Result<_, _>>()?, remark))
    }

    fn search(&self, query: &str, mut prepared: PreparedQuery) -> Result<QueryResult, AppError> {
        let mut hits = self.find_hits(&mut prepared, |prepared, mut hits| {
            postprocess::reorder_conflicting_notes(&mut hits);
            postprocess::merge_near_duplicates(&mut hits, self.filter.limit);
            postprocess::spread_over_entries(&mut hits, |hit| prepared.matched(hit).len());
            postprocess::sort(&mut hits, self.sort);
            hits
        })?;
        postprocess::mark_conflicts(&mut hits);
        for hit in &mut hits {
            hit.matched = prepared.matched(hit);
        }
        let index_query = prepared.index_query(&self.filter, self.filter.limit);
        let events = events::find(&self.stores, &index_query, &prepared.query.text)?;
        let similar_words =
            if hits.is_empty() { prepared.similar_words(&self.stores)? } else { Vec::new() };
        let interpretation = prepared.interpretation;
        Ok(QueryResult { query: query.to_owned(), hits, interpretation, events, similar_words })
    }

    /// Returns the best documents for one query, each once however many of its chunks match.
    pub fn find_documents(&self, query: &str) -> Result<Vec<Hit>, AppError> {
        let mut prepared = [self.prepare(query)?];
        if let Some(remark) = self.embed_queries(&mut prepared)? {
            tracing::warn!(remark, "the remote embedder was not fully used");
        }
        let [mut prepared] = prepared;
        self.find_hits(&mut prepared, |_, mut hits| {
            let mut seen = HashSet::new();
            hits.retain(|hit| seen.insert((hit.reference, hit.key.clone())));
            hits
        })
    }

    /// Returns notes that share words with `text`; nothing in it is parsed as a filter.
    pub(crate) fn find_notes(&self, text: &str) -> Result<Vec<Hit>, AppError> {
        let prepared = PreparedQuery::from_words_of(text);
        let least_words = MIN_SHARED_WORDS.min(prepared.words.len());
        let query = IndexQuery {
            min_words: least_words,
            ..prepared.index_query(&self.filter, self.filter.limit)
        };
        let mut candidates = self.candidates(&query)?;
        candidates.truncate(self.filter.limit);
        self.read_hits(&candidates)
    }

    /// Returns the hits as `arrange` leaves them; without an exact phrase match, those with the phrase's words.
    fn find_hits(
        &self,
        prepared: &mut PreparedQuery,
        arrange: impl Fn(&PreparedQuery, Vec<Hit>) -> Vec<Hit>,
    ) -> Result<Vec<Hit>, AppError> {
        let hits = self.best_hits(prepared, &arrange)?;
        if !hits.is_empty() || !prepared.drop_phrases() {
            return Ok(hits);
        }
        self.best_hits(prepared, &arrange)
    }

    fn prepare(&self, query: &str) -> Result<PreparedQuery, AppError> {
        PreparedQuery::new(Query::parse(query, self.now), &self.stores)
    }

    /// Reads and reranks the best candidates; all of them only if too few of the best remain.
    fn best_hits(
        &self,
        prepared: &PreparedQuery,
        arrange: impl Fn(&PreparedQuery, Vec<Hit>) -> Vec<Hit>,
    ) -> Result<Vec<Hit>, AppError> {
        let limit = self.filter.limit;
        let mut reranker = self.reranker(prepared);
        // Without a model that weighs it, the form of the words decides between the many chunks that have them.
        let is_short = reranker.is_none() && prepared.is_short();
        let min_candidates = if is_short { SHORT_QUERY_CANDIDATES } else { MIN_CANDIDATES };
        let query = prepared.index_query(&self.filter, limit.max(min_candidates));
        let candidates = self.candidates(&query)?;
        let reads_all = is_short || prepared.has_phrases() || self.sort != Sort::Relevance;
        let mut depth = if reads_all { candidates.len() } else { MIN_RERANK_DEPTH.max(2 * limit) };
        loop {
            let best = &candidates[..depth.min(candidates.len())];
            let mut hits = self.read_slots(best)?;
            let form_weight = match &mut reranker {
                Some(reranker) => {
                    self.add_learned_scores(reranker, &candidates, &mut hits)?;
                    0.0
                }
                None => ranking::form_weight(prepared.words.len()),
            };
            let hits = hits.into_iter().flatten().collect();
            let mut hits = postprocess::retain_phrases(hits, &prepared.query);
            ranking::rerank(&mut hits, &prepared.words, form_weight, self.now);
            let mut hits = arrange(prepared, hits);
            if hits.len() >= limit || depth >= candidates.len() {
                hits.truncate(limit);
                return Ok(hits);
            }
            depth = candidates.len();
        }
    }

    /// Returns the candidates of all stores, best first.
    fn candidates(&self, query: &IndexQuery) -> Result<Vec<ScoredCandidate>, AppError> {
        let mut scored = Vec::new();
        for (index, store) in self.stores.iter().enumerate() {
            let candidates = store.candidates(query)?.into_iter();
            scored.extend(candidates.map(|candidate| ScoredCandidate {
                store: index,
                candidate,
                score: 0.0,
                parts: ScoreParts::default(),
            }));
        }
        let candidates: Vec<&Candidate> = scored.iter().map(|one| &one.candidate).collect();
        let scores = ranking::fuse(&candidates, Weights::for_embedding(query.embedding.as_ref()));
        for (one, (score, parts)) in scored.iter_mut().zip(scores) {
            one.score = score;
            one.parts = parts;
        }
        // Stable: equal scores stay in the order of their store.
        scored.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(spread_over_documents(scored))
    }

    fn read_hits(&self, scored: &[ScoredCandidate]) -> Result<Vec<Hit>, AppError> {
        Ok(self.read_slots(scored)?.into_iter().flatten().collect())
    }

    /// Reads the hit of each candidate with one call per store; None for those that are not shown.
    fn read_slots(&self, scored: &[ScoredCandidate]) -> Result<Vec<Option<Hit>>, AppError> {
        let mut slots: Vec<Option<Hit>> = vec![None; scored.len()];
        for (index, store) in self.stores.iter().enumerate() {
            let own = || scored.iter().enumerate().filter(|(_, one)| one.store == index);
            let candidates: Vec<Candidate> = own().map(|(_, one)| one.candidate).collect();
            for ((slot, one), hit) in own().zip(store.load_hits(&candidates)?) {
                // Snapshots of older versions were indexed.
                let hit = hit.filter(|hit| *hit.source != *SNAPSHOT_SOURCE);
                slots[slot] = hit.map(|hit| Hit {
                    score: one.score,
                    terms: one.parts.terms(),
                    ..displayed(hit)
                });
            }
        }
        Ok(slots)
    }

    /// Indexes pending output up to a bound; returns the bytes that are left.
    pub(crate) fn index_pending(&self) -> Result<u64, AppError> {
        let mut left = 0;
        for store in &self.stores {
            if !pending::index_pending(&**store, |done| done < MAX_PENDING_INDEX_BYTES)? {
                left += store.unindexed_bytes()?;
            }
        }
        Ok(left)
    }
}

/// Moves a document's candidates beyond a maximum behind all others, since only the first candidates are read.
fn spread_over_documents(scored: Vec<ScoredCandidate>) -> Vec<ScoredCandidate> {
    let mut counts = HashMap::new();
    let is_within = |one: &ScoredCandidate| {
        let count: &mut usize = counts.entry((one.store, one.candidate.document)).or_default();
        *count += 1;
        *count <= MAX_PER_DOCUMENT
    };
    let (mut first, rest): (Vec<_>, Vec<_>) = scored.into_iter().partition(is_within);
    first.extend(rest);
    first
}

/// Removes from a hit what no reader sees, such as colour codes, so that phrases match what is shown.
fn displayed(mut hit: Hit) -> Hit {
    if let Cow::Owned(text) = forebay_digest::displayed(hit.text.as_bytes()) {
        hit.text = text.into();
    }
    hit
}

fn requested_ticket(app: &App, named: Option<String>) -> Result<String, AppError> {
    let of_branch = || app.branch().and_then(|branch| ticket::from_branch(&branch));
    named.or_else(of_branch).ok_or_else(|| {
        AppError::bad_input("no ticket in the branch name", "give one as scope: ABC-12, #12")
    })
}

fn checked_out_branch(app: &App) -> Result<String, AppError> {
    app.stores
        .branch()
        .ok_or_else(|| AppError::bad_input("no branch is checked out here", "use scope project"))
}
