//! Meanings held in memory, and the nearest of them.

use forebay_domain::meaning::{dots, length};

/// Below this two texts have nothing to do with each other, whatever comes first among them.
pub(crate) const NEAR: f32 = 0.25;
/// Beyond this meanings are not compared one by one.
const MOST_COMPARED: i64 = 200_000;
/// The same where vectors are long: what they may take in memory.
const MOST_BYTES: i64 = 256 * 1024 * 1024;

/// Whether so many meanings of this width are too many to be held and compared.
pub(crate) fn are_too_many(count: i64, width: usize) -> bool {
    count > MOST_COMPARED.min(MOST_BYTES / (width as i64).max(1))
}

/// Meanings of passages, all of one width.
#[derive(Debug, Default)]
pub(crate) struct Meanings {
    width: usize,
    ids: Vec<i64>,
    lengths: Vec<f32>,
    /// All vectors, one after the other.
    numbers: Vec<u8>,
}

impl Meanings {
    pub(crate) fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Adds a meaning; one of another width would shift all that follow, so it is left out.
    pub(crate) fn add(&mut self, passage: i64, vector: &[u8]) {
        if vector.len() == self.width {
            self.ids.push(passage);
            self.lengths.push(length(vector));
            self.numbers.extend_from_slice(vector);
        }
    }

    /// Whether a passage is among them. Those that come later have the greater numbers, nearly always.
    pub(crate) fn has(&self, passage: i64) -> bool {
        self.ids.last().is_some_and(|last| passage <= *last) && self.ids.contains(&passage)
    }

    /// The passages whose meaning is nearest, best first; only those that `allows` lets through.
    pub(crate) fn nearest(
        &self,
        wanted: &[u8],
        most: usize,
        allows: impl Fn(i64) -> bool,
    ) -> Vec<(i64, f32)> {
        let own_length = length(wanted);
        if wanted.len() != self.width || own_length <= 0.0 {
            return Vec::new();
        }
        let mut nearest = Nearest { most, least: NEAR, found: Vec::with_capacity(2 * most) };
        let products = dots(wanted, &self.numbers);
        for ((id, length), product) in self.ids.iter().zip(&self.lengths).zip(products) {
            let nearness = product as f32 / (own_length * length);
            if nearness >= nearest.least && allows(*id) {
                nearest.take(*id, nearness);
            }
        }
        nearest.in_order()
    }
}

/// The nearest so many; of equal ones the newer.
struct Nearest {
    most: usize,
    /// What is less near is none of them.
    least: f32,
    /// Those so far, up to as many again that may yet fall out.
    found: Vec<(i64, f32)>,
}

impl Nearest {
    fn take(&mut self, passage: i64, nearness: f32) {
        self.found.push((passage, nearness));
        if self.found.len() >= 2 * self.most {
            self.drop_rest();
        }
    }

    fn drop_rest(&mut self) {
        if let Some(last) = self.most.checked_sub(1).filter(|last| *last < self.found.len()) {
            let (_, (_, least), _) = self.found.select_nth_unstable_by(last, nearer);
            self.least = *least;
        }
        self.found.truncate(self.most);
    }

    fn in_order(mut self) -> Vec<(i64, f32)> {
        self.drop_rest();
        self.found.sort_unstable_by(nearer);
        self.found
    }
}

/// Which of two passages comes first: the nearer, of equal ones the newer.
pub(crate) fn nearer(a: &(i64, f32), b: &(i64, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(b.0.cmp(&a.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_nearest_are_those_that_sorting_gives(
            nearness in proptest::collection::vec(0_u8..20, 0..200),
            most in 0_usize..20,
        ) {
            let all: Vec<(i64, f32)> = (0..).zip(nearness.into_iter().map(f32::from)).collect();
            let mut nearest = Nearest { most, least: 0.0, found: Vec::new() };
            for (passage, nearness) in &all {
                if *nearness >= nearest.least {
                    nearest.take(*passage, *nearness);
                }
            }
            let mut sorted = all;
            sorted.sort_by(nearer);
            sorted.truncate(most);
            prop_assert_eq!(nearest.in_order(), sorted);
        }
    }
}
