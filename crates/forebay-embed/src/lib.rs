//! The static embedding model: texts that mean much the same get vectors that point much the same way.
//!
//! One row of numbers a word piece; a text's vector is the sum of its pieces' rows. Nothing else runs,
//! so it costs microseconds and works offline. The table lies in the binary and is used in place.
//!
//! - `words`: a text as the words the model knows;
//! - `pieces`: a word as pieces of the vocabulary;
//! - `lately`: the pieces of words that come again and again;
//! - `table`: the rows, and their sum;
//! - [`Vector`]: the result, and how near two of them are.
//!
//! The model, `forebay-static-1`, was distilled from all-MiniLM-L6-v2 (Apache-2.0) for this project; see
//! `model/README.md`.

mod lately;
mod pieces;
mod table;
mod vector;
mod words;

use std::cell::RefCell;

use self::lately::Lately;
pub use vector::{BYTES, Vector};

/// What vectors are made with; vectors of different models never meet.
pub const MODEL: &str = "forebay-static-1";

/// More pieces add cost and blur the meaning.
const MOST_PIECES: usize = 256;

thread_local! {
    static LATELY: RefCell<Lately> = RefCell::new(Lately::new());
}

/// The meaning of a text; none for a text without a known word.
pub fn embed(text: &str) -> Option<Vector> {
    let mut rows = Vec::with_capacity(MOST_PIECES + 64);
    LATELY.with_borrow_mut(|lately| {
        words::each(text, &mut |word| {
            lately.look_up(&word, &mut rows);
            rows.len() < MOST_PIECES
        });
    });
    rows.truncate(MOST_PIECES);
    Vector::of_direction(&table::sum(&rows))
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

    fn ids(text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        words::each(text, &mut |word| {
            word.with_text(|text| pieces::of(text, &mut ids));
            true
        });
        ids
    }

    #[test]
    fn texts_are_cut_into_the_pieces_of_the_reference() {
        for row in expected()["vectors"].as_array().unwrap() {
            let text = row["text"].as_str().unwrap();
            let wanted: Vec<u32> = serde_json::from_value(row["ids"].clone()).unwrap();
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
