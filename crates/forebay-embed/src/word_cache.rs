//! Cache of tokenized words: a few thousand distinct words make up most of any text.
//!
//! Words of at most 15 bytes go to a direct-mapped table, where a lookup is one load and a collision evicts the
//! previous word. It is written by hand because it decides how fast text is indexed: `cargo xtask bench --only index`.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use forebay_text::packed_word::WordHashes;

use crate::{pretokenize, wordpiece};

const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 16;
/// Short words with more tokens are not cached.
const MAX_PACKED_ROWS: usize = (PackedRows::BITS / u16::BITS) as usize;
/// Longer words are not cached.
const MAX_LONG_WORD_BYTES: usize = 64;
/// The map of long words is cleared when it reaches this size.
const MAX_LONG_WORDS: usize = 4_096;

pub(crate) struct WordCache {
    short: Vec<Slot>,
    hasher: WordHashes,
    long: HashMap<Box<str>, Box<[u16]>, RandomState>,
    /// Buffer for a word in lower case.
    word: String,
}

/// The hash of a short word, 0 if the slot is empty, and its rows.
///
/// An array of integers, so that `vec![[0; 2]; SLOTS]` is zeroed lazily by the operating system.
type Slot = [u64; 2];

/// Rows plus 1, 16 bits each, the first in the lowest bits, terminated by 0.
type PackedRows = u64;

impl WordCache {
    pub(crate) fn new() -> Self {
        let short = vec![[0; 2]; SLOTS];
        Self { short, hasher: WordHashes::default(), long: HashMap::default(), word: String::new() }
    }

    /// Appends the rows of the tokens of `text[start..end]` to `rows`.
    #[inline]
    pub(crate) fn look_up(&mut self, text: &str, start: usize, end: usize, rows: &mut Vec<u16>) {
        let Some(hash) = self.hasher.hash(text.as_bytes(), start, end) else {
            return self.look_up_long(&text[start..end], rows);
        };
        let slot = (hash >> (u64::BITS - SLOT_BITS)) as usize;
        let [cached, packed] = self.short[slot];
        if cached != hash {
            return self.insert(slot, hash, &text[start..end], rows);
        }
        unpack(packed, rows);
    }

    #[cold]
    fn insert(&mut self, slot: usize, hash: u64, word: &str, rows: &mut Vec<u16>) {
        if let Some(packed) = pack(tokenize(word, &mut self.word, rows)) {
            self.short[slot] = [hash, packed];
        }
    }

    fn look_up_long(&mut self, word: &str, rows: &mut Vec<u16>) {
        if let Some(cached) = self.long.get(word) {
            return rows.extend_from_slice(cached);
        }
        let added = tokenize(word, &mut self.word, rows);
        if word.len() <= MAX_LONG_WORD_BYTES {
            if self.long.len() == MAX_LONG_WORDS {
                self.long.clear();
            }
            self.long.insert(word.into(), added.into());
        }
    }
}

fn pack(rows: &[u16]) -> Option<PackedRows> {
    let prepend = |later: PackedRows, row: &u16| later << u16::BITS | PackedRows::from(row + 1);
    (rows.len() <= MAX_PACKED_ROWS).then(|| rows.iter().rev().fold(0, prepend))
}

#[inline]
fn unpack(mut packed: PackedRows, rows: &mut Vec<u16>) {
    while packed > 0 {
        rows.push(packed as u16 - 1);
        packed >>= u16::BITS;
    }
}

/// Appends the rows of the tokens of a word and its subwords; returns the appended rows.
#[cold]
fn tokenize<'a>(word: &str, buffer: &mut String, rows: &'a mut Vec<u16>) -> &'a [u16] {
    let before = rows.len();
    pretokenize::for_each_subword(word, buffer, |subword| wordpiece::tokenize(subword, rows));
    &rows[before..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_the_same_rows_on_hit_and_miss() {
        let mut cache = WordCache::new();
        let words: Vec<String> =
            (0..30_000).flat_map(|n| [format!("w{n}"), format!("aWordOfManyLetters{n}")]).collect();
        let long = "unbelievably".repeat(20);
        let repeated = [
            "parser",
            "",
            "antidisestablishmentarianism",
            "parser",
            "日本語",
            "xqzjkWqXzJkQ",
            &long,
        ];
        for word in repeated.into_iter().chain(words.iter().map(String::as_str)).chain(repeated) {
            let (mut actual, mut expected) = (vec![7], vec![7]);
            cache.look_up(word, 0, word.len(), &mut actual);
            tokenize(word, &mut String::new(), &mut expected);
            assert_eq!(actual, expected, "{word}");
        }
    }
}
