//! In-memory inverted index of a project's chunks, ranked by BM25.
//!
//! Chunks have document numbers in insertion order; a word maps to postings of these. A reindexed chunk gets a new
//! number, and the old one is marked as deleted.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

use forebay_store::bm25;
use forebay_store::bm25::CONTEXT_WEIGHT;
use forebay_store::top_k::TopK;

use super::super::counts::Sizes;
use super::super::lexemes::{Occurrence, ParsedLexeme, parse_lexeme, truncate};
use super::chunk::ChunkRow;

const K1: f32 = bm25::K1 as f32;
const B: f32 = bm25::B as f32;
const MIN_IDF: f32 = bm25::MIN_IDF as f32;
/// Every match scores above zero.
const MIN_SCORE: f32 = f32::MIN_POSITIVE;
/// Maximum number of words that one prefix expands to.
const MAX_PREFIX_WORDS: usize = 200;
/// Maximum number of postings: four bytes for each word of each chunk.
const MAX_POSTINGS: usize = 40_000_000;
/// Marks the number of a deleted chunk.
const DELETED: i64 = i64::MIN;

/// A query against the inverted index.
pub(in super::super) struct WordQuery {
    /// A chunk contains any of these words,
    pub(in super::super) any: Vec<String>,
    /// or a word with one of these prefixes,
    pub(in super::super) prefixes: Vec<String>,
    /// and all of these words.
    pub(in super::super) all: Vec<String>,
    /// Whether matches in the context of a chunk count, too.
    pub(in super::super) matches_context: bool,
}

#[derive(Debug, Default)]
pub(super) struct InvertedIndex {
    body: Field,
    /// The context of short chunks.
    context: Field,
    /// Chunk ids by document number.
    chunks: Vec<i64>,
    numbers: HashMap<i64, u32>,
}

/// Posting lists by word, and the lengths of the chunks.
#[derive(Debug, Default)]
struct Field {
    by_word: HashMap<Box<str>, Vec<PackedPosting>>,
    postings: usize,
    lengths: Vec<u32>,
    /// Number of chunks with words in this field, and of these words.
    count: usize,
    sum: u64,
}

/// A document number and a frequency class, packed into 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PackedPosting(u32);

impl PackedPosting {
    const FREQUENCIES: [Occurrence; 3] =
        [Occurrence::Present, Occurrence::Repeated, Occurrence::Frequent];

    fn new(number: u32, occurrence: Occurrence) -> Self {
        let frequency = Self::FREQUENCIES
            .iter()
            .position(|frequency| *frequency == occurrence)
            .unwrap_or_default();
        Self(number << 2 | frequency as u32)
    }

    fn number(self) -> usize {
        (self.0 >> 2) as usize
    }

    fn frequency(self) -> f32 {
        const FREQUENCIES: [f32; 4] = [
            Occurrence::Present.frequency() as f32,
            Occurrence::Repeated.frequency() as f32,
            Occurrence::Frequent.frequency() as f32,
            1.0,
        ];
        FREQUENCIES[(self.0 & 3) as usize]
    }
}

impl InvertedIndex {
    pub(super) fn contains(&self, chunk: i64) -> bool {
        self.numbers.contains_key(&chunk)
    }

    pub(super) fn is_too_large(&self) -> bool {
        self.body.postings + self.context.postings > MAX_POSTINGS
    }

    /// Returns whether most document numbers are deleted.
    pub(super) fn is_mostly_deleted(&self) -> bool {
        self.numbers.len() < self.chunks.len() / 2
    }

    /// Returns whether a chunk contains the word.
    pub(super) fn contains_word(&self, stem: &str) -> bool {
        self.body.by_word.contains_key(truncate(stem))
    }

    /// Returns how many chunks contain the word.
    pub(super) fn count(&self, stem: &str) -> usize {
        self.body.by_word.get(truncate(stem)).map_or(0, Vec::len)
    }

    pub(super) fn sizes(&self) -> Sizes {
        Sizes {
            chunks: self.numbers.len() as f64,
            average_length: self.body.average(self.numbers.len()).into(),
            chunks_with_context: self.context.count as f64,
            average_context_length: self.context.average(self.context.count).into(),
        }
    }

    /// Adds or replaces a chunk; `project` is the prefix of its lexemes.
    pub(super) fn add(&mut self, new: &ChunkRow<'_>, project: &str) {
        self.remove(new.id);
        let number = self.chunks.len() as u32;
        self.chunks.push(new.id);
        self.numbers.insert(new.id, number);
        self.body.push_length(new.length);
        self.context.push_length(new.around_length);
        for lexeme in new.words.lexemes() {
            let Some(ParsedLexeme { occurrence, stem }) = parse_lexeme(lexeme, project) else {
                continue;
            };
            let field =
                if occurrence == Occurrence::Context { &mut self.context } else { &mut self.body };
            field.add(stem, PackedPosting::new(number, occurrence));
        }
    }

