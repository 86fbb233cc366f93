//! What must stand around a word for it to count.

use std::ops::Range;

/// What must hold next to a found word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    /// Nothing.
    Any,
    /// No word, path or identifier goes on before it.
    Start,
    /// Nor after it.
    Word,
    /// A number other than zero stands before it: `3 failed`.
    Counted,
    /// A value other than zero stands after it: `Failures: 1`, `failed=2`.
    Labelled,
    /// Nothing but blanks before it on the line.
    LineStart,
    /// Nothing but blanks after it on the line.
    LineEnd,
}

impl Edge {
    /// Whether it holds for the word at `at` in the line.
    pub(crate) fn holds(self, line: &str, at: &Range<usize>) -> bool {
        let (before, after) = (&line[..at.start], &line[at.end..]);
        match self {
            Self::Any => true,
            Self::Start => !goes_on_before(before),
            Self::Word => !goes_on_before(before) && !goes_on_after(after),
            Self::Counted => is_count(before) && !goes_on_after(after),
            Self::Labelled => !goes_on_before(before) && has_value(after),
            Self::LineStart => before.trim_start().is_empty(),
            Self::LineEnd => after.trim_end().is_empty(),
        }
    }
}

fn goes_on_before(before: &str) -> bool {
    before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '\\'))
}

fn goes_on_after(after: &str) -> bool {
    // A full stop ends a sentence, unless something follows it at once.
    let after = after.strip_prefix('.').unwrap_or(after);
    after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '(' | '\\'))
}

fn is_count(before: &str) -> bool {
    let Some(before) = before.strip_suffix(' ') else { return false };
    let others = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == ',');
    before[others.len()..].contains(|c: char| matches!(c, '1'..='9'))
}

fn has_value(after: &str) -> bool {
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
    fn check(edge: Edge, word: &str, holds: &[&str], fails: &[&str]) {
        for (lines, expect) in [(holds, true), (fails, false)] {
            for line in lines {
                let at = line.find(word).unwrap();
                assert_eq!(edge.holds(line, &(at..at + word.len())), expect, "{edge:?} {line}");
            }
        }
    }

    #[test]
    fn edges_hold_where_they_should() {
        check(Edge::Start, "error", &["error", "(errors)"], &["terror", "my_error", "src/error"]);
        check(
            Edge::Word,
            "error",
            &["an error.", "[error]"],
            &["errors", "error.rs", "error-prone", "error(1)"],
        );
        check(
            Edge::Counted,
            "failed",
            &["1 failed", "1,020 failed;"],
            &["0 failed", "failed", "x failed", "3 failed_tests"],
        );
        check(
            Edge::Labelled,
            "Errors",
            &["Errors: 1", "Errors: x", "Errors=05"],
            &["Errors: 0,", "Errors:", "Errors"],
        );
        check(Edge::LineStart, "ok", &["  ok 1 - x"], &["not ok 1"]);
        check(Edge::LineEnd, "ok", &["test a ... ok "], &["ok 1"]);
    }
}
