//! A question as the stores are asked: what none of them knows is set right first.

use std::sync::Arc;

use forebay_domain::{Hit, Query};
use forebay_store::{Embedding, IndexQuery, SimilarWord, Store};
use forebay_text::{subwords, words};

use crate::AppError;
use crate::ingest::embedding;

/// More words than this add cost and no meaning.
const MOST_WORDS: usize = 64;
/// Unknown words that are looked at.
const MOST_UNKNOWN: usize = 8;
/// Words that one unknown word is read as: several where it is a part of them, few where it is a slip.
const MOST_WHOLES: usize = 8;
const MOST_CORRECTIONS: usize = 2;
/// A question of so few words has nothing else to go by.
const SHORT: usize = 2;
/// A shorter beginning would match half of the store.
const SHORTEST_BEGINNING: usize = 4;
/// Words that are named where nothing was found.
const MOST_NEAREST: usize = 6;
/// Letters by which they are near.
const NEAR_LETTERS: usize = 4;

/// A question, its words as the stores know them, and what it means.
pub(super) struct Asked {
    pub(super) question: Query,
    pub(super) words: Vec<String>,
    beginnings: Vec<String>,
    /// What is asked for, with what was set right.
    pub(super) text: String,
    pub(super) meaning: Option<Embedding>,
    pub(super) reading: Reading,
}

/// How a question was read where that was not as it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// A word that stands nowhere, and those it was read as.
    pub(crate) corrected: Vec<(String, Vec<String>)>,
    pub(crate) without: Vec<String>,
    /// No passage has its phrases as they were written.
    pub(crate) is_loosened: bool,
}

impl Asked {
    pub(super) fn read(question: Query, stores: &[Arc<dyn Store>]) -> Result<Self, AppError> {
        let text = words::without_languages(&question.text);
        let written = Query { text: text.clone(), ..Query::default() }.words(MOST_WORDS);
        let mut asked = Self {
            reading: Reading { without: question.without.clone(), ..Reading::default() },
            question,
            words: Vec::new(),
            beginnings: Vec::new(),
            text: String::new(),
            meaning: None,
        };
        let unknown = unknown_everywhere(stores, &written)?;
        let is_short = written.len() <= SHORT;
        for word in written {
            if unknown.contains(&word) {
                asked.set_right(word, is_short, stores)?;
            } else {
                asked.words.push(word);
            }
        }
        asked.text = asked.with_corrections(&text);
        asked.meaning = embedding::of(&asked.text);
        Ok(asked)
    }

    /// What has these words as they are written.
    pub(super) fn for_words_of(text: &str) -> Self {
        let question = Query { text: text.to_owned(), ..Query::default() };
        let words = question.words(MOST_WORDS);
        let (beginnings, text, meaning, reading) = Default::default();
        Self { question, words, beginnings, text, meaning, reading }
    }

    /// The query for each store.
    pub(super) fn query(&self, filter: &IndexQuery, limit: usize) -> IndexQuery {
        let question = &self.question;
        let mut query = filter.clone();
        query.words.clone_from(&self.words);
        query.prefixes.clone_from(&self.beginnings);
        query.phrases.clone_from(&question.phrases);
        query.excluded.clone_from(&question.without);
        query.embedding.clone_from(&self.meaning);
        query.sources.extend(question.sources.iter().cloned());
        // A filter of the question narrows the caller's, and the later of two moments holds.
        if !question.kinds.is_empty() || !question.notes.is_empty() {
            query.kinds.clone_from(&question.kinds);
            query.notes.clone_from(&question.notes);
        }
        query.after = query.after.max(question.after);
        query.before = [query.before, question.before].into_iter().flatten().min();
        query.lists_newest = question.text.is_empty();
        query.limit = limit;
        query
    }

    /// Lets phrases be words; false where there are none.
    pub(super) fn loosen(&mut self) -> bool {
        let phrases = std::mem::take(&mut self.question.phrases);
        self.reading.is_loosened = !phrases.is_empty();
        self.reading.is_loosened
    }

    /// Whether every candidate must be read to tell whether it fits.
    pub(super) fn is_read_whole(&self) -> bool {
        !self.question.phrases.is_empty()
    }

    /// The words of the question that stand in a passage.
    pub(super) fn matched(&self, hit: &Hit) -> Vec<String> {
        let mut whole = vec![false; self.words.len()];
        let mut begun = vec![false; self.beginnings.len()];
        let mut mark = |text: &str| {
            words::mark(text, &self.words, words::share_prefix, &mut whole);
            let begins = |word: &str, wanted: &str| word.starts_with(wanted);
            words::mark(text, &self.beginnings, begins, &mut begun);
            whole.iter().chain(&begun).all(|stands| *stands)
        };
        // Parts of identifiers are looked at last: mostly all words stand there as they are.
        if !mark(&hit.title) && !mark(&hit.text) {
            mark(&subwords::subwords(&hit.text));
        }
        let words = self.words.iter().zip(whole);
        let all = words.chain(self.beginnings.iter().zip(begun));
        all.filter(|(_, stands)| *stands).map(|(word, _)| word.clone()).collect()
    }

