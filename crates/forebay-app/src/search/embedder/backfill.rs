//! Embeds chunks that the remote model has not embedded yet, in batches, while time is left.

use std::time::{Duration, Instant};

use forebay_store::{ChunkEmbedding, StaleChunk, Store, StoreError};
use forebay_text::cut;

use super::{Embedded, Embedder, EmbedderError};
use crate::AppError;
use crate::ingest::pending;

/// Bytes that are sent of a chunk that the server rejects as a whole.
const SHORTENED_BYTES: usize = 1_000;

/// The outcome of a backfill.
pub(crate) struct Backfill {
    /// Whether every chunk is embedded.
    pub(crate) is_complete: bool,
    pub(crate) error: Option<EmbedderError>,
}

/// Embeds missing chunks, newest first, while `timeout(done)` returns a timeout for the next request.
///
/// Chunks that are left after an error are embedded by the next backfill.
pub(crate) fn backfill(
    embedder: &Embedder,
    store: &dyn Store,
    timeout: &mut dyn FnMut(u64) -> Option<Duration>,
) -> Result<Backfill, AppError> {
    let Some(_lock) = embedder.try_lock_backfill() else {
        return Ok(Backfill { is_complete: false, error: None });
    };
    let mut done = 0;
    while let Some(timeout) = timeout(done) {
        match next_batch(embedder, store, timeout)? {
            Ok(0) => return Ok(Backfill { is_complete: true, error: None }),
            Ok(count) => done += count,
            Err(error) => return Ok(Backfill { is_complete: false, error: Some(error) }),
        }
    }
    Ok(Backfill { is_complete: false, error: None })
}

/// Embeds one batch; returns how many chunks it had, 0 if none is left.
fn next_batch(
    embedder: &Embedder,
    store: &dyn Store,
    timeout: Duration,
) -> Result<Result<u64, EmbedderError>, AppError> {
    let model = match embedder.model(timeout) {
        Ok(model) => model,
        Err(error) => return Ok(Err(error)),
    };
    let missing = store.chunks_without_embedding(&model, embedder.batch_size())?;
    let read = missing.iter().map(|chunk| Ok((chunk.chunk_id, text_of(store, chunk)?)));
    let read: Vec<(i64, String)> = read.collect::<Result<_, AppError>>()?;
    let (empty, sent): (Vec<_>, Vec<_>) = read.into_iter().partition(|(_, text)| text.is_empty());
    let texts: Vec<&str> = sent.iter().map(|(_, text)| text.as_str()).collect();
    let vectors = match embed_batch(embedder, &model, &texts, timeout) {
        Ok(vectors) => vectors,
        Err(error) => return Ok(Err(error)),
    };
    let embedded = sent.iter().zip(vectors).map(|((chunk_id, _), vector)| (*chunk_id, vector));
    let embedded = embedded.chain(empty.iter().map(|(chunk_id, _)| (*chunk_id, None)));
    let embedded: Vec<ChunkEmbedding> =
        embedded.map(|(chunk_id, vector)| ChunkEmbedding { chunk_id, vector }).collect();
    if !embedded.is_empty() {
        store.store_embeddings(&model, &embedded)?;
    }
    Ok(Ok(embedded.len() as u64))
}

/// Returns a chunk below its title, as it is stored; empty if it was deleted meanwhile.
fn text_of(store: &dyn Store, chunk: &StaleChunk) -> Result<String, AppError> {
    match pending::text_of(store, chunk) {
        Ok(text) => Ok(format!("{}\n{text}", chunk.title).trim().to_owned()),
        Err(StoreError::Gone { .. } | StoreError::NotFound(_)) => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}

/// Embeds texts, or at least the first of them; `None` for a text that the server rejects.
fn embed_batch(
    embedder: &Embedder,
    model: &str,
    texts: &[&str],
    timeout: Duration,
) -> Result<Vec<Option<Vec<u8>>>, EmbedderError> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    match embedder.embed_chunks(texts, timeout) {
        Err(error) if error.may_be_the_text() => {
            // One rejected text must not block the others; the probe fails if the server rejects all.
            embedder.probe(timeout)?;
            embed_one_by_one(embedder, model, texts, timeout)
        }
        embedded => check_model(embedded?, model),
    }
}

/// Embeds as many texts as the timeout allows, one per request.
fn embed_one_by_one(
    embedder: &Embedder,
    model: &str,
    texts: &[&str],
    timeout: Duration,
) -> Result<Vec<Option<Vec<u8>>>, EmbedderError> {
    let deadline = Instant::now() + timeout;
    let mut vectors = Vec::new();
    for text in texts {
        let left = deadline.saturating_duration_since(Instant::now());
        match embed_one(embedder, model, text, left) {
            Ok(vector) => vectors.push(vector),
            Err(error) if vectors.is_empty() => return Err(error),
            Err(_) => break,
        }
    }
    Ok(vectors)
}

/// Embeds a text, or its start if the server rejects it; `None` if it rejects both.
fn embed_one(
    embedder: &Embedder,
    model: &str,
    text: &str,
    timeout: Duration,
) -> Result<Option<Vec<u8>>, EmbedderError> {
    for text in [text, cut::prefix(text, SHORTENED_BYTES)] {
        match embedder.embed_chunks(&[text], timeout) {
            Err(error) if error.may_be_the_text() => {}
            embedded => return Ok(check_model(embedded?, model)?.pop().flatten()),
        }
    }
    Ok(None)
}

/// Returns the vectors, or an error if another model made them; the next backfill stores them under its name.
fn check_model(embedded: Embedded, model: &str) -> Result<Vec<Option<Vec<u8>>>, EmbedderError> {
    if embedded.model == model {
        Ok(embedded.vectors)
    } else {
        Err(EmbedderError::Changed(embedded.model))
    }
}
