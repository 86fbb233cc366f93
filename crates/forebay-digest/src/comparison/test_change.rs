//! What happened to the tests between two runs.

use crate::tally::TestFacts;

/// What happened to the tests of a run that failed in an earlier one, and the other way round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestChange {
    /// Fail now and did not fail before.
    pub new_failures: Vec<String>,
    pub still_failing: Vec<String>,
    /// Failed before, and the later output says that they pass.
    pub fixed: Vec<String>,
    /// Failed before, and the later output says that they were skipped.
    pub skipped: Vec<String>,
    /// Failed before and are not mentioned now: fixed, removed, renamed or not run.
    pub not_reported: Vec<String>,
    /// Counts that differ: their name, before and after.
    pub counts: Vec<(&'static str, u64, u64)>,
}

impl TestChange {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Compares the tests of two runs; `after_text` is the output of the later one.
pub(super) fn compare(before: &TestFacts, after: &TestFacts, after_text: &str) -> TestChange {
    let mut change = TestChange::default();
    for name in &after.failing {
        if before.failing.contains(name) {
            change.still_failing.push(name.clone());
        } else if before.is_complete {
            change.new_failures.push(name.clone());
        }
    }
    if after.is_complete {
        let gone = before.failing.iter().filter(|name| !after.failing.contains(name));
        for name in gone {
            match last_mention(after_text, name) {
                Some(Mention::Passed) => change.fixed.push(name.clone()),
                Some(Mention::Skipped) => change.skipped.push(name.clone()),
                None => change.not_reported.push(name.clone()),
            }
        }
    }
    for (word, old, new) in [
        ("passed", before.passed, after.passed),
        ("failed", before.failed, after.failed),
        ("skipped", before.skipped, after.skipped),
    ] {
        if let (Some(old), Some(new)) = (old, new)
            && old != new
        {
            change.counts.push((word, old, new));
        }
    }
    change
}

/// What an output says of a test that does not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mention {
    Passed,
    Skipped,
}

const PASS_WORDS: &[&str] = &["ok", "OK", "PASS", "PASSED", "passed", "✓", "✔"];
const SKIP_WORDS: &[&str] = &["ignored", "SKIP", "SKIPPED", "skipped", "pending", "todo", "○", "↓"];

/// Returns what the last line that names the test says of it.
fn last_mention(text: &str, name: &str) -> Option<Mention> {
    text.lines().rev().filter(|line| names(line, name)).find_map(|line| {
        let has = |words: &[&str]| {
            line.split([' ', '\t', ':', ',', '(', ')']).any(|word| words.contains(&word))
        };
        match () {
            () if has(SKIP_WORDS) => Some(Mention::Skipped),
            () if has(PASS_WORDS) => Some(Mention::Passed),
            () => None,
        }
    })
}

/// Whether a line has the name as a whole, and not as a part of another one.
fn names(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '/' | '[');
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
