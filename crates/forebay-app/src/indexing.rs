//! Making raw text searchable: while it streams, and later for what was too large to wait for.

use forebay_domain::text::chunk::{Chunker, Passage};
use forebay_store::{IndexState, NewChunk, Store};

use crate::AppError;

/// Output beyond this is made searchable after the answer, so that nobody waits for it.
pub(crate) const WHILE_STREAMING_BYTES: u64 = 4 * 1024 * 1024;
/// What is made searchable in one short transaction.
const STEP_BYTES: u64 = 1024 * 1024;

/// A passage as the store takes it.
pub(crate) fn to_chunk(title: &str, passage: Passage) -> NewChunk {
    NewChunk {
        start: passage.start,
        bytes: passage.bytes.len() as u64,
        lines: passage.lines,
        title: title.to_owned(),
        text: String::from_utf8_lossy(&passage.bytes).into_owned(),
        key: None,
        created: None,
    }
}

/// All passages of a text that is at hand.
pub(crate) fn chunks_of(title: &str, raw: &[u8]) -> Vec<NewChunk> {
    let mut chunks = Vec::new();
    let mut emit = |passage| chunks.push(to_chunk(title, passage));
    let mut chunker = Chunker::default();
    chunker.push(raw, &mut emit);
    chunker.finish(&mut emit);
    chunks
}

/// Makes everything searchable that is not yet, while `go_on` allows; it is told the bytes done.
pub(crate) fn finish_all(
    store: &dyn Store,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<(), AppError> {
    let mut done = 0;
    for mut state in store.unindexed()? {
        while state.offset < state.bytes && go_on(done) {
            let next = step(store, &state)?;
            done += next.0 - state.offset;
            (state.offset, state.line) = next;
        }
    }
    Ok(())
}

/// Makes the next stretch of one entry searchable; returns where the one after it starts.
fn step(store: &dyn Store, state: &IndexState) -> Result<(u64, u64), AppError> {
    let mut chunks = Vec::new();
    let mut chunker = Chunker::starting_at(state.offset, state.line);
    let mut read = 0;
    store.read(state.reference, state.offset, &mut |piece| {
        chunker.push(piece, &mut |passage| chunks.push(to_chunk(&state.title, passage)));
        read += piece.len() as u64;
        read < STEP_BYTES
    })?;
    let next = if state.offset + read >= state.bytes {
        chunker.finish(&mut |passage| chunks.push(to_chunk(&state.title, passage)));
        (state.bytes, state.line)
    } else {
        chunker.position()
    };
    store.extend_index(state, chunks, next)?;
    Ok(next)
}
