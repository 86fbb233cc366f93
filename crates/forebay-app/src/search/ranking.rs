//! Ranking of candidates: score fusion, then reranking of the best by their text.
//!
//! [`fuse`] is a weighted sum of min-max normalized BM25 and similarity scores. On queries about code and about
//! conversations it finds more than a sum of ranks. [`rerank`] adds features of the text: coverage of the query's
//! words, adjacent words, age and kind.

use std::borrow::Cow;
use std::time::Duration;

use forebay_domain::time::days;
use forebay_domain::{EntryKind, Hit, ScoreTerms, Timestamp};
use forebay_store::{Candidate, Embedding};
use forebay_text::stem::stem;
use forebay_text::subwords::subwords;
use forebay_text::{code, tokenize, words};

/// The weight of similarity against BM25: queries use the words of prose, but not those of code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weights {
    prose: f64,
    code: f64,
}

impl Weights {
    const BUILT_IN: Self = Self { prose: 0.2, code: 0.75 };
    /// A remote model embeds sentences, the built-in one sums word vectors, so it weighs as much as BM25.
    const REMOTE: Self = Self { prose: 0.5, code: 0.75 };

    pub(crate) fn for_embedding(embedding: Option<&Embedding>) -> Self {
        if embedding.is_some_and(Embedding::is_remote) { Self::REMOTE } else { Self::BUILT_IN }
    }
}

/// Weight of the share of query words that the hit contains.
const COVERAGE_WEIGHT: f64 = 0.1;
/// Weight of the share of adjacent query words that are adjacent in the hit too.
const ADJACENCY_WEIGHT: f64 = 0.1;
/// Weight of the share of query words that occur in the form of the query, for a query of one word.
const FORM_WEIGHT: f64 = 1.5;
/// Weight of the share of query words that the title contains: the name of a file and the headings above a chunk
/// say what it is about.
const TITLE_WEIGHT: f64 = 0.25;
/// Maximum bonus for recency, and the bonus of notes, which were written on purpose.
const RECENCY_WEIGHT: f64 = 0.06;
const NOTE_BONUS: f64 = 0.05;

/// The normalized scores of a candidate, from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ScoreParts {
    pub(crate) words: f64,
    pub(crate) similarity: f64,
    /// The weight of similarity; the rest is that of words.
    weight: f64,
}

impl ScoreParts {
    /// The terms of the fused score.
    pub(crate) fn terms(self) -> ScoreTerms {
        ScoreTerms {
            words: (1.0 - self.weight) * self.words,
            similarity: self.weight * self.similarity,
            ..ScoreTerms::default()
        }
    }
}

/// Returns the fused score of each candidate, and its parts.
pub(crate) fn fuse(candidates: &[&Candidate], weights: Weights) -> Vec<(f64, ScoreParts)> {
    let words = MinMax::new(candidates.iter().map(|candidate| candidate.word_score));
    let similarity =
        MinMax::new(candidates.iter().map(|candidate| f64::from(candidate.similarity)));
    let score = |candidate: &&Candidate| {
        let weight = if candidate.is_code { weights.code } else { weights.prose };
        let parts = ScoreParts {
            words: words.normalize(candidate.word_score),
            similarity: similarity.normalize(f64::from(candidate.similarity)),
            weight,
        };
        let terms = parts.terms();
        (terms.words + terms.similarity, parts)
    };
    candidates.iter().map(score).collect()
}

/// Returns the weight of the share of query words that occur in the form of the query. It falls with the square of their
/// number: the fewer words there are to go by, the more their form tells. A single word in its own form precedes every
/// other form.
pub(crate) fn form_weight(words: usize) -> f64 {
    FORM_WEIGHT / (words.max(1) as f64).powi(2)
}

