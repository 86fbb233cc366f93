//! VectorIndex held in memory, and the nearest of them.

use std::collections::HashSet;
use std::convert::Infallible;

use forebay_text::vector::{QueryVector, VectorMatrix};

use crate::top_k::TopK;

/// The nearest passages, each with how near it is; best first.
pub type Neighbours = Vec<(i64, f32)>;

/// A question: which so many are nearest to what this model told.
#[derive(Debug)]
pub struct VectorQuery<Model> {
    pub model: Model,
    pub vector: Vec<u8>,
    pub most: usize,
}

/// Below this two texts have nothing to do with each other, whatever comes first among them.
pub const NEAR: f32 = 0.25;
/// Beyond this meanings are not compared one by one.
pub const MOST_COMPARED: i64 = 200_000;
/// The same where vectors are long: what they may take in memory.
const MOST_BYTES: i64 = 256 * 1024 * 1024;

/// Whether meanings of so many passages, of whatever width, are too many to be compared.
pub fn are_beyond_comparing(passages: i64) -> bool {
    passages > MOST_COMPARED
}

/// Whether so many meanings of this width are too many to be held and compared.
pub fn are_too_many(count: i64, width: usize) -> bool {
    count > MOST_COMPARED.min(MOST_BYTES / (width as i64).max(1))
}

/// VectorIndex of passages, all of one width.
#[derive(Debug, Default)]
pub struct VectorIndex {
    ids: Vec<i64>,
    directions: VectorMatrix,
}

impl VectorIndex {
    pub fn new(width: usize) -> Self {
        Self { ids: Vec::new(), directions: VectorMatrix::new(width) }
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Adds a meaning; one of another width is left out.
    pub fn add(&mut self, passage: i64, vector: &[u8]) {
        if self.directions.add(vector) {
            self.ids.push(passage);
        }
    }

    /// Forgets all but these.
    pub fn keep(&mut self, there: &HashSet<i64>) {
        self.directions.retain(|number| there.contains(&self.ids[number]));
        self.ids.retain(|passage| there.contains(passage));
    }

    /// The passages whose meaning is nearest to each of several, only those that `allows` lets through: all meanings,
    /// which are this model's, are read from memory once. None for what another model told.
    pub fn nearest_to_each<Model: PartialEq>(
        &self,
        model: &Model,
        wanted: &[&VectorQuery<Model>],
        allows: impl Fn(i64) -> bool,
    ) -> Vec<Option<Neighbours>> {
        let fits = |passage| Ok::<_, Infallible>(allows(passage));
        let is_comparable = |wanted: &VectorQuery<Model>| wanted.model == *model;
        let aim = |wanted: &&VectorQuery<Model>| {
            is_comparable(wanted).then(|| QueryVector::new(&wanted.vector)).flatten()
        };
        let aims: Vec<Option<QueryVector>> = wanted.iter().map(aim).collect();
        let mut nearest: Vec<TopK> =
            wanted.iter().map(|wanted| TopK::new(wanted.most, NEAR)).collect();
        self.directions.compare(&aims, |aim, first, similarity| {
            let Ok(()) = nearest[aim].take_from(&self.ids[first..], similarity, fits);
        });
        let near = nearest.into_iter().zip(wanted);
        near.map(|(near, wanted)| is_comparable(wanted).then(|| near.in_order())).collect()
    }
}
