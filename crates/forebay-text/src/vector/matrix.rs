//! A matrix of quantized vectors, compared with a few query vectors.
//!
//! The layout is the one SIMD dot products read: sixteen vectors form a block, and each 64-byte line of a block holds four
//! components of each. Components are biased by 128, because VNNI multiplies unsigned by signed bytes.
//! Hand-written for speed: `cargo xtask bench --only search`.

use super::{dot, norm};

/// Vectors in a block: the number of 32-bit lanes in an AVX-512 register.
pub(super) const LANES: usize = 16;
/// Components of a vector in a line.
const QUAD: usize = 4;
const LINE: usize = QUAD * LANES;
/// Blocks compared with every query before the next ones, so that they stay in the L1 cache.
pub(super) const BLOCKS_PER_TILE: usize = 8;

/// One register load.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub(super) struct Line(pub(super) [u8; LINE]);

/// XOR mask that adds [`BIAS`] to a signed byte, and removes it again.
const SIGN: u8 = 0x80;
const BIAS: i32 = 128;

/// Vectors of one dimension.
#[derive(Debug, Default)]
pub struct VectorMatrix {
    /// Dimension of each.
    width: usize,
    count: usize,
    norms: Vec<[f32; LANES]>,
    lines: Vec<Line>,
}

/// A vector that the rows of a matrix are compared with.
#[derive(Debug)]
pub struct QueryVector {
    width: usize,
    pub(super) norm: f32,
    pub(super) quads: Vec<[u8; QUAD]>,
    /// What the bias of the matrix adds to every dot product.
    pub(super) bias: i32,
}

impl QueryVector {
    /// Returns None for the zero vector.
    pub fn new(vector: &[u8]) -> Option<Self> {
        let norm = norm(vector);
        let sum: i32 = vector.iter().map(|byte| i32::from(byte.cast_signed())).sum();
        let query =
            || Self { width: vector.len(), norm, quads: quads(vector).collect(), bias: BIAS * sum };
        (norm > 0.0).then(query)
    }
}

/// Splits a vector into quads, the last zero-padded.
fn quads(vector: &[u8]) -> impl Iterator<Item = [u8; QUAD]> {
    vector.chunks(QUAD).map(|bytes| {
        let mut quad = [0; QUAD];
        quad[..bytes.len()].copy_from_slice(bytes);
        quad
    })
}

fn biased(quad: [u8; QUAD]) -> [u8; QUAD] {
    quad.map(|byte| byte ^ SIGN)
}

/// Consecutive blocks.
pub(super) struct Blocks<'a> {
    pub(super) lines: &'a [Line],
    /// Norms of the vectors of each block.
    pub(super) norms: &'a [[f32; LANES]],
}

impl VectorMatrix {
    pub fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// Appends a vector; returns false if its dimension differs.
    pub fn add(&mut self, vector: &[u8]) -> bool {
        let fits = vector.len() == self.width;
        if fits {
            self.push(norm(vector), quads(vector).map(biased));
        }
        fits
    }

    fn push(&mut self, norm: f32, quads: impl Iterator<Item = [u8; QUAD]>) {
        let (block, place) = (self.count / LANES, self.count % LANES);
        if place == 0 {
            self.norms.push([0.0; LANES]);
            self.lines.resize(self.lines.len() + self.lines_per_block(), Line([0; LINE]));
        }
        self.norms[block][place] = norm;
        let first = block * self.lines_per_block();
        for (line, quad) in self.lines[first..].iter_mut().zip(quads) {
            line.0[place * QUAD..][..QUAD].copy_from_slice(&quad);
        }
        self.count += 1;
    }

    /// Keeps the vectors for which `is_kept` returns true, called in order.
    pub fn retain(&mut self, mut is_kept: impl FnMut(usize) -> bool) {
        let mut kept = Self::new(self.width);
        for number in (0..self.count).filter(|number| is_kept(*number)) {
            let (block, place) = (number / LANES, number % LANES);
            let quads = self.blocks(block, 1).lines.iter().map(|line| line.0.as_chunks().0[place]);
            kept.push(self.norms[block][place], quads);
        }
        *self = kept;
    }