    pub(super) fn remove(&mut self, chunk: i64) {
        let Some(number) = self.numbers.remove(&chunk) else { return };
        self.chunks[number as usize] = DELETED;
        self.body.remove(number as usize);
        self.context.remove(number as usize);
    }

    /// Retains only these chunks.
    pub(super) fn retain(&mut self, existing: &HashSet<i64>) {
        let gone: Vec<i64> =
            self.numbers.keys().filter(|chunk| !existing.contains(chunk)).copied().collect();
        for chunk in gone {
            self.remove(chunk);
        }
    }

    /// Releases spare capacity.
    pub(super) fn shrink_to_fit(&mut self) {
        for field in [&mut self.body, &mut self.context] {
            field.by_word.values_mut().for_each(Vec::shrink_to_fit);
        }
    }

    /// Returns the best chunks that `fits` accepts, best first.
    pub(super) fn best(
        &self,
        query: &WordQuery,
        limit: usize,
        fits: impl Fn(i64) -> bool,
    ) -> Vec<(i64, f32)> {
        let scores = self.scores(query);
        let mut best = TopK::new(limit.min(self.chunks.len()), MIN_SCORE);
        let fits = |chunk| Ok::<_, Infallible>(chunk != DELETED && fits(chunk));
        let Ok(()) = best.extend(&self.chunks, &scores, fits);
        best.into_sorted()
    }

    /// Scores each chunk; 0 for those that do not match.
    fn scores(&self, query: &WordQuery) -> Vec<f32> {
        let mut scores = vec![0.0; self.chunks.len()];
        let (chunks, contexts) = (self.numbers.len(), self.context.count);
        for stem in &query.any {
            self.body.add_to(&mut scores, self.body.list(stem), chunks, 1.0);
        }
        for prefix in &query.prefixes {
            self.body.add_to(&mut scores, &self.body.prefix_postings(prefix), chunks, 1.0);
        }
        if query.matches_context && contexts > 0 {
            let mut stems: Vec<&String> = query.any.iter().collect();
            stems.sort_unstable();
            stems.dedup();
            for stem in stems {
                let list = self.context.list(stem);
                self.context.add_to(&mut scores, list, contexts, CONTEXT_WEIGHT as f32);
            }
        }
        for stem in &query.all {
            zero_others(&mut scores, self.body.list(stem));
        }
        scores
    }
}

/// Zeroes the scores of chunks that are not in the list.
fn zero_others(scores: &mut [f32], list: &[PackedPosting]) {
    let mut has = vec![false; scores.len()];
    for posting in list {
        has[posting.number()] = true;
    }
    for (score, has) in scores.iter_mut().zip(has) {
        *score = if has { *score } else { 0.0 };
    }
}

impl Field {
    /// Appends the length of the next chunk.
    fn push_length(&mut self, length: i32) {
        self.lengths.push(length as u32);
        self.count += usize::from(length > 0);
        self.sum += u64::from(length as u32);
    }

    fn remove(&mut self, number: usize) {
        let length = std::mem::take(&mut self.lengths[number]);
        self.count -= usize::from(length > 0);
        self.sum -= u64::from(length);
    }

    fn average(&self, count: usize) -> f32 {
        (self.sum as f64 / (count.max(1)) as f64) as f32
    }

    fn add(&mut self, stem: &str, posting: PackedPosting) {
        let list = match self.by_word.get_mut(stem) {
            Some(list) => list,
            None => self.by_word.entry(stem.into()).or_default(),
        };
        match list.last_mut() {
            // A further lexeme of the same word; the highest frequency counts.
            Some(last) if last.number() == posting.number() => last.0 = last.0.max(posting.0),
            _ => {
                list.push(posting);
                self.postings += 1;
            }
        }
    }

    fn list(&self, stem: &str) -> &[PackedPosting] {
        self.by_word.get(truncate(stem)).map_or(&[], Vec::as_slice)
    }

    /// Returns the postings of all words with a prefix, each chunk once.
    fn prefix_postings(&self, prefix: &str) -> Vec<PackedPosting> {
        let words = self.by_word.iter().filter(|(word, _)| word.starts_with(prefix));
        let words = words.take(MAX_PREFIX_WORDS);
        let mut all: Vec<PackedPosting> = words.flat_map(|(_, list)| list).copied().collect();
        all.sort_unstable_by_key(|posting| std::cmp::Reverse(posting.0));
        all.dedup_by_key(|posting| posting.number());
        all
    }

