//! Which lines of a text another one does not have.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use forebay_text::cut;

use super::volatile::mask;

/// Lines that are quoted on each side; of the others only the number is known.
const MAX_QUOTED: usize = 12;

/// Maximum bytes of a quoted line.
const MAX_LINE_BYTES: usize = 160;

/// What changed between two texts, line by line, apart from volatile parts and from the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    pub sameness: Sameness,
    pub added: Lines,
    pub removed: Lines,
    /// Nonblank lines of the later text.
    pub lines: u64,
}

/// How far two texts are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sameness {
    Identical,
    /// Only times, addresses and the like differ.
    ExceptVolatile,
    /// The lines are the same, in another order.
    Reordered,
    Different,
}

/// Some lines, and how many there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines {
    pub quoted: Vec<String>,
    pub count: u64,
}

impl Lines {
    fn push(&mut self, line: &str) {
        self.count += 1;
        if self.quoted.len() < MAX_QUOTED {
            self.quoted.push(cut::one_line(line, MAX_LINE_BYTES));
        }
    }
}

/// Compares two texts without terminal noise.
pub(super) fn compare(before: &str, after: &str) -> LineChange {
    if before == after {
        let lines = nonblank(after).count() as u64;
        let none = Lines::default;
        return LineChange { sameness: Sameness::Identical, added: none(), removed: none(), lines };
    }
    let hashes = |text: &str| -> Vec<u64> { nonblank(text).map(hash).collect() };
    let (old, new) = (hashes(before), hashes(after));
    let lines = new.len() as u64;
    if old == new {
        let sameness = Sameness::ExceptVolatile;
        let added = only_in(after, before);
        return LineChange { sameness, added, removed: Lines::default(), lines };
    }
    let added = unmatched(after, &new, &old);
    let removed = unmatched(before, &old, &new);
    let is_reordered = added.count == 0 && removed.count == 0;
    let sameness = if is_reordered { Sameness::Reordered } else { Sameness::Different };
    LineChange { sameness, added, removed, lines }
}

/// Returns the lines whose volatile parts differ; both texts have the same lines otherwise.
fn only_in(after: &str, before: &str) -> Lines {
    let mut differing = Lines::default();
    for (line, earlier) in nonblank(after).zip(nonblank(before)) {
        if line != earlier {
            differing.push(line);
        }
    }
    differing
}

/// Returns the lines of a text that the other one does not have as often.
fn unmatched(text: &str, own: &[u64], other: &[u64]) -> Lines {
    let mut available: HashMap<u64, u64, FixedState> = HashMap::default();
    for hash in other {
        *available.entry(*hash).or_default() += 1;
    }
    let mut lines = Lines::default();
    for (line, hash) in nonblank(text).zip(own) {
        match available.get_mut(hash).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => lines.push(line),
        }
    }
    lines
}

fn nonblank(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty())
}

fn hash(line: &str) -> u64 {
    let masked: Cow<'_, str> = mask(line);
    FixedState::default().hash_one(masked.as_ref())
}
