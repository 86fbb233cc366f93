//! Weighs lines by their words, the source locations they name, and the caller's intent.

mod boundary;
mod intent;
mod patterns;
mod word_finder;

use std::ops::Range;
use std::sync::LazyLock;

use forebay_text::cut;

use crate::location;
use crate::recognizers::EmbeddedRecognizers;
pub(crate) use intent::{Intent, IntentText};
use patterns::{Kind, PATTERNS, Pattern};
use word_finder::WordFinder;

/// What makes a line stand out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent properties of a line")]
pub(crate) struct Salience {
    /// Weight of the line, regardless of the intent.
    pub(crate) weight: u32,
    /// The line reports a failure.
    pub(crate) is_failure: bool,
    /// The line names a source location.
    pub(crate) has_location: bool,
    /// The intent words in the line, one bit each.
    pub(crate) intent_mask: u32,
    /// A recognizer set the weight.
    pub(crate) is_marked: bool,
    /// A recognizer considers the line unnecessary.
    pub(crate) is_noise: bool,
}

impl Salience {
    /// Returns true if the numbers in the line matter.
    pub(crate) fn is_specific(self) -> bool {
        self.is_failure || self.has_location || self.intent_mask != 0
    }
}

/// Weight that a source location adds.
const LOCATION_WEIGHT: u32 = 2;

/// A failure with fewer letters is a bare word, such as an empty line of the level `[ERROR]`.
const MIN_FAILURE_LETTERS: usize = 8;

/// Only this many bytes of a line are scanned; the rest is not shown either.
const MAX_SCANNED_BYTES: usize = 2 * 1024;

/// Weighs a line, and returns the recognizers that its words wake, one bit each.
///
/// The caller adds the intent mask.
pub(crate) fn weigh(line: &str) -> (Salience, u128) {
    let line = cut::prefix(line, MAX_SCANNED_BYTES);
    let signals = scan(line);
    let mut kinds = signals.kinds.without_false_alarms();
    if kinds.has(Kind::Failure) && letters(line) < MIN_FAILURE_LETTERS {
        kinds.replace(Kind::Failure, Kind::PossibleFailure);
    }
    let has_location = signals.has_location || location::has_location(line);
    let weight = kinds.heaviest() + if has_location { LOCATION_WEIGHT } else { 0 };
    let is_failure = kinds.has(Kind::Failure);
    let located = if has_location { EmbeddedRecognizers::trigger_of_location(line) } else { 0 };
    let triggers = signals.triggers | located;
    (Salience { weight, is_failure, has_location, ..Salience::default() }, triggers)
}

fn letters(line: &str) -> usize {
    line.bytes().filter(u8::is_ascii_alphabetic).count()
}

