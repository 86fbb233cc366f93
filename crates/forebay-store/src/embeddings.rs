//! Embeddings of a remote model, stored beside those of the built-in one.

use crate::StoreError;
use crate::chunk::{ChunkEmbedding, EmbeddingProgress, StaleChunk};

/// Embeddings of a remote model, stored beside those of the built-in one.
pub trait Embeddings: Send + Sync {
    /// Returns chunks that a remote model has not embedded yet, newest first.
    fn chunks_without_embedding(
        &self,
        model: &str,
        limit: usize,
    ) -> Result<Vec<StaleChunk>, StoreError>;

    /// Counts the chunks that a remote model has and has not embedded.
    fn embedding_progress(&self, model: &str) -> Result<EmbeddingProgress, StoreError>;

    /// Stores a remote model's embeddings. Skips chunks deleted in the meantime and keeps existing
    /// embeddings.
    fn store_embeddings(
        &self,
        model: &str,
        embeddings: &[ChunkEmbedding],
    ) -> Result<(), StoreError>;
}
