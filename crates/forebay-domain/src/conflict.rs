//! Contradiction detection between notes: similar statements with opposite polarity or a different value.
//!
//! A heuristic that warns the reader; it never changes a note.

use std::ops::Range;

use forebay_text::packed_word::prefix_key;
use forebay_text::tokenize;
use forebay_text::words::{STOP_WORDS, push_lower};

/// Words that negate a sentence.
const NEGATIONS: &[&str] = &[
    "avoid", "aren", "cannot", "don", "doesn", "didn", "isn", "mustn", "never", "no", "none",
    "nor", "not", "shouldn", "stop", "wasn", "weren", "without", "won",
];

/// Antonyms.
const OPPOSITES: &[(&str, &str)] = &[
    ("accept", "reject"),
    ("add", "remove"),
    ("allow", "deny"),
    ("allow", "forbid"),
    ("always", "never"),
    ("after", "before"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("fast", "slow"),
    ("include", "exclude"),
    ("keep", "drop"),
    ("keep", "remove"),
    ("mandatory", "optional"),
    ("on", "off"),
    ("optional", "required"),
    ("pass", "fail"),
    ("passes", "fails"),
    ("private", "public"),
    ("safe", "unsafe"),
    ("sync", "async"),
    ("true", "false"),
    ("use", "avoid"),
    ("works", "fails"),
];

/// Words that introduce the value a statement assigns.
const VALUE_MARKERS: &[&str] = &[
    "are", "as", "at", "be", "by", "called", "chose", "for", "from", "in", "into", "is", "means",
    "needs", "on", "prefer", "prefers", "requires", "runs", "targets", "than", "to", "use", "used",
    "uses", "using", "via", "was", "were", "with",
];

/// Minimum share of significant words that two statements have in common.
const MIN_SHARED_RATIO: f64 = 0.6;
/// Words of a note that are compared; its start states what it is about.
const MAX_WORDS: usize = 40;

/// Words used to search for notes that may contradict one.
const SUBJECT_WORDS: usize = 8;

/// The statement of a note, as comparable words.
#[derive(Default)]
pub struct Claim {
    /// Its words in lower case, concatenated.
    text: String,
    spans: Vec<WordSpan>,
}

/// Position and properties of a word in [`Claim::text`].
struct WordSpan {
    word: Range<usize>,
    /// End of the prefix that inflections of the word share.
    stem_end: usize,
    /// The first bytes of that prefix as an integer, compared first.
    first: u64,
    /// Neither a stop word nor a negation; negations are counted separately.
    is_significant: bool,
}

/// A word of a claim.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    stem: &'a str,
    first: u64,
    is_significant: bool,
}

impl Word<'_> {
    fn is_inflection_of(&self, other: &Word<'_>) -> bool {
        self.first == other.first && self.stem == other.stem
    }
}

/// The prefix that inflections of a word share.
fn stem(word: &str) -> &str {
    let letters = word.chars().count();
    let kept = if letters > 5 { letters - 2 } else { letters };
    word.char_indices().nth(kept).map_or(word, |(end, _)| &word[..end])
}

fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word)
}

impl Claim {
    pub fn new(note: &str) -> Self {
        let mut claim = Self::default();
        tokenize::each(note, char::is_alphanumeric, |start, end| {
            claim.add(&note[start..end]);
            claim.spans.len() < MAX_WORDS
        });
        claim
    }

    fn add(&mut self, word: &str) {
        let start = self.text.len();
        push_lower(&mut self.text, word);
        let word = &self.text[start..];
        let stem = stem(word);
        self.spans.push(WordSpan {
            word: start..self.text.len(),
            stem_end: start + stem.len(),
            first: prefix_key(stem.as_bytes()),
            is_significant: STOP_WORDS.binary_search(&word).is_err() && !is_negation(word),
        });
    }

