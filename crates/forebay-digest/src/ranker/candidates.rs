//! Holds the lines that compete for the budget, in bounded memory.

use std::collections::VecDeque;

use super::features::FeatureVector;
use super::observed_line::{ObservedLine, WholeText};
use super::surroundings::Surroundings;

/// A line whose features are computed in the end.
#[derive(Debug)]
pub(super) struct HeldLine {
    pub(super) line: ObservedLine,
    pub(super) around: Surroundings,
}

impl HeldLine {
    pub(super) fn features(&self, whole: &WholeText<'_>) -> FeatureVector {
        self.line.features(&self.around, whole)
    }
}

/// The first and the latest candidates, at most so many of each.
#[derive(Debug, Default)]
pub(super) struct Candidates<const FIRST: usize, const LATEST: usize> {
    first: Vec<HeldLine>,
    latest: VecDeque<HeldLine>,
}

impl<const FIRST: usize, const LATEST: usize> Candidates<FIRST, LATEST> {
    #[cfg(test)]
    pub(super) const MAX: usize = FIRST + LATEST;

    pub(super) fn are_many(&self) -> bool {
        self.latest.len() >= LATEST / 2
    }

    /// Adds a candidate; returns one that has to go.
    pub(super) fn push(&mut self, line: HeldLine) -> Option<HeldLine> {
        if self.first.len() < FIRST {
            self.first.push(line);
            return None;
        }
        let oldest = if self.latest.len() == LATEST { self.latest.pop_front() } else { None };
        self.latest.push_back(line);
        oldest
    }

    pub(super) fn iter_mut_from_last(&mut self) -> impl Iterator<Item = &mut ObservedLine> {
        let held = self.latest.iter_mut().rev().chain(self.first.iter_mut().rev());
        held.map(|held| &mut held.line)
    }

    pub(super) fn into_iter(self) -> impl Iterator<Item = HeldLine> {
        self.first.into_iter().chain(self.latest)
    }
}
