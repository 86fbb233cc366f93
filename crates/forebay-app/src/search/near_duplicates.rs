//! Near-duplicate detection: word-set overlap, with a bit signature as a fast filter.

use std::cell::OnceCell;

use forebay_text::{packed_word, subwords};

/// The share of common words that makes two chunks near-duplicates.
pub(super) const MIN_OVERLAP: f64 = 0.9;

const SIGNATURE_BITS: usize = 512;

/// The word set of a text. The signature alone rules out most pairs; exact hashes are computed on demand.
pub(super) struct WordSet {
    /// The number of words, repeated ones included.
    count: usize,
    /// One bit per word hash; words may collide.
    signature: [u64; SIGNATURE_BITS / 64],
    distinct: OnceCell<Vec<u64>>,
}

impl WordSet {
    pub(super) fn new(text: &str) -> Self {
        let (mut count, mut signature) = (0, [0; SIGNATURE_BITS / 64]);
        each_hash(text, |hash| {
            count += 1;
            let bit = hash as usize % SIGNATURE_BITS;
            signature[bit / 64] |= 1 << (bit % 64);
        });
        Self { count, signature, distinct: OnceCell::new() }
    }

    /// Whether the signatures alone prove that too many of its words are missing in the other.
    pub(super) fn surely_differs_from(&self, other: &Self) -> bool {
        let own = self
            .signature
            .iter()
            .zip(other.signature)
            .map(|(own, other)| (own & !other).count_ones());
        // Each bit that only this signature has is at least one word that the other lacks.
        f64::from(own.sum::<u32>()) > (1.0 - MIN_OVERLAP) * self.count as f64 + 1e-6
    }

    /// Returns the distinct word hashes, sorted; `text` must be the text it was built from.
    pub(super) fn distinct(&self, text: &str) -> &[u64] {
        self.distinct.get_or_init(|| {
            let mut words = Vec::with_capacity(self.count);
            each_hash(text, |hash| words.push(hash));
            words.sort_unstable();
            words.dedup();
            words
        })
    }
}

fn each_hash(text: &str, mut visit: impl FnMut(u64)) {
    subwords::each_run_range(text, |start, end| visit(hash(text.as_bytes(), start, end)));
}

/// Hashes a word fast; it need not resist crafted collisions.
fn hash(text: &[u8], start: usize, end: usize) -> u64 {
    if let Some(short) = packed_word::pack(text, start, end) {
        return spread(short);
    }
    // FNV-1a.
    text[start..end].iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Folds a packed short word into 64 bits.
fn spread(key: u128) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let folded = (key as u64).wrapping_mul(FACTOR) ^ (key >> 64) as u64;
    folded.wrapping_mul(FACTOR)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn never_rules_out_near_duplicates(
            words in prop::collection::vec("[a-z]{1,3}", 1..80),
            others in prop::collection::vec("[a-z]{1,3}", 0..8),
        ) {
            let text = words.join(" ");
            let other = words.iter().skip(others.len()).chain(&others).cloned().collect::<Vec<_>>().join(" ");
            let (one, two) = (WordSet::new(&text), WordSet::new(&other));
            let (a, b) = (one.distinct(&text), two.distinct(&other));
            let shared = a.iter().filter(|word| b.contains(word)).count() as f64;
            let are_duplicates = shared >= MIN_OVERLAP * a.len().max(b.len()) as f64;
            prop_assert!(!are_duplicates || !one.surely_differs_from(&two));
            prop_assert!(!are_duplicates || !two.surely_differs_from(&one));
        }
    }
}
