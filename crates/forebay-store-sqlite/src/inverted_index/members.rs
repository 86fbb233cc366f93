//! The passages of a segment in the making, and how many words each has.

use super::varint;

#[derive(Debug, Default)]
pub(super) struct Members {
    /// Each by its id, or by a number until it has one.
    all: Vec<(i64, u32)>,
    /// How many have ids; those after them have numbers.
    named: usize,
}

impl Members {
    /// Passages that have ids.
    pub(super) fn of_ids(all: Vec<(i64, u32)>) -> Self {
        Self { named: all.len(), all }
    }

    pub(super) fn add(&mut self, number: i64, words: u32) {
        self.all.push((number, words));
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Gives those that have numbers their ids.
    pub(super) fn name(&mut self, ids: &[i64]) {
        for (passage, _) in &mut self.all[self.named..] {
            *passage = ids.get(*passage as usize).copied().unwrap_or_default();
        }
        self.named = self.all.len();
    }

    /// The lowest id and the highest; none where there is no passage.
    pub(super) fn range(&self) -> Option<(i64, i64)> {
        let ids = self.all.iter().map(|(passage, _)| *passage);
        Some((ids.clone().min()?, ids.max()?))
    }

    /// The words of all together.
    pub(super) fn words(&self) -> u64 {
        self.all.iter().map(|(_, words)| u64::from(*words)).sum()
    }

    /// Each by its distance from the one before, and its words.
    pub(super) fn packed(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.all.len() * 3);
        let mut last = 0;
        for (passage, words) in &self.all {
            let step = passage - last;
            // Merged segments may hold passages out of order; the lowest bit tells the direction.
            varint::put(&mut bytes, step.unsigned_abs() << 1 | u64::from(step < 0));
            varint::put(&mut bytes, u64::from(*words));
            last = *passage;
        }
        bytes
    }
}
