//! Runs of letters that were looked up lately: a few thousand of them make up most of any text.

use forebay_domain::text::short;
use forebay_domain::text::word_map::WordMap;

use crate::{pieces, words};

/// Places for runs; a run may stand in one of them only, in place of whichever stood there.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 16;
/// Runs of more pieces are looked up each time.
const MOST_ROWS: usize = (u128::BITS / u16::BITS) as usize;
/// Runs that are not short, but no longer than this, are remembered, too: so many, and then from the beginning.
const LONGEST: usize = 64;
const MOST_LONG: usize = 4_096;

pub(crate) struct Lately {
    known: Vec<Known>,
    long: WordMap<Packed>,
    /// Room for a word that has capitals.
    word: String,
}

/// The bytes of a short run and their number, 0 where there is none; and its rows.
///
/// A pair of numbers, so that the system hands out a table of zeros and nobody writes it.
type Known = [u128; 2];

/// Rows, counted from 1 and 16 bits each, the first lowest, 0 after the last.
type Packed = u128;

impl Lately {
    pub(crate) fn new() -> Self {
        Self { known: vec![[0; 2]; PLACES], long: WordMap::default(), word: String::new() }
    }

    /// Adds the rows of a run's pieces to `rows`.
    #[inline]
    pub(crate) fn look_up(&mut self, text: &str, start: usize, end: usize, rows: &mut Vec<u16>) {
        let Some(key) = short::key(text.as_bytes(), start, end) else {
            return self.look_up_long(&text[start..end], rows);
        };
        let place = (short::spread(key) >> (u64::BITS - PLACE_BITS)) as usize;
        let [run, packed] = self.known[place];
        if run != key {
            return self.learn(place, key, &text[start..end], rows);
        }
        unpack(packed, rows);
    }

    #[cold]
    fn learn(&mut self, place: usize, key: u128, run: &str, rows: &mut Vec<u16>) {
        if let Some(packed) = self.find(run, rows) {
            self.known[place] = [key, packed];
        }
    }

    fn look_up_long(&mut self, run: &str, rows: &mut Vec<u16>) {
        if let Some(packed) = self.long.get(run) {
            return unpack(*packed, rows);
        }
        let packed = self.find(run, rows);
        if let Some(packed) = packed.filter(|_| run.len() <= LONGEST) {
            if self.long.len() == MOST_LONG {
                self.long.clear();
            }
            self.long.insert(run.into(), packed);
        }
    }

    /// Adds the rows of a run that was not looked up lately; gives them packed unless they are too many.
    fn find(&mut self, run: &str, rows: &mut Vec<u16>) -> Option<Packed> {
        let before = rows.len();
        rows_of(run, &mut self.word, rows);
        pack(&rows[before..])
    }
}

fn pack(rows: &[u16]) -> Option<Packed> {
    let before = |later: Packed, row: &u16| later << u16::BITS | Packed::from(row + 1);
    (rows.len() <= MOST_ROWS).then(|| rows.iter().rev().fold(0, before))
}

#[inline]
fn unpack(mut packed: Packed, rows: &mut Vec<u16>) {
    while packed > 0 {
        rows.push(packed as u16 - 1);
        packed >>= u16::BITS;
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
        let runs: Vec<String> =
            (0..30_000).flat_map(|n| [format!("w{n}"), format!("aWordOfManyLetters{n}")]).collect();
        let long = "unbelievably".repeat(20);
        let few = [
            "parser",
            "",
            "antidisestablishmentarianism",
            "parser",
            "日本語",
            "xqzjkWqXzJkQ",
            &long,
        ];
        for run in few.into_iter().chain(runs.iter().map(String::as_str)).chain(few) {
            let (mut own, mut wanted) = (vec![7], vec![7]);
            lately.look_up(run, 0, run.len(), &mut own);
            rows_of(run, &mut String::new(), &mut wanted);
            assert_eq!(own, wanted, "{run}");
        }
    }
}
