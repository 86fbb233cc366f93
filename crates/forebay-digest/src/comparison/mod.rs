//! Compares the outputs of two runs of a command.

mod line_change;
mod test_change;
#[cfg(test)]
mod tests;
mod volatile;

pub use line_change::{LineChange, Lines, Sameness};
pub use test_change::TestChange;

use crate::binary::{Binary, PROBE_BYTES};
use crate::{Hint, clean, test_facts};

/// What differs between two outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    pub lines: LineChange,
    /// If a test runner printed both, and they differ.
    pub tests: Option<TestChange>,
}

/// Compares two outputs of the command of the hint; nothing if one is no text.
///
/// Takes time and memory in proportion to both texts, so the caller bounds them.
pub fn compare(before: &[u8], after: &[u8], hint: Hint<'_>) -> Option<Comparison> {
    if is_binary(before) || is_binary(after) {
        return None;
    }
    let (before, after) = (clean(before), clean(after));
    let lines = line_change::compare(&before, &after);
    if lines.sameness == Sameness::Identical {
        return Some(Comparison { lines, tests: None });
    }
    Some(Comparison { lines, tests: compare_tests(&before, &after, hint) })
}

fn compare_tests(before: &str, after: &str, hint: Hint<'_>) -> Option<TestChange> {
    let new = test_facts(after, hint)?;
    let old = test_facts(before, hint).filter(|old| old.runner == new.runner)?;
    Some(test_change::compare(&old, &new, after))
}

fn is_binary(raw: &[u8]) -> bool {
    Binary::recognize(&raw[..raw.len().min(PROBE_BYTES)]).is_some()
}
