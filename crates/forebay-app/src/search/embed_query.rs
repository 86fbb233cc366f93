//! Embeds queries with the remote model, if one is configured.
//!
//! All queries of a call go into one request, which comes first: its response also determines the name under which
//! chunk vectors are stored. Then missing chunks are embedded until the search's timeout. Without a response, or
//! while most chunks are not embedded, the built-in model's embedding stays.

use std::time::Instant;

use forebay_store::{Embedding, EmbeddingProgress};
use forebay_text::number;

use super::Searcher;
use super::prepared_query::PreparedQuery;
use crate::AppError;
use crate::search::embedder::{self, Embedder};

/// How many chunks of all stores the remote model has embedded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coverage(EmbeddingProgress);

impl Coverage {
    /// Whether most chunks are missing, so that a vector search would miss them.
    fn is_too_low(self) -> bool {
        self.0.pending > self.0.embedded
    }

    fn remark(self, embedder: &Embedder) -> Option<String> {
        let EmbeddingProgress { pending: waiting, .. } = self.0;
        let fallback = if self.is_too_low() {
            "using the built-in model meanwhile"
        } else {
            "using keyword search meanwhile"
        };
        let chunks = number::counted(waiting, "chunk");
        (waiting > 0)
            .then(|| format!("{chunks} not embedded by {} yet: {fallback}", embedder.name()))
    }
}

impl Searcher {
    /// Embeds the queries with the remote model; returns a remark if it failed or chunks are missing.
    pub(super) fn embed_queries(
        &self,
        queries: &mut [PreparedQuery],
    ) -> Result<Option<String>, AppError> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let mut queries: Vec<&mut PreparedQuery> =
            queries.iter_mut().filter(|query| !query.text.trim().is_empty()).collect();
        if queries.is_empty() {
            return Ok(None);
        }
        let texts: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
        let embedded = match embedder.embed_queries(&texts) {
            Ok(embedded) => embedded,
            Err(error) => return Ok(Some(embedder.fallback_remark(&error))),
        };
        let coverage = self.coverage(embedder, &embedded.model)?;
        if !coverage.is_too_low() {
            for (query, vector) in queries.iter_mut().zip(embedded.vectors) {
                query.embedding =
                    vector.map(|vector| Embedding { model: embedded.model.clone().into(), vector });
            }
        }
        Ok(coverage.remark(embedder))
    }

    fn coverage(&self, embedder: &Embedder, model: &str) -> Result<Coverage, AppError> {
        if let Some(coverage) = self.coverage.get() {
            return Ok(*coverage);
        }
        let coverage = self.embed_missing_chunks(embedder, model)?;
        Ok(*self.coverage.get_or_init(|| coverage))
    }

    /// Embeds missing chunks until the search's timeout; counts them only if some are left.
    fn embed_missing_chunks(&self, embedder: &Embedder, model: &str) -> Result<Coverage, AppError> {
        let deadline = Instant::now() + embedder.query_timeout();
        let mut time_left = |_| {
            let left = deadline.saturating_duration_since(Instant::now());
            (!left.is_zero()).then_some(left)
        };
        let mut total = EmbeddingProgress::default();
        let mut is_complete = true;
        for store in &self.stores {
            is_complete &= embedder::backfill(embedder, &**store, &mut time_left)?.is_complete;
        }
        if is_complete {
            return Ok(Coverage(total));
        }
        for store in &self.stores {
            let EmbeddingProgress { embedded, pending } = store.embedding_progress(model)?;
            total.embedded += embedded;
            total.pending += pending;
        }
        Ok(Coverage(total))
    }
}