/// Adds text features to the scores and sorts the hits.
pub(crate) fn rerank(hits: &mut [Hit], query_words: &[String], form_weight: f64, now: Timestamp) {
    let mut matcher = TextMatcher::new(WordPrefixes::new(query_words));
    let title_matcher = TitleMatcher::new(query_words);
    for hit in &mut *hits {
        let features = matcher.features(&hit.title, &hit.text);
        let terms = ScoreTerms {
            title: TITLE_WEIGHT * title_matcher.coverage(hit),
            coverage: COVERAGE_WEIGHT * features.coverage,
            adjacency: ADJACENCY_WEIGHT * features.adjacency,
            exact: form_weight * features.exact,
            recency: RECENCY_WEIGHT * recency(hit, now),
            note: if hit.kind == EntryKind::Note { NOTE_BONUS } else { 0.0 },
            ..hit.terms
        };
        hit.score += terms.title
            + terms.coverage
            + terms.adjacency
            + terms.exact
            + terms.recency
            + terms.note;
        hit.terms = terms;
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
}

/// Finds the query's words in titles, by stem.
struct TitleMatcher<'a> {
    stems: Vec<Cow<'a, str>>,
}

impl<'a> TitleMatcher<'a> {
    fn new(query_words: &'a [String]) -> Self {
        let mut stems: Vec<Cow<'a, str>> = query_words.iter().map(|word| stem(word)).collect();
        stems.sort_unstable();
        stems.dedup();
        Self { stems }
    }

    /// Returns the share of the query's words that occur in the title of a text with a name of its own.
    fn coverage(&self, hit: &Hit) -> f64 {
        let is_named = matches!(hit.kind, EntryKind::Source | EntryKind::Page);
        // The name of a function is part of its code, which similarity ranks better.
        if !is_named || self.stems.is_empty() || code::opens_definition(&hit.text) {
            return 0.0;
        }
        let subwords = subwords(&hit.title);
        let words = words::words(&hit.title).chain(words::words(&subwords));
        let title: Vec<String> = words.map(|word| stem(&word).into_owned()).collect();
        let found = self.stems.iter().filter(|stem| title.iter().any(|word| word == *stem));
        found.count() as f64 / self.stems.len() as f64
    }
}

/// Returns an exponential decay with the kind's half-life, from 1 to 0.
fn recency(hit: &Hit, now: Timestamp) -> f64 {
    let Some(half_life) = half_life(hit.kind) else { return 0.0 };
    0.5_f64.powf(hit.created.age(now).as_secs_f64() / half_life.as_secs_f64())
}

/// Output is outdated soon, notes much later; sources are kept current and never age.
fn half_life(kind: EntryKind) -> Option<Duration> {
    match kind {
        EntryKind::Run | EntryKind::Capture => Some(days(7)),
        EntryKind::Turn => Some(days(30)),
        EntryKind::Note | EntryKind::Page => Some(days(90)),
        EntryKind::Source => None,
    }
}

/// Features of how the query's words occur in a text; each from 0 to 1.
struct TextFeatures {
    coverage: f64,
    /// Words in the form of the query.
    exact: f64,
    adjacency: f64,
}

/// Finds the query's words in one text after the other, reusing its buffers.
struct TextMatcher<'a> {
    prefixes: WordPrefixes<'a>,
    occurs: Vec<bool>,
    /// Whether a query word occurs in its own form.
    is_exact: Vec<bool>,
    /// Whether a query word occurs right after the one before it.
    follows: Vec<bool>,
}

impl<'a> TextMatcher<'a> {
    fn new(prefixes: WordPrefixes<'a>) -> Self {
        let count = prefixes.prefixes.len();
        Self {
            prefixes,
            occurs: vec![false; count],
            is_exact: vec![false; count],
            follows: vec![false; count.saturating_sub(1)],
        }
    }

    fn features(&mut self, title: &str, text: &str) -> TextFeatures {
        self.occurs.fill(false);
        self.is_exact.fill(false);
        self.follows.fill(false);
        self.scan(title);
        self.scan(text);
        let share = |flags: &[bool]| {
            let count = flags.iter().filter(|is_set| **is_set).count();
            if flags.is_empty() { 0.0 } else { count as f64 / flags.len() as f64 }
        };
        TextFeatures {
            coverage: share(&self.occurs),
            exact: share(&self.is_exact),
            adjacency: share(&self.follows),
        }
    }

