//! Background indexing: makes raw text searchable after its entry is stored.
//!
//! A server indexes when it is idle, a command after it has answered, and a search first indexes whatever is
//! still pending.

use std::sync::PoisonError;

use forebay_domain::Entry;
use forebay_store::{
    IndexState, IndexStep, NewChunk, NewEntry, ReindexedChunk, StaleChunk, Store, StoreError,
};
use forebay_text::chunk::{Chunk, Chunker};

use crate::AppError;
use crate::ingest::embedding;

/// Maximum text indexed per transaction, small enough not to delay writers.
const BATCH_BYTES: u64 = 128 * 1024;
const BATCH_ENTRIES: usize = 256;
/// Shorter texts are indexed immediately.
const SHORT_BYTES: usize = 2_000;

/// Converts a chunk to the form that the store takes.
pub(crate) fn to_chunk(title: &str, chunk: Chunk) -> NewChunk {
    // What no reader sees, such as colour codes between two words, is not searched either.
    let text = forebay_digest::displayed(&chunk.bytes).into_owned();
    let vectors = embedding::embed_chunk(title, &text);
    NewChunk {
        start: chunk.start,
        bytes: chunk.bytes.len() as u64,
        lines: chunk.lines,
        title: title.to_owned(),
        text,
        key: None,
        created: None,
        context: String::new(),
        embedding: vectors.meaning,
        is_code: vectors.is_code,
    }
}

/// Stores a text. A short one is searchable immediately, a long one after background indexing.
pub(crate) fn put(store: &dyn Store, mut new: NewEntry, text: &str) -> Result<Entry, AppError> {
    let mut upload = store.upload()?;
    upload.write(text.as_bytes())?;
    if text.len() <= SHORT_BYTES {
        let mut chunks = Vec::new();
        let mut chunker = Chunker::starting_at(0, 1);
        chunker.push(text.as_bytes(), &mut |chunk| chunks.push(chunk));
        chunker.finish(&mut |chunk| chunks.push(chunk));
        for chunk in chunks {
            upload.chunk(to_chunk(&new.title, chunk))?;
        }
        new.has_all_chunks = true;
    }
    Ok(upload.finish(new)?)
}

/// Indexes all pending text while `go_on` returns true; it receives the bytes done. Returns whether nothing is
/// left.
pub(crate) fn index_pending(
    store: &dyn Store,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<bool, AppError> {
    let mut done = 0;
    while go_on(done) {
        let batch = match index_batch(store) {
            // Another process writes for long: what is pending is indexed later.
            Err(StoreError::Locked(_)) => return Ok(false),
            batch => batch?,
        };
        done += batch.bytes;
        if batch.is_last {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What one transaction indexed.
struct Batch {
    bytes: u64,
    is_last: bool,
}

/// Indexes the next batch, from one entry or several.
///
/// One thread at a time, and each checks anew what is left, so a search waits for the end of a batch, not of all
/// pending work. If nothing is left, there is no waiting.
fn index_batch(store: &dyn Store) -> Result<Batch, StoreError> {
    if store.unindexed_entries(1)?.is_empty() {
        return Ok(Batch { bytes: 0, is_last: true });
    }
    let _alone = store.indexing_lock().lock().unwrap_or_else(PoisonError::into_inner);
    let pending = store.unindexed_entries(BATCH_ENTRIES)?;
    let is_all = pending.len() < BATCH_ENTRIES;
    let (mut steps, mut bytes) = (Vec::new(), 0);
    for mut state in pending {
        while state.offset < state.bytes && bytes < BATCH_BYTES {
            let step = next_step(store, &state, BATCH_BYTES - bytes)?;
            bytes += step.to.0 - state.offset;
            (state.offset, state.line) = step.to;
            steps.push(step);
        }
    }
    if !steps.is_empty() {
        store.extend_index(&steps)?;
    }
    Ok(Batch { bytes, is_last: bytes == 0 || is_all && bytes < BATCH_BYTES })
}

/// Chunks reindexed per transaction.
const REINDEX_BATCH: usize = 100;

/// Reindexes chunks that were stored by an older version of the index.
///
/// They stay searchable with less information meanwhile, so this runs in the background in small steps.
pub(crate) fn reindex_stale(
    store: &dyn Store,
    mut go_on: impl FnMut() -> bool,
) -> Result<(), AppError> {
    while go_on() {
        let outdated = store.stale_chunks(REINDEX_BATCH)?;
        if outdated.is_empty() {
            break;
        }
        let reindex: Vec<ReindexedChunk> =
            outdated.iter().map(|old| reindex(store, old)).collect::<Result<_, _>>()?;
        store.reindex_chunks(&reindex)?;
    }
    Ok(())
}

/// Returns the text of a stored chunk.
pub(crate) fn text_of(store: &dyn Store, chunk: &StaleChunk) -> Result<String, StoreError> {
    let bytes = bytes_of(store, chunk)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn bytes_of(store: &dyn Store, chunk: &StaleChunk) -> Result<Vec<u8>, StoreError> {
    let most = chunk.bytes as usize;
    let mut bytes = Vec::new();
    store.read(chunk.reference, chunk.start, &mut |piece| {
        bytes.extend_from_slice(&piece[..piece.len().min(most - bytes.len())]);
        bytes.len() < most
    })?;
    Ok(bytes)
}

fn reindex(store: &dyn Store, old: &StaleChunk) -> Result<ReindexedChunk, AppError> {
    let bytes = match bytes_of(store, old) {
        // What cannot be read is not found; the others must not wait for it.
        Err(StoreError::Damaged { .. }) => Vec::new(),
        bytes => bytes?,
    };
    let chunk = Chunk { start: old.start, lines: (0, 0), bytes };
    Ok(ReindexedChunk { chunk_id: old.chunk_id, chunk: to_chunk(&old.title, chunk) })
}

/// Returns the chunks of the next `bytes` bytes or so of one entry.
fn next_step(store: &dyn Store, state: &IndexState, bytes: u64) -> Result<IndexStep, StoreError> {
    let mut chunks = Vec::new();
    let mut chunker = Chunker::starting_at(state.offset, state.line);
    let mut read = 0;
    let result = store.read(state.reference, state.offset, &mut |piece| {
        chunker.push(piece, &mut |chunk| chunks.push(to_chunk(&state.title, chunk)));
        read += piece.len() as u64;
        read < bytes || chunks.is_empty()
    });
    let is_damaged = matches!(result, Err(StoreError::Damaged { .. }));
    if !is_damaged {
        result?;
    }
    // An entry that cannot be read further is indexed up to there, so that others are indexed at all.
    let to = if is_damaged || state.offset + read >= state.bytes {
        chunker.finish(&mut |chunk| chunks.push(to_chunk(&state.title, chunk)));
        (state.bytes, state.line)
    } else {
        chunker.position()
    };
    Ok(IndexStep { from: state.clone(), chunks, to })
}
