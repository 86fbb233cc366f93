//! Classes of lines by the words in them.
//!
//! The patterns of the classes are in `keyword_patterns.rs`; `build.rs` turns them into the table of a finite automaton
//! that is read in place.

// The column of each byte and of the end of a text; the state after each state, by column; the patterns that have matched
// when a state is reached, a bit for each.
include!(concat!(env!("OUT_DIR"), "/keyword_table.rs"));

/// What the words of a line say, in the order of the patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A word that often goes with a problem.
    Problem,
    /// A phrase that states a failure.
    Failure,
    /// How a command ended.
    Exit,
    /// The start of a command or a section.
    Section,
    /// A result with counts.
    Summary,
    /// A warning or a message of a level.
    Notice,
    /// A place in a file.
    Location,
    /// A frame of a stack trace.
    StackFrame,
}

/// The classes of one line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Classes(u8);

/// Finds the classes of a text, one byte after another.
#[derive(Debug, Default)]
pub(super) struct Finder {
    state: usize,
    bits: u8,
}

impl Finder {
    #[inline]
    pub(super) fn push(&mut self, byte: u8) {
        self.state = usize::from(NEXT[self.state][usize::from(COLUMNS[usize::from(byte)])]);
        self.bits |= MATCHES[self.state];
    }

    pub(super) fn finish(self) -> Classes {
        Classes(self.bits | MATCHES[usize::from(NEXT[self.state][END])])
    }
}

impl Classes {
    #[cfg(test)]
    pub(super) fn find(text: &[u8]) -> Self {
        let mut finder = Finder::default();
        for byte in text {
            finder.push(*byte);
        }
        finder.finish()
    }

    pub(super) fn has(self, class: Class) -> bool {
        self.0 & 1 << class as u8 != 0
    }

    /// Problem, failure, exit and section, one bit each.
    pub(super) fn main_bits(self) -> i16 {
        i16::from(self.0 & 0b1111)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use regex::bytes::{RegexSet, RegexSetBuilder};

    use super::super::keyword_patterns::PATTERNS;
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: &[Class]) {
        use Class::{Exit, Failure, Location, Notice, Problem, Section, StackFrame, Summary};
        let classes = Classes::find(line.as_bytes());
        let all = [Problem, Failure, Exit, Section, Summary, Notice, Location, StackFrame];
        let found: Vec<_> = all.into_iter().filter(|class| classes.has(*class)).collect();
        assert_eq!(found, expect, "{line}");
    }

    #[test]
    fn words_decide_the_classes() {
        use Class::{Exit, Failure, Location, Notice, Problem, Section, StackFrame, Summary};
        check("all is well", &[]);
        check("the import fails", &[Problem]);
        check("src/a.c:3:5: error: expected ';'", &[Problem, Failure, Location]);
        check("make: *** [all] Error 2", &[Problem, Failure, Exit]);
        check("$ npm test", &[Section]);
        check("  at f", &[]);
        check("at f (a.js:3)", &[Location, StackFrame]);
        check("3 examples, 1 failure", &[Problem, Failure, Summary]);
        check("WARNING: old", &[Notice]);
    }

    /// Pieces of what the patterns describe and of what makes them fail, with `|` between them.
    const PIECES: &str = "error|Errors|Error 2|[error]|##[error]|fail|FAILED|FAILURES|failed with |code|exit |\
        exit status|fatal|Exception|AssertionError|not ok|Traceback|*** |$ |+ |travis_fold:|##[group]|>>> |==> |12 |\
        tests |examples, |passed|Failures: 3|Ran 7|info|warn|src/a.rs|:12|(3)|line 4|.|x|_|9|#3 |at |File \"|\
        ... 2 more|Caused by| |:|!|(|]|\t|\u{e9}||in |could not";

    proptest! {
        #[test]
        fn the_table_finds_what_the_patterns_find(
            pieces in prop::collection::vec(prop::sample::select(PIECES.split('|').collect::<Vec<_>>()), 0..7),
            noise in "[ -~]{0,12}",
        ) {
            static SET: LazyLock<RegexSet> =
                LazyLock::new(|| RegexSetBuilder::new(PATTERNS).unicode(false).build().unwrap());
            for text in [pieces.concat() + &noise, noise + &pieces.join(" ")] {
                let found = SET.matches(text.as_bytes());
                let bits = found.iter().fold(0, |bits, index| bits | 1 << index);
                prop_assert_eq!(Classes::find(text.as_bytes()), Classes(bits), "{}", text);
            }
        }
    }
}
