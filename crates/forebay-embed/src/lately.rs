//! Words that were looked up lately: a few thousand of them make up most of any text.

use crate::pieces;

/// Places for words; a word may stand in one of them only, in place of whichever stood there.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 14;
/// Longer words, and those of more pieces, are looked up each time.
const LONGEST: usize = 15;
const MOST_ROWS: usize = 4;

pub(crate) struct Lately {
    /// The bytes of a word and their number; 0 where there is none.
    words: Vec<u128>,
    /// Its rows, counted from 1; 0 after the last.
    rows: Vec<[u32; MOST_ROWS]>,
}

impl Lately {
    pub(crate) fn new() -> Self {
        Self { words: vec![0; PLACES], rows: vec![[0; MOST_ROWS]; PLACES] }
    }

    /// Adds the rows of a word's pieces to `rows`.
    pub(crate) fn look_up(&mut self, word: &str, rows: &mut Vec<u32>) {
        let Some(key) = key(word) else {
            pieces::of(word, rows);
            return;
        };
        let place = place(key);
        if self.words[place] == key {
            let known = self.rows[place].iter().take_while(|row| **row > 0);
            rows.extend(known.map(|row| row - 1));
            return;
        }
        let before = rows.len();
        pieces::of(word, rows);
        let found = &rows[before..];
        if found.len() <= MOST_ROWS {
            self.words[place] = key;
            self.rows[place] = std::array::from_fn(|at| found.get(at).map_or(0, |row| row + 1));
        }
    }
}

/// A short word as a number.
fn key(word: &str) -> Option<u128> {
    let mut bytes = [0; LONGEST + 1];
    bytes
        .get_mut(..word.len())
        .filter(|own| own.len() <= LONGEST)?
        .copy_from_slice(word.as_bytes());
    bytes[LONGEST] = word.len() as u8;
    Some(u128::from_le_bytes(bytes))
}

fn place(key: u128) -> usize {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let folded = (key as u64).wrapping_mul(SPREAD) ^ (key >> 64) as u64;
    (folded.wrapping_mul(SPREAD) >> (64 - PLACE_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_the_same_rows_however_often_it_is_looked_up() {
        let mut lately = Lately::new();
        let words: Vec<String> = (0..30_000).map(|number| format!("w{number}")).collect();
        let few = ["parser", "", "antidisestablishmentarianism", "parser", "日本語", "xqzjk"];
        for word in few.into_iter().chain(words.iter().map(String::as_str)).chain(few) {
            let (mut own, mut wanted) = (vec![7], vec![7]);
            lately.look_up(word, &mut own);
            pieces::of(word, &mut wanted);
            assert_eq!(own, wanted, "{word}");
        }
    }
}
