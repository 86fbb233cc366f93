//! Words of queries and chunks, interned for one search.

use std::rc::Rc;

use foldhash::HashMap;
use forebay_text::stem::stem;
use forebay_text::tokenize;
use forebay_text::words::{STOP_WORDS, push_lower};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// More words add cost and no precision.
const MAX_TELLING_WORDS: usize = 32;

pub(super) type WordId = u32;

/// The words seen so far.
#[derive(Default)]
pub(super) struct Vocabulary {
    ids: HashMap<Rc<str>, WordId>,
    texts: Vec<Rc<str>>,
    /// The stems of the query's telling words.
    stems: Vec<String>,
    /// For each word the index of the telling word that has its stem.
    telling: Vec<Option<usize>>,
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
        if is_normal(run) {
            return words.sequence.push(self.id_of_normal(run));
        }
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
        self.id_of_normal(&normalized(word))
    }

    fn id_of_normal(&mut self, word: &str) -> WordId {
        if let Some(id) = self.ids.get(word) {
            return *id;
        }
        let (id, text) = (self.texts.len() as WordId, Rc::from(word));
        self.telling.push(self.find_telling(word));
        self.texts.push(Rc::clone(&text));
        self.ids.insert(text, id);
        id
    }

    fn text(&self, word: WordId) -> &str {
        &self.texts[word as usize]
    }

    /// Returns the index of the telling word that has the stem of this one.
    pub(super) fn telling(&self, word: WordId) -> Option<usize> {
        self.telling[word as usize]
    }

    /// Makes these words the telling ones, one for each stem, and returns them.
    fn choose_telling(&mut self, words: &[WordId]) -> Vec<WordId> {
        let mut telling = Vec::new();
        self.stems.clear();
        for word in words {
            let stem = stem(self.text(*word)).into_owned();
            if !self.stems.contains(&stem) && self.stems.len() < MAX_TELLING_WORDS {
                self.stems.push(stem);
                telling.push(*word);
            }
        }
        self.telling = self.texts.iter().map(|word| self.find_telling(word)).collect();
        telling
    }

    fn find_telling(&self, word: &str) -> Option<usize> {
        // A word starts like its stem: most words of a text need no stemming.
        let starts_like = |stem: &String| stem.as_bytes().first() == word.as_bytes().first();
        if !self.stems.iter().any(starts_like) {
            return None;
        }
        let stem = stem(word);
        self.stems.iter().position(|other| *other == stem)
    }

    /// Compares words with the telling ones.
    pub(super) fn similarities(
        &self,
        telling: &[WordId],
        words: impl Iterator<Item = WordId>,
    ) -> Similarities {
        let mut is_listed = vec![false; self.texts.len()];
        let distinct: Vec<WordId> =
            words.filter(|word| !std::mem::replace(&mut is_listed[*word as usize], true)).collect();
        let telling: Vec<&str> = telling.iter().map(|word| self.text(*word)).collect();
        let mut cosines = vec![vec![0.0; self.texts.len()]; telling.len()];
        let mut compared = distinct.iter();
        let texts = distinct.iter().map(|word| self.text(*word));
        forebay_embed::word_cosines(&telling, texts, |similarities| {
            let Some(word) = compared.next() else { return };
            for (cosines, similarity) in cosines.iter_mut().zip(similarities) {
                cosines[*word as usize] = *similarity;
            }
        });
        Similarities(cosines)
    }
}

/// For each telling word its cosines with all words; 0 for those without a vector.
pub(super) struct Similarities(Vec<Vec<f32>>);

impl Similarities {
    /// Returns the greatest cosine of a telling word with one of these words, at least 0.
    pub(super) fn best(&self, telling: usize, words: &[WordId]) -> f64 {
        let cosines = &self.0[telling];
        f64::from(words.iter().map(|word| cosines[*word as usize]).fold(0.0, f32::max))
    }
}

/// Whether a word is lower case without accents, as the vocabulary has it.
fn is_normal(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
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
        let telling = vocabulary.choose_telling(&telling);
        let index = |word: &WordId| vocabulary.telling(*word).filter(|_| is_telling(&word));
        let order = sequence.iter().map(index).collect();
        let texts = telling.iter().map(|word| vocabulary.text(*word).to_owned()).collect();
        Self { sequence, telling, order, texts }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn splits_runs_at_camel_case() {
        let mut vocabulary = Vocabulary::default();
        let words = vocabulary.words("parseHTTPDate été x9B");
        let expected = ["parse", "http", "date", "ete", "x9", "b"];
        assert_eq!(words.sequence, expected.map(|word| vocabulary.id(word)));
        assert_eq!(words.compounds, ["parsehttpdate", "x9b"].map(|word| vocabulary.id(word)));
    }

    proptest! {
        #[test]
        fn a_word_starts_like_its_stem(word in "[a-z]{0,6}(s|es|ies|ed|ing|ational|y|e)?|[a-z0-9é]{1,5}") {
            let stem = stem(&word);
            prop_assert_eq!(stem.as_bytes().first(), word.as_bytes().first());
        }
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
