//! Whether two notes may contradict each other: much the same said, with opposite polarity or another value.
//!
//! A hint for the reader, never a decision: both notes stay as they are.

use std::ops::Range;

use forebay_text::packed_word::prefix_key;
use forebay_text::tokenize;
use forebay_text::words::{STOP_WORDS, push_lower};

/// Words that turn a sentence round.
const NEGATIONS: &[&str] = &[
    "avoid", "aren", "cannot", "don", "doesn", "didn", "isn", "mustn", "never", "no", "none",
    "nor", "not", "shouldn", "stop", "wasn", "weren", "without", "won",
];

/// Words of which one says the opposite of the other.
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

/// After one of these stands what is said about the rest.
const SAYING: &[&str] = &[
    "are", "as", "at", "be", "by", "called", "chose", "for", "from", "in", "into", "is", "means",
    "needs", "on", "prefer", "prefers", "requires", "runs", "targets", "than", "to", "use", "used",
    "uses", "using", "via", "was", "were", "with",
];

/// Of what both say, the share that must be the same.
const SAME_SHARE: f64 = 0.6;
/// A longer note says more than one thing; its first sentence is what it is about.
const MOST_WORDS: usize = 40;

/// So many words lead to the notes that may contradict one: those share nearly all that it says.
const SUBJECT_WORDS: usize = 8;

/// What a note says.
#[derive(Default)]
pub struct Claim {
    /// Its words in lower case, one after the other.
    text: String,
    places: Vec<Place>,
}

/// Where a word stands.
struct Place {
    word: Range<usize>,
    /// Where the beginning ends that the forms of a word share,
    stem_end: usize,
    /// and the first bytes of it as a number, by which most words differ.
    first: u64,
    /// Whether it carries the claim; negations turn it and are counted apart.
    is_telling: bool,
}

/// A word of a claim.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    stem: &'a str,
    first: u64,
    is_telling: bool,
}

impl Word<'_> {
    fn is_form_of(&self, other: &Word<'_>) -> bool {
        self.first == other.first && self.stem == other.stem
    }
}

/// The beginning that the forms of a word share.
fn stem(word: &str) -> &str {
    let letters = word.chars().count();
    let kept = if letters > 5 { letters - 2 } else { letters };
    word.char_indices().nth(kept).map_or(word, |(end, _)| &word[..end])
}

fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word)
}

impl Claim {
    pub fn read(note: &str) -> Self {
        let mut claim = Self::default();
        tokenize::each(note, char::is_alphanumeric, |start, end| {
            claim.add(&note[start..end]);
            claim.places.len() < MOST_WORDS
        });
        claim
    }

    fn add(&mut self, word: &str) {
        let start = self.text.len();
        push_lower(&mut self.text, word);
        let word = &self.text[start..];
        let stem = stem(word);
        self.places.push(Place {
            word: start..self.text.len(),
            stem_end: start + stem.len(),
            first: prefix_key(stem.as_bytes()),
            is_telling: STOP_WORDS.binary_search(&word).is_err() && !is_negation(word),
        });
    }

    fn words(&self) -> impl DoubleEndedIterator<Item = Word<'_>> + ExactSizeIterator {
        self.places.iter().map(|place| Word {
            text: &self.text[place.word.clone()],
            stem: &self.text[place.word.start..place.stem_end],
            first: place.first,
            is_telling: place.is_telling,
        })
    }

    /// The words by which notes are found that may contradict this one, the longest of them.
    pub fn subject(&self) -> String {
        let mut words: Vec<&str> = self.telling().map(|word| word.text).collect();
        words.sort_unstable_by_key(|word| (std::cmp::Reverse(word.len()), *word));
        words.dedup();
        words.truncate(SUBJECT_WORDS);
        words.join(" ")
    }

    /// Whether the two may contradict each other.
    pub fn may_conflict_with(&self, other: &Self) -> bool {
        let shared = self.shared(other);
        let fewest = self.telling().count().min(other.telling().count());
        if shared < 2 || (shared as f64) < SAME_SHARE * fewest as f64 {
            return false;
        }
        let is_opposite = self.is_negated() != other.is_negated() || self.has_opposite_of(other);
        is_opposite && self.says_little_else(other, 3) || self.gives_another_value(other, shared)
    }

    fn telling(&self) -> impl Iterator<Item = Word<'_>> {
        self.words().filter(|word| word.is_telling)
    }

    fn is_negated(&self) -> bool {
        self.words().filter(|word| is_negation(word.text)).count() % 2 == 1
    }

    fn has(&self, wanted: Word<'_>) -> bool {
        self.words().any(|word| word.is_form_of(&wanted))
    }

    fn shared(&self, other: &Self) -> usize {
        let mut both: Vec<&str> =
            self.telling().filter(|word| other.has(*word)).map(|word| word.stem).collect();
        both.sort_unstable();
        both.dedup();
        both.len()
    }

    fn has_opposite_of(&self, other: &Self) -> bool {
        let says = |claim: &Self, word: &str| claim.words().any(|own| own.text == word);
        OPPOSITES.iter().any(|(a, b)| {
            let here = (says(self, a), says(self, b));
            let there = (says(other, a), says(other, b));
            here == (true, false) && there == (false, true)
                || here == (false, true) && there == (true, false)
        })
    }

    /// What only this one says.
    fn own<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (usize, Word<'a>)> {
        let words = self.words().enumerate();
        words.filter(move |(_, word)| word.is_telling && !other.has(*word))
    }

    fn says_little_else(&self, other: &Self, most: usize) -> bool {
        self.own(other).count() <= most && other.own(self).count() <= most
    }

    /// Both say something of the same, and it is not the same thing.
    fn gives_another_value(&self, other: &Self, shared: usize) -> bool {
        self.says_little_else(other, 2)
            && self.starts_like(other)
            && self.has_own_value(other, shared)
            && other.has_own_value(self, shared)
    }

    /// The subject stands first: what differs there are two subjects, not two claims about one.
    fn starts_like(&self, other: &Self) -> bool {
        let first = |claim| Self::telling(claim).next().map(|word| word.stem);
        first(self) == first(other)
    }

    /// Whether the first word that only this one has stands where something is said.
    fn has_own_value(&self, other: &Self, shared: usize) -> bool {
        let Some((at, word)) = self.own(other).next() else { return false };
        let mut before = self.words().take(at).map(|word| word.text).rev();
        let before = before.find(|word| !matches!(*word, "a" | "an" | "the"));
        let is_said = before.is_some_and(|before| SAYING.contains(&before));
        let is_number = word.text.chars().any(|c| c.is_ascii_digit());
        let is_last = at + 2 >= self.places.len();
        is_said || is_number && is_last && shared >= 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_conflict(one: &str, other: &str) -> bool {
        Claim::read(one).may_conflict_with(&Claim::read(other))
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
    fn contradictions_are_seen_either_way() {
        for (one, other) in CONFLICTS {
            assert!(may_conflict(one, other), "{one} / {other}");
            assert!(may_conflict(other, one), "{other} / {one}");
        }
    }

    #[test]
    fn what_only_sounds_alike_is_none() {
        for (one, other) in NO_CONFLICTS {
            assert!(!may_conflict(one, other), "{one} / {other}");
            assert!(!may_conflict(other, one), "{other} / {one}");
        }
    }
}
