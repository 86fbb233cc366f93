//! Conditions on the text around a word.

use std::ops::Range;

/// What must surround a word for it to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// No condition.
    Any,
    /// No word, path or identifier continues before it.
    WordStart,
    /// Nor after it.
    WholeWord,
    /// Preceded by a number other than zero: `3 failed`.
    Counted,
    /// Followed by a value other than zero: `Failures: 1`, `failed=2`.
    Labelled,
    /// First on the line, except for whitespace.
    LineStart,
    /// Last on the line, except for whitespace.
    LineEnd,
}

impl Boundary {
    /// Returns true if the condition holds for the word at `at`.
    pub(crate) fn matches(self, line: &str, at: &Range<usize>) -> bool {
        let (before, after) = (&line[..at.start], &line[at.end..]);
        match self {
            Self::Any => true,
            Self::WordStart => !continues_before(before),
            Self::WholeWord => !continues_before(before) && !continues_after(after),
            Self::Counted => is_count(before) && !continues_after(after),
            Self::Labelled => !continues_before(before) && is_labelled_value(after),
            Self::LineStart => before.trim_start().is_empty(),
            Self::LineEnd => after.trim_end().is_empty(),
        }
    }
}

fn continues_before(before: &str) -> bool {
    before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '\\'))
}

fn continues_after(after: &str) -> bool {
    // A full stop ends a sentence, unless something follows it directly.
    let after = after.strip_prefix('.').unwrap_or(after);
    after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '(' | '\\'))
}

fn is_count(before: &str) -> bool {
    let Some(before) = before.strip_suffix(' ') else { return false };
    let others = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == ',');
    before[others.len()..].contains(|c: char| matches!(c, '1'..='9'))
}

fn is_labelled_value(after: &str) -> bool {
    let Some(value) = after.strip_prefix([':', '=']) else { return false };
    let value = value.trim_start();
    let rest = value.trim_start_matches('0');
    !value.is_empty()
        && (rest.len() == value.len() || rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(boundary: Boundary, word: &str, matches: &[&str], fails: &[&str]) {
        for (lines, expect) in [(matches, true), (fails, false)] {
            for line in lines {
                let at = line.find(word).unwrap();
                assert_eq!(
                    boundary.matches(line, &(at..at + word.len())),
                    expect,
                    "{boundary:?} {line}"
                );
            }
        }
    }

    #[test]
    fn boundaries_match_as_documented() {
        check(
            Boundary::WordStart,
            "error",
            &["error", "(errors)"],
            &["terror", "my_error", "src/error"],
        );
        check(
            Boundary::WholeWord,
            "error",
            &["an error.", "[error]"],
            &["errors", "error.rs", "error-prone", "error(1)"],
        );
        check(
            Boundary::Counted,
            "failed",
            &["1 failed", "1,020 failed;"],
            &["0 failed", "failed", "x failed", "3 failed_tests"],
        );
        check(
            Boundary::Labelled,
            "Errors",
            &["Errors: 1", "Errors: x", "Errors=05"],
            &["Errors: 0,", "Errors:", "Errors"],
        );
        check(Boundary::LineStart, "ok", &["  ok 1 - x"], &["not ok 1"]);
        check(Boundary::LineEnd, "ok", &["test a ... ok "], &["ok 1"]);
    }
}
