//! How telling a line is: by the words in it, the places it names, and what the caller is after.

mod edge;
mod finder;
mod intent;
mod patterns;

use std::ops::Range;
use std::sync::LazyLock;

use forebay_text::cut;

use crate::place;
use crate::recognizers::Parts;
use finder::Finder;
pub(crate) use intent::Intent;
use patterns::{Kind, PATTERNS, Pattern};

/// What stands out in one line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is one thing that a line may be")]
pub(crate) struct Salience {
    /// How telling the line is, whatever the caller is after.
    pub(crate) weight: u32,
    /// It says that something failed.
    pub(crate) failure: bool,
    /// It names a place in a file.
    pub(crate) place: bool,
    /// The words of the intent it has, one bit each.
    pub(crate) wanted: u32,
    /// A recognizer says what it weighs.
    pub(crate) marked: bool,
    /// A recognizer says that nobody needs it.
    pub(crate) noise: bool,
}

impl Salience {
    /// Its numbers matter.
    pub(crate) fn is_pointed(self) -> bool {
        self.failure || self.place || self.wanted != 0
    }
}

/// What a place adds to the weight of its line.
const PLACE_WEIGHT: u32 = 2;

/// A failure with fewer letters is a bare word, such as an empty line of the level `[ERROR]`.
const LETTERS: usize = 8;

/// Only the start of a line is looked at; what lies behind is not shown either.
const LOOKED_AT: usize = 2 * 1024;

/// Weighs a line, and says which recognizers its words wake, one bit each.
///
/// The words of the intent are the caller's to add.
pub(crate) fn weigh(line: &str) -> (Salience, u128) {
    let line = cut::prefix(line, LOOKED_AT);
    let said = said_in(line);
    let mut kinds = said.kinds();
    if kinds.has(Kind::Failure) && letters(line) < LETTERS {
        kinds.replace(Kind::Failure, Kind::Complaint);
    }
    let place = said.place || place::is_named_in(line);
    let weight = kinds.heaviest() + if place { PLACE_WEIGHT } else { 0 };
    let failure = kinds.has(Kind::Failure);
    (Salience { weight, failure, place, ..Salience::default() }, said.triggers)
}

fn letters(line: &str) -> usize {
    line.bytes().filter(u8::is_ascii_alphabetic).count()
}

/// What a found word means.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    Pattern(&'static Pattern),
    /// It wakes the recognizers of these bits.
    Trigger(u128),
    /// A number that follows is that of a line in a file.
    Place,
}

/// All words that say something of a line.
static WORDS: LazyLock<Finder<Meaning>> = LazyLock::new(|| {
    let patterns = PATTERNS
        .iter()
        .flat_map(|row| row.words.iter().map(move |word| (*word, Meaning::Pattern(row))));
    let triggers = Parts::triggers().map(|(word, bits)| (word, Meaning::Trigger(bits)));
    Finder::new(patterns.chain(triggers).chain([(place::BEFORE_NUMBER, Meaning::Place)]))
});

/// What the words of a line say.
#[derive(Debug, Default)]
struct Said {
    /// The patterns, and where they stand.
    patterns: Vec<(&'static Pattern, Range<usize>)>,
    triggers: u128,
    place: bool,
}

fn said_in(line: &str) -> Said {
    let mut said = Said::default();
    WORDS.find(line, |meaning, at| match meaning {
        Meaning::Pattern(pattern) if pattern.edge.holds(line, &at) => {
            said.patterns.push((pattern, at));
        }
        Meaning::Pattern(_) => {}
        Meaning::Trigger(bits) => said.triggers |= bits,
        Meaning::Place => said.place |= place::is_line_number(&line.as_bytes()[at.end..]),
    });
    said
}

impl Said {
    /// The kinds of pattern, without those within a harmless phrase.
    fn kinds(&self) -> Kinds {
        let is_harmless = |at: &Range<usize>| {
            let around = |(pattern, around): &(&Pattern, Range<usize>)| {
                pattern.kind == Kind::Harmless && around.start <= at.start && at.end <= around.end
            };
            self.patterns.iter().any(around)
        };
        let mut kinds = Kinds::default();
        for (pattern, _) in self.patterns.iter().filter(|(_, at)| !is_harmless(at)) {
            kinds.add(pattern.kind);
        }
        kinds.calmed()
    }
}

/// The kinds of pattern in a line, false friends taken out.
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

    /// A line that tells of success fails at nothing, and routine messages do not complain.
    fn calmed(mut self) -> Self {
        if self.has(Kind::Passed) {
            self.0 &= !(Kind::Failure.bit() | Kind::Complaint.bit() | Kind::Warning.bit());
        }
        if self.has(Kind::Routine) {
            self.0 &= !(Kind::Complaint.bit() | Kind::Warning.bit());
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
    fn every_pattern_finds_its_sample_and_spares_its_false_friend() {
        for row in PATTERNS {
            let finds =
                |line| said_in(line).patterns.iter().any(|(found, _)| found.words == row.words);
            assert!(finds(row.hit), "{row:?} must match its hit");
            assert!(!finds(row.miss), "{row:?} must not match its miss");
            let weight = said_in(row.miss).kinds().heaviest();
            assert_eq!(weight, 0, "{row:?}: its miss must weigh nothing");
        }
    }

    #[track_caller]
    fn check(expect: &str, lines: &[&str]) {
        for line in lines {
            let (salience, _) = weigh(line);
            let said = match salience.weight {
                _ if salience.failure => "failure",
                0 => "nothing",
                _ => "notable",
            };
            assert_eq!(said, expect, "{line}");
        }
    }

    #[test]
    fn failures_are_told_from_their_false_friends() {
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