    fn add_to(&self, scores: &mut [f32], list: &[PackedPosting], chunks: usize, weight: f32) {
        let (with, without) = (list.len() as f32, chunks.saturating_sub(list.len()) as f32);
        let idf = ((without + 0.5) / (with + 0.5)).max(1.0).ln().max(MIN_IDF);
        let per_word = K1 * B / self.average(chunks).max(1.0);
        let max_score = weight * idf * (K1 + 1.0);
        for posting in list {
            let (number, frequency) = (posting.number(), posting.frequency());
            let norm = K1 * (1.0 - B) + per_word * self.lengths[number] as f32;
            scores[number] += max_score * frequency / (frequency + norm);
        }
    }
}

#[cfg(test)]
mod tests {
    use ::postgres::types::{FromSql, Type};
    use forebay_store::document::DocumentId;

    use super::super::chunk::ChunkAttributes;
    use super::*;

    /// Encodes lexemes as the server sends them.
    fn raw(lexemes: &[&str]) -> Vec<u8> {
        let mut raw = (lexemes.len() as u32).to_be_bytes().to_vec();
        for lexeme in lexemes {
            raw.extend_from_slice(lexeme.as_bytes());
            raw.extend_from_slice(&[0, 0, 0]);
        }
        raw
    }

    fn add(words: &mut InvertedIndex, id: i64, lexemes: &[&str]) {
        let raw = raw(lexemes);
        let is_around = |lexeme: &&&str| lexeme.contains('~');
        let around_length = lexemes.iter().filter(is_around).count() as i32;
        let chunk = ChunkRow {
            id,
            length: lexemes.len() as i32 - around_length,
            around_length,
            attributes: ChunkAttributes { is_code: false, document: DocumentId::new(id, None) },
            words: FromSql::from_sql(&Type::TS_VECTOR, &raw).unwrap(),
            embedding: None,
        };
        words.add(&chunk, "7");
    }

    fn best(words: &InvertedIndex, any: &[&str], all: &[&str]) -> Vec<i64> {
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let query = WordQuery {
            any: list(any),
            prefixes: Vec::new(),
            all: list(all),
            matches_context: true,
        };
        words.best(&query, 10, |_| true).into_iter().map(|(chunk, _)| chunk).collect()
    }

    #[test]
    fn ranks_more_and_rarer_words_first() {
        let mut words = InvertedIndex::default();
        add(&mut words, 1, &["7:common", "7:filler"]);
        add(&mut words, 2, &["7:common", "7:rare"]);
        add(&mut words, 3, &["7*common", "7:common"]);
        add(&mut words, 4, &["7:filler", "7~rare"]);
        add(&mut words, 5, &["8:rare"]);
        add(&mut words, 6, &["7:filler", "7:other"]);
        assert_eq!(best(&words, &["rare", "common"], &[]), [2, 3, 1, 4]);
        assert_eq!(best(&words, &["rare", "common"], &["filler"]), [1, 4]);
        assert!(words.contains_word("rare") && !words.contains_word("never"));
    }

    #[test]
    fn a_prefix_matches_all_words_that_start_with_it() {
        let mut words = InvertedIndex::default();
        add(&mut words, 1, &["7:parser", "7:parse"]);
        add(&mut words, 2, &["7*parsed", "7:parsed"]);
        add(&mut words, 3, &["7:sparse"]);
        let query = WordQuery {
            any: Vec::new(),
            prefixes: vec!["pars".into()],
            all: Vec::new(),
            matches_context: false,
        };
        let found = words.best(&query, 10, |_| true);
        assert_eq!(found.iter().map(|(chunk, _)| *chunk).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn removed_and_replaced_words_no_longer_match() {
        let mut words = InvertedIndex::default();
        add(&mut words, 1, &["7:old"]);
        add(&mut words, 2, &["7:old", "7:more"]);
        add(&mut words, 1, &["7:new"]);
        assert_eq!(best(&words, &["old"], &[]), [2]);
        assert_eq!(best(&words, &["new"], &[]), [1]);
        add(&mut words, 3, &["7:other"]);
        assert!(!words.is_mostly_deleted());
        words.retain(&HashSet::from([1]));
        assert_eq!(best(&words, &["old"], &[]), [] as [i64; 0]);
        assert!((words.sizes().chunks - 1.0).abs() < 0.1);
        assert!((words.sizes().average_length - 1.0).abs() < 0.1);
        assert!(words.is_mostly_deleted());
    }
}
