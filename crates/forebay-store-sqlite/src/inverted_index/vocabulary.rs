//! The words of a store, as they are written: what a slip is corrected to and a part is a part of.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use forebay_store::SimilarWord;
use forebay_store::vocabulary::{MAX_SIMILAR, WORD_LENGTHS};
use forebay_text::packed_word::prefix_key;
use forebay_text::spelling;
use memchr::memmem;
use rusqlite::Connection;

use super::names::Names;
use super::rank::Present;
use super::segment::Segments;
use super::{Side, varint};

/// Passages counted for each of them.
const COUNTED: usize = 1_000;

/// Words as a segment keeps them: in order, each by what it does not share with the one before it.
pub(super) fn packed(words: &Names) -> Vec<u8> {
    let mut words: Vec<(u64, &str)> =
        words.iter().map(|word| (prefix_key(word.as_bytes()), word)).collect();
    words.sort_unstable();
    words.dedup();
    let mut bytes = Vec::with_capacity(words.len() * 6);
    let mut last = "";
    for (_, word) in words {
        let shared = last.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count();
        varint::put(&mut bytes, shared as u64);
        varint::put_slice(&mut bytes, &word.as_bytes()[shared..]);
        last = word;
    }
    bytes
}

fn each_unpacked(mut bytes: &[u8], mut take: impl FnMut(&str)) {
    let mut word = Vec::new();
    while let (Some(shared), Some(rest)) =
        (varint::take(&mut bytes), varint::take_slice(&mut bytes))
    {
        word.truncate(shared as usize);
        word.extend_from_slice(rest);
        if let Ok(word) = str::from_utf8(&word) {
            take(word);
        }
    }
}

/// The words of some segments.
pub(super) fn of_segments(connection: &Connection, ids: &[i64]) -> rusqlite::Result<Names> {
    let mut words = Names::default();
    let mut statement =
        connection.prepare_cached("SELECT vocabulary FROM word_segment WHERE id = ?1")?;
    for id in ids {
        statement.query_row([id], |row| {
            each_unpacked(row.get_ref(0)?.as_blob()?, |word| words.push(word));
            Ok(())
        })?;
    }
    Ok(words)
}

/// The words of each segment, once they were asked for.
#[derive(Debug, Default)]
pub(in super::super) struct Vocabulary {
    known: Mutex<HashMap<i64, Arc<Words>>>,
}

impl Vocabulary {
    fn of(&self, connection: &Connection) -> rusqlite::Result<Vec<Arc<Words>>> {
        let ids: Vec<i64> = connection
            .prepare_cached("SELECT id FROM word_segment WHERE side = 0 ORDER BY id")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|id, _| ids.binary_search(id).is_ok());
        let mut all = Vec::with_capacity(ids.len());
        for id in ids {
            let words = match known.get(&id) {
                Some(words) => Arc::clone(words),
                None => Arc::new(Words::read(connection, id)?),
            };
            known.insert(id, Arc::clone(&words));
            all.push(words);
        }
        Ok(all)
    }
}

/// Words in order, a line each.
#[derive(Debug, Default)]
struct Words {
    text: String,
    starts: Vec<u32>,
}

impl Words {
    fn read(connection: &Connection, segment: i64) -> rusqlite::Result<Self> {
        connection.prepare_cached("SELECT vocabulary FROM word_segment WHERE id = ?1")?.query_row(
            [segment],
            |row| {
                let mut words = Self::default();
                each_unpacked(row.get_ref(0)?.as_blob()?, |word| {
                    words.starts.push(words.text.len() as u32);
                    words.text.push_str(word);
                    words.text.push('\n');
                });
                Ok(words)
            },
        )
    }

    fn word(&self, number: usize) -> &str {
        let start = self.starts[number] as usize;
        let end = self.starts.get(number + 1).map_or(self.text.len(), |next| *next as usize);
        self.text[start..end].trim_end_matches('\n')
    }

    /// Words that have this one in them.
    fn containing<'a>(&'a self, part: &'a str) -> impl Iterator<Item = &'a str> {
        let hits = memmem::find_iter(self.text.as_bytes(), part.as_bytes());
        hits.map(|at| {
            self.word(self.starts.partition_point(|start| *start as usize <= at).saturating_sub(1))
        })
    }

