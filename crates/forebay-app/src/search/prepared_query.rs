//! Query preparation: words that no store contains are corrected or become prefixes.

use std::sync::Arc;

use forebay_domain::{Hit, Query};
use forebay_store::{Embedding, IndexQuery, SimilarWord, Store};
use forebay_text::{subwords, words};

use crate::AppError;
use crate::ingest::embedding;

/// More words add cost and no precision.
const MAX_WORDS: usize = 64;
/// Unknown words that are looked up.
const MAX_UNKNOWN_WORDS: usize = 8;
/// Replacements of one unknown word: more if it is a part of them, few if it is a typo.
const MAX_CONTAINING_WORDS: usize = 8;
const MAX_TYPO_CORRECTIONS: usize = 2;
/// In a query of at most this many words, every unknown word is corrected.
const SHORT_QUERY_WORDS: usize = 2;
/// A shorter prefix would match half of the store.
const MIN_PREFIX_CHARS: usize = 4;
/// Similar words suggested if there are no hits.
const MAX_SUGGESTIONS: usize = 6;
/// The common prefix of a suggestion.
const SUGGESTION_PREFIX_CHARS: usize = 4;

/// A query with corrected words and its embedding.
pub(super) struct PreparedQuery {
    pub(super) query: Query,
    pub(super) words: Vec<String>,
    prefixes: Vec<String>,
    /// The query's text with corrections appended; this is what is embedded.
    pub(super) text: String,
    pub(super) embedding: Option<Embedding>,
    pub(super) interpretation: Interpretation,
}

/// How the query that ran differs from the one that was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Interpretation {
    /// Words that no store contains, with their replacements.
    pub(crate) corrected: Vec<(String, Vec<String>)>,
    /// Excluded words.
    pub(crate) without: Vec<String>,
    /// No chunk contains the exact phrases, so their words were searched.
    pub(crate) dropped_phrases: bool,
}

impl PreparedQuery {
    pub(super) fn new(query: Query, stores: &[Arc<dyn Store>]) -> Result<Self, AppError> {
        let text = words::without_languages(&query.text);
        let written = Query { text: text.clone(), ..Query::default() }.words(MAX_WORDS);
        let without = query.without.clone();
        let mut prepared = Self {
            interpretation: Interpretation { without, ..Interpretation::default() },
            query,
            words: Vec::new(),
            prefixes: Vec::new(),
            text: String::new(),
            embedding: None,
        };
        let unknown = unknown_in_all(stores, &written)?;
        let is_short = written.len() <= SHORT_QUERY_WORDS;
        for word in written {
            if unknown.contains(&word) {
                prepared.add_unknown(word, is_short, stores)?;
            } else {
                if is_short {
                    prepared.add_corrections_of_stem(&word, stores)?;
                }
                prepared.words.push(word);
            }
        }
        prepared.add_other_stems(stores)?;
        prepared.text = prepared.with_corrections(&text);
        prepared.embedding = embedding::embed(&prepared.text);
        Ok(prepared)
    }

    /// Adds the other stem of words whose forms have two.
    fn add_other_stems(&mut self, stores: &[Arc<dyn Store>]) -> Result<(), AppError> {
        let others: Vec<String> = self.words.iter().filter_map(|word| other_stem(word)).collect();
        let unknown = unknown_in_all(stores, &others)?;
        let known = others.into_iter().filter(|word| !unknown.contains(word));
        let new: Vec<String> = known.filter(|word| !self.words.contains(word)).collect();
        self.words.extend(new);
        Ok(())
    }

    /// Builds a query from the words of `text`, without corrections, filters or an embedding.
    pub(super) fn from_words_of(text: &str) -> Self {
        let query = Query { text: text.to_owned(), ..Query::default() };
        let words = query.words(MAX_WORDS);
        let (prefixes, text, embedding, interpretation) = Default::default();
        Self { query, words, prefixes, text, embedding, interpretation }
    }

    /// Builds the query that each store runs.
    pub(super) fn index_query(&self, filter: &IndexQuery, limit: usize) -> IndexQuery {
        let query = &self.query;
        let mut index_query = filter.clone();
        index_query.words.clone_from(&self.words);
        index_query.prefixes.clone_from(&self.prefixes);
        index_query.phrases.clone_from(&query.phrases);
        index_query.excluded.clone_from(&query.without);
        index_query.embedding.clone_from(&self.embedding);
        index_query.sources.extend(query.sources.iter().cloned());
        // The query's own filters narrow the caller's; of two time bounds the tighter one applies.
        if !query.kinds.is_empty() || !query.notes.is_empty() {
            index_query.kinds.clone_from(&query.kinds);
            index_query.notes.clone_from(&query.notes);
        }
        index_query.after = index_query.after.max(query.after);
        index_query.before = [index_query.before, query.before].into_iter().flatten().min();
        index_query.lists_newest = query.text.is_empty();
        index_query.limit = limit;
        index_query
    }

