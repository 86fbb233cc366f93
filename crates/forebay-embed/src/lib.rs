//! The static embedding model: texts that mean much the same get vectors that point much the same way.
//!
//! One row of numbers a word piece; a text's vector is the sum of its pieces' rows. Nothing else runs,
//! so it costs microseconds and works offline. The table lies in the binary and is used in place.
//!
//! - `words`: a run of letters as the words the model knows;
//! - `pieces`: a word as pieces of the vocabulary;
//! - `lately`: the pieces of runs that come again and again;
//! - `tally`: how often each piece stands in a text;
//! - `table`: the rows, and their sum;
//! - [`Vector`]: the result, and how near two of them are.
//!
//! The model, `forebay-static-1`, was distilled from all-MiniLM-L6-v2 (Apache-2.0) for this project; see
//! `model/README.md`.

mod hash;
mod lately;
mod pieces;
mod table;
mod tally;
mod vector;
mod words;

use std::sync::{Mutex, PoisonError};

use forebay_text::tokenize;

use self::lately::Lately;
use self::table::Weighed;
use self::tally::Tally;
pub use vector::{BYTES, Vector};

/// What vectors are made with; vectors of different models never meet.
pub const MODEL: &str = "forebay-static-1";

/// More pieces add cost and blur the meaning.
const MOST_PIECES: usize = 256;

/// Embedders that nobody uses just now: one for each thread would keep a megabyte for a question now and then.
static IDLE: Mutex<Vec<Embedder>> = Mutex::new(Vec::new());

/// The meaning of a text; none for a text without a known word.
pub fn embed(text: &str) -> Option<Vector> {
    embed_together(&[text])
}

/// The meaning of texts that follow each other as if they were one.
pub fn embed_together(texts: &[&str]) -> Option<Vector> {
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let last_used = idle().pop();
    let mut embedder = last_used.unwrap_or_else(Embedder::new);
    let vector = embedder.embed(texts);
    idle().push(embedder);
    vector
}

/// What is needed for one text after the other.
struct Embedder {
    lately: Lately,
    tally: Tally,
    rows: Vec<u16>,
    weighed: Vec<Weighed>,
}

impl Embedder {
    fn new() -> Self {
        let (rows, weighed) = (Vec::new(), Vec::new());
        Self { lately: Lately::new(), tally: Tally::new(), rows, weighed }
    }

    fn embed(&mut self, texts: &[&str]) -> Option<Vector> {
        self.rows.clear();
        for text in texts {
            tokenize::each(text, words::belongs, |start, end| {
                self.lately.look_up(text, start, end, &mut self.rows);
                self.rows.len() < MOST_PIECES
            });
        }
        self.rows.truncate(MOST_PIECES);
        table::weigh(self.tally.count(&self.rows), &mut self.weighed);
        Vector::of_direction(&table::sum(&self.weighed))
    }
}

/// Whether the model has a word as a whole: then it is one, and no slip for another.
pub fn knows(word: &str) -> bool {
    let mut rows = Vec::new();
    pieces::of(word, &mut rows);
    rows.len() == 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn expected() -> Value {
        serde_json::from_str(include_str!("../tests/test_vectors.json")).unwrap()
    }

    fn ids(text: &str) -> Vec<u16> {
        let mut ids = Vec::new();
        tokenize::each(text, words::belongs, |start, end| {
            words::each(&text[start..end], &mut String::new(), |word| pieces::of(word, &mut ids));
            true
        });
        ids
    }

    #[test]
    fn texts_are_cut_into_the_pieces_of_the_reference() {
        for row in expected()["vectors"].as_array().unwrap() {
            let text = row["text"].as_str().unwrap();
            let wanted: Vec<u16> = serde_json::from_value(row["ids"].clone()).unwrap();
            assert_eq!(ids(text), wanted, "{text}");
        }
    }

    #[test]
    fn vectors_point_where_the_reference_points() {
        for row in expected()["vectors"].as_array().unwrap() {
            let text = row["text"].as_str().unwrap();
            let Some(vector) = embed(text) else {
                assert_eq!(row["norm"].as_f64(), Some(0.0), "{text}");
                continue;
            };
            let first: Vec<f32> = serde_json::from_value(row["first8"].clone()).unwrap();
            for (own, wanted) in vector.components().zip(first) {
                assert!((own - wanted).abs() < 0.004, "{text}: {own} {wanted}");
            }
        }
    }

    #[test]
    fn nearness_is_that_of_the_reference() {
        for row in expected()["cosines"].as_array().unwrap() {
            let (a, b) = (row["a"].as_str().unwrap(), row["b"].as_str().unwrap());
            let near = embed(a).unwrap().nearness(&embed(b).unwrap());
            let wanted = row["cosine"].as_f64().unwrap() as f32;
            assert!((near - wanted).abs() < 0.01, "{a} / {b}: {near} {wanted}");
        }
    }

    #[test]
    fn words_are_told_from_slips() {
        assert!(knows("radio") && knows("database"));
        assert!(!knows("migratoin") && !knows("dictionaary") && !knows(""));
    }

    #[test]
    fn a_text_without_words_has_no_meaning() {
        for text in ["", " \n", "+-*/ !? ---", "\u{0}\u{fffd}"] {
            assert_eq!(embed(text), None, "{text:?}");
        }
    }

    #[test]
    fn texts_together_mean_what_they_mean_as_one() {
        let long = "forebay keeps what tools print ".repeat(80);
        assert_eq!(embed_together(&["a title", "", "the text"]), embed("a title  the text"));
        assert_eq!(embed_together(&["a", &long, "b"]), embed(&format!("a {long} b")));
    }

    proptest! {
        #[test]
        fn any_text_has_a_vector_near_itself_or_none(text in any::<String>()) {
            if let Some(vector) = embed(&text) {
                prop_assert!(vector.nearness(&vector) > 0.99);
                prop_assert_eq!(Vector::from_bytes(vector.as_bytes()), Some(vector));
            }
        }
    }
}