    /// Those that begin with a letter.
    fn beginning(&self, initial: char) -> Range<usize> {
        let numbers = 0..self.starts.len();
        let first = |number: usize| self.word(number).chars().next();
        let start = partition(numbers.clone(), |number| first(number) < Some(initial));
        start..partition(start..numbers.end, |number| first(number) <= Some(initial))
    }
}

/// The first number for which `holds` does not.
fn partition(numbers: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (numbers.start, numbers.end);
    while low < high {
        let middle = usize::midpoint(low, high);
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Words that may be meant by one that the store does not have, best first.
pub(in super::super) fn similar(
    connection: &Connection,
    (segments, vocabulary): (&Segments, &Vocabulary),
    word: &str,
) -> rusqlite::Result<Vec<SimilarWord>> {
    if !WORD_LENGTHS.contains(&word.chars().count()) {
        return Ok(Vec::new());
    }
    let words = vocabulary.of(connection)?;
    let mut found = containing(&words, word);
    if found.is_empty() {
        found = misspelt(&words, word);
    }
    let present = Present::of(connection, segments, Side::Own)?;
    let mut similar = Vec::new();
    for (slips, word) in found {
        let passages = present.count(connection, &word, COUNTED)? as u64;
        // The word of a passage that is gone leads nowhere.
        if passages > 0 {
            similar.push(SimilarWord { word, slips, passages });
        }
    }
    similar.sort_by(|a, b| (a.slips, b.passages, &a.word).cmp(&(b.slips, a.passages, &b.word)));
    Ok(similar)
}

/// Words that have this one in them, the shortest of them.
fn containing(words: &[Arc<Words>], part: &str) -> Vec<(usize, String)> {
    if part.contains('\n') {
        return Vec::new();
    }
    let mut found: Vec<&str> = words.iter().flat_map(|words| words.containing(part)).collect();
    found.sort_unstable_by_key(|word| (word.chars().count(), *word));
    found.dedup();
    found.into_iter().take(MAX_SIMILAR).map(|word| (0, word.to_owned())).collect()
}

/// Words that this one may be a slip for, those with the fewest slips.
fn misspelt(words: &[Arc<Words>], word: &str) -> Vec<(usize, String)> {
    let most = spelling::max_edits(word);
    if most == 0 {
        return Vec::new();
    }
    // Most slips leave the first letter where it was, or put it second.
    let near = |words: &'_ Arc<Words>| -> Vec<(usize, String)> {
        let ranges = word.chars().take(2).map(|initial| words.beginning(initial));
        ranges.flat_map(|range| slipped(words, range, word, most)).collect()
    };
    let mut found: Vec<(usize, String)> = words.iter().flat_map(near).collect();
    if found.is_empty() {
        let anywhere = |words: &Arc<Words>| slipped(words, 0..words.starts.len(), word, most);
        found = words.iter().flat_map(anywhere).collect();
    }
    found.sort();
    found.dedup();
    found.truncate(MAX_SIMILAR);
    found
}

fn slipped(words: &Words, range: Range<usize>, word: &str, most: usize) -> Vec<(usize, String)> {
    let letters = word.chars().count();
    let near = range.map(|number| words.word(number)).filter_map(|known| {
        let length = if known.is_ascii() { known.len() } else { known.chars().count() };
        let may_fit = length.abs_diff(letters) <= most;
        let slips = may_fit.then(|| spelling::edit_distance(word, known, most)).flatten()?;
        Some((slips, known.to_owned()))
    });
    near.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_are_unpacked_in_order(words in prop::collection::vec("[a-zäöü]{1,6}", 0..40)) {
            let mut names = Names::default();
            for word in &words {
                names.push(word);
            }
            let mut unpacked = Vec::new();
            each_unpacked(&packed(&names), |word| unpacked.push(word.to_owned()));
            let mut expect = words;
            expect.sort();
            expect.dedup();
            prop_assert_eq!(unpacked, expect);
        }

        #[test]
        fn any_bytes_are_unpacked_without_harm(bytes in any::<Vec<u8>>()) {
            each_unpacked(&bytes, |_| {});
        }
    }
}