    fn scan(&mut self, text: &str) {
        let Self { prefixes, occurs, is_exact, follows } = self;
        let mut previous: Option<usize> = None;
        tokenize::each_word(text, |start, end| {
            let index = prefixes.find(text, start, end);
            if let Some(index) = index {
                occurs[index] = true;
                is_exact[index] |= prefixes.is_exact(index, &text[start..end]);
                if index > 0 && previous == Some(index - 1) {
                    follows[index - 1] = true;
                }
            }
            previous = index;
        });
    }
}

/// The prefixes that identify forms of a query's words; cruder and faster than a stemmer.
struct WordPrefixes<'a> {
    words: &'a [String],
    prefixes: Vec<&'a str>,
    /// Whether some prefix starts with this byte, in either case: rules out most words of a text.
    is_first_byte: [bool; 256],
}

impl<'a> WordPrefixes<'a> {
    fn new(query_words: &'a [String]) -> Self {
        let prefixes: Vec<&str> = query_words.iter().map(|word| common_prefix(word)).collect();
        let mut is_first_byte = [false; 256];
        for byte in prefixes.iter().filter_map(|prefix| prefix.bytes().next()) {
            is_first_byte[usize::from(byte.to_ascii_lowercase())] = true;
            is_first_byte[usize::from(byte.to_ascii_uppercase())] = true;
        }
        Self { words: query_words, prefixes, is_first_byte }
    }

    /// Whether a word is the query's word at `index` as it is written.
    fn is_exact(&self, index: usize, word: &str) -> bool {
        self.words[index].eq_ignore_ascii_case(word)
    }

    /// Returns the index of the first prefix that the word at `start..end` is a form of.
    #[inline]
    fn find(&self, text: &str, start: usize, end: usize) -> Option<usize> {
        if !self.is_first_byte[usize::from(text.as_bytes()[start])] {
            return None;
        }
        let word = &text[start..end];
        self.prefixes.iter().position(|prefix| is_form_of(word, prefix))
    }
}

/// Returns the prefix that the forms of a word share.
fn common_prefix(word: &str) -> &str {
    let kept = if word.len() > 4 { (word.len() - 2).max(3) } else { word.len() };
    &word[..word.floor_char_boundary(kept)]
}

/// Whether a word is a form of the one with this prefix, ignoring ASCII case.
fn is_form_of(word: &str, prefix: &str) -> bool {
    const MAX_SUFFIX_BYTES: usize = 5;
    if word.len() < prefix.len() || word.len() > prefix.len() + MAX_SUFFIX_BYTES {
        return false;
    }
    let has_prefix = word.as_bytes()[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes());
    has_prefix && (prefix.len() > 3 || word.len() <= prefix.len() + 1)
}

/// Min-max normalization of scores; a score of 0 means no match.
struct MinMax {
    min: f64,
    max: f64,
}

impl MinMax {
    fn new(scores: impl Iterator<Item = f64>) -> Self {
        let nonzero = scores.filter(|score| *score > 0.0);
        let (min, max) = nonzero.fold((f64::MAX, 0.0), |(min, max): (f64, f64), score| {
            (min.min(score), max.max(score))
        });
        Self { min, max }
    }

    /// Maps the minimum to 0 and the maximum to 1.
    fn normalize(&self, score: f64) -> f64 {
        if score <= 0.0 {
            0.0
        } else if self.max <= self.min {
            1.0
        } else {
            (score - self.min) / (self.max - self.min)
        }
    }
}

#[cfg(test)]
mod tests {
    use forebay_domain::Reference;

    use super::*;

    #[test]
    fn normalizes_scores() {
        let range = MinMax::new([2.0, 0.0, 6.0, 4.0].into_iter());
        for (score, expected) in [(0.0, 0.0), (2.0, 0.0), (4.0, 0.5), (6.0, 1.0)] {
            assert!((range.normalize(score) - expected).abs() < 1e-9);
        }
        assert!((MinMax::new([3.0].into_iter()).normalize(3.0) - 1.0).abs() < 1e-9);
    }

    #[track_caller]
    fn check(query: &str, text: &str, coverage: f64, adjacency: f64) {
        let words: Vec<String> = query.split(' ').map(str::to_owned).collect();
        let features = TextMatcher::new(WordPrefixes::new(&words)).features("", text);
        assert_eq!((features.coverage, features.adjacency), (coverage, adjacency), "{text}");
    }

