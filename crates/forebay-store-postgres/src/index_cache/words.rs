//! All words of a project's passages, and the best passages by BM25: rare words tell more, and a word tells more in
//! a short passage than in a long one.
//!
//! Passages are spoken of by number, in the order in which they came; a word leads to the numbers of its passages.
//! One that is indexed anew gets a new number, and the old one is nobody's from then on.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

use forebay_store::bm25;
use forebay_store::bm25::CONTEXT_WEIGHT;
use forebay_store::top_k::TopK;

use super::super::counts::Sizes;
use super::super::lexemes::{Standing, Written, known, written};
use super::chunk::Passage;

const SATURATION: f32 = bm25::K1 as f32;
const LENGTH: f32 = bm25::B as f32;
const LEAST_WORTH: f32 = bm25::MIN_IDF as f32;
/// Whatever fits has more than no score.
const LEAST_SCORE: f32 = f32::MIN_POSITIVE;
/// Words that one beginning may stand for.
const MOST_BEGINNINGS: usize = 200;
/// What may be held: four bytes for each word of each passage.
const MOST_POSTINGS: usize = 40_000_000;
/// A number that belongs to no passage any more.
const NOBODY: i64 = i64::MIN;

/// What is asked of the words.
pub(in super::super) struct Asked {
    /// A passage has some of these,
    pub(in super::super) any: Vec<String>,
    /// or words that begin so;
    pub(in super::super) beginnings: Vec<String>,
    /// and all of these.
    pub(in super::super) all: Vec<String>,
    /// Whether what stands around a passage counts, too.
    pub(in super::super) counts_around: bool,
}

#[derive(Debug, Default)]
pub(super) struct Words {
    own: Side,
    /// What stands around short passages.
    around: Side,
    /// The passages by number.
    passages: Vec<i64>,
    numbers: HashMap<i64, u32>,
}

/// Lists of passages by word, and how long these are.
#[derive(Debug, Default)]
struct Side {
    by_word: HashMap<Box<str>, Vec<Posting>>,
    postings: usize,
    lengths: Vec<u32>,
    /// Passages that have words here, and how many these are together.
    count: usize,
    sum: u64,
}

/// A passage's number, and how often the word stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Posting(u32);

impl Posting {
    const TIMES: [Standing; 3] = [Standing::There, Standing::Often, Standing::Mostly];

    fn new(number: u32, standing: Standing) -> Self {
        let times = Self::TIMES.iter().position(|times| *times == standing).unwrap_or_default();
        Self(number << 2 | times as u32)
    }

    fn number(self) -> usize {
        (self.0 >> 2) as usize
    }

    fn times(self) -> f32 {
        const TIMES: [f32; 4] = [
            Standing::There.times() as f32,
            Standing::Often.times() as f32,
            Standing::Mostly.times() as f32,
            1.0,
        ];
        TIMES[(self.0 & 3) as usize]
    }
}

impl Words {
    pub(super) fn has(&self, passage: i64) -> bool {
        self.numbers.contains_key(&passage)
    }

    pub(super) fn are_too_many(&self) -> bool {
        self.own.postings + self.around.postings > MOST_POSTINGS
    }

    /// Whether most of what is held is nobody's.
    pub(super) fn are_mostly_gone(&self) -> bool {
        self.numbers.len() < self.passages.len() / 2
    }

    /// Whether a passage has the word.
    pub(super) fn knows(&self, stem: &str) -> bool {
        self.own.by_word.contains_key(known(stem))
    }

    pub(super) fn sizes(&self) -> Sizes {
        Sizes {
            passages: self.numbers.len() as f64,
            length: self.own.average(self.numbers.len()).into(),
            arounds: self.around.count as f64,
            around_length: self.around.average(self.around.count).into(),
        }
    }

    /// Adds a passage, or takes its words for those it had; `project` is how they begin.
    pub(super) fn add(&mut self, new: &Passage<'_>, project: &str) {
        self.forget(new.id);
        let number = self.passages.len() as u32;
        self.passages.push(new.id);
        self.numbers.insert(new.id, number);
        self.own.measure(new.length);
        self.around.measure(new.around_length);
        for lexeme in new.words.lexemes() {
            let Some(Written { standing, stem }) = written(lexeme, project) else { continue };
            let side = if standing == Standing::Around { &mut self.around } else { &mut self.own };
            side.add(stem, Posting::new(number, standing));
        }
    }

