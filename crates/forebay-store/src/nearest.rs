//! Meanings held in memory, and the nearest of them.

use std::collections::HashSet;
use std::convert::Infallible;

use forebay_domain::meaning::{Aim, Directions};

use crate::foremost::Foremost;

/// The nearest passages, each with how near it is; best first.
pub(crate) type Near = Vec<(i64, f32)>;

/// A question: which so many are nearest to what this model told.
#[derive(Debug)]
pub(crate) struct Wanted<Model> {
    pub(crate) model: Model,
    pub(crate) vector: Vec<u8>,
    pub(crate) most: usize,
}

/// Below this two texts have nothing to do with each other, whatever comes first among them.
pub(crate) const NEAR: f32 = 0.25;
/// Beyond this meanings are not compared one by one.
pub(crate) const MOST_COMPARED: i64 = 200_000;
/// The same where vectors are long: what they may take in memory.
const MOST_BYTES: i64 = 256 * 1024 * 1024;

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
    ids: Vec<i64>,
    directions: Directions,
}

impl Meanings {
    pub(crate) fn new(width: usize) -> Self {
        Self { ids: Vec::new(), directions: Directions::new(width) }
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Adds a meaning; one of another width is left out.
    pub(crate) fn add(&mut self, passage: i64, vector: &[u8]) {
        if self.directions.add(vector) {
            self.ids.push(passage);
        }
    }

    /// Forgets all but these.
    pub(crate) fn keep(&mut self, there: &HashSet<i64>) {
        self.directions.retain(|number| there.contains(&self.ids[number]));
        self.ids.retain(|passage| there.contains(passage));
    }

    /// The passages whose meaning is nearest to each of several, only those that `allows` lets through: all meanings,
    /// which are this model's, are read from memory once. None for what another model told.
    pub(crate) fn nearest_to_each<Model: PartialEq>(
        &self,
        model: &Model,
        wanted: &[&Wanted<Model>],
        allows: impl Fn(i64) -> bool,
    ) -> Vec<Option<Near>> {
        let fits = |passage| Ok::<_, Infallible>(allows(passage));
        let is_comparable = |wanted: &Wanted<Model>| wanted.model == *model;
        let aim = |wanted: &&Wanted<Model>| {
            is_comparable(wanted).then(|| Aim::at(&wanted.vector)).flatten()
        };
        let aims: Vec<Option<Aim>> = wanted.iter().map(aim).collect();
        let mut nearest: Vec<Foremost> =
            wanted.iter().map(|wanted| Foremost::new(wanted.most, NEAR)).collect();
        self.directions.compare(&aims, |aim, first, nearness| {
            let Ok(()) = nearest[aim].take_from(&self.ids[first..], nearness, fits);
        });
        let near = nearest.into_iter().zip(wanted);
        near.map(|(near, wanted)| is_comparable(wanted).then(|| near.in_order())).collect()
    }
}
