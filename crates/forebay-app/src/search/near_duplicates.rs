//! Which words a text has, to tell whether another has nearly the same.

use std::cell::OnceCell;

use forebay_text::{packed_word, subwords};

/// Of the words of two passages, the share that makes them nearly the same.
pub(super) const NEARLY_SAME: f64 = 0.9;

const MARKS: usize = 512;

/// The words of a text. Most texts have little in common, and marks are enough to tell that.
pub(super) struct Wording {
    /// Its words, those that come again counted again.
    count: usize,
    /// A mark for each word; some words share theirs.
    marks: [u64; MARKS / 64],
    distinct: OnceCell<Vec<u64>>,
}

impl Wording {
    pub(super) fn of(text: &str) -> Self {
        let (mut count, mut marks) = (0, [0; MARKS / 64]);
        each_hash(text, |hash| {
            count += 1;
            let mark = hash as usize % MARKS;
            marks[mark / 64] |= 1 << (mark % 64);
        });
        Self { count, marks, distinct: OnceCell::new() }
    }

    /// Whether so many of its words are not among the other's that the two are not nearly the same.
    pub(super) fn surely_differs_from(&self, other: &Self) -> bool {
        let own =
            self.marks.iter().zip(other.marks).map(|(own, other)| (own & !other).count_ones());
        // Each mark of its own is at least one word that the other lacks.
        f64::from(own.sum::<u32>()) > (1.0 - NEARLY_SAME) * self.count as f64 + 1e-6
    }

    /// The words of the text it was made of by their hashes, each once, in order.
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

fn each_hash(text: &str, mut take: impl FnMut(u64)) {
    subwords::each_run_range(text, |start, end| take(hash(text.as_bytes(), start, end)));
}

/// Nobody gains by making two words collide, so it need only be quick.
fn hash(text: &[u8], start: usize, end: usize) -> u64 {
    if let Some(short) = packed_word::pack(text, start, end) {
        return spread(short);
    }
    // FNV-1a.
    text[start..end].iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The number of a short word in half as many bits.
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
        fn what_is_nearly_the_same_is_never_said_to_differ(
            words in prop::collection::vec("[a-z]{1,3}", 1..80),
            others in prop::collection::vec("[a-z]{1,3}", 0..8),
        ) {
            let text = words.join(" ");
            let other = words.iter().skip(others.len()).chain(&others).cloned().collect::<Vec<_>>().join(" ");
            let (one, two) = (Wording::of(&text), Wording::of(&other));
            let (a, b) = (one.distinct(&text), two.distinct(&other));
            let shared = a.iter().filter(|word| b.contains(word)).count() as f64;
            let is_nearly_same = shared >= NEARLY_SAME * a.len().max(b.len()) as f64;
            prop_assert!(!is_nearly_same || !one.surely_differs_from(&two));
            prop_assert!(!is_nearly_same || !two.surely_differs_from(&one));
        }
    }
}
