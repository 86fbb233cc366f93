//! Many directions, compared with a few.
//!
//! They lie as the processor multiplies them: sixteen make a block, and each line of it has four bytes of each. Bytes
//! are moved up by 128: its best instruction multiplies those without a sign by those with one.

use super::{dot, length};

/// Directions in a block: as many as a register has sums.
pub(super) const TOGETHER: usize = 16;
/// Bytes of a direction in a line.
const PART: usize = 4;
const LINE: usize = PART * TOGETHER;
/// Blocks that are compared with every aim before the next are: they stay in the first cache of a processor.
pub(super) const AT_HAND: usize = 8;

/// What the processor reads at once.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub(super) struct Line(pub(super) [u8; LINE]);

/// Turns a byte with a sign into one without that is larger by [`MOVED`], and back.
const SIGN: u8 = 0x80;
const MOVED: i32 = 128;

/// Directions of one width.
#[derive(Debug, Default)]
pub struct Directions {
    /// Bytes of each.
    width: usize,
    count: usize,
    lengths: Vec<[f32; TOGETHER]>,
    lines: Vec<Line>,
}

/// A direction that others are compared with.
#[derive(Debug)]
pub struct Aim {
    width: usize,
    pub(super) length: f32,
    pub(super) parts: Vec<[u8; PART]>,
    /// What the others' being moved adds to every product.
    pub(super) added: i32,
}

impl Aim {
    /// None for a direction that has no length.
    pub fn at(direction: &[u8]) -> Option<Self> {
        let length = length(direction);
        let sum: i32 = direction.iter().map(|byte| i32::from(byte.cast_signed())).sum();
        let aim = || Self {
            width: direction.len(),
            length,
            parts: parts(direction).collect(),
            added: MOVED * sum,
        };
        (length > 0.0).then(aim)
    }
}

/// A direction in parts; zeros fill the last.
fn parts(direction: &[u8]) -> impl Iterator<Item = [u8; PART]> {
    direction.chunks(PART).map(|bytes| {
        let mut part = [0; PART];
        part[..bytes.len()].copy_from_slice(bytes);
        part
    })
}

fn moved(part: [u8; PART]) -> [u8; PART] {
    part.map(|byte| byte ^ SIGN)
}

/// Some blocks one after the other.
pub(super) struct Blocks<'a> {
    pub(super) lines: &'a [Line],
    /// Those of the directions of each.
    pub(super) lengths: &'a [[f32; TOGETHER]],
}

impl Directions {
    pub fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// Adds a direction, if it is of their width.
    pub fn add(&mut self, direction: &[u8]) -> bool {
        let fits = direction.len() == self.width;
        if fits {
            self.push(length(direction), parts(direction).map(moved));
        }
        fits
    }

    fn push(&mut self, length: f32, parts: impl Iterator<Item = [u8; PART]>) {
        let (block, place) = (self.count / TOGETHER, self.count % TOGETHER);
        if place == 0 {
            self.lengths.push([0.0; TOGETHER]);
            self.lines.resize(self.lines.len() + self.lines_of_each(), Line([0; LINE]));
        }
        self.lengths[block][place] = length;
        let first = block * self.lines_of_each();
        for (line, part) in self.lines[first..].iter_mut().zip(parts) {
            line.0[place * PART..][..PART].copy_from_slice(&part);
        }
        self.count += 1;
    }

    /// Keeps those of which `is_kept` answers so, asked in order.
    pub fn retain(&mut self, mut is_kept: impl FnMut(usize) -> bool) {
        let mut kept = Self::new(self.width);
        for number in (0..self.count).filter(|number| is_kept(*number)) {
            let (block, place) = (number / TOGETHER, number % TOGETHER);
            let parts = self.blocks(block, 1).lines.iter().map(|line| line.0.as_chunks().0[place]);
            kept.push(self.lengths[block][place], parts);
        }
        *self = kept;
    }

    /// Tells how near all are to each of the aims, some at a time: the number of the aim, that of the first direction,
    /// and how near it and those after it are. Of an aim of another width nothing is told.
    pub fn compare(&self, aims: &[Option<Aim>], mut tell: impl FnMut(usize, usize, &[f32])) {
        let (numbers, aims): (Vec<usize>, Vec<&Aim>) = (0..)
            .zip(aims)
            .filter_map(|(number, aim)| {
                let aim = aim.as_ref().filter(|aim| aim.width == self.width);
                Some((number, aim?))
            })
            .unzip();
        let mut nearness = vec![[[0.0; TOGETHER]; AT_HAND]; aims.len()];
        for first in (0..self.lengths.len()).step_by(AT_HAND) {
            let blocks = self.blocks(first, AT_HAND.min(self.lengths.len() - first));
            dot::to_each(&aims, &blocks, &mut nearness);
            let first = first * TOGETHER;
            let count = (AT_HAND * TOGETHER).min(self.count - first);
            for (number, nearness) in numbers.iter().zip(&nearness) {
                tell(*number, first, &nearness.as_flattened()[..count]);
            }
        }
    }

    fn blocks(&self, first: usize, count: usize) -> Blocks<'_> {
        let each = self.lines_of_each();
        Blocks {
            lines: &self.lines[first * each..(first + count) * each],
            lengths: &self.lengths[first..first + count],
        }
    }

    fn lines_of_each(&self) -> usize {
        self.width.div_ceil(PART)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::nearness;
    use super::*;

    fn told(directions: &Directions, aims: &[&[u8]]) -> Vec<Vec<f32>> {
        let aims: Vec<Option<Aim>> = aims.iter().map(|aim| Aim::at(aim)).collect();
        let mut told = vec![Vec::new(); aims.len()];
        directions.compare(&aims, |aim, first, nearness| {
            assert_eq!(first, told[aim].len());
            told[aim].extend_from_slice(nearness);
        });
        told
    }

    fn of(others: &[&[u8]]) -> Directions {
        let mut directions = Directions::new(others.first().map_or(0, |other| other.len()));
        assert!(others.iter().all(|other| directions.add(other)));
        directions
    }

    proptest! {
        #[test]
        fn many_are_compared_as_one_is(
            width in prop_oneof![1_usize..40, Just(64), Just(256), Just(384)],
            aims in 1_usize..12,
            bytes in proptest::collection::vec(any::<u8>(), 5_000..20_000),
        ) {
            let all: Vec<&[u8]> = bytes.chunks_exact(width).collect();
            prop_assume!(all.iter().all(|direction| length(direction) > 0.0));
            let (aims, others) = all.split_at(aims);
            let expect = |aim: &&[u8]| -> Vec<f32> {
                others.iter().map(|other| nearness(aim, other)).collect()
            };
            let expect: Vec<Vec<f32>> = aims.iter().map(expect).collect();
            prop_assert_eq!(told(&of(others), aims), expect);
        }
    }

    #[test]
    fn the_largest_products_fit() {
        for (a, b, expect) in [(-128, -128, 1.0), (-128, 127, -1.0), (127, 127, 1.0)] {
            let [aim, other] = [a, b].map(|number| [i8::cast_unsigned(number); 256]);
            assert_eq!(told(&of(&[&other[..]; 33]), &[&aim]), [[expect; 33]]);
        }
    }

    #[test]
    fn those_that_stay_are_told_as_before() {
        let mut directions = of(&[&[1, 0], &[0, 1], &[3, 4]]);
        assert!(!directions.add(&[1, 2, 3]));
        directions.retain(|number| number != 1);
        assert_eq!(told(&directions, &[&[1], &[1, 0]]), [vec![], vec![1.0, 0.6]]);
        assert!(Aim::at(&[0, 0]).is_none());
    }
}
