//! Short words packed into integers, for fast comparison and lookup: `cargo xtask bench --only index`.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

/// Length of the longest word that can be packed.
pub const MAX_BYTES: usize = 15;
const LENGTH_SHIFT: u32 = 8 * MAX_BYTES as u32;

/// Packs the bytes from `start` to `end`; None if there are more than [`MAX_BYTES`].
#[inline]
pub fn pack(text: &[u8], start: usize, end: usize) -> Option<u128> {
    let length = end - start;
    if length > MAX_BYTES {
        return None;
    }
    let word = match text[start..].first_chunk() {
        Some(window) => u128::from_le_bytes(*window) & MASKS[length],
        None => pack_at_end(&text[start..end]),
    };
    Some(word | (length as u128) << LENGTH_SHIFT)
}

/// Packs a word near the end of the text, where a full-width read would overrun. Two overlapping reads are cheaper than
/// a copy of variable length.
fn pack_at_end(word: &[u8]) -> u128 {
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

/// Masks that keep the lowest N bytes.
static MASKS: [u128; MAX_BYTES + 1] = {
    let mut masks = [0; MAX_BYTES + 1];
    let mut length = 1;
    while length <= MAX_BYTES {
        masks[length] = masks[length - 1] << 8 | 0xff;
        length += 1;
    }
    masks
};

/// Identifies packed words by 64-bit hashes, half their size, so that a table of them is half as large.
///
/// Collisions are improbable; each instance has a random seed, so input cannot be chosen to collide.
#[derive(Default)]
pub struct WordHashes(RandomState);

impl WordHashes {
    /// The hash of the word from `start` to `end`, never 0; None if it is too long to pack.
    #[inline]
    pub fn hash(&self, text: &[u8], start: usize, end: usize) -> Option<u64> {
        pack(text, start, end).map(|key| self.0.hash_one(key) | 1)
    }
}

/// The first eight bytes as an integer that sorts like them; most comparisons of words end there.
pub fn prefix_key(word: &[u8]) -> u64 {
    match word.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => (pack_at_end(word) as u64).swap_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hashes_differ_between_instances() {
        let check = |hashes: WordHashes| hashes.hash(b"word", 0, 4);
        assert_ne!(check(WordHashes::default()), check(WordHashes::default()));
        assert_eq!(WordHashes::default().hash(b"sixteen letters.", 0, 16), None);
    }

    proptest! {
        #[test]
        fn packing_keeps_bytes_and_length(text in "[a-zA-Z0-9 ]{0,40}", start in 0_usize..40, length in 0_usize..20) {
            let start = start.min(text.len());
            let end = (start + length).min(text.len());
            let word = &text[start..end];
            let Some(key) = pack(text.as_bytes(), start, end) else {
                prop_assert!(word.len() > MAX_BYTES);
                return Ok(());
            };
            prop_assert_eq!(&key.to_le_bytes()[..word.len()], word.as_bytes());
            prop_assert_eq!(usize::from(key.to_le_bytes()[MAX_BYTES]), word.len());
            prop_assert_eq!(Some(key), pack(word.as_bytes(), 0, word.len()));
        }

        #[test]
        fn hash_does_not_depend_on_position(before in "[ a-z]{0,20}", word in "[a-z]{1,15}", other in "[a-z]{1,15}") {
            let hashes = WordHashes::default();
            let text = format!("{before}{word} and so on, and so on");
            let there = hashes.hash(text.as_bytes(), before.len(), before.len() + word.len());
            let alone = |word: &str| hashes.hash(word.as_bytes(), 0, word.len());
            prop_assert_eq!(there, alone(&word));
            prop_assert_eq!(alone(&word) == alone(&other), word == other);
        }

        #[test]
        fn prefix_keys_sort_like_words(one in "[a-cé]{0,12}", other in "[a-cé]{0,12}") {
            let (one, other) = (one.as_bytes(), other.as_bytes());
            let first = |word: &[u8]| word[..word.len().min(8)].to_vec();
            prop_assert_eq!(prefix_key(one).cmp(&prefix_key(other)), first(one).cmp(&first(other)));
        }
    }
}