    pub(super) fn forget(&mut self, passage: i64) {
        let Some(number) = self.numbers.remove(&passage) else { return };
        self.passages[number as usize] = NOBODY;
        self.own.forget(number as usize);
        self.around.forget(number as usize);
    }

    /// Forgets all passages but these.
    pub(super) fn keep(&mut self, there: &HashSet<i64>) {
        let gone: Vec<i64> =
            self.numbers.keys().filter(|passage| !there.contains(passage)).copied().collect();
        for passage in gone {
            self.forget(passage);
        }
    }

    /// Lets go of room that was kept for more.
    pub(super) fn settle(&mut self) {
        for side in [&mut self.own, &mut self.around] {
            side.by_word.values_mut().for_each(Vec::shrink_to_fit);
        }
    }

    /// The best passages, best first, of those that `fits` lets through.
    pub(super) fn best(
        &self,
        asked: &Asked,
        most: usize,
        fits: impl Fn(i64) -> bool,
    ) -> Vec<(i64, f32)> {
        let scores = self.scores(asked);
        let mut best = TopK::new(most.min(self.passages.len()), LEAST_SCORE);
        let fits = |passage| Ok::<_, Infallible>(passage != NOBODY && fits(passage));
        let Ok(()) = best.extend(&self.passages, &scores, fits);
        best.into_sorted()
    }

    /// The score of each passage; 0 for those that do not fit.
    fn scores(&self, asked: &Asked) -> Vec<f32> {
        let mut scores = vec![0.0; self.passages.len()];
        let (passages, arounds) = (self.numbers.len(), self.around.count);
        for stem in &asked.any {
            self.own.add_to(&mut scores, self.own.list(stem), passages, 1.0);
        }
        for beginning in &asked.beginnings {
            self.own.add_to(&mut scores, &self.own.beginning(beginning), passages, 1.0);
        }
        if asked.counts_around && arounds > 0 {
            let mut stems: Vec<&String> = asked.any.iter().collect();
            stems.sort_unstable();
            stems.dedup();
            for stem in stems {
                let list = self.around.list(stem);
                self.around.add_to(&mut scores, list, arounds, CONTEXT_WEIGHT as f32);
            }
        }
        for stem in &asked.all {
            leave(&mut scores, self.own.list(stem));
        }
        scores
    }
}

/// Leaves the scores of those in a list.
fn leave(scores: &mut [f32], list: &[Posting]) {
    let mut has = vec![false; scores.len()];
    for posting in list {
        has[posting.number()] = true;
    }
    for (score, has) in scores.iter_mut().zip(has) {
        *score = if has { *score } else { 0.0 };
    }
}

impl Side {
    /// Notes how long the next passage is.
    fn measure(&mut self, length: i32) {
        self.lengths.push(length as u32);
        self.count += usize::from(length > 0);
        self.sum += u64::from(length as u32);
    }

    fn forget(&mut self, number: usize) {
        let length = std::mem::take(&mut self.lengths[number]);
        self.count -= usize::from(length > 0);
        self.sum -= u64::from(length);
    }

    fn average(&self, count: usize) -> f32 {
        (self.sum as f64 / (count.max(1)) as f64) as f32
    }

    fn add(&mut self, stem: &str, posting: Posting) {
        let list = match self.by_word.get_mut(stem) {
            Some(list) => list,
            None => self.by_word.entry(stem.into()).or_default(),
        };
        match list.last_mut() {
            // Told of before, in other words.
            Some(last) if last.number() == posting.number() => last.0 = last.0.max(posting.0),
            _ => {
                list.push(posting);
                self.postings += 1;
            }
        }
    }

    fn list(&self, stem: &str) -> &[Posting] {
        self.by_word.get(known(stem)).map_or(&[], Vec::as_slice)
    }

    /// What any of the words has that begin so, each passage once.
    fn beginning(&self, beginning: &str) -> Vec<Posting> {
        let words = self.by_word.iter().filter(|(word, _)| word.starts_with(beginning));
        let words = words.take(MOST_BEGINNINGS);
        let mut all: Vec<Posting> = words.flat_map(|(_, list)| list).copied().collect();
        all.sort_unstable_by_key(|posting| std::cmp::Reverse(posting.0));
        all.dedup_by_key(|posting| posting.number());
        all
    }

