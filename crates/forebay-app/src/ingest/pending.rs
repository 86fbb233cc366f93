//! Making raw text searchable, after its entry is stored: nobody waits for it.
//!
//! Whoever has time does it (a server when it is idle, a command when it has answered), and a search
//! first catches up with what is left.

use std::sync::PoisonError;

use forebay_domain::Entry;
use forebay_store::{
    IndexState, IndexStep, NewChunk, NewEntry, ReindexedChunk, StaleChunk, Store, StoreError,
};
use forebay_text::chunk::{Chunk, Chunker};

use crate::AppError;
use crate::ingest::embedding;

/// What is made searchable in one transaction: short enough that writers do not notice.
const BATCH_BYTES: u64 = 128 * 1024;
const BATCH_ENTRIES: usize = 256;
/// A text that becomes searchable in the time its writing takes.
const SHORT_BYTES: usize = 2_000;

/// A passage as the store takes it.
pub(crate) fn to_chunk(title: &str, passage: Chunk) -> NewChunk {
    let text = String::from_utf8_lossy(&passage.bytes).into_owned();
    let sense = embedding::of_passage(title, &text);
    NewChunk {
        start: passage.start,
        bytes: passage.bytes.len() as u64,
        lines: passage.lines,
        title: title.to_owned(),
        text,
        key: None,
        created: None,
        context: String::new(),
        embedding: sense.meaning,
        is_code: sense.is_code,
    }
}

/// Stores a text. A short one is found from then on, a long one as soon as somebody has time, or searches.
pub(crate) fn put(store: &dyn Store, mut new: NewEntry, text: &str) -> Result<Entry, AppError> {
    let mut upload = store.upload()?;
    upload.write(text.as_bytes())?;
    if text.len() <= SHORT_BYTES {
        let mut passages = Vec::new();
        let mut chunker = Chunker::starting_at(0, 1);
        chunker.push(text.as_bytes(), &mut |passage| passages.push(passage));
        chunker.finish(&mut |passage| passages.push(passage));
        for passage in passages {
            upload.chunk(to_chunk(&new.title, passage))?;
        }
        new.has_all_chunks = true;
    }
    Ok(upload.finish(new)?)
}

/// Makes everything searchable that is not yet, while `go_on` allows; it is told the bytes done. Answers whether
/// nothing is left.
pub(crate) fn finish_all(
    store: &dyn Store,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<bool, AppError> {
    let mut done = 0;
    while go_on(done) {
        let batch = finish_some(store)?;
        done += batch.bytes;
        if batch.is_last {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What was made searchable at once.
struct Batch {
    bytes: u64,
    is_last: bool,
}

/// Makes the next stretch searchable, of one entry or of several.
///
/// One thread at a time, and each looks anew at what is left: what a search waits for is the end of a
/// batch, not of all there is to do. Where nothing is left nobody waits.
fn finish_some(store: &dyn Store) -> Result<Batch, AppError> {
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

/// Passages that are indexed anew in one transaction.
const RENEWED_AT_ONCE: usize = 100;

/// Brings passages up to date that were stored before their index was what it is now.
///
/// They are found all along, by less; so this is done when nobody waits, and a step at a time.
pub(crate) fn renew(store: &dyn Store, mut go_on: impl FnMut() -> bool) -> Result<(), AppError> {
    while go_on() {
        let outdated = store.stale_chunks(RENEWED_AT_ONCE)?;
        if outdated.is_empty() {
            break;
        }
        let renewed: Vec<ReindexedChunk> =
            outdated.iter().map(|old| renewed(store, old)).collect::<Result<_, _>>()?;
        store.reindex_chunks(&renewed)?;
    }
    Ok(())
}

/// The text of a stored passage.
pub(crate) fn text_of(store: &dyn Store, passage: &StaleChunk) -> Result<String, StoreError> {
    let bytes = bytes_of(store, passage)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn bytes_of(store: &dyn Store, passage: &StaleChunk) -> Result<Vec<u8>, StoreError> {
    let most = passage.bytes as usize;
    let mut bytes = Vec::with_capacity(most);
    store.read(passage.reference, passage.start, &mut |piece| {
        bytes.extend_from_slice(&piece[..piece.len().min(most - bytes.len())]);
        bytes.len() < most
    })?;
    Ok(bytes)
}

fn renewed(store: &dyn Store, old: &StaleChunk) -> Result<ReindexedChunk, AppError> {
    let bytes = bytes_of(store, old)?;
    let passage = Chunk { start: old.start, lines: (0, 0), bytes };
    Ok(ReindexedChunk { chunk_id: old.chunk_id, chunk: to_chunk(&old.title, passage) })
}

/// The passages of the next stretch of one entry, of about `bytes` bytes.
fn next_step(store: &dyn Store, state: &IndexState, bytes: u64) -> Result<IndexStep, AppError> {
    let mut chunks = Vec::new();
    let mut chunker = Chunker::starting_at(state.offset, state.line);
    let mut read = 0;
    store.read(state.reference, state.offset, &mut |piece| {
        chunker.push(piece, &mut |passage| chunks.push(to_chunk(&state.title, passage)));
        read += piece.len() as u64;
        read < bytes || chunks.is_empty()
    })?;
    let to = if state.offset + read >= state.bytes {
        chunker.finish(&mut |passage| chunks.push(to_chunk(&state.title, passage)));
        (state.bytes, state.line)
    } else {
        chunker.position()
    };
    Ok(IndexStep { from: state.clone(), chunks, to })
}
