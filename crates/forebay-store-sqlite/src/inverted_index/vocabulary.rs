//! The vocabulary: words as they are spelled, for typo correction and substring search.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashMap;
use forebay_store::SimilarWord;
use forebay_store::vocabulary::{MAX_SIMILAR, WORD_LENGTHS};
use forebay_text::packed_word::prefix_key;
use forebay_text::spelling;
use memchr::memmem;
use rusqlite::Connection;

use super::segment::SegmentCache;
use super::string_arena::StringArena;
use super::term_query::LiveIndex;
use super::{Field, varint};

/// Chunks are counted up to this number per word.
const MAX_COUNTED_CHUNKS: usize = 1_000;

/// Encodes words sorted and front-coded.
pub(super) fn encode(words: &StringArena) -> Vec<u8> {
    let mut words: Vec<(u64, &str)> =
        words.iter().map(|word| (prefix_key(word.as_bytes()), word)).collect();
    words.sort_unstable();
    words.dedup();
    let mut bytes = Vec::with_capacity(words.len() * 6);
    let mut last = "";
    for (_, word) in words {
        let shared = last.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count();
        varint::write(&mut bytes, shared as u64);
        varint::write_slice(&mut bytes, &word.as_bytes()[shared..]);
        last = word;
    }
    bytes
}

fn each_decoded(mut bytes: &[u8], mut visit: impl FnMut(&str)) {
    let mut word = Vec::new();
    while let (Some(shared), Some(rest)) =
        (varint::read(&mut bytes), varint::read_slice(&mut bytes))
    {
        word.truncate(shared as usize);
        word.extend_from_slice(rest);
        if let Ok(word) = str::from_utf8(&word) {
            visit(word);
        }
    }
}

/// Reads the words of some segments.
pub(super) fn read_all(connection: &Connection, ids: &[i64]) -> rusqlite::Result<StringArena> {
    let mut words = StringArena::default();
    let mut statement =
        connection.prepare_cached("SELECT vocabulary FROM word_segment WHERE id = ?1")?;
    for id in ids {
        statement.query_row([id], |row| {
            each_decoded(row.get_ref(0)?.as_blob()?, |word| words.push(word));
            Ok(())
        })?;
    }
    Ok(words)
}

/// Cached words of each segment.
#[derive(Debug, Default)]
pub(in super::super) struct Vocabulary {
    segments: Mutex<HashMap<i64, Arc<SegmentWords>>>,
}

impl Vocabulary {
    fn load(&self, connection: &Connection) -> rusqlite::Result<Vec<Arc<SegmentWords>>> {
        let ids: Vec<i64> = connection
            .prepare_cached("SELECT id FROM word_segment WHERE side = 0 ORDER BY id")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let mut segments = self.segments.lock().unwrap_or_else(PoisonError::into_inner);
        segments.retain(|id, _| ids.binary_search(id).is_ok());
        let mut all = Vec::with_capacity(ids.len());
        for id in ids {
            let words = match segments.get(&id) {
                Some(words) => Arc::clone(words),
                None => Arc::new(SegmentWords::read(connection, id)?),
            };
            segments.insert(id, Arc::clone(&words));
            all.push(words);
        }
        Ok(all)
    }
}

/// Sorted words, one per line.
#[derive(Debug, Default)]
struct SegmentWords {
    text: String,
    starts: Vec<u32>,
}