    #[test]
    fn the_form_of_the_query_precedes_other_forms() {
        let words = ["erroring".to_owned()];
        let mut hits = [hit("aaaaaaaaaa", "error.md", 0.6), hit("bbbbbbbbbb", "b.md", 0.4)];
        hits[0].text = "Errors: an error, errored".to_owned().into();
        hits[1].text = "Stop Erroring here".to_owned().into();
        rerank(&mut hits, &words, form_weight(words.len()), Timestamp(0));
        assert_eq!(&*hits[0].title, "b.md");
    }

    #[test]
    fn measures_coverage_and_adjacency() {
        check("http response parser", "parses the HTTP responses", 1.0, 0.5);
        check("http response", "httpResponse", 1.0, 1.0);
        check("response http", "http response", 1.0, 0.0);
        check("walrus", "", 0.0, 0.0);
        check("over lie", "überläuft over", 0.5, 0.0);
        check("http", "überHTTP éHTTP", 1.0, 0.0);
        check("http", "éHTTP", 0.0, 0.0);
        check("port22 server", "port22Server", 1.0, 1.0);
    }

    fn hit(reference: &str, title: &str, score: f64) -> Hit {
        Hit {
            reference: Reference::parse(reference).unwrap(),
            kind: EntryKind::Source,
            note: None,
            title: title.into(),
            source: title.into(),
            key: None,
            created: Timestamp(0),
            words: 0.0,
            similarity: 0.0,
            score,
            terms: ScoreTerms::default(),
            lines: (1, 1),
            text: "A plugin registers itself.".to_owned().into(),
            matched: Vec::new(),
            supersedes: None,
            conflicts: None,
            near_duplicates: 0,
        }
    }

    #[test]
    fn words_of_a_title_raise_a_hit() {
        let words = ["custom".to_owned(), "tools".to_owned()];
        let mut hits =
            [hit("aaaaaaaaaa", "menus.md", 0.6), hit("bbbbbbbbbb", "custom_tool.md", 0.5)];
        rerank(&mut hits, &words, form_weight(words.len()), Timestamp(0));
        assert_eq!(&*hits[0].title, "custom_tool.md");
    }

    fn spread(mut hits: Vec<Hit>, count_matched: fn(&Hit) -> usize) -> Vec<String> {
        super::super::postprocess::spread_over_entries(&mut hits, count_matched);
        hits.iter().map(|hit| hit.title.to_string()).collect()
    }

    #[test]
    fn the_first_hits_are_of_different_entries() {
        let hits = vec![
            hit("aaaaaaaaaa", "long.md", 0.9),
            hit("aaaaaaaaaa", "long.md", 0.8),
            hit("bbbbbbbbbb", "short.md", 0.5),
            hit("cccccccccc", "weak.md", 0.1),
        ];
        let is_strong = |hit: &Hit| usize::from(&*hit.title != "weak.md");
        assert_eq!(spread(hits.clone(), is_strong), ["long.md", "short.md", "long.md", "weak.md"]);
        assert_eq!(spread(hits, |_| 1), ["long.md", "short.md", "weak.md", "long.md"]);
    }

    #[test]
    fn one_entry_does_not_fill_the_list() {
        let dump = (0..9).map(|nth| hit("aaaaaaaaaa", "dump.txt", 0.9 - f64::from(nth) / 100.0));
        let others = ["bbbbbbbbbb", "cccccccccc", "dddddddddd", "eeeeeeeeee"];
        let hits: Vec<Hit> =
            dump.chain(others.map(|reference| hit(reference, reference, 0.5))).collect();
        let titles = spread(hits, |_| 1);
        let expected =
            ["dump.txt", others[0], others[1], "dump.txt", others[2], others[3], "dump.txt"];
        assert_eq!(titles[..7], expected);
    }

    #[test]
    fn sources_do_not_age() {
        let half = half_life(EntryKind::Run).unwrap();
        assert!(half < half_life(EntryKind::Note).unwrap());
        assert_eq!(half_life(EntryKind::Source), None);
    }
}
