//! Passages that a server's model was not asked about yet: a batch at a time, while there is time.

use std::time::{Duration, Instant};

use forebay_store::{ChunkEmbedding, StaleChunk, Store, StoreError};
use forebay_text::cut;

use super::{Embedder, Fault, Meant};
use crate::AppError;
use crate::ingest::pending;

/// What is sent of a passage that the server does not take as it is.
const SHORTENED_BYTES: usize = 1_000;

/// How it ended.
pub(crate) struct Left {
    /// The model was asked about every passage.
    pub(crate) is_nothing: bool,
    pub(crate) fault: Option<Fault>,
}

/// Has the model tell what passages mean, the newest first, while `time` gives some for a request; it is told
/// how many are done. What a fault leaves waits for the next time.
pub(crate) fn embed(
    embedder: &Embedder,
    store: &dyn Store,
    time: &mut dyn FnMut(u64) -> Option<Duration>,
) -> Result<Left, AppError> {
    let Some(_turn) = embedder.take_turn() else {
        return Ok(Left { is_nothing: false, fault: None });
    };
    let mut done = 0;
    while let Some(time) = time(done) {
        match next_batch(embedder, store, time)? {
            Ok(0) => return Ok(Left { is_nothing: true, fault: None }),
            Ok(count) => done += count,
            Err(fault) => return Ok(Left { is_nothing: false, fault: Some(fault) }),
        }
    }
    Ok(Left { is_nothing: false, fault: None })
}

/// How many were told of; 0 where none is left.
fn next_batch(
    embedder: &Embedder,
    store: &dyn Store,
    time: Duration,
) -> Result<Result<u64, Fault>, AppError> {
    let model = match embedder.model(time) {
        Ok(model) => model,
        Err(fault) => return Ok(Err(fault)),
    };
    let waiting = store.chunks_without_embedding(&model, embedder.batch())?;
    let read = waiting.iter().map(|one| Ok((one.chunk_id, text_of(store, one)?)));
    let read: Vec<(i64, String)> = read.collect::<Result<_, AppError>>()?;
    let (empty, asked): (Vec<_>, Vec<_>) = read.into_iter().partition(|(_, text)| text.is_empty());
    let texts: Vec<&str> = asked.iter().map(|(_, text)| text.as_str()).collect();
    let vectors = match told_of(embedder, &model, &texts, time) {
        Ok(vectors) => vectors,
        Err(fault) => return Ok(Err(fault)),
    };
    let told = asked.iter().zip(vectors).map(|((passage, _), vector)| (*passage, vector));
    let told = told.chain(empty.iter().map(|(passage, _)| (*passage, None)));
    let told: Vec<ChunkEmbedding> =
        told.map(|(chunk_id, vector)| ChunkEmbedding { chunk_id, vector }).collect();
    if !told.is_empty() {
        store.store_embeddings(&model, &told)?;
    }
    Ok(Ok(told.len() as u64))
}

/// A passage below its title, as it is stored; empty where it was forgotten meanwhile.
fn text_of(store: &dyn Store, passage: &StaleChunk) -> Result<String, AppError> {
    match pending::text_of(store, passage) {
        Ok(text) => Ok(format!("{}\n{text}", passage.title).trim().to_owned()),
        Err(StoreError::Gone { .. } | StoreError::NotFound(_)) => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}

/// The vectors of texts, or of the first of them; none for one that the server does not take.
fn told_of(
    embedder: &Embedder,
    model: &str,
    texts: &[&str],
    time: Duration,
) -> Result<Vec<Option<Vec<u8>>>, Fault> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    match embedder.of_passages(texts, time) {
        Err(fault) if fault.is_of_the_text() => {
            // One text that it does not take must not keep the others from it; but it may take none at all.
            embedder.try_out(time)?;
            told_one_by_one(embedder, model, texts, time)
        }
        told => of_model(told?, model),
    }
}

/// As many as there is time for; the others wait.
fn told_one_by_one(
    embedder: &Embedder,
    model: &str,
    texts: &[&str],
    time: Duration,
) -> Result<Vec<Option<Vec<u8>>>, Fault> {
    let deadline = Instant::now() + time;
    let mut told = Vec::new();
    for text in texts {
        let left = deadline.saturating_duration_since(Instant::now());
        match told_alone(embedder, model, text, left) {
            Ok(vector) => told.push(vector),
            Err(fault) if told.is_empty() => return Err(fault),
            Err(_) => break,
        }
    }
    Ok(told)
}

fn told_alone(
    embedder: &Embedder,
    model: &str,
    text: &str,
    time: Duration,
) -> Result<Option<Vec<u8>>, Fault> {
    for text in [text, cut::prefix(text, SHORTENED_BYTES)] {
        match embedder.of_passages(&[text], time) {
            Err(fault) if fault.is_of_the_text() => {}
            told => return Ok(of_model(told?, model)?.pop().flatten()),
        }
    }
    Ok(None)
}

/// Vectors of another length than before are another model's; they are asked for again under its name.
fn of_model(told: Meant, model: &str) -> Result<Vec<Option<Vec<u8>>>, Fault> {
    if told.model == model { Ok(told.vectors) } else { Err(Fault::Changed(told.model)) }
}