impl SegmentWords {
    fn read(connection: &Connection, segment: i64) -> rusqlite::Result<Self> {
        connection.prepare_cached("SELECT vocabulary FROM word_segment WHERE id = ?1")?.query_row(
            [segment],
            |row| {
                let mut words = Self::default();
                each_decoded(row.get_ref(0)?.as_blob()?, |word| {
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

    /// Returns the words that contain a substring.
    fn containing<'a>(&'a self, substring: &'a str) -> impl Iterator<Item = &'a str> {
        let hits = memmem::find_iter(self.text.as_bytes(), substring.as_bytes());
        hits.map(|at| {
            self.word(self.starts.partition_point(|start| *start as usize <= at).saturating_sub(1))
        })
    }

    /// Returns the range of words with this first letter.
    fn starting_with(&self, initial: char) -> Range<usize> {
        let numbers = 0..self.starts.len();
        let first = |number: usize| self.word(number).chars().next();
        let start = partition_point(numbers.clone(), |number| first(number) < Some(initial));
        start..partition_point(start..numbers.end, |number| first(number) <= Some(initial))
    }
}

/// Returns the first number for which the predicate is false.
fn partition_point(numbers: Range<usize>, predicate: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (numbers.start, numbers.end);
    while low < high {
        let middle = usize::midpoint(low, high);
        if predicate(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Returns words of the store similar to one it does not contain, best first.
pub(in super::super) fn similar_words(
    connection: &Connection,
    (segments, vocabulary): (&SegmentCache, &Vocabulary),
    word: &str,
) -> rusqlite::Result<Vec<SimilarWord>> {
    if !WORD_LENGTHS.contains(&word.chars().count()) {
        return Ok(Vec::new());
    }
    let words = vocabulary.load(connection)?;
    let mut found = containing(&words, word);
    if found.is_empty() {
        found = similar_spellings(&words, word);
    }
    let live = LiveIndex::load(connection, segments, Field::Text)?;
    let mut similar_words = Vec::new();
    for (edits, word) in found {
        let chunks = live.count(connection, &word, MAX_COUNTED_CHUNKS)? as u64;
        // Words of deleted chunks stay in the vocabulary until a merge.
        if chunks > 0 {
            similar_words.push(SimilarWord { word, edits, chunks });
        }
    }
    similar_words.sort_by(|a, b| (a.edits, b.chunks, &a.word).cmp(&(b.edits, a.chunks, &b.word)));
    Ok(similar_words)
}

/// Returns the shortest words that contain a substring.
fn containing(words: &[Arc<SegmentWords>], substring: &str) -> Vec<(usize, String)> {
    if substring.contains('\n') {
        return Vec::new();
    }
    let mut found: Vec<&str> = words.iter().flat_map(|words| words.containing(substring)).collect();
    found.sort_unstable_by_key(|word| (word.chars().count(), *word));
    found.dedup();
    found.into_iter().take(MAX_SIMILAR).map(|word| (0, word.to_owned())).collect()
}

/// Returns the words within typo distance, closest first.
fn similar_spellings(words: &[Arc<SegmentWords>], word: &str) -> Vec<(usize, String)> {
    let max_edits = spelling::max_edits(word);
    if max_edits == 0 {
        return Vec::new();
    }
    // Most typos keep the first letter or move it to the second position.
    let same_initial = |words: &'_ Arc<SegmentWords>| -> Vec<(usize, String)> {
        let ranges = word.chars().take(2).map(|initial| words.starting_with(initial));
        ranges.flat_map(|range| within_distance(words, range, word, max_edits)).collect()
    };
    let mut found: Vec<(usize, String)> = words.iter().flat_map(same_initial).collect();
    if found.is_empty() {
        let any_initial = |words: &Arc<SegmentWords>| {
            within_distance(words, 0..words.starts.len(), word, max_edits)
        };
        found = words.iter().flat_map(any_initial).collect();
    }
    found.sort();
    found.dedup();
    found.truncate(MAX_SIMILAR);
    found
}

fn within_distance(
    words: &SegmentWords,
    range: Range<usize>,
    word: &str,
    max_edits: usize,
) -> Vec<(usize, String)> {
    let letters = word.chars().count();
    let matches = range.map(|number| words.word(number)).filter_map(|known| {
        let length = if known.is_ascii() { known.len() } else { known.chars().count() };
        let may_fit = length.abs_diff(letters) <= max_edits;
        let edits = may_fit.then(|| spelling::edit_distance(word, known, max_edits)).flatten()?;
        Some((edits, known.to_owned()))
    });
    matches.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn decodes_words_in_order(words in prop::collection::vec("[a-zäöü]{1,6}", 0..40)) {
            let mut arena = StringArena::default();
            for word in &words {
                arena.push(word);
            }
            let mut decoded = Vec::new();
            each_decoded(&encode(&arena), |word| decoded.push(word.to_owned()));
            let mut expect = words;
            expect.sort();
            expect.dedup();
            prop_assert_eq!(decoded, expect);
        }

        #[test]
        fn any_bytes_are_decoded_without_panic(bytes in any::<Vec<u8>>()) {
            each_decoded(&bytes, |_| {});
        }
    }
}