    fn add_to(&self, scores: &mut [f32], list: &[Posting], passages: usize, weight: f32) {
        let (with, without) = (list.len() as f32, passages.saturating_sub(list.len()) as f32);
        let worth = ((without + 0.5) / (with + 0.5)).max(1.0).ln().max(LEAST_WORTH);
        let per_word = SATURATION * LENGTH / self.average(passages).max(1.0);
        let most = weight * worth * (SATURATION + 1.0);
        for posting in list {
            let (number, times) = (posting.number(), posting.times());
            let stretch = SATURATION * (1.0 - LENGTH) + per_word * self.lengths[number] as f32;
            scores[number] += most * times / (times + stretch);
        }
    }
}

#[cfg(test)]
mod tests {
    use ::postgres::types::{FromSql, Type};

    use super::*;

    /// Words as the server sends them.
    fn raw(lexemes: &[&str]) -> Vec<u8> {
        let mut raw = (lexemes.len() as u32).to_be_bytes().to_vec();
        for lexeme in lexemes {
            raw.extend_from_slice(lexeme.as_bytes());
            raw.extend_from_slice(&[0, 0, 0]);
        }
        raw
    }

    fn add(words: &mut Words, id: i64, lexemes: &[&str]) {
        let raw = raw(lexemes);
        let is_around = |lexeme: &&&str| lexeme.contains('~');
        let around_length = lexemes.iter().filter(is_around).count() as i32;
        let passage = Passage {
            id,
            length: lexemes.len() as i32 - around_length,
            around_length,
            is_code: false,
            words: FromSql::from_sql(&Type::TS_VECTOR, &raw).unwrap(),
            meaning: None,
        };
        words.add(&passage, "7");
    }

    fn best(words: &Words, any: &[&str], all: &[&str]) -> Vec<i64> {
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let asked =
            Asked { any: list(any), beginnings: Vec::new(), all: list(all), counts_around: true };
        words.best(&asked, 10, |_| true).into_iter().map(|(passage, _)| passage).collect()
    }

    #[test]
    fn more_and_rarer_words_come_first() {
        let mut words = Words::default();
        add(&mut words, 1, &["7:common", "7:filler"]);
        add(&mut words, 2, &["7:common", "7:rare"]);
        add(&mut words, 3, &["7*common", "7:common"]);
        add(&mut words, 4, &["7:filler", "7~rare"]);
        add(&mut words, 5, &["8:rare"]);
        add(&mut words, 6, &["7:filler", "7:other"]);
        assert_eq!(best(&words, &["rare", "common"], &[]), [2, 3, 1, 4]);
        assert_eq!(best(&words, &["rare", "common"], &["filler"]), [1, 4]);
        assert!(words.knows("rare") && !words.knows("never"));
    }

    #[test]
    fn a_beginning_stands_for_all_words_that_have_it() {
        let mut words = Words::default();
        add(&mut words, 1, &["7:parser", "7:parse"]);
        add(&mut words, 2, &["7*parsed", "7:parsed"]);
        add(&mut words, 3, &["7:sparse"]);
        let asked = Asked {
            any: Vec::new(),
            beginnings: vec!["pars".into()],
            all: Vec::new(),
            counts_around: false,
        };
        let found = words.best(&asked, 10, |_| true);
        assert_eq!(found.iter().map(|(passage, _)| *passage).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn what_is_forgotten_or_indexed_anew_is_not_found_as_it_was() {
        let mut words = Words::default();
        add(&mut words, 1, &["7:old"]);
        add(&mut words, 2, &["7:old", "7:more"]);
        add(&mut words, 1, &["7:new"]);
        assert_eq!(best(&words, &["old"], &[]), [2]);
        assert_eq!(best(&words, &["new"], &[]), [1]);
        add(&mut words, 3, &["7:other"]);
        assert!(!words.are_mostly_gone());
        words.keep(&HashSet::from([1]));
        assert_eq!(best(&words, &["old"], &[]), [] as [i64; 0]);
        assert!((words.sizes().passages - 1.0).abs() < 0.1);
        assert!((words.sizes().length - 1.0).abs() < 0.1);
        assert!(words.are_mostly_gone());
    }
}
