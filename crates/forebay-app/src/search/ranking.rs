//! Which of the found passages come first.
//!
//! [`fuse`] weighs words against meaning: each side's scores are brought to the same scale over all
//! candidates and added. Measured on questions about code and about conversations, this finds more than
//! adding ranks. [`rerank`] looks at the text of the best: how many of the words it has, whether they stand
//! together as they were asked for, how old it is and what it is.

use std::time::Duration;

use forebay_domain::time::days;
use forebay_domain::{EntryKind, Hit, Timestamp};
use forebay_store::{Candidate, Embedding};
use forebay_text::tokenize;

/// How much meaning counts: in prose people use the words that stand there, about code they do not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weights {
    prose: f64,
    code: f64,
}

impl Weights {
    const BUILT_IN: Self = Self { prose: 0.2, code: 0.75 };
    /// A model that reads sentences, where the built-in one adds up words, counts as much as the words.
    const REMOTE: Self = Self { prose: 0.5, code: 0.75 };

    pub(crate) fn of(meaning: Option<&Embedding>) -> Self {
        if meaning.is_some_and(Embedding::is_remote) { Self::REMOTE } else { Self::BUILT_IN }
    }
}

/// What the share of the question's words counts that a passage has.
const COVERAGE: f64 = 0.1;
/// What the share of its neighbouring words counts that are neighbours in the passage, too.
const TOGETHER: f64 = 0.1;
/// What it counts at most to be new, and to be written down on purpose.
const RECENCY: f64 = 0.06;
const NOTED: f64 = 0.05;

/// The score of each candidate by both; one scale for all of them.
pub(crate) fn fuse(candidates: &[&Candidate], weights: Weights) -> Vec<f64> {
    let words = Scale::of(candidates.iter().map(|candidate| candidate.word_score));
    let similarity = Scale::of(candidates.iter().map(|candidate| f64::from(candidate.similarity)));
    let score = |candidate: &&Candidate| {
        let weight = if candidate.is_code { weights.code } else { weights.prose };
        (1.0 - weight) * words.place(candidate.word_score)
            + weight * similarity.place(f64::from(candidate.similarity))
    };
    candidates.iter().map(score).collect()
}

/// Puts hits in their last order.
pub(crate) fn rerank(hits: &mut [Hit], asked: &[String], now: Timestamp) {
    let mut marks = Marks::of(Stems::of(asked));
    for hit in &mut *hits {
        let standing = marks.standing(&hit.title, &hit.text);
        hit.score += COVERAGE * standing.coverage
            + TOGETHER * standing.together
            + RECENCY * freshness(hit, now)
            + if hit.kind == EntryKind::Note { NOTED } else { 0.0 };
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
}

/// How much of its worth as news an entry still has: half of it after its half-life.
fn freshness(hit: &Hit, now: Timestamp) -> f64 {
    let Some(half_life) = half_life(hit.kind) else { return 0.0 };
    0.5_f64.powf(hit.created.age(now).as_secs_f64() / half_life.as_secs_f64())
}

/// What was run or captured is soon out of date, what was written down much later; a source is never.
fn half_life(kind: EntryKind) -> Option<Duration> {
    match kind {
        EntryKind::Run | EntryKind::Capture => Some(days(7)),
        EntryKind::Turn => Some(days(30)),
        EntryKind::Note | EntryKind::Page => Some(days(90)),
        EntryKind::Source => None,
    }
}

/// How the words of a question stand in a passage; each from 0 to 1.
#[derive(Debug, PartialEq)]
struct Standing {
    coverage: f64,
    together: f64,
}

/// The words of a question, marked where they stand in a passage; one passage after the other.
struct Marks<'a> {
    stems: Stems<'a>,
    stands: Vec<bool>,
    /// Whether a word stands right after the one before it.
    follows: Vec<bool>,
}

impl<'a> Marks<'a> {
    fn of(stems: Stems<'a>) -> Self {
        let count = stems.stems.len();
        Self { stems, stands: vec![false; count], follows: vec![false; count.saturating_sub(1)] }
    }

    fn standing(&mut self, title: &str, text: &str) -> Standing {
        self.stands.fill(false);
        self.follows.fill(false);
        self.mark(title);
        self.mark(text);
        let share = |of: &[bool]| {
            let count = of.iter().filter(|is_so| **is_so).count();
            if of.is_empty() { 0.0 } else { count as f64 / of.len() as f64 }
        };
        Standing { coverage: share(&self.stands), together: share(&self.follows) }
    }

