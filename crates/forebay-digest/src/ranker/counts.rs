//! Counts how often hashes occur, in bounded memory.

use crate::hash::HashMap;

/// Number of different hashes that are counted exactly.
const MAX_COUNTED: usize = 1 << 16;

/// Lossy counting: when the table is full, the hashes with the lowest counts are forgotten.
#[derive(Debug)]
pub(super) struct LossyCounts {
    counts: HashMap<u32, u32>,
    max_counted: usize,
}

impl Default for LossyCounts {
    fn default() -> Self {
        Self { counts: HashMap::default(), max_counted: MAX_COUNTED }
    }
}

impl LossyCounts {
    /// Counts an occurrence and returns their number.
    pub(super) fn add(&mut self, hash: u32) -> u32 {
        if let Some(count) = self.counts.get_mut(&hash) {
            *count = count.saturating_add(1);
            return *count;
        }
        if self.counts.len() >= self.max_counted {
            self.forget_rare();
        }
        self.counts.insert(hash, 1);
        1
    }

    /// Returns the number of occurrences; of a forgotten hash at least one is known.
    pub(super) fn get(&self, hash: u32) -> u32 {
        self.counts.get(&hash).copied().unwrap_or(1)
    }

    fn forget_rare(&mut self) {
        let mut limit = 1;
        while self.counts.len() > self.max_counted / 2 {
            self.counts.retain(|_, count| *count > limit);
            limit *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_hashes_stay_counted_whatever_follows() {
        let mut counts = LossyCounts { max_counted: 100, ..LossyCounts::default() };
        for hash in 0..10_000 {
            counts.add(hash);
            counts.add(7);
        }
        assert_eq!(counts.get(7), 10_001);
        assert_eq!(counts.get(8), 1);
        assert!(counts.counts.len() <= 100);
    }
}
