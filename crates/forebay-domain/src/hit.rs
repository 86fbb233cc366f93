//! Hits: chunks that a search found, each with its scores. Many are ranked and few are shown, so their text is shared
//! with the store's cache.

use std::sync::Arc;

use crate::{EntryKind, NoteKind, Reference, Timestamp};
use forebay_text::excerpt::Excerpt;

/// A found chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub reference: Reference,
    pub kind: EntryKind,
    /// The kind of note; None for other entries.
    pub note: Option<NoteKind>,
    pub title: Arc<str>,
    pub source: Arc<str>,
    /// The key the caller gave this chunk when indexing it.
    pub key: Option<Arc<str>>,
    pub created: Timestamp,
    /// BM25 score; 0 if no word matches.
    pub words: f64,
    /// Embedding similarity, from 0 to 1.
    pub similarity: f32,
    /// Combined score; higher is better, comparable within one query only.
    pub score: f64,
    /// What the score is the sum of.
    pub terms: ScoreTerms,
    /// First and last line in the stored raw text.
    pub lines: (u64, u64),
    pub text: Excerpt,
    /// Query words that occur in it.
    pub matched: Vec<String>,
    /// The note that this one replaced.
    pub supersedes: Option<Reference>,
    /// A note that may contradict this one.
    pub conflicts: Option<Reference>,
    /// Number of near duplicates that are not shown.
    pub near_duplicates: u64,
}

/// The terms of a score, each with its weight.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ScoreTerms {
    /// BM25, compared with the other candidates.
    pub words: f64,
    /// Embedding similarity, compared with the other candidates.
    pub similarity: f64,
    /// What the learned reranker adds.
    pub learned: f64,
    /// Words of the query in the title.
    pub title: f64,
    /// Words of the query in the text.
    pub coverage: f64,
    /// Words that stand next to each other, as in the query.
    pub adjacency: f64,
    /// Words in the form that the query has.
    pub exact: f64,
    pub recency: f64,
    /// The bonus of notes.
    pub note: f64,
}
