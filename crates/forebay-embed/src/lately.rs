//! Words that were looked up lately: a few thousand of them make up most of any text.

use forebay_domain::text::short;

use crate::pieces;
use crate::words::Word;

/// Places for words; a word may stand in one of them only, in place of whichever stood there.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 14;
/// Words of more pieces are looked up each time.
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
    pub(crate) fn look_up(&mut self, word: &Word<'_>, rows: &mut Vec<u32>) {
        let Word::Short(key) = *word else {
            word.with_text(|text| pieces::of(text, rows));
            return;
        };
        let place = (short::spread(key) >> (u64::BITS - PLACE_BITS)) as usize;
        if self.words[place] == key {
            for row in self.rows[place] {
                if row == 0 {
                    break;
                }
                rows.push(row - 1);
            }
            return;
        }
        let before = rows.len();
        word.with_text(|text| pieces::of(text, rows));
        let found = &rows[before..];
        if found.len() <= MOST_ROWS {
            self.words[place] = key;
            self.rows[place] = std::array::from_fn(|at| found.get(at).map_or(0, |row| row + 1));
        }
    }
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
            let key = short::key(word.as_bytes(), 0, word.len());
            lately.look_up(&key.map_or(Word::Long(word), Word::Short), &mut own);
            pieces::of(word, &mut wanted);
            assert_eq!(own, wanted, "{word}");
        }
    }
}
