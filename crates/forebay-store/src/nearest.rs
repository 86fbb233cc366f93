//! Meanings held in memory, and the nearest of them.

use std::collections::HashSet;
use std::convert::Infallible;

use forebay_domain::meaning::{dots, length};

use crate::foremost::Foremost;

/// Below this two texts have nothing to do with each other, whatever comes first among them.
pub(crate) const NEAR: f32 = 0.25;
/// Beyond this meanings are not compared one by one.
pub(crate) const MOST_COMPARED: i64 = 200_000;
/// The same where vectors are long: what they may take in memory.
const MOST_BYTES: i64 = 256 * 1024 * 1024;
/// Meanings that are compared before the nearest of them are looked for, and before the next question's turn: they and
/// what is written of them stay at hand, in the first cache of a processor.
const COMPARED_AT_ONCE: usize = 128;

/// Whether meanings of so many passages, of whatever width, are too many to be compared.
pub(crate) fn are_beyond_comparing(passages: i64) -> bool {
    passages > MOST_COMPARED
}

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

    /// Forgets all but these.
    pub(crate) fn keep(&mut self, there: &HashSet<i64>) {
        let mut kept = Self::new(self.width);
        let numbers = self.numbers.chunks_exact(self.width.max(1));
        for ((passage, length), numbers) in self.ids.iter().zip(&self.lengths).zip(numbers) {
            if there.contains(passage) {
                kept.ids.push(*passage);
                kept.lengths.push(*length);
                kept.numbers.extend_from_slice(numbers);
            }
        }
        *self = kept;
    }

    /// The passages whose meaning is nearest, best first; only those that `allows` lets through.
    pub(crate) fn nearest(
        &self,
        wanted: &[u8],
        most: usize,
        allows: impl Fn(i64) -> bool,
    ) -> Vec<(i64, f32)> {
        self.nearest_to_each(&[(wanted, most)], allows).pop().unwrap_or_default()
    }

    /// The same for several at once, each with how many it wants: all meanings are read from memory once.
    pub(crate) fn nearest_to_each(
        &self,
        wanted: &[(&[u8], usize)],
        allows: impl Fn(i64) -> bool,
    ) -> Vec<Vec<(i64, f32)>> {
        let fits = |passage| Ok::<_, Infallible>(allows(passage));
        let mut each: Vec<(&[u8], f32, Foremost)> = wanted
            .iter()
            .map(|(wanted, most)| (*wanted, length(wanted), Foremost::new(*most, NEAR)))
            .collect();
        let mut nearness = [0.0; COMPARED_AT_ONCE];
        let directions = self.numbers.chunks(COMPARED_AT_ONCE * self.width.max(1));
        let lengths = self.lengths.chunks(COMPARED_AT_ONCE);
        for (ids, others) in self.ids.chunks(COMPARED_AT_ONCE).zip(directions.zip(lengths)) {
            let nearness = &mut nearness[..ids.len()];
            for (wanted, own_length, nearest) in &mut each {
                if wanted.len() == self.width && *own_length > 0.0 {
                    compare((wanted, *own_length), others, nearness);
                    let Ok(()) = nearest.take_from(ids, nearness, fits);
                }
            }
        }
        each.into_iter().map(|(_, _, nearest)| nearest.in_order()).collect()
    }
}

/// Writes how near each of the others is; all directions with their lengths.
fn compare(
    (wanted, own_length): (&[u8], f32),
    (others, lengths): (&[u8], &[f32]),
    nearness: &mut [f32],
) {
    let mut products = [0; COMPARED_AT_ONCE];
    let products = &mut products[..nearness.len()];
    dots(wanted, others, products);
    for ((nearness, product), length) in nearness.iter_mut().zip(products).zip(lengths) {
        *nearness = *product as f32 / (own_length * length);
    }
}
