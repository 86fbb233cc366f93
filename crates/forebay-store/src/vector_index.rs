//! An in-memory vector index with exhaustive search.

use std::collections::HashSet;
use std::convert::Infallible;
use std::hash::BuildHasher;

use forebay_text::vector::{QueryVector, VectorMatrix};

use crate::top_k::TopK;

/// Ids of the most similar chunks with their similarity, best first.
pub type Neighbours = Vec<(i64, f32)>;

/// A query for the `limit` vectors most similar to `vector`, which `model` computed.
#[derive(Debug, Clone)]
pub struct VectorQuery<Model> {
    pub model: Model,
    pub vector: Vec<u8>,
    pub limit: usize,
}

/// Below this similarity two texts are unrelated.
pub const MIN_SIMILARITY: f32 = 0.25;
/// Maximum number of vectors to search.
pub const MAX_VECTORS: i64 = 200_000;
/// Maximum memory of the vectors.
const MAX_BYTES: i64 = 256 * 1024 * 1024;

/// Returns whether this many chunks are too many, whatever the width of their vectors.
pub fn exceeds_max_vectors(chunks: i64) -> bool {
    chunks > MAX_VECTORS
}

/// Returns whether this many vectors of this width are too many to keep in memory.
pub fn exceeds_limits(count: i64, width: usize) -> bool {
    count > MAX_VECTORS.min(MAX_BYTES / (width as i64).max(1))
}

/// Vectors of chunks, all of one width.
#[derive(Debug, Default)]
pub struct VectorIndex {
    ids: Vec<i64>,
    vectors: VectorMatrix,
}

impl VectorIndex {
    pub fn new(width: usize) -> Self {
        Self { ids: Vec::new(), vectors: VectorMatrix::new(width) }
    }

    pub fn count(&self) -> usize {
        self.ids.len()
    }

    /// Adds a vector; ignores one of another width.
    pub fn add(&mut self, chunk_id: i64, vector: &[u8]) {
        if self.vectors.add(vector) {
            self.ids.push(chunk_id);
        }
    }

    /// Removes all other vectors.
    pub fn retain(&mut self, chunk_ids: &HashSet<i64, impl BuildHasher>) {
        self.vectors.retain(|number| chunk_ids.contains(&self.ids[number]));
        self.ids.retain(|chunk_id| chunk_ids.contains(chunk_id));
    }

    /// Answers several queries in one scan, with chunks that `accepts` lets pass; None for queries
    /// of another model.
    pub fn search_batch<Model: PartialEq>(
        &self,
        model: &Model,
        queries: &[&VectorQuery<Model>],
        accepts: impl Fn(i64) -> bool,
    ) -> Vec<Option<Neighbours>> {
        let accept = |chunk_id| Ok::<_, Infallible>(accepts(chunk_id));
        let is_comparable = |query: &VectorQuery<Model>| query.model == *model;
        let query_vector = |query: &&VectorQuery<Model>| {
            is_comparable(query).then(|| QueryVector::new(&query.vector)).flatten()
        };
        let query_vectors: Vec<Option<QueryVector>> = queries.iter().map(query_vector).collect();
        let mut best: Vec<TopK> =
            queries.iter().map(|query| TopK::new(query.limit, MIN_SIMILARITY)).collect();
        self.vectors.compare(&query_vectors, |query, first, similarities| {
            let Ok(()) = best[query].extend(&self.ids[first..], similarities, accept);
        });
        let answers = best.into_iter().zip(queries);
        answers.map(|(best, query)| is_comparable(query).then(|| best.into_sorted())).collect()
    }
}
