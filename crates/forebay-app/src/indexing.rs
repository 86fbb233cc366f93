//! Making raw text searchable, after its entry is stored: nobody waits for it.
//!
//! Whoever has time does it (a server when it is idle, a command when it has answered), and a search
//! first catches up with what is left.

use forebay_domain::text::chunk::{Chunker, Passage};
use forebay_store::{IndexState, IndexStep, NewChunk, Outdated, Renewed, Store};

use crate::{AppError, meaning};

/// What is made searchable in one transaction: short enough that writers do not notice.
const BATCH_BYTES: u64 = 128 * 1024;

/// A passage as the store takes it.
pub(crate) fn to_chunk(title: &str, passage: Passage) -> NewChunk {
    let text = String::from_utf8_lossy(&passage.bytes).into_owned();
    let sense = meaning::of_passage(title, &text);
    NewChunk {
        start: passage.start,
        bytes: passage.bytes.len() as u64,
        lines: passage.lines,
        title: title.to_owned(),
        text,
        key: None,
        created: None,
        around: String::new(),
        meaning: sense.meaning,
        is_code: sense.is_code,
    }
}

/// Makes everything searchable that is not yet, while `go_on` allows; it is told the bytes done.
pub(crate) fn finish_all(
    store: &dyn Store,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<(), AppError> {
    let mut done = 0;
    let mut batch = Batch::default();
    for mut state in store.unindexed()? {
        while state.offset < state.bytes && go_on(done) {
            let step = next_step(store, &state, BATCH_BYTES - batch.bytes)?;
            let bytes = step.to.0 - state.offset;
            done += bytes;
            (state.offset, state.line) = step.to;
            batch.add(step, bytes, store)?;
        }
    }
    batch.write(store)
}

/// Passages that are indexed anew in one transaction.
const RENEWED_AT_ONCE: usize = 100;

/// Brings passages up to date that were stored before their index was what it is now.
///
/// They are found all along, by less; so this is done when nobody waits, and a step at a time.
pub(crate) fn renew(store: &dyn Store, mut go_on: impl FnMut() -> bool) -> Result<(), AppError> {
    while go_on() {
        let outdated = store.outdated(RENEWED_AT_ONCE)?;
        if outdated.is_empty() {
            break;
        }
        let renewed: Vec<Renewed> =
            outdated.iter().map(|old| renewed(store, old)).collect::<Result<_, _>>()?;
        store.renew(&renewed)?;
    }
    Ok(())
}

fn renewed(store: &dyn Store, old: &Outdated) -> Result<Renewed, AppError> {
    let mut bytes = Vec::with_capacity(old.bytes as usize);
    store.read(old.reference, old.start, &mut |piece| {
        bytes.extend_from_slice(&piece[..piece.len().min(old.bytes as usize - bytes.len())]);
        bytes.len() < old.bytes as usize
    })?;
    let passage = Passage { start: old.start, lines: (0, 0), bytes };
    Ok(Renewed { passage: old.passage, chunk: to_chunk(&old.title, passage) })
}

/// Steps that are written together.
#[derive(Default)]
struct Batch {
    steps: Vec<IndexStep>,
    bytes: u64,
}

impl Batch {
    fn add(&mut self, step: IndexStep, bytes: u64, store: &dyn Store) -> Result<(), AppError> {
        self.steps.push(step);
        self.bytes += bytes;
        if self.bytes >= BATCH_BYTES { self.write(store) } else { Ok(()) }
    }

    fn write(&mut self, store: &dyn Store) -> Result<(), AppError> {
        let Self { steps, .. } = std::mem::take(self);
        if steps.is_empty() { Ok(()) } else { Ok(store.extend_index(&steps)?) }
    }
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
