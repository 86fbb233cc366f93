//! What questions mean as a server's model tells, where the user named one.
//!
//! It is asked about all questions of a call at once, before anything else: its answer also tells the name under
//! which the vectors of passages are kept. Then passages are caught up with, for as long as a search waits. Where
//! there is no answer, or most passages still wait, the built-in model's meaning stays.

use std::time::Instant;

use forebay_store::{Embedding, EmbeddingProgress};
use forebay_text::number;

use super::Reach;
use super::query::Asked;
use crate::AppError;
use crate::search::embedder::{self, Embedder};

/// How far a server's model knows the passages of all stores.
#[derive(Debug, Clone, Copy)]
pub(super) struct Progress(EmbeddingProgress);

impl Progress {
    /// Most of what could be found by meaning would not be.
    fn is_too_little(self) -> bool {
        self.0.pending > self.0.embedded
    }

    fn remark(self, embedder: &Embedder) -> Option<String> {
        let EmbeddingProgress { pending, .. } = self.0;
        let until = if self.is_too_little() {
            "until then the built-in model is asked"
        } else {
            "until then words find them"
        };
        let passages = number::counted(pending, "passage");
        let verb = if pending == 1 { "waits" } else { "wait" };
        (pending > 0).then(|| format!("{passages} {verb} for {}: {until}", embedder.name()))
    }
}

impl Reach {
    /// Has a server's model tell what is meant; says so where it did not, or not of all there is.
    pub(super) fn ask_model(&self, asked: &mut [Asked]) -> Result<Option<String>, AppError> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let mut asked: Vec<&mut Asked> =
            asked.iter_mut().filter(|one| !one.text.trim().is_empty()).collect();
        if asked.is_empty() {
            return Ok(None);
        }
        let texts: Vec<&str> = asked.iter().map(|one| one.text.as_str()).collect();
        let meant = match embedder.questions(&texts) {
            Ok(meant) => meant,
            Err(fault) => return Ok(Some(embedder.excuse(&fault))),
        };
        let progress = self.progress(embedder, &meant.model)?;
        if !progress.is_too_little() {
            for (one, vector) in asked.iter_mut().zip(meant.vectors) {
                one.meaning =
                    vector.map(|vector| Embedding { model: meant.model.clone().into(), vector });
            }
        }
        Ok(progress.remark(embedder))
    }

    fn progress(&self, embedder: &Embedder, model: &str) -> Result<Progress, AppError> {
        if let Some(progress) = self.progress.get() {
            return Ok(*progress);
        }
        let progress = self.catch_up_with_meaning(embedder, model)?;
        Ok(*self.progress.get_or_init(|| progress))
    }

    /// Asks about passages for as long as a search waits; counts only where some are left.
    fn catch_up_with_meaning(
        &self,
        embedder: &Embedder,
        model: &str,
    ) -> Result<Progress, AppError> {
        let deadline = Instant::now() + embedder.question_time();
        let mut time = |_| {
            let left = deadline.saturating_duration_since(Instant::now());
            (!left.is_zero()).then_some(left)
        };
        let mut all = EmbeddingProgress::default();
        let mut is_all = true;
        for store in &self.stores {
            is_all &= embedder::embed(embedder, &**store, &mut time)?.is_nothing;
        }
        if is_all {
            return Ok(Progress(all));
        }
        for store in &self.stores {
            let EmbeddingProgress { embedded, pending } = store.embedding_progress(model)?;
            all.embedded += embedded;
            all.pending += pending;
        }
        Ok(Progress(all))
    }
}
