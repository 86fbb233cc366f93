//! Cosines of many words with a few.
//!
//! Most words are one token, and its row is compared in place: nothing is summed, quantized and copied first. Hand-written
//! for speed: `cargo xtask bench --only search`.

use crate::embedding_table::DIMENSIONS;
use crate::vector::Vector;
use crate::{Embedder, with_embedder};

type Row = [u8; DIMENSIONS];

/// Calls `report` for each of the `words`, with its cosines with the `others`; 0 where one of both has no vector.
pub fn word_cosines<'a>(
    others: &[&str],
    words: impl Iterator<Item = &'a str>,
    mut report: impl FnMut(&[f32]),
) {
    with_embedder(|embedder| {
        let others: Vec<Option<Compared>> =
            others.iter().map(|other| Compared::new(embedder, other)).collect();
        let (rows, places): (Vec<&Compared>, Vec<usize>) = others
            .iter()
            .enumerate()
            .filter_map(|(place, other)| Some((other.as_ref()?, place)))
            .unzip();
        let mut cosines = vec![0.0; others.len()];
        for word in words {
            cosines.fill(0.0);
            embedder.with_row(word, |row| {
                let norm = (product(row, row) as f32).sqrt();
                for (other, place) in rows.iter().zip(&places) {
                    cosines[*place] = product(row, &other.row) as f32 / (other.norm * norm);
                }
            });
            report(&cosines);
        }
    });
}

/// A word that others are compared with.
struct Compared {
    row: Row,
    norm: f32,
}

impl Compared {
    fn new(embedder: &mut Embedder, word: &str) -> Option<Self> {
        let mut compared = None;
        embedder.with_row(word, |row| {
            compared = Some(Self { row: *row, norm: (product(row, row) as f32).sqrt() });
        });
        compared
    }
}

impl Embedder {
    /// Calls `visit` with the vector of a word, if it has one.
    fn with_row(&mut self, word: &str, visit: impl FnOnce(&Row)) {
        self.weigh(&[word]);
        match &*self.weighted {
            [] => {}
            [(row, _)] if row.iter().any(|component| *component != 0) => visit(row),
            weighted => {
                let sum = crate::embedding_table::sum_rows(weighted);
                if let Some(vector) = Vector::quantize(&sum) {
                    visit(vector.row());
                }
            }
        }
    }
}

/// Returns the scalar product, computed with the widest available vector registers.
fn product(one: &Row, other: &Row) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "guarded by `is_x86_feature_detected!`")]
        unsafe {
            return product_avx2(one, other);
        }
    }
    sum_of_products(one, other)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn product_avx2(one: &Row, other: &Row) -> i32 {
    sum_of_products(one, other)
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "compiled for the target features of its caller")]
#[allow(
    clippy::needless_range_loop,
    reason = "iterator adapters are not inlined into the target feature"
)]
fn sum_of_products(one: &Row, other: &Row) -> i32 {
    let mut sum = 0;
    for at in 0..DIMENSIONS {
        sum += i32::from(one[at].cast_signed()) * i32::from(other[at].cast_signed());
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::embed;

    proptest! {
        #[test]
        fn agrees_with_the_vectors_of_the_words(
            words in prop::collection::vec("[a-z]{1,12}|[A-Z][a-z]{1,6}[A-Z][a-z]{1,6}|[0-9]{1,4}|[🦀ßé日]{0,2}", 1..12),
        ) {
            let (others, words) = words.split_at(words.len() / 2);
            let others: Vec<&str> = others.iter().map(String::as_str).collect();
            let mut next = words.iter();
            word_cosines(&others, words.iter().map(String::as_str), |cosines| {
                let vector = embed(next.next().unwrap());
                for (other, cosine) in others.iter().zip(cosines) {
                    let pair = vector.as_ref().zip(embed(other));
                    let expected = pair.map_or(0.0, |(one, other)| one.cosine_similarity(&other));
                    assert!((cosine - expected).abs() < 0.002, "{other}: {cosine} {expected}");
                }
            });
            prop_assert!(next.next().is_none());
        }
    }
}