    /// Drops the exact phrases, so that only their words must match; returns false if there are none.
    pub(super) fn drop_phrases(&mut self) -> bool {
        let phrases = std::mem::take(&mut self.query.phrases);
        self.interpretation.dropped_phrases = !phrases.is_empty();
        self.interpretation.dropped_phrases
    }

    /// Whether few words tell what is meant.
    pub(super) fn is_short(&self) -> bool {
        (1..=SHORT_QUERY_WORDS).contains(&self.words.len())
    }

    /// Whether candidates must be read to check for exact phrases.
    pub(super) fn has_phrases(&self) -> bool {
        !self.query.phrases.is_empty()
    }

    /// Returns the words of the query that occur in a hit.
    pub(super) fn matched(&self, hit: &Hit) -> Vec<String> {
        let mut has_word = vec![false; self.words.len()];
        let mut has_prefix = vec![false; self.prefixes.len()];
        let mut mark = |text: &str| {
            words::mark(text, &self.words, words::share_prefix, &mut has_word);
            let starts_with = |word: &str, prefix: &str| word.starts_with(prefix);
            words::mark(text, &self.prefixes, starts_with, &mut has_prefix);
            has_word.iter().chain(&has_prefix).all(|is_marked| *is_marked)
        };
        // Parts of identifiers are checked last: mostly all words occur as they are.
        if !mark(&hit.title) && !mark(&hit.text) {
            mark(&subwords::subwords(&hit.text));
        }
        let words = self.words.iter().zip(has_word);
        let all = words.chain(self.prefixes.iter().zip(has_prefix));
        all.filter(|(_, is_marked)| *is_marked).map(|(word, _)| word.clone()).collect()
    }

    /// Returns words of the stores that are spelled similarly to the query's.
    pub(super) fn similar_words(&self, stores: &[Arc<dyn Store>]) -> Result<Vec<String>, AppError> {
        let mut suggestions: Vec<String> = Vec::new();
        for word in self.prefixes.iter().chain(&self.words).take(MAX_UNKNOWN_WORDS) {
            let prefix: String = word.chars().take(SUGGESTION_PREFIX_CHARS).collect();
            if prefix.chars().count() < SUGGESTION_PREFIX_CHARS {
                continue;
            }
            for similar in similar_in_all(stores, &prefix)? {
                if similar.word.starts_with(&prefix) && !suggestions.contains(&similar.word) {
                    suggestions.push(similar.word);
                }
            }
        }
        suggestions.truncate(MAX_SUGGESTIONS);
        Ok(suggestions)
    }

    /// Replaces an unknown word by words that contain it or that it is a typo of, or else adds it as a prefix.
    fn add_unknown(
        &mut self,
        word: String,
        is_short: bool,
        stores: &[Arc<dyn Store>],
    ) -> Result<(), AppError> {
        let looked_up = self.interpretation.corrected.len() + self.prefixes.len();
        let is_over_limit = looked_up >= MAX_UNKNOWN_WORDS;
        let similar = if is_over_limit { Vec::new() } else { similar_in_all(stores, &word)? };
        let corrections = corrections(&word, is_short, &similar);
        if !corrections.is_empty() {
            self.words.extend(corrections.iter().cloned());
            self.interpretation.corrected.push((word, corrections));
        } else if word.chars().count() >= MIN_PREFIX_CHARS && !is_over_limit {
            self.prefixes.push(word);
        } else {
            self.words.push(word);
        }
        Ok(())
    }

    /// Adds corrections of a word that no store contains although its stem is known: "enablment" has the stem of
    /// "enable". A word of the language is not a typo, but a form that the stores lack.
    fn add_corrections_of_stem(
        &mut self,
        word: &str,
        stores: &[Arc<dyn Store>],
    ) -> Result<(), AppError> {
        if embedding::knows(word) || word.chars().count() < MIN_PREFIX_CHARS {
            return Ok(());
        }
        let similar = similar_in_all(stores, word)?;
        if similar.iter().all(|similar| similar.edits > 0) {
            let corrections = corrections(word, true, &similar);
            if !corrections.is_empty() {
                self.words.extend(corrections.iter().cloned());
                self.interpretation.corrected.push((word.to_owned(), corrections));
            }
        }
        Ok(())
    }

