//! Classes of lines by the words in them.

use std::sync::LazyLock;

use regex::bytes::{RegexSet, RegexSetBuilder};

/// What the words of a line say.
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

/// The pattern of each class, in order of the enum.
const PATTERNS: [&str; 8] = [
    r"(?i)error|fail|exception|panic|fatal|assert|traceback|undefined|cannot|not found|unable|missing|invalid|abort|denied|timed out|segfault|\bnot ok\b|unexpected|mismatch|could not",
    r"(?i)\berrors?\b ?[:\[(!]|\berror ?:|^error\b|\[error\]|\bFAIL(?:ED|URE|URES)?\b|\bfatal\b|panicked|Traceback|Exception\b|AssertionError|assertion|\*\*\* |\bnot ok\b",
    r"(?i)exited with|exit code|exit status|exit [1-9]|returned a non-zero|non-zero exit|failed with (?:code|status|exit)|Error [0-9]+$|ELIFECYCLE|BUILD FAIL|Build failed|Command failed|##\[error\]|rake aborted|Done\. Your build",
    r"^(?:\$ |travis_fold:|travis_time:|##\[(?:group|section|command)\]|\+ |::group::|>>> |==> )",
    r"(?i)[0-9]+ (?:tests? |specs? |examples?,? |scenarios?,? )?(?:fail|error|problem|offense|issue|warning|assertion|passed|passing|pending)|(?:Fail(?:ed|ures?)|Errors?): *[0-9]|Tests run|Ran [0-9]+|short test summary|FAILED \(|failing",
    r"(?i)warn|deprecat|notice|info\b|debug",
    r"(?i)[A-Za-z0-9_./\\-]+\.[A-Za-z]{1,6}[:(][0-9]+|line [0-9]+",
    r#"^(?:at |File "|from |in |#[0-9]+ |\.\.\. [0-9]+ more|Caused by)"#,
];

/// The classes of one line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Classes(u8);

impl Classes {
    pub(super) fn find(text: &[u8]) -> Self {
        static CLASSES: LazyLock<RegexSet> = LazyLock::new(compile);
        Self(CLASSES.matches(text).iter().fold(0, |bits, index| bits | 1 << index))
    }

    pub(super) fn has(self, class: Class) -> bool {
        self.0 & 1 << class as u8 != 0
    }

    /// Problem, failure, exit and section, one bit each.
    pub(super) fn main_bits(self) -> i16 {
        i16::from(self.0 & 0b1111)
    }
}

#[expect(clippy::expect_used, reason = "the patterns are constants, and each is used in a test")]
fn compile() -> RegexSet {
    RegexSetBuilder::new(PATTERNS).unicode(false).build().expect("valid patterns")
}

#[cfg(test)]
mod tests {
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
}
