//! Compares the outputs of two runs of a command.

mod line_change;
mod test_change;
#[cfg(test)]
mod tests;
mod volatile;

pub use line_change::{LineChange, Lines, Sameness};
pub use test_change::TestChange;

use crate::{Hint, clean, test_facts};

/// What differs between two outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    pub lines: LineChange,
    /// If a test runner printed both.
    pub tests: Option<TestChange>,
}

/// Compares two outputs of the command of the hint.
///
/// Takes time and memory in proportion to both texts, so the caller bounds them.
pub fn compare(before: &[u8], after: &[u8], hint: Hint<'_>) -> Comparison {
    let (before, after) = (clean(before), clean(after));
    let facts = test_facts(&before, hint).zip(test_facts(&after, hint));
    let same_runner = facts.filter(|(old, new)| old.runner == new.runner);
    let tests = same_runner.map(|(old, new)| test_change::compare(&old, &new, &after));
    Comparison { lines: line_change::compare(&before, &after), tests }
}
