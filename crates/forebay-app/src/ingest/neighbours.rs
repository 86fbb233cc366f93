//! The text before and after short documents, which is indexed with them.
//!
//! A short document (a conversation turn, a log line) says little by itself. Documents under the same title belong
//! together. Without titles nothing says so: turns of a conversation do, the abstracts of a collection do not, and are
//! found worse with the words of unrelated ones. Their embeddings decide.

use forebay_store::{NewChunk, Upload};
use forebay_text::vector;

use crate::AppError;

pub(crate) const SHORT_BYTES: u64 = 600;
pub(crate) const EACH_SIDE: usize = 2;
/// Documents that are buffered, and that decide together whether those without a title belong together.
const BATCH: usize = 200;
/// Fewer documents decide nothing.
const MIN_SAMPLE: usize = 20;
/// How much greater than that of all pairs the mean cosine of near documents must be. In conversations it is greater by
/// 0.05, in unordered collections by at most 0.016.
const MIN_COHESION: f32 = 0.03;

/// Buffers documents until the ones after them are known.
#[derive(Default)]
pub(super) struct Neighbours {
    /// The documents to write, after up to [`EACH_SIDE`] written ones.
    window: Vec<NewChunk>,
    /// Index of the next document to write.
    next: usize,
    /// The decision of the last batch, which holds for a batch too small to decide.
    are_untitled_coherent: bool,
}

impl Neighbours {
    pub(super) fn add(&mut self, chunk: NewChunk, upload: &mut dyn Upload) -> Result<(), AppError> {
        self.window.push(chunk);
        if self.window.len() < BATCH {
            return Ok(());
        }
        self.write_until(self.window.len() - EACH_SIDE, upload)
    }

    pub(super) fn flush(&mut self, upload: &mut dyn Upload) -> Result<(), AppError> {
        self.write_until(self.window.len(), upload)
    }

    fn write_until(&mut self, end: usize, upload: &mut dyn Upload) -> Result<(), AppError> {
        if let Some(are_coherent) = are_untitled_coherent(&self.window) {
            self.are_untitled_coherent = are_coherent;
        }
        for index in self.next..end {
            let context = self.context_of(index);
            upload.chunk(NewChunk { context, ..self.window[index].clone() })?;
        }
        self.window.drain(..end.saturating_sub(EACH_SIDE));
        self.next = end.min(EACH_SIDE);
        Ok(())
    }

    /// Returns the text around a short document that belongs together with it.
    fn context_of(&self, index: usize) -> String {
        let own = &self.window[index];
        if !is_short(own) || own.title.is_empty() && !self.are_untitled_coherent {
            return String::new();
        }
        let (before, after) = (&self.window[..index], &self.window[index + 1..]);
        let before = &before[before.len().saturating_sub(EACH_SIDE)..];
        let near = before.iter().chain(after.iter().take(EACH_SIDE));
        let related = near.filter(|other| is_short(other) && other.title == own.title);
        related.map(|other| other.text.trim()).collect::<Vec<_>>().join(" ")
    }
}

fn is_short(chunk: &NewChunk) -> bool {
    chunk.bytes <= SHORT_BYTES
}

/// Whether near documents without a title are more similar than distant ones; None if there are too few.
fn are_untitled_coherent(chunks: &[NewChunk]) -> Option<bool> {
    let untitled = chunks.iter().filter(|chunk| is_short(chunk) && chunk.title.is_empty());
    let vectors: Vec<&[u8]> = untitled
        .filter_map(|chunk| chunk.embedding.as_ref())
        .map(|embedding| &*embedding.vector)
        .collect();
    let near = mean_similarity(&vectors, EACH_SIDE);
    let all = mean_similarity(&vectors, vectors.len());
    (vectors.len() >= MIN_SAMPLE).then_some(near - all >= MIN_COHESION)
}

/// Returns the mean cosine of the pairs of vectors that are at most so many places apart.
fn mean_similarity(vectors: &[&[u8]], max_distance: usize) -> f32 {
    let pairs = vectors.iter().enumerate().flat_map(|(index, one)| {
        let after = vectors[index + 1..].iter().take(max_distance);
        after.map(|other| vector::similarity(one, other))
    });
    let (count, sum) = pairs.fold((0_u32, 0.0), |(count, sum), pair| (count + 1, sum + pair));
    sum / count.max(1) as f32
}

#[cfg(test)]
mod tests {
    use forebay_text::chunk::Chunker;

    use super::*;
    use crate::ingest::pending::to_chunk;

    /// Topics, each with sentences that a conversation has one after the other.
    const TOPICS: [[&str; 4]; 6] = [
        ["The dog barked.", "A puppy barks at dogs.", "Dogs chase the puppy.", "My dog sleeps."],
        [
            "The bread rises.",
            "Bake the bread in an oven.",
            "The dough needs flour.",
            "Knead dough.",
        ],
        ["The ship sailed.", "Sailors steer ships.", "A boat and a sailor.", "Sail the boat."],
        ["Rain fell.", "The storm brought rain.", "Clouds and a storm.", "A rainy cloud."],
        ["She plays piano.", "The violin and piano.", "A concert of violins.", "Music by piano."],
        ["Taxes rose.", "The bank raised taxes.", "Banks lend money.", "Money and interest."],
    ];

    fn chunk(title: &str, text: &str) -> NewChunk {
        let mut chunks = Vec::new();
        let mut chunker = Chunker::starting_at(0, 1);
        chunker.push(text.as_bytes(), &mut |chunk| chunks.push(to_chunk(title, chunk)));
        chunker.finish(&mut |chunk| chunks.push(to_chunk(title, chunk)));
        chunks.remove(0)
    }

    fn conversation(title: &str) -> Vec<NewChunk> {
        TOPICS.iter().flatten().map(|text| chunk(title, text)).collect()
    }

    /// The same sentences, adjacent ones about different topics.
    fn collection(title: &str) -> Vec<NewChunk> {
        (0..4).flat_map(|at| TOPICS.map(|topic| chunk(title, topic[at]))).collect()
    }

    #[track_caller]
    fn check_context(window: Vec<NewChunk>, expect: &str) {
        let are_untitled_coherent = are_untitled_coherent(&window).unwrap_or_default();
        let neighbours = Neighbours { window, next: 0, are_untitled_coherent };
        assert_eq!(neighbours.context_of(0), expect);
    }

    #[test]
    fn untitled_documents_have_context_if_adjacent_ones_are_similar() {
        check_context(conversation(""), "A puppy barks at dogs. Dogs chase the puppy.");
        check_context(collection(""), "");
        check_context(conversation("")[..4].to_vec(), "");
    }

    #[test]
    fn documents_under_one_title_have_context() {
        check_context(collection("talk"), "The bread rises. The ship sailed.");
        let mut mixed = collection("talk");
        mixed[1].title = "other".to_owned();
        check_context(mixed, "The ship sailed.");
    }
}
