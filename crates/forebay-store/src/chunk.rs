//! Chunks: the searchable units of an entry, their embeddings, and indexing progress.

use std::borrow::Cow;

use forebay_domain::{Reference, Timestamp};

/// A chunk to be indexed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewChunk {
    pub start: u64,
    pub bytes: u64,
    pub lines: (u64, u64),
    pub title: String,
    /// Indexed, not stored: hits read it from the entry's blob.
    pub text: String,
    pub key: Option<String>,
    pub created: Option<Timestamp>,
    /// Text before and after a short chunk; empty for a chunk that needs no context.
    pub context: String,
    pub embedding: Option<Embedding>,
    /// Whether the chunk is source code.
    pub is_code: bool,
}

/// A vector and the model that computed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedding {
    pub model: Cow<'static, str>,
    pub vector: Vec<u8>,
}

/// Prefix of remote models' names, to tell them from the built-in model.
pub const REMOTE_MODEL_PREFIX: &str = "remote:";

impl Embedding {
    /// Returns whether a remote model computed it; those are stored separately.
    pub fn is_remote(&self) -> bool {
        self.model.starts_with(REMOTE_MODEL_PREFIX)
    }
}

/// A remote model's embedding of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkEmbedding {
    pub chunk_id: i64,
    /// None if the model returned no vector for it; the chunk is not sent again.
    pub vector: Option<Vec<u8>>,
}

/// How many chunks a remote model has embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EmbeddingProgress {
    pub embedded: u64,
    pub pending: u64,
}

/// How far an entry is indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexState {
    pub reference: Reference,
    pub title: String,
    pub offset: u64,
    pub line: u64,
    pub bytes: u64,
}

/// The next part of an entry to index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexStep {
    pub from: IndexState,
    pub chunks: Vec<NewChunk>,
    /// Offset and line at which the following step starts.
    pub to: (u64, u64),
}

/// A chunk to be reindexed or embedded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleChunk {
    pub chunk_id: i64,
    pub reference: Reference,
    pub title: String,
    pub start: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReindexedChunk {
    pub chunk_id: i64,
    pub chunk: NewChunk,
}
