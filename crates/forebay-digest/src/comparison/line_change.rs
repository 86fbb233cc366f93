//! Which lines of a text another one does not have.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use forebay_text::cut;

use super::volatile::mask;
use crate::hash::HashMap;

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

impl<'a> FromIterator<&'a str> for Lines {
    fn from_iter<T: IntoIterator<Item = &'a str>>(lines: T) -> Self {
        let mut all = Self::default();
        for line in lines {
            all.count += 1;
            if all.quoted.len() < MAX_QUOTED {
                all.quoted.push(cut::one_line(line, MAX_LINE_BYTES));
            }
        }
        all
    }
}

/// Compares two texts without terminal noise.
///
/// Most lines of two runs are equal, so only the others are searched for volatile parts.
pub(super) fn compare(before: &str, after: &str) -> LineChange {
    let (old, new) = (nonblank(before), nonblank(after));
    let lines = new.len() as u64;
    if is_same_but_volatile(&old, &new) {
        let sameness = if before == after { Sameness::Identical } else { Sameness::ExceptVolatile };
        let differing = new.iter().zip(&old).filter(|(line, earlier)| line != earlier);
        let added = differing.map(|(line, _)| *line).collect();
        return LineChange { sameness, added, removed: Lines::default(), lines };
    }
    let (old, new) = unmatched(&old, &new, exact_hash);
    let (removed, added) = unmatched(&old, &new, masked_hash);
    let is_reordered = added.is_empty() && removed.is_empty();
    let sameness = if is_reordered { Sameness::Reordered } else { Sameness::Different };
    let [added, removed] = [added, removed].map(|lines| lines.into_iter().collect());
    LineChange { sameness, added, removed, lines }
}

fn nonblank(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect()
}

fn is_same_but_volatile(old: &[&str], new: &[&str]) -> bool {
    let is_same = |(one, other): (&&str, &&str)| one == other || mask(one) == mask(other);
    old.len() == new.len() && old.iter().zip(new).all(is_same)
}

/// Returns the lines of each text that the other one does not have as often.
fn unmatched<'a>(
    old: &[&'a str],
    new: &[&'a str],
    hash: fn(&str) -> u64,
) -> (Vec<&'a str>, Vec<&'a str>) {
    let hashed = |lines: &[&'a str]| -> Vec<(u64, &'a str)> {
        lines.iter().map(|line| (hash(line), *line)).collect()
    };
    let (old, new) = (hashed(old), hashed(new));
    (only_in(&old, &new), only_in(&new, &old))
}

fn only_in<'a>(own: &[(u64, &'a str)], other: &[(u64, &str)]) -> Vec<&'a str> {
    let mut available: HashMap<u64, u64> = HashMap::default();
    for (hash, _) in other {
        *available.entry(*hash).or_default() += 1;
    }
    let is_missing = |(hash, _): &&(u64, &str)| match available.get_mut(hash) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    own.iter().filter(is_missing).map(|(_, line)| *line).collect()
}

fn exact_hash(line: &str) -> u64 {
    FixedState::default().hash_one(line)
}

fn masked_hash(line: &str) -> u64 {
    exact_hash(&mask(line))
}
