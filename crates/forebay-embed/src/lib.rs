//! A static embedding model: texts of similar meaning get vectors of similar direction.
//!
//! A text's vector is the sum of its tokens' rows in the embedding table. Nothing else runs, so it takes
//! microseconds and works offline. The table is part of the binary and read in place.
//!
//! - `pretokenize`: splits words at camel case and lower-cases them;
//! - `wordpiece`: splits words into tokens of the vocabulary, with the tables of `vocab_hash`;
//! - `word_cache`: caches the tokens of frequent words;
//! - `token_counter`: counts the tokens of a text;
//! - `embedding_table`: the rows and their weighted sum;
//! - [`Vector`]: the result, with cosine similarity;
//! - [`word_cosines`] compares many words with a few.
//!
//! The model, `forebay-static-1`, was distilled from all-MiniLM-L6-v2 (Apache-2.0) for this project; see
//! `model/README.md`.

mod embedding_table;
mod pretokenize;
mod token_counter;
mod vector;
mod vocab_hash;
mod word_cache;
mod word_cosines;
mod wordpiece;

use std::sync::{Mutex, PoisonError};

use forebay_text::tokenize;

pub use self::embedding_table::DIMENSIONS;
use self::embedding_table::WeightedRow;
use self::token_counter::TokenCounter;
use self::word_cache::WordCache;
pub use vector::Vector;
pub use word_cosines::word_cosines;

/// Name of the model; vectors of different models are never compared.
pub const MODEL_NAME: &str = "forebay-static-1";

/// Later tokens are ignored: they add cost and blur the vector.
const MAX_TOKENS: usize = 256;

/// Pool of idle embedders. One per thread would hold a megabyte each for an occasional query.
static IDLE: Mutex<Vec<Embedder>> = Mutex::new(Vec::new());

/// Embeds a text; returns `None` if it has no word of the vocabulary.
pub fn embed(text: &str) -> Option<Vector> {
    embed_concatenated(&[text])
}

/// Embeds texts as if they were concatenated with spaces.
pub fn embed_concatenated(texts: &[&str]) -> Option<Vector> {
    with_embedder(|embedder| embedder.embed(texts))
}

/// Calls `work` with an idle embedder.
fn with_embedder<T>(work: impl FnOnce(&mut Embedder) -> T) -> T {
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let last_used = idle().pop();
    let mut embedder = last_used.unwrap_or_else(Embedder::new);
    let result = work(&mut embedder);
    idle().push(embedder);
    result
}

/// The cache and the buffers of one thread.
struct Embedder {
    cache: WordCache,
    counter: TokenCounter,
    rows: Vec<u16>,
    weighted: Vec<WeightedRow>,
}

impl Embedder {
    fn new() -> Self {
        let (rows, weighted) = (Vec::new(), Vec::new());
        Self { cache: WordCache::new(), counter: TokenCounter::new(), rows, weighted }
    }

    fn embed(&mut self, texts: &[&str]) -> Option<Vector> {
        self.weigh(texts);
        Vector::quantize(&embedding_table::sum_rows(&self.weighted))
    }

    /// Replaces `weighted` by the rows of the texts' tokens.
    fn weigh(&mut self, texts: &[&str]) {
        self.rows.clear();
        for text in texts {
            tokenize::each(text, pretokenize::is_word_char, |start, end| {
                self.cache.look_up(text, start, end, &mut self.rows);
                self.rows.len() < MAX_TOKENS
            });
        }
        self.rows.truncate(MAX_TOKENS);
        embedding_table::weigh_rows(self.counter.count(&self.rows), &mut self.weighted);
    }
}

/// Returns whether a word is a single token, and therefore hardly a typo.
pub fn is_vocabulary_word(word: &str) -> bool {
    let mut rows = Vec::new();
    wordpiece::tokenize(word, &mut rows);
    rows.len() == 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn reference() -> Value {
        serde_json::from_str(include_str!("../tests/test_vectors.json")).unwrap()
    }

    fn ids(text: &str) -> Vec<u16> {
        let mut ids = Vec::new();
        tokenize::each(text, pretokenize::is_word_char, |start, end| {
            pretokenize::for_each_subword(&text[start..end], &mut String::new(), |subword| {
                wordpiece::tokenize(subword, &mut ids);
            });
            true
        });
        ids
    }

    #[test]
    fn tokenizes_like_the_reference() {
        for row in reference()["vectors"].as_array().unwrap() {
            let text = row["text"].as_str().unwrap();
            let expected: Vec<u16> = serde_json::from_value(row["ids"].clone()).unwrap();
            assert_eq!(ids(text), expected, "{text}");
        }
    }

    #[test]
    fn vectors_match_the_reference() {
        for row in reference()["vectors"].as_array().unwrap() {
            let text = row["text"].as_str().unwrap();
            let Some(vector) = embed(text) else {
                assert_eq!(row["norm"].as_f64(), Some(0.0), "{text}");
                continue;
            };
            let first: Vec<f32> = serde_json::from_value(row["first8"].clone()).unwrap();
            for (actual, expected) in vector.components().zip(first) {
                assert!((actual - expected).abs() < 0.004, "{text}: {actual} {expected}");
            }
        }
    }

    #[test]
    fn similarity_matches_the_reference() {
        for row in reference()["cosines"].as_array().unwrap() {
            let (a, b) = (row["a"].as_str().unwrap(), row["b"].as_str().unwrap());
            let cosine = embed(a).unwrap().cosine_similarity(&embed(b).unwrap());
            let expected = row["cosine"].as_f64().unwrap() as f32;
            assert!((cosine - expected).abs() < 0.01, "{a} / {b}: {cosine} {expected}");
        }
    }

    #[test]
    fn knows_words_but_not_typos() {
        assert!(is_vocabulary_word("radio") && is_vocabulary_word("database"));
        assert!(
            !is_vocabulary_word("migratoin")
                && !is_vocabulary_word("dictionaary")
                && !is_vocabulary_word("")
        );
    }

    #[test]
    fn a_text_without_words_has_no_vector() {
        for text in ["", " \n", "+-*/ !? ---", "\u{0}\u{fffd}"] {
            assert_eq!(embed(text), None, "{text:?}");
        }
    }

    #[test]
    fn embeds_several_texts_like_one() {
        let long = "forebay keeps what tools print ".repeat(80);
        assert_eq!(embed_concatenated(&["a title", "", "the text"]), embed("a title  the text"));
        assert_eq!(embed_concatenated(&["a", &long, "b"]), embed(&format!("a {long} b")));
    }

    proptest! {
        #[test]
        fn any_text_has_a_vector_similar_to_itself_or_none(text in any::<String>()) {
            if let Some(vector) = embed(&text) {
                prop_assert!(vector.cosine_similarity(&vector) > 0.99);
                prop_assert_eq!(Vector::from_bytes(vector.as_bytes()), Some(vector));
            }
        }
    }
}
