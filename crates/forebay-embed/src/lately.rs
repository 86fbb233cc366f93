//! Runs of letters that were looked up lately: a few thousand of them make up most of any text.

use forebay_text::packed_word::WordHashes;
use forebay_text::word_map::WordMap;

use crate::{pieces, words};

/// Places for short runs; a run may stand in one of them only, in place of whichever stood there.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 16;
/// Short runs of more pieces are looked up each time.
const MOST_ROWS: usize = (Packed::BITS / u16::BITS) as usize;
/// Runs that are not short, but no longer than this, are remembered, too: so many, and then from the beginning.
const LONGEST: usize = 64;
const MOST_LONG: usize = 4_096;

pub(crate) struct Lately {
    short: Vec<Known>,
    checks: WordHashes,
    long: WordMap<Box<[u16]>>,
    /// Room for a word that has capitals.
    word: String,
}

/// The check of a short run, 0 where there is none; and its rows.
///
/// A pair of numbers, so that the system hands out a table of zeros and nobody writes it.
type Known = [u64; 2];

/// Rows, counted from 1 and 16 bits each, the first lowest, 0 after the last.
type Packed = u64;

impl Lately {
    pub(crate) fn new() -> Self {
        let short = vec![[0; 2]; PLACES];
        Self { short, checks: WordHashes::default(), long: WordMap::default(), word: String::new() }
    }

    /// Adds the rows of a run's pieces to `rows`.
    #[inline]
    pub(crate) fn look_up(&mut self, text: &str, start: usize, end: usize, rows: &mut Vec<u16>) {
        let Some(check) = self.checks.hash(text.as_bytes(), start, end) else {
            return self.look_up_long(&text[start..end], rows);
        };
        let place = (check >> (u64::BITS - PLACE_BITS)) as usize;
        let [known, packed] = self.short[place];
        if known != check {
            return self.learn(place, check, &text[start..end], rows);
        }
        unpack(packed, rows);
    }

    #[cold]
    fn learn(&mut self, place: usize, check: u64, run: &str, rows: &mut Vec<u16>) {
        if let Some(packed) = pack(rows_of(run, &mut self.word, rows)) {
            self.short[place] = [check, packed];
        }
    }

    fn look_up_long(&mut self, run: &str, rows: &mut Vec<u16>) {
        if let Some(known) = self.long.get(run) {
            return rows.extend_from_slice(known);
        }
        let found = rows_of(run, &mut self.word, rows);
        if run.len() <= LONGEST {
            if self.long.len() == MOST_LONG {
                self.long.clear();
            }
            self.long.insert(run.into(), found.into());
        }
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

/// Adds the rows of the pieces of all words in a run; gives those that were added.
#[cold]
fn rows_of<'a>(run: &str, word: &mut String, rows: &'a mut Vec<u16>) -> &'a [u16] {
    let before = rows.len();
    words::each(run, word, |word| pieces::of(word, rows));
    &rows[before..]
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
