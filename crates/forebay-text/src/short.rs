//! Short words as numbers: quick to compare, and quick to look up.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

/// Bytes of the longest word that is short.
pub const LONGEST: usize = 15;
const LENGTH_SHIFT: u32 = 8 * LONGEST as u32;

/// The bytes from `start` to `end` as a number; none where they are too many.
#[inline]
pub fn key(text: &[u8], start: usize, end: usize) -> Option<u128> {
    let length = end - start;
    if length > LONGEST {
        return None;
    }
    let word = match text[start..].first_chunk() {
        Some(window) => u128::from_le_bytes(*window) & MASKS[length],
        None => near_the_end(&text[start..end]),
    };
    Some(word | (length as u128) << LENGTH_SHIFT)
}

/// The bytes of a short word that nothing follows. Two reads that overlap take less than a copy of so many bytes.
fn near_the_end(word: &[u8]) -> u128 {
    if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        let last = u128::from(u64::from_le_bytes(*last)) << (8 * (word.len() - 8));
        return u128::from(u64::from_le_bytes(*first)) | last;
    }
    if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        let last = u64::from(u32::from_le_bytes(*last)) << (8 * (word.len() - 4));
        return u128::from(u64::from(u32::from_le_bytes(*first)) | last);
    }
    word.iter().rev().fold(0, |after, byte| after << 8 | u128::from(*byte))
}

/// What is left of a number that has so many bytes.
static MASKS: [u128; LONGEST + 1] = {
    let mut masks = [0; LONGEST + 1];
    let mut length = 1;
    while length <= LONGEST {
        masks[length] = masks[length - 1] << 8 | 0xff;
        length += 1;
    }
    masks
};

/// Knows short words by 64 bits each: half of what they are, so that a table of them is half as large.
///
/// By chance no two words have the same. Each table has bits of its own, so nobody can choose words that have.
#[derive(Default)]
pub struct Checks(RandomState);

impl Checks {
    /// What the word from `start` to `end` is known by, which is never 0; none where it is not short.
    #[inline]
    pub fn of(&self, text: &[u8], start: usize, end: usize) -> Option<u64> {
        key(text, start, end).map(|key| self.0.hash_one(key) | 1)
    }
}

/// The first eight bytes of a word as a number that sorts as they do: most words differ in them, and numbers are
/// compared at once.
pub fn beginning(word: &[u8]) -> u64 {
    match word.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => (near_the_end(word) as u64).swap_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nobody_knows_the_checks_of_another_table() {
        let check = |checks: Checks| checks.of(b"word", 0, 4);
        assert_ne!(check(Checks::default()), check(Checks::default()));
        assert_eq!(Checks::default().of(b"sixteen letters.", 0, 16), None);
    }

    proptest! {
        #[test]
        fn a_word_is_known_by_its_number(text in "[a-zA-Z0-9 ]{0,40}", start in 0_usize..40, length in 0_usize..20) {
            let start = start.min(text.len());
            let end = (start + length).min(text.len());
            let word = &text[start..end];
            let Some(key) = key(text.as_bytes(), start, end) else {
                prop_assert!(word.len() > LONGEST);
                return Ok(());
            };
            prop_assert_eq!(&key.to_le_bytes()[..word.len()], word.as_bytes());
            prop_assert_eq!(usize::from(key.to_le_bytes()[LONGEST]), word.len());
            prop_assert_eq!(Some(key), super::key(word.as_bytes(), 0, word.len()));
        }

        #[test]
        fn a_word_has_one_check_wherever_it_stands(before in "[ a-z]{0,20}", word in "[a-z]{1,15}", other in "[a-z]{1,15}") {
            let checks = Checks::default();
            let text = format!("{before}{word} and so on, and so on");
            let there = checks.of(text.as_bytes(), before.len(), before.len() + word.len());
            let alone = |word: &str| checks.of(word.as_bytes(), 0, word.len());
            prop_assert_eq!(there, alone(&word));
            prop_assert_eq!(alone(&word) == alone(&other), word == other);
        }

        #[test]
        fn beginnings_sort_as_words_do(one in "[a-cé]{0,12}", other in "[a-cé]{0,12}") {
            let (one, other) = (one.as_bytes(), other.as_bytes());
            let first = |word: &[u8]| word[..word.len().min(8)].to_vec();
            prop_assert_eq!(beginning(one).cmp(&beginning(other)), first(one).cmp(&first(other)));
        }
    }
}
