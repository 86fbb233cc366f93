//! Runs of letters that were looked up lately: a few thousand of them make up most of any text.

use forebay_domain::text::short;

use crate::{pieces, words};

/// Places for runs; a run may stand in one of them only, in place of whichever stood there.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 15;
/// Runs of more pieces are looked up each time.
const MOST_ROWS: usize = (u128::BITS / u16::BITS) as usize;

pub(crate) struct Lately {
    known: Vec<Known>,
    /// Room for a word that has capitals.
    word: String,
}

/// The bytes of a run and their number, 0 where there is none; and its rows, counted from 1 and 16 bits each, the
/// first lowest, 0 after the last.
///
/// A pair of numbers, so that the system hands out a table of zeros and nobody writes it.
type Known = [u128; 2];

impl Lately {
    pub(crate) fn new() -> Self {
        Self { known: vec![[0; 2]; PLACES], word: String::new() }
    }

    /// Adds the rows of a run's pieces to `rows`.
    #[inline]
    pub(crate) fn look_up(&mut self, text: &str, start: usize, end: usize, rows: &mut Vec<u16>) {
        let Some(key) = short::key(text.as_bytes(), start, end) else {
            return rows_of(&text[start..end], &mut self.word, rows);
        };
        let place = (short::spread(key) >> (u64::BITS - PLACE_BITS)) as usize;
        let [run, mut left] = self.known[place];
        if run != key {
            return self.learn(place, key, &text[start..end], rows);
        }
        while left > 0 {
            rows.push(left as u16 - 1);
            left >>= u16::BITS;
        }
    }

    #[cold]
    fn learn(&mut self, place: usize, key: u128, run: &str, rows: &mut Vec<u16>) {
        let before = rows.len();
        rows_of(run, &mut self.word, rows);
        let found = &rows[before..];
        if found.len() <= MOST_ROWS {
            let packed = |later: u128, row: &u16| later << u16::BITS | u128::from(row + 1);
            self.known[place] = [key, found.iter().rev().fold(0, packed)];
        }
    }
}

/// Adds the rows of the pieces of all words in a run.
#[cold]
fn rows_of(run: &str, word: &mut String, rows: &mut Vec<u16>) {
    words::each(run, word, |word| pieces::of(word, rows));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_the_same_rows_however_often_it_is_looked_up() {
        let mut lately = Lately::new();
        let runs: Vec<String> = (0..30_000).map(|number| format!("w{number}")).collect();
        let few =
            ["parser", "", "antidisestablishmentarianism", "parser", "日本語", "xqzjkWqXzJkQ"];
        for run in few.into_iter().chain(runs.iter().map(String::as_str)).chain(few) {
            let (mut own, mut wanted) = (vec![7], vec![7]);
            lately.look_up(run, 0, run.len(), &mut own);
            rows_of(run, &mut String::new(), &mut wanted);
            assert_eq!(own, wanted, "{run}");
        }
    }
}
