//! Passages: what is searchable of an entry, what it means, and how far both have come.

use std::borrow::Cow;

use forebay_domain::{Reference, Timestamp};

/// A searchable passage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewChunk {
    pub start: u64,
    pub bytes: u64,
    pub lines: (u64, u64),
    pub title: String,
    /// The words are taken from here; the text itself is not kept a second time.
    pub text: String,
    pub key: Option<String>,
    pub created: Option<Timestamp>,
    /// What stands before and after a short passage; empty for one that speaks for itself.
    pub around: String,
    pub meaning: Option<Embedding>,
    /// It is source code.
    pub is_code: bool,
}

/// What a text means, as a model tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedding {
    pub model: Cow<'static, str>,
    pub vector: Vec<u8>,
}

/// What the names of models begin with that a server runs, so that none is taken for the built-in one.
pub const REMOTE: &str = "remote:";

impl Embedding {
    /// Whether a server's model told it; those meanings are kept apart.
    pub fn is_remote(&self) -> bool {
        self.model.starts_with(REMOTE)
    }
}

/// What a server's model told of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkEmbedding {
    pub passage: i64,
    /// None where it has nothing to say of it, and need not be asked again.
    pub vector: Option<Vec<u8>>,
}

/// How far a server's model has been asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EmbeddingProgress {
    pub passages: u64,
    pub waiting: u64,
}

/// How far an entry is searchable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexState {
    pub reference: Reference,
    pub title: String,
    pub offset: u64,
    pub line: u64,
    pub bytes: u64,
}

/// The next stretch of an entry, ready to be made searchable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexStep {
    pub from: IndexState,
    pub chunks: Vec<NewChunk>,
    /// Offset and line at which the stretch after it starts.
    pub to: (u64, u64),
}

/// A passage whose index is to be renewed, or completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleChunk {
    pub passage: i64,
    pub reference: Reference,
    pub title: String,
    pub start: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReindexedChunk {
    pub passage: i64,
    pub chunk: NewChunk,
}
