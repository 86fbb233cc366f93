//! Search: what is asked of an engine, and what it answers.

use std::sync::Mutex;
use std::time::Duration;

use forebay_domain::note::NoteKind;
use forebay_domain::{EntryKind, Hit, Reference, Timestamp};

use crate::StoreError;
use crate::chunk::{Embedding, IndexState, IndexStep, ReindexedChunk, StaleChunk};

/// Makes entries searchable and finds chunks by words and by embedding.
pub trait SearchIndex: Send + Sync {
    /// Held by the thread that makes entries searchable; two at once would do the same work.
    fn indexing(&self) -> &Mutex<()>;

    /// Entries whose raw bytes are not all searchable yet, oldest first.
    fn unindexed(&self, at_most: usize) -> Result<Vec<IndexState>, StoreError>;

    /// The raw bytes that are not searchable yet.
    fn unindexed_bytes(&self) -> Result<u64, StoreError>;

    /// Makes more of some entries searchable; a step that another process was faster with is skipped.
    fn extend_index(&self, steps: &[IndexStep]) -> Result<(), StoreError>;

    /// The best passages by words and the best by meaning, before anything else is read of them.
    fn candidates(&self, query: &IndexQuery) -> Result<Vec<Candidate>, StoreError>;

    /// What candidates are and say, in their order; none for a note that was replaced, and for what was
    /// forgotten meanwhile.
    fn hits(&self, candidates: &[Candidate]) -> Result<Vec<Option<Hit>>, StoreError>;

    /// Those of the words that stand in no passage.
    fn unknown_words(&self, words: &[String]) -> Result<Vec<String>, StoreError>;

    /// Words of the store that one it does not have may be a part of, or else a slip for; best first.
    fn similar_words(&self, word: &str) -> Result<Vec<SimilarWord>, StoreError>;

    /// Counts one more question of a session; tells how many it asked within that time.
    fn count_query(
        &self,
        session: &str,
        now: Timestamp,
        within: Duration,
    ) -> Result<u64, StoreError>;

    /// The next passages that were stored before their index was what it is now; none when all are up to date.
    fn outdated(&self, at_most: usize) -> Result<Vec<StaleChunk>, StoreError>;

    /// Indexes them anew; what another process was faster with is skipped.
    fn renew(&self, renewed: &[ReindexedChunk]) -> Result<(), StoreError>;
}

/// What is searched for, and where.
#[derive(Debug, Clone, Default)]
pub struct IndexQuery {
    /// Words, any of which may match.
    pub words: Vec<String>,
    /// A passage with fewer of the words need not be found.
    pub least_words: usize,
    /// Beginnings of words, any of which may match.
    pub beginnings: Vec<String>,
    /// All of these must stand in a passage, word by word.
    pub phrases: Vec<String>,
    /// None of these may.
    pub without: Vec<String>,
    /// What is meant; without it only words find.
    pub meaning: Option<Embedding>,
    /// In a large store only what was found by words is compared by meaning: for a process that asks once.
    pub compares_found_only: bool,
    /// So many by words, and so many by meaning.
    pub limit: usize,
    pub session: Option<String>,
    pub branch: Option<String>,
    /// What was made for this ticket.
    pub ticket: Option<String>,
    /// Any of these kinds, or of these notes; empty for all.
    pub kinds: Vec<EntryKind>,
    pub notes: Vec<NoteKind>,
    /// Only these; empty for all.
    pub entries: Vec<Reference>,
    /// Globs over the source, all of which must match: `docs/*`.
    pub sources: Vec<String>,
    pub after: Option<Timestamp>,
    pub before: Option<Timestamp>,
    /// Nothing is searched for: the newest that fit the rest are listed.
    pub lists_newest: bool,
}

/// A passage that may answer a question, by its number in the store.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    pub passage: i64,
    /// How well its words fit; 0 if none does.
    pub words: f64,
    /// How near its meaning is, from 0 to 1.
    pub similarity: f32,
    /// It is source code, in which names matter less than what is done.
    pub is_code: bool,
}

/// A word of the store that may have been meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimilarWord {
    pub word: String,
    /// 0 where the word asked for is a part of it.
    pub slips: usize,
    /// Passages that have it, as far as they were counted.
    pub passages: u64,
}
