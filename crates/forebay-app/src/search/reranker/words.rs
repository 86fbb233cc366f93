//! Words of queries and chunks, interned for one search.

use std::collections::HashMap;

use forebay_embed::Vector;
use forebay_text::stem::stem;
use forebay_text::tokenize;
use forebay_text::words::{STOP_WORDS, push_lower};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// More words add cost and no precision.
const MAX_TELLING_WORDS: usize = 32;

pub(super) type WordId = usize;
pub(super) type StemId = usize;

/// The words seen so far, each with its stem.
#[derive(Default)]
pub(super) struct Vocabulary {
    ids: HashMap<String, WordId>,
    stem_ids: HashMap<String, StemId>,
    stems: Vec<StemId>,
    vectors: Vec<Option<Vector>>,
}

/// The words of a text in order, and the runs of letters and digits that consist of several.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) sequence: Vec<WordId>,
    pub(super) compounds: Vec<WordId>,
}

impl Vocabulary {
    pub(super) fn words(&mut self, text: &str) -> Words {
        let mut words = Words::default();
        tokenize::each(text, char::is_alphanumeric, |start, end| {
            self.add_run(&text[start..end], &mut words);
            true
        });
        words
    }

    fn add_run(&mut self, run: &str, words: &mut Words) {
        let before = words.sequence.len();
        let mut start = 0;
        for cut in camel_case_cuts(run) {
            words.sequence.push(self.id(&run[start..cut]));
            start = cut;
        }
        words.sequence.push(self.id(&run[start..]));
        if words.sequence.len() > before + 1 {
            words.compounds.push(self.id(run));
        }
    }

    pub(super) fn id(&mut self, word: &str) -> WordId {
        let word = normalized(word);
        if let Some(id) = self.ids.get(&word) {
            return *id;
        }
        let id = self.ids.len();
        let next = self.stem_ids.len();
        self.stems.push(*self.stem_ids.entry(stem(&word).into_owned()).or_insert(next));
        self.vectors.push(forebay_embed::embed(&word));
        self.ids.insert(word, id);
        id
    }

    pub(super) fn stem(&self, word: WordId) -> StemId {
        self.stems[word]
    }

    /// The cosine of two words' vectors, at least 0.
    pub(super) fn similarity(&self, one: WordId, other: WordId) -> f64 {
        let vectors = self.vectors[one].as_ref().zip(self.vectors[other].as_ref());
        vectors.map_or(0.0, |(one, other)| f64::from(one.cosine_similarity(other)).max(0.0))
    }
}

/// Lower case, without accents.
fn normalized(word: &str) -> String {
    let mut lower = String::with_capacity(word.len());
    push_lower(&mut lower, word);
    if lower.is_ascii() {
        return lower;
    }
    lower.nfd().filter(|c| !is_combining_mark(*c)).collect()
}

/// The boundaries in `aB`, `9B` and before the last capital of `ABc`.
fn camel_case_cuts(run: &str) -> Vec<usize> {
    let bytes = run.as_bytes();
    let is_cut = |at: &usize| {
        let (before, here) = (bytes[at - 1], bytes[*at]);
        let after = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        here.is_ascii_uppercase()
            && (before.is_ascii_lowercase()
                || before.is_ascii_digit()
                || before.is_ascii_uppercase() && after)
    };
    (1..bytes.len()).filter(is_cut).collect()
}

/// The words of a query.
pub(super) struct QueryWords {
    /// All of them, in order.
    pub(super) sequence: Vec<WordId>,
    /// Those that tell what is asked for, one for each stem.
    pub(super) telling: Vec<WordId>,
    /// For each word of the sequence the telling word with its stem; None for stop words.
    pub(super) order: Vec<Option<usize>>,
    /// The telling words as they are written.
    pub(super) texts: Vec<String>,
}

impl QueryWords {
    pub(super) fn new(query: &str, vocabulary: &mut Vocabulary) -> Self {
        let Words { sequence, compounds } = vocabulary.words(query);
        let stop_words: Vec<WordId> = STOP_WORDS.iter().map(|word| vocabulary.id(word)).collect();
        let is_telling = |word: &&WordId| !stop_words.contains(word);
        let all: Vec<WordId> = sequence.iter().chain(&compounds).copied().collect();
        let mut telling: Vec<WordId> = all.iter().filter(is_telling).copied().collect();
        if telling.is_empty() {
            telling = all;
        }
        let mut stems = Vec::new();
        telling.retain(|word| {
            let stem = vocabulary.stem(*word);
            let is_new = !stems.contains(&stem) && stems.len() < MAX_TELLING_WORDS;
            if is_new {
                stems.push(stem);
            }
            is_new
        });
        let index = |word: &WordId| {
            let stem = vocabulary.stem(*word);
            stems.iter().position(|other| *other == stem).filter(|_| is_telling(&word))
        };
        let order = sequence.iter().map(index).collect();
        let text = |id: &WordId| {
            let word = vocabulary.ids.iter().find(|(_, other)| *other == id);
            word.map_or_else(String::new, |(word, _)| word.clone())
        };
        let texts = telling.iter().map(text).collect();
        Self { sequence, telling, order, texts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_runs_at_camel_case() {
        let mut vocabulary = Vocabulary::default();
        let words = vocabulary.words("parseHTTPDate été x9B");
        let expected = ["parse", "http", "date", "ete", "x9", "b"];
        assert_eq!(words.sequence, expected.map(|word| vocabulary.id(word)));
        assert_eq!(words.compounds, ["parsehttpdate", "x9b"].map(|word| vocabulary.id(word)));
    }

    #[test]
    fn telling_words_are_no_stop_words_and_have_different_stems() {
        let mut vocabulary = Vocabulary::default();
        let words = QueryWords::new("how do readers read the file", &mut vocabulary);
        assert_eq!(words.texts, ["readers", "read", "file"]);
        let words = QueryWords::new("files of a file", &mut vocabulary);
        assert_eq!(words.texts, ["files"]);
        assert_eq!(words.order, [Some(0), None, None, Some(0)]);
    }
}
