//! Finds the later sentence that is closest in meaning to an older one, whatever its words.
//!
//! Late interaction: each word of the older sentence is compared with the closest word of the later one. So one shared
//! subject counts, however much else the later sentence says, which the vectors of whole sentences blur.

use std::cell::OnceCell;

use forebay_embed::{Vector, embed};

use super::terms::content_words;

/// Sentences that are compared word by word: those whose vectors are closest.
const MAX_COMPARED: usize = 8;
/// Words of a sentence that are compared.
const MAX_WORDS: usize = 24;
/// Below it two sentences speak of the same by chance. Three of ten sentences that nothing replaces have one above.
const MIN_CLOSENESS: f32 = 0.24;

/// The vectors of a sentence, computed when they are first needed.
#[derive(Debug, Default)]
pub(super) struct Meaning {
    sentence: OnceCell<Option<Vector>>,
    words: OnceCell<Vec<Option<Vector>>>,
}

impl Meaning {
    fn sentence(&self, text: &str) -> Option<&Vector> {
        self.sentence.get_or_init(|| embed(text)).as_ref()
    }

    fn words(&self, text: &str) -> &[Option<Vector>] {
        self.words.get_or_init(|| {
            content_words(text).iter().take(MAX_WORDS).map(|word| embed(word)).collect()
        })
    }
}

/// A sentence with its vectors.
#[derive(Clone, Copy)]
pub(super) struct Sentence<'a> {
    pub(super) text: &'a str,
    pub(super) meaning: &'a Meaning,
}

impl Sentence<'_> {
    fn similarity(self, other: Self) -> f32 {
        let both = self.meaning.sentence(self.text).zip(other.meaning.sentence(other.text));
        both.map_or(0.0, |(one, other)| one.cosine_similarity(other))
    }

    /// Returns the mean similarity of its words to the closest word of another sentence each.
    fn closeness(self, other: Self) -> f32 {
        let words = self.meaning.words(self.text);
        let others = other.meaning.words(other.text);
        let best = |word: &Vector| {
            let all = others.iter().flatten().map(|other| word.cosine_similarity(other));
            all.fold(0.0, f32::max)
        };
        let sum: f32 = words.iter().map(|word| word.as_ref().map_or(0.0, best)).sum();
        sum / words.len().max(1) as f32
    }
}

/// Returns the number of the sentence that is closest to an older one.
pub(super) fn closest<'a>(
    older: Sentence<'a>,
    later: impl Iterator<Item = (usize, Sentence<'a>)>,
) -> Option<usize> {
    let mut rated: Vec<(f32, usize, Sentence<'a>)> =
        later.map(|(at, sentence)| (older.similarity(sentence), at, sentence)).collect();
    rated.sort_by(|a, b| b.0.total_cmp(&a.0));
    rated.truncate(MAX_COMPARED);
    let close = rated.into_iter().map(|(_, at, sentence)| (older.closeness(sentence), at));
    let best = close.max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(closeness, _)| *closeness >= MIN_CLOSENESS).map(|(_, at)| at)
}
