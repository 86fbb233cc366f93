//! Embeddings of a remote model, kept beside those of the built-in one.

use crate::StoreError;
use crate::chunk::{ChunkEmbedding, EmbeddingProgress, StaleChunk};

/// Embeddings of a remote model, kept beside those of the built-in one.
pub trait Embeddings: Send + Sync {
    /// Passages that a server's model was not asked about yet, the newest first.
    fn chunks_without_embedding(
        &self,
        model: &str,
        at_most: usize,
    ) -> Result<Vec<StaleChunk>, StoreError>;

    /// How many passages a server's model was asked about, and how many not.
    fn embedded(&self, model: &str) -> Result<EmbeddingProgress, StoreError>;

    /// Keeps what a server's model told of passages, beside what the built-in one tells. What was forgotten
    /// meanwhile is skipped, and what is known stays.
    fn embed(&self, model: &str, told: &[ChunkEmbedding]) -> Result<(), StoreError>;
}
