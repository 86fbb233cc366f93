//! The search index: queries and their results.

use std::sync::Mutex;
use std::time::Duration;

use forebay_domain::note::NoteKind;
use forebay_domain::{EntryKind, Hit, Reference, Timestamp};

use crate::StoreError;
use crate::chunk::{Embedding, IndexState, IndexStep, ReindexedChunk, StaleChunk};
use crate::document::DocumentId;

/// Indexes entries and finds chunks by words and by embedding.
pub trait SearchIndex: Send + Sync {
    /// Held by the thread that indexes entries, so that threads do not repeat each other's work.
    fn indexing_lock(&self) -> &Mutex<()>;

    /// Returns entries that are not fully indexed, oldest first.
    fn unindexed_entries(&self, limit: usize) -> Result<Vec<IndexState>, StoreError>;

    /// Returns the number of raw bytes not indexed yet.
    fn unindexed_bytes(&self) -> Result<u64, StoreError>;

    /// Indexes the next steps of entries; skips steps that another process has done.
    fn extend_index(&self, steps: &[IndexStep]) -> Result<(), StoreError>;

    /// Returns the best chunks by words and the best by similarity, scores only. A document's chunks beyond a
    /// maximum come after those of others.
    fn candidates(&self, query: &IndexQuery) -> Result<Vec<Candidate>, StoreError>;

    /// Loads candidates in their order; None for superseded notes and for chunks deleted in the
    /// meantime.
    fn load_hits(&self, candidates: &[Candidate]) -> Result<Vec<Option<Hit>>, StoreError>;

    /// Returns the words that occur in no chunk.
    fn unknown_words(&self, words: &[String]) -> Result<Vec<String>, StoreError>;

    /// Returns how frequent words are.
    fn word_statistics(&self, words: &[String]) -> Result<WordStatistics, StoreError>;

    /// Returns words of the store that contain this one or else are within typo distance, best
    /// first.
    fn similar_words(&self, word: &str) -> Result<Vec<SimilarWord>, StoreError>;

    /// Counts a query of a session; returns its queries within the time window.
    fn count_query(
        &self,
        session: &str,
        now: Timestamp,
        window: Duration,
    ) -> Result<u64, StoreError>;

    /// Returns the next chunks whose index entries are out of date.
    fn stale_chunks(&self, limit: usize) -> Result<Vec<StaleChunk>, StoreError>;

    /// Reindexes chunks; skips those that another process has done.
    fn reindex_chunks(&self, chunks: &[ReindexedChunk]) -> Result<(), StoreError>;
}

/// A query with its filters.
#[derive(Debug, Clone, Default)]
pub struct IndexQuery {
    /// Words, any of which may match.
    pub words: Vec<String>,
    /// Chunks that match fewer words may be left out.
    pub min_words: usize,
    /// Word prefixes, any of which may match.
    pub prefixes: Vec<String>,
    /// Phrases, all of which must match.
    pub phrases: Vec<String>,
    /// Words and phrases, none of which may match.
    pub excluded: Vec<String>,
    /// Query embedding; without it the search is by words only.
    pub embedding: Option<Embedding>,
    /// In a large store, compares only chunks found by words: saves a short-lived process reading
    /// all vectors.
    pub vector_rerank_only: bool,
    /// Limit of each ranking, by words and by similarity.
    pub limit: usize,
    pub session: Option<String>,
    pub branch: Option<String>,
    /// Only entries made for this ticket.
    pub ticket: Option<String>,
    /// Entry kinds and note kinds, any of which may match; both empty for all.
    pub kinds: Vec<EntryKind>,
    pub notes: Vec<NoteKind>,
    /// Only these entries; empty for all.
    pub entries: Vec<Reference>,
    /// Globs over the source, all of which must match: `docs/*`.
    pub sources: Vec<String>,
    pub after: Option<Timestamp>,
    pub before: Option<Timestamp>,
    /// Without words and embedding, lists the newest entries that match the filters.
    pub lists_newest: bool,
}

/// A chunk found by a query, by its id.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    pub chunk_id: i64,
    /// BM25 score; 0 if no word matches.
    pub word_score: f64,
    /// Cosine similarity, from 0 to 1.
    pub similarity: f32,
    /// Source code is ranked with less weight on names.
    pub is_code: bool,
    /// The document that it is a part of.
    pub document: DocumentId,
}

/// How frequent words are, as BM25 weighs them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordStatistics {
    pub chunks: u64,
    /// Words of a chunk on average.
    pub average_length: f64,
    /// The number of chunks that contain each word; in a large project on a server, up to a limit.
    pub containing: Vec<u64>,
}

/// A word of the store that the user may have meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimilarWord {
    pub word: String,
    /// Edit distance; 0 if it contains the given word.
    pub edits: usize,
    /// Number of chunks that contain it, up to a limit.
    pub chunks: u64,
}