    /// Words of the stores that are written much like those asked for.
    pub(super) fn nearest(&self, stores: &[Arc<dyn Store>]) -> Result<Vec<String>, AppError> {
        let mut nearest: Vec<String> = Vec::new();
        for word in self.beginnings.iter().chain(&self.words).take(MOST_UNKNOWN) {
            let part: String = word.chars().take(NEAR_LETTERS).collect();
            if part.chars().count() < NEAR_LETTERS {
                continue;
            }
            for similar in similar_everywhere(stores, &part)? {
                if similar.word.starts_with(&part) && !nearest.contains(&similar.word) {
                    nearest.push(similar.word);
                }
            }
        }
        nearest.truncate(MOST_NEAREST);
        Ok(nearest)
    }

    /// Reads an unknown word as those it is a part of, or a slip for, or else as a beginning.
    fn set_right(
        &mut self,
        word: String,
        is_short: bool,
        stores: &[Arc<dyn Store>],
    ) -> Result<(), AppError> {
        let is_one_too_many = self.reading.corrected.len() + self.beginnings.len() >= MOST_UNKNOWN;
        let similar = if is_one_too_many { Vec::new() } else { similar_everywhere(stores, &word)? };
        let meant = meant(&word, is_short, &similar);
        if !meant.is_empty() {
            self.words.extend(meant.iter().cloned());
            self.reading.corrected.push((word, meant));
        } else if word.chars().count() >= SHORTEST_BEGINNING && !is_one_too_many {
            self.beginnings.push(word);
        } else {
            self.words.push(word);
        }
        Ok(())
    }

    /// The text with what its slips were read as, for its meaning.
    fn with_corrections(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (_, meant) in &self.reading.corrected {
            text.push(' ');
            text.push_str(&meant[0]);
        }
        text
    }
}

/// The best of the similar words: those with the fewest slips.
///
/// In a long question a word that people use is no slip, the stores just do not have it; other words tell
/// what is meant, and a few letters fit too much.
fn meant(word: &str, is_short: bool, similar: &[SimilarWord]) -> Vec<String> {
    let Some(fewest) = similar.iter().map(|similar| similar.edits).min() else { return Vec::new() };
    let is_part = fewest == 0;
    let fits = is_short || !embedding::knows(word) && word.chars().count() >= SHORTEST_BEGINNING;
    let most = if is_part { MOST_WHOLES } else { MOST_CORRECTIONS };
    let is_best = |similar: &&SimilarWord| {
        similar.edits == fewest && (is_short || !words::is_language(&similar.word))
    };
    let best = similar.iter().filter(|_| fits).filter(is_best).take(most);
    best.map(|similar| similar.word.clone()).collect()
}

fn unknown_everywhere(
    stores: &[Arc<dyn Store>],
    words: &[String],
) -> Result<Vec<String>, AppError> {
    let mut unknown = words.to_vec();
    for store in stores {
        unknown = store.unknown_words(&unknown)?;
    }
    Ok(unknown)
}

/// Similar words of all stores, best first.
fn similar_everywhere(stores: &[Arc<dyn Store>], word: &str) -> Result<Vec<SimilarWord>, AppError> {
    let mut all: Vec<SimilarWord> = Vec::new();
    for store in stores {
        for similar in store.similar_words(word)? {
            match all.iter_mut().find(|known| known.word == similar.word) {
                Some(known) => known.chunks += similar.chunks,
                None => all.push(similar),
            }
        }
    }
    all.sort_by(|a, b| (a.edits, b.chunks, &a.word).cmp(&(b.edits, a.chunks, &b.word)));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_read_as_the_nearest_words_and_a_part_as_many() {
        let similar = |word: &str, edits| SimilarWord { word: word.into(), edits, chunks: 1 };
        let slips = [similar("config", 1), similar("conf", 1), similar("cone", 1)];
        assert_eq!(meant("confg", false, &slips), ["config", "conf"]);
        let part = [similar("configure", 0), similar("config", 1)];
        assert_eq!(meant("onfigur", false, &part), ["configure"]);
        assert!(meant("onfigur", false, &[]).is_empty());
    }

    #[test]
    fn in_a_long_question_a_word_that_people_use_is_no_slip() {
        let similar = |word: &str, edits| SimilarWord { word: word.into(), edits, chunks: 1 };
        assert!(meant("radio", false, &[similar("ratio", 1)]).is_empty());
        assert_eq!(
            meant("radio", true, &[similar("ratio", 1)]),
            ["ratio"],
            "nothing else to go by"
        );
        assert_eq!(meant("maker", true, &[similar("sagemaker", 0)]), ["sagemaker"]);
        assert!(meant("maker", false, &[similar("sagemaker", 0)]).is_empty());
        assert!(meant("eit", false, &[similar("either", 0)]).is_empty());
        assert!(meant("pythong", false, &[similar("python", 1)]).is_empty());
    }
}