    /// Returns the query with corrected words in place of those that were written.
    pub(super) fn corrected_text(&self) -> String {
        let text = words::without_languages(&self.query.text);
        let correction = |written: &str| {
            let mut corrected = self.interpretation.corrected.iter();
            corrected
                .find(|(word, _)| word == written)
                .map(|(_, corrections)| corrections[0].clone())
        };
        let word = |word: &str| correction(&word.to_lowercase()).unwrap_or_else(|| word.to_owned());
        text.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
    }

    /// Appends the first correction of each word to the text, for its embedding.
    fn with_corrections(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (_, corrections) in &self.interpretation.corrected {
            text.push(' ');
            text.push_str(&corrections[0]);
        }
        text
    }
}

/// Returns the similar words with the fewest typos.
///
/// In a long query, a common word that the stores lack is not a typo: the other words carry the query, and a
/// few letters match too much.
fn corrections(word: &str, is_short: bool, similar: &[SimilarWord]) -> Vec<String> {
    let Some(fewest) = similar.iter().map(|similar| similar.edits).min() else { return Vec::new() };
    let is_part = fewest == 0;
    let may_correct =
        is_short || !embedding::knows(word) && word.chars().count() >= MIN_PREFIX_CHARS;
    let max = if is_part { MAX_CONTAINING_WORDS } else { MAX_TYPO_CORRECTIONS };
    let is_best = |similar: &&SimilarWord| {
        similar.edits == fewest && (is_short || !words::is_language(&similar.word))
    };
    let best = similar.iter().filter(|_| may_correct).filter(is_best).take(max);
    best.map(|similar| similar.word.clone()).collect()
}

/// Returns a form of the same word that has another stem in the index: Porter's algorithm reads the double consonant of
/// "adding" as one that the ending doubled, so it does not match "add".
fn other_stem(word: &str) -> Option<String> {
    let base = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed")).unwrap_or(word);
    let is_base = ["add", "err"].contains(&base);
    is_base.then(|| if base == word { format!("{base}ing") } else { base.to_owned() })
}

/// Returns the words that none of the stores contains.
fn unknown_in_all(stores: &[Arc<dyn Store>], words: &[String]) -> Result<Vec<String>, AppError> {
    let mut unknown = words.to_vec();
    for store in stores {
        unknown = store.unknown_words(&unknown)?;
    }
    Ok(unknown)
}

/// Returns similar words of all stores, best first.
fn similar_in_all(stores: &[Arc<dyn Store>], word: &str) -> Result<Vec<SimilarWord>, AppError> {
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
    fn corrects_typos_and_completes_parts_of_words() {
        let similar = |word: &str, edits| SimilarWord { word: word.into(), edits, chunks: 1 };
        let typos = [similar("config", 1), similar("conf", 1), similar("cone", 1)];
        assert_eq!(corrections("confg", false, &typos), ["config", "conf"]);
        let part = [similar("configure", 0), similar("config", 1)];
        assert_eq!(corrections("onfigur", false, &part), ["configure"]);
        assert!(corrections("onfigur", false, &[]).is_empty());
    }

    #[test]
    fn knows_the_words_with_two_stems() {
        assert_eq!(other_stem("add").as_deref(), Some("adding"));
        assert_eq!(other_stem("adding").as_deref(), Some("add"));
        assert_eq!(other_stem("added").as_deref(), Some("add"));
        assert_eq!(other_stem("tool"), None);
    }

    #[test]
    fn keeps_common_words_of_a_long_query() {
        let similar = |word: &str, edits| SimilarWord { word: word.into(), edits, chunks: 1 };
        assert!(corrections("radio", false, &[similar("ratio", 1)]).is_empty());
        assert_eq!(
            corrections("radio", true, &[similar("ratio", 1)]),
            ["ratio"],
            "nothing else to go by"
        );
        assert_eq!(corrections("maker", true, &[similar("sagemaker", 0)]), ["sagemaker"]);
        assert!(corrections("maker", false, &[similar("sagemaker", 0)]).is_empty());
        assert!(corrections("eit", false, &[similar("either", 0)]).is_empty());
        assert!(corrections("pythong", false, &[similar("python", 1)]).is_empty());
    }
}