/// What a word in a line means.
#[derive(Debug, Clone, Copy)]
enum Signal {
    Pattern(&'static Pattern),
    /// Wakes the recognizers of these bits.
    Trigger(u128),
    /// A following number is a line number.
    Location,
}

/// All words with a meaning.
static WORDS: LazyLock<WordFinder<Signal>> = LazyLock::new(|| {
    let patterns = PATTERNS
        .iter()
        .flat_map(|row| row.words.iter().map(move |word| (*word, Signal::Pattern(row))));
    let triggers =
        EmbeddedRecognizers::triggers().map(|(word, bits)| (word, Signal::Trigger(bits)));
    WordFinder::new(
        patterns.chain(triggers).chain([(location::PYTHON_LINE_MARKER, Signal::Location)]),
    )
});

/// The signals found in a line.
#[derive(Debug, Default)]
struct LineSignals {
    /// The kinds of the matching patterns.
    kinds: Kinds,
    triggers: u128,
    has_location: bool,
}

fn scan(line: &str) -> LineSignals {
    let mut signals = LineSignals::default();
    WORDS.find(line, |signal, at| match signal {
        Signal::Pattern(pattern) => {
            // A kind that was found needs no second proof.
            if !signals.kinds.has(pattern.kind) && pattern.boundary.matches(line, &at) {
                signals.kinds.add(pattern.kind);
            }
        }
        Signal::Trigger(bits) => signals.triggers |= bits,
        Signal::Location => {
            signals.has_location |= location::starts_with_line_number(&line.as_bytes()[at.end..]);
        }
    });
    if signals.kinds.has(Kind::Harmless) {
        signals.kinds = kinds_outside_harmless(&matching_patterns(line));
    }
    signals
}

/// Returns the patterns that a line matches, and their positions.
fn matching_patterns(line: &str) -> Vec<(&'static Pattern, Range<usize>)> {
    let mut patterns = Vec::new();
    WORDS.find(line, |signal, at| match signal {
        Signal::Pattern(pattern) if pattern.boundary.matches(line, &at) => {
            patterns.push((pattern, at));
        }
        _ => {}
    });
    patterns
}

/// Returns the kinds of patterns, except for those within a harmless phrase.
fn kinds_outside_harmless(patterns: &[(&'static Pattern, Range<usize>)]) -> Kinds {
    let is_harmless = |at: &Range<usize>| {
        let around = |(pattern, around): &(&Pattern, Range<usize>)| {
            pattern.kind == Kind::Harmless && around.start <= at.start && at.end <= around.end
        };
        patterns.iter().any(around)
    };
    let mut kinds = Kinds::default();
    for (pattern, _) in patterns.iter().filter(|(_, at)| !is_harmless(at)) {
        kinds.add(pattern.kind);
    }
    kinds
}

/// The kinds of patterns in a line, without false alarms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Kinds(u8);

impl Kinds {
    fn add(&mut self, kind: Kind) {
        self.0 |= kind.bit();
    }

    fn replace(&mut self, kind: Kind, by: Kind) {
        self.0 = self.0 & !kind.bit() | by.bit();
    }

    fn has(self, kind: Kind) -> bool {
        self.0 & kind.bit() != 0
    }

    /// Removes failures from lines that report success, and possible failures from routine
    /// messages.
    fn without_false_alarms(mut self) -> Self {
        if self.has(Kind::Passed) {
            self.0 &= !(Kind::Failure.bit() | Kind::PossibleFailure.bit() | Kind::Warning.bit());
        }
        if self.has(Kind::Routine) {
            self.0 &= !(Kind::PossibleFailure.bit() | Kind::Warning.bit());
        }
        self
    }

    fn heaviest(self) -> u32 {
        let present = Kind::ALL.into_iter().filter(|kind| self.has(*kind));
        present.map(Kind::weight).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_matches_its_hit_and_not_its_miss() {
        for row in PATTERNS {
            let finds =
                |line| matching_patterns(line).iter().any(|(found, _)| found.words == row.words);
            assert!(finds(row.hit), "{row:?} must match its hit");
            assert!(!finds(row.miss), "{row:?} must not match its miss");
            let (Salience { weight, .. }, _) = weigh(row.miss);
            assert_eq!(weight, 0, "{row:?}: its miss must weigh nothing");
        }
    }

    #[track_caller]
    fn check(expect: &str, lines: &[&str]) {
        for line in lines {
            let (salience, _) = weigh(line);
            let signals = match salience.weight {
                _ if salience.is_failure => "failure",
                0 => "nothing",
                _ => "notable",
            };
            assert_eq!(signals, expect, "{line}");
        }
    }

    #[test]
    fn distinguishes_failures_from_lookalikes() {
        check(
            "failure",
            &[
                "error[E0308]: mismatched types",
                "src/main.c:3:5: error: expected ';'",
                "[ERROR] Failed to execute goal org.apache:x",
                "thread 'main' panicked at src/main.rs:4:5:",
                "Traceback (most recent call last):",
                "ValueError: invalid literal",
                "Tests run: 469, Failures: 1, Errors: 0, Skipped: 2",
                "test result: FAILED. 4 passed; 1 failed",
                "FAILED tests/test_a.py::test_b - assert 1 == 2",
                "##[error]Process completed with exit code 1.",
                "level=error msg=\"no route\"",
            ],
        );
        check(
            "nothing",
            &[
                "test parses_error_lines ... ok",
                "PASS src/error.test.ts",
                "  crates/domain/src/error.rs",
                "1474:        raise ValueError(message)",
                "   Compiling thiserror v2.0.21",
                "no errors",
                "0 errors, 0 failures",
                "ok=3 changed=1 failed=0",
            ],
        );
        check(
            "notable",
            &[
                "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0",
                "test result: ok. 5 passed; 0 failed; 0 ignored",
                "warning: unused variable: `x`",
                "see src/lib.rs:12",
                "  File \"/a/b.py\", line 3, in f",
            ],
        );
    }
}