    /// Compares all vectors with each query, a tile at a time: `report` gets the number of the query, the number of the
    /// tile's first vector, and the similarities. A query of another dimension is skipped.
    pub fn compare(
        &self,
        queries: &[Option<QueryVector>],
        mut report: impl FnMut(usize, usize, &[f32]),
    ) {
        let (numbers, queries): (Vec<usize>, Vec<&QueryVector>) = (0..)
            .zip(queries)
            .filter_map(|(number, query)| {
                let query = query.as_ref().filter(|query| query.width == self.width);
                Some((number, query?))
            })
            .unzip();
        let mut similarity = vec![[[0.0; LANES]; BLOCKS_PER_TILE]; queries.len()];
        for first in (0..self.norms.len()).step_by(BLOCKS_PER_TILE) {
            let blocks = self.blocks(first, BLOCKS_PER_TILE.min(self.norms.len() - first));
            dot::compare(&queries, &blocks, &mut similarity);
            let first = first * LANES;
            let count = (BLOCKS_PER_TILE * LANES).min(self.count - first);
            for (number, similarity) in numbers.iter().zip(&similarity) {
                report(*number, first, &similarity.as_flattened()[..count]);
            }
        }
    }

    fn blocks(&self, first: usize, count: usize) -> Blocks<'_> {
        let each = self.lines_per_block();
        Blocks {
            lines: &self.lines[first * each..(first + count) * each],
            norms: &self.norms[first..first + count],
        }
    }

    fn lines_per_block(&self) -> usize {
        self.width.div_ceil(QUAD)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::similarity;
    use super::*;

    fn similarities(matrix: &VectorMatrix, queries: &[&[u8]]) -> Vec<Vec<f32>> {
        let queries: Vec<Option<QueryVector>> =
            queries.iter().map(|query| QueryVector::new(query)).collect();
        let mut similarities = vec![Vec::new(); queries.len()];
        matrix.compare(&queries, |query, first, similarity| {
            assert_eq!(first, similarities[query].len());
            similarities[query].extend_from_slice(similarity);
        });
        similarities
    }

    fn matrix_of(others: &[&[u8]]) -> VectorMatrix {
        let mut matrix = VectorMatrix::new(others.first().map_or(0, |other| other.len()));
        assert!(others.iter().all(|other| matrix.add(other)));
        matrix
    }

    proptest! {
        #[test]
        fn matrix_agrees_with_pairwise_similarity(
            width in prop_oneof![1_usize..40, Just(64), Just(256), Just(384)],
            queries in 1_usize..12,
            bytes in proptest::collection::vec(any::<u8>(), 5_000..20_000),
        ) {
            let all: Vec<&[u8]> = bytes.chunks_exact(width).collect();
            prop_assume!(all.iter().all(|vector| norm(vector) > 0.0));
            let (queries, others) = all.split_at(queries);
            let expect = |query: &&[u8]| -> Vec<f32> {
                others.iter().map(|other| similarity(query, other)).collect()
            };
            let expect: Vec<Vec<f32>> = queries.iter().map(expect).collect();
            prop_assert_eq!(similarities(&matrix_of(others), queries), expect);
        }
    }

    #[test]
    fn extreme_components_do_not_overflow() {
        for (a, b, expect) in [(-128, -128, 1.0), (-128, 127, -1.0), (127, 127, 1.0)] {
            let [query, other] = [a, b].map(|number| [i8::cast_unsigned(number); 256]);
            assert_eq!(similarities(&matrix_of(&[&other[..]; 33]), &[&query]), [[expect; 33]]);
        }
    }

    #[test]
    fn retained_vectors_keep_their_similarity() {
        let mut matrix = matrix_of(&[&[1, 0], &[0, 1], &[3, 4]]);
        assert!(!matrix.add(&[1, 2, 3]));
        matrix.retain(|number| number != 1);
        assert_eq!(similarities(&matrix, &[&[1], &[1, 0]]), [vec![], vec![1.0, 0.6]]);
        assert!(QueryVector::new(&[0, 0]).is_none());
    }
}