    fn words(&self) -> impl DoubleEndedIterator<Item = Word<'_>> + ExactSizeIterator {
        self.spans.iter().map(|span| Word {
            text: &self.text[span.word.clone()],
            stem: &self.text[span.word.start..span.stem_end],
            first: span.first,
            is_significant: span.is_significant,
        })
    }

    /// Search words for notes that may contradict this one: its longest significant words.
    pub fn subject(&self) -> String {
        let mut words: Vec<&str> = self.significant().map(|word| word.text).collect();
        words.sort_unstable_by_key(|word| (std::cmp::Reverse(word.len()), *word));
        words.dedup();
        words.truncate(SUBJECT_WORDS);
        words.join(" ")
    }

    /// Whether two claims may contradict each other.
    pub fn may_conflict_with(&self, other: &Self) -> bool {
        let shared = self.shared(other);
        let shorter = self.significant().count().min(other.significant().count());
        if shared < 2 || (shared as f64) < MIN_SHARED_RATIO * shorter as f64 {
            return false;
        }
        let is_opposite = self.is_negated() != other.is_negated() || self.has_opposite_of(other);
        is_opposite && self.differs_by_at_most(other, 3)
            || self.assigns_another_value(other, shared)
    }

    fn significant(&self) -> impl Iterator<Item = Word<'_>> {
        self.words().filter(|word| word.is_significant)
    }

    fn is_negated(&self) -> bool {
        self.words().filter(|word| is_negation(word.text)).count() % 2 == 1
    }

    fn has(&self, wanted: Word<'_>) -> bool {
        self.words().any(|word| word.is_inflection_of(&wanted))
    }

    fn shared(&self, other: &Self) -> usize {
        let mut both: Vec<&str> =
            self.significant().filter(|word| other.has(*word)).map(|word| word.stem).collect();
        both.sort_unstable();
        both.dedup();
        both.len()
    }

    fn has_opposite_of(&self, other: &Self) -> bool {
        let says = |claim: &Self, word: &str| claim.words().any(|word_here| word_here.text == word);
        OPPOSITES.iter().any(|(a, b)| {
            let here = (says(self, a), says(self, b));
            let there = (says(other, a), says(other, b));
            here == (true, false) && there == (false, true)
                || here == (false, true) && there == (true, false)
        })
    }

    /// Significant words that only this claim has.
    fn unique_words<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (usize, Word<'a>)> {
        let words = self.words().enumerate();
        words.filter(move |(_, word)| word.is_significant && !other.has(*word))
    }

    fn differs_by_at_most(&self, other: &Self, most: usize) -> bool {
        self.unique_words(other).count() <= most && other.unique_words(self).count() <= most
    }

    /// Both assign a value to the same subject, and the values differ.
    fn assigns_another_value(&self, other: &Self, shared: usize) -> bool {
        self.differs_by_at_most(other, 2)
            && self.has_same_subject(other)
            && self.has_unique_value(other, shared)
            && other.has_unique_value(self, shared)
    }

    /// Whether the subjects, which come first, are the same.
    fn has_same_subject(&self, other: &Self) -> bool {
        let first = |claim| Self::significant(claim).next().map(|word| word.stem);
        first(self) == first(other)
    }

    /// Whether the first word unique to this claim is in value position.
    fn has_unique_value(&self, other: &Self, shared: usize) -> bool {
        let Some((at, word)) = self.unique_words(other).next() else { return false };
        let mut before = self.words().take(at).map(|word| word.text).rev();
        let before = before.find(|word| !matches!(*word, "a" | "an" | "the"));
        let follows_marker = before.is_some_and(|before| VALUE_MARKERS.contains(&before));
        let is_number = word.text.chars().any(|c| c.is_ascii_digit());
        let is_last = at + 2 >= self.spans.len();
        follows_marker || is_number && is_last && shared >= 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_conflict(one: &str, other: &str) -> bool {
        Claim::new(one).may_conflict_with(&Claim::new(other))
    }

    const CONFLICTS: &[(&str, &str)] = &[
        ("We deploy on Fridays", "We never deploy on Fridays"),
        ("Retries are enabled for the uploader", "Retries are disabled for the uploader"),
        ("The ledger lives in Postgres", "The ledger lives in SQLite"),
        ("The request timeout is 30 s", "The request timeout is 60 s"),
        ("The server listens on port 8080", "The server listens on port 9090"),
        ("Use npm for the web app", "Use pnpm for the web app"),
        ("Do not cache the session tokens", "Cache the session tokens"),
        ("The API requires an auth header", "The API does not require an auth header"),
        ("Package manager is npm", "Package manager is yarn"),
        ("Tests must run before the build", "Tests must run after the build"),
        ("The minimum Rust version is 1.85", "The minimum Rust version is 1.95"),
        ("Feature flags are optional in config", "Feature flags are required in config"),
        ("Commits are signed with GPG", "Commits are signed with SSH"),
        ("Logging is on in production", "Logging is off in production"),
        ("The parser is safe for untrusted input", "The parser isn't safe for untrusted input"),
        ("Release branch is called main", "Release branch is called trunk"),
    ];

    const NO_CONFLICTS: &[(&str, &str)] = &[
        ("The ledger lives in Postgres", "The cache lives in Redis"),
        ("Test 1 failed", "Test 2 failed"),
        ("walrus number 1", "walrus number 2"),
        ("We deploy on Fridays", "We deploy on Fridays after lunch"),
        ("The parser is slow", "The response parser is fast and was rewritten in Rust last week"),
        ("src/a.rs was edited", "src/b.rs was edited"),
        ("Use npm for the web app", "The web app shows npm packages and their licences"),
        ("Bananas are yellow", "The sky is blue"),
        ("The request timeout is 30 s", "The request timeout is 30 s"),
        ("Never deploy on Fridays", "We never deploy on Fridays"),
        ("", ""),
        ("no", "yes"),
        ("walrus of session one on main", "walrus of session two on feature"),
        ("Alice owns the billing service", "Bob owns the search service"),
    ];

    #[test]
    fn detects_contradictions_in_both_directions() {
        for (one, other) in CONFLICTS {
            assert!(may_conflict(one, other), "{one} / {other}");
            assert!(may_conflict(other, one), "{other} / {one}");
        }
    }

    #[test]
    fn ignores_merely_similar_statements() {
        for (one, other) in NO_CONFLICTS {
            assert!(!may_conflict(one, other), "{one} / {other}");
            assert!(!may_conflict(other, one), "{other} / {one}");
        }
    }
}