    fn mark(&mut self, text: &str) {
        let Self { stems, stands, follows } = self;
        let mut before: Option<usize> = None;
        tokenize::each_word(text, |start, end| {
            let which = stems.which(text, start, end);
            if let Some(which) = which {
                stands[which] = true;
                if which > 0 && before == Some(which - 1) {
                    follows[which - 1] = true;
                }
            }
            before = which;
        });
    }
}

/// The stems of a question's words.
struct Stems<'a> {
    stems: Vec<&'a str>,
    /// Whether some stem begins with a byte, in either case: most words of a text begin with none.
    begin: [bool; 256],
}

impl<'a> Stems<'a> {
    fn of(asked: &'a [String]) -> Self {
        let stems: Vec<&str> = asked.iter().map(|word| stem(word)).collect();
        let mut begin = [false; 256];
        for byte in stems.iter().filter_map(|stem| stem.bytes().next()) {
            begin[usize::from(byte.to_ascii_lowercase())] = true;
            begin[usize::from(byte.to_ascii_uppercase())] = true;
        }
        Self { stems, begin }
    }

    /// The first that the word which stands there is a form of.
    #[inline]
    fn which(&self, text: &str, start: usize, end: usize) -> Option<usize> {
        let may_be_one = self.begin[usize::from(text.as_bytes()[start])];
        if !may_be_one {
            return None;
        }
        let word = &text[start..end];
        self.stems.iter().position(|stem| begins_alike(word, stem))
    }
}

/// The beginning that the forms of a word share.
fn stem(word: &str) -> &str {
    let kept = if word.len() > 4 { (word.len() - 2).max(3) } else { word.len() };
    &word[..word.floor_char_boundary(kept)]
}

/// Whether a word of the text is a form of the one with this stem; case does not count.
fn begins_alike(word: &str, stem: &str) -> bool {
    const LONGEST_ENDING: usize = 5;
    if word.len() < stem.len() || word.len() > stem.len() + LONGEST_ENDING {
        return false;
    }
    let begin = word.as_bytes()[..stem.len()].eq_ignore_ascii_case(stem.as_bytes());
    begin && (stem.len() > 3 || word.len() <= stem.len() + 1)
}

/// The range of one side's scores; those of 0 are none.
struct Scale {
    least: f64,
    most: f64,
}

impl Scale {
    fn of(scores: impl Iterator<Item = f64>) -> Self {
        let some = scores.filter(|score| *score > 0.0);
        let (least, most) = some.fold((f64::MAX, 0.0), |(least, most): (f64, f64), score| {
            (least.min(score), most.max(score))
        });
        Self { least, most }
    }

    /// From 0 for the least to 1 for the most.
    fn place(&self, score: f64) -> f64 {
        if score <= 0.0 {
            0.0
        } else if self.most <= self.least {
            1.0
        } else {
            (score - self.least) / (self.most - self.least)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_brought_to_one_scale() {
        let scale = Scale::of([2.0, 0.0, 6.0, 4.0].into_iter());
        for (score, place) in [(0.0, 0.0), (2.0, 0.0), (4.0, 0.5), (6.0, 1.0)] {
            assert!((scale.place(score) - place).abs() < 1e-9);
        }
        assert!((Scale::of([3.0].into_iter()).place(3.0) - 1.0).abs() < 1e-9);
    }

    #[track_caller]
    fn check(asked: &str, text: &str, coverage: f64, together: f64) {
        let asked: Vec<String> = asked.split(' ').map(str::to_owned).collect();
        assert_eq!(
            Marks::of(Stems::of(&asked)).standing("", text),
            Standing { coverage, together },
            "{text}"
        );
    }

    #[test]
    fn words_that_stand_together_count_more() {
        check("http response parser", "parses the HTTP responses", 1.0, 0.5);
        check("http response", "httpResponse", 1.0, 1.0);
        check("response http", "http response", 1.0, 0.0);
        check("walrus", "", 0.0, 0.0);
        check("over lie", "überläuft over", 0.5, 0.0);
        check("http", "überHTTP éHTTP", 1.0, 0.0);
        check("http", "éHTTP", 0.0, 0.0);
        check("port22 server", "port22Server", 1.0, 1.0);
    }

    #[test]
    fn what_is_new_is_worth_more_unless_it_is_a_source() {
        let half = half_life(EntryKind::Run).unwrap();
        assert!(half < half_life(EntryKind::Note).unwrap());
        assert_eq!(half_life(EntryKind::Source), None);
    }
}
