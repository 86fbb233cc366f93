//! Gradient-boosted decision trees over integer features, and their file format.
//!
//! Little endian: `FBLR`, version 2 (a byte), three zero bytes, the number of features and of trees (two bytes each);
//! for each tree the number of inner nodes (a byte), the nodes (feature: a byte, threshold: two, left and right: a signed
//! byte each; a negative child is the complement of a leaf's index), and one leaf more than nodes (two bytes each).

const MAGIC: &[u8] = b"FBLR";
const VERSION: u8 = 2;

/// Each leaf of a tree is a bit.
const MAX_LEAVES: usize = u16::BITS as usize;

/// Rows that are scored together. The compiler unrolls loops over fewer instead of using vector registers.
const LANES: usize = 64;

/// Trees; a score is the sum of one leaf of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    trees: Vec<Tree>,
}

/// A tree as a list of cuts, whose order does not matter: no way down has to be followed, so rows are scored without
/// branches, side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tree {
    cuts: Vec<Cut>,
    /// From left to right.
    leaves: Vec<i16>,
}

/// What an inner node rules out if it is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cut {
    feature: u8,
    threshold: i16,
    /// All leaves but those on the left of the node, which a greater feature rules out. Of the leaves that no node rules
    /// out, the row belongs to the leftmost one.
    right: u16,
}

/// A node as it is stored.
#[derive(Debug, Clone, Copy)]
struct Node {
    feature: u8,
    /// Left if the feature is at most this.
    threshold: i16,
    left: Child,
    right: Child,
}

/// Index of a node, or of a leaf as its complement.
type Child = i8;

/// Why bytes are not a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadModel {
    #[error("the header of the model is not `FBLR`, version {VERSION}")]
    Header,
    #[error("the model has {found} features, expected {expected}")]
    Features { found: usize, expected: usize },
    #[error("the model ends early or has bytes left over")]
    Length,
    #[error("tree {0} of the model refers to a feature, node or leaf that does not exist or twice")]
    Tree(usize),
    #[error("tree {0} of the model has more than {MAX_LEAVES} leaves")]
    Leaves(usize),
}

impl Model {
    /// Reads a model over this many features.
    pub fn parse(bytes: &[u8], features: usize) -> Result<Self, BadModel> {
        let mut bytes = Reader(bytes);
        if bytes.take(MAGIC.len()) != Ok(MAGIC) || bytes.take(4) != Ok(&[VERSION, 0, 0, 0]) {
            return Err(BadModel::Header);
        }
        let found = usize::from(bytes.u16()?);
        if found != features {
            return Err(BadModel::Features { found, expected: features });
        }
        let count = usize::from(bytes.u16()?);
        let mut stored = StoredTree::default();
        let mut trees = Vec::with_capacity(count);
        for number in 0..count {
            stored.read(&mut bytes)?;
            if !stored.is_sound(features) {
                return Err(BadModel::Tree(number));
            }
            if stored.leaves.len() > MAX_LEAVES {
                return Err(BadModel::Leaves(number));
            }
            trees.push(stored.cut());
        }
        if bytes.0.is_empty() { Ok(Self { trees }) } else { Err(BadModel::Length) }
    }

    pub fn tree_count(&self) -> usize {
        self.trees.len()
    }

    /// Returns the sum of the leaves that the features lead to.
    pub fn score<const FEATURES: usize>(&self, features: &[i16; FEATURES]) -> i32 {
        self.scores(&[*features]).into_iter().sum()
    }

    /// Returns the score of each row of features.
    pub fn scores<const FEATURES: usize>(&self, rows: &[[i16; FEATURES]]) -> Vec<i32> {
        let mut scores = Vec::with_capacity(rows.len());
        for rows in rows.chunks(LANES) {
            let mut columns = [[0; LANES]; FEATURES];
            for (lane, row) in rows.iter().enumerate() {
                columns.iter_mut().zip(row).for_each(|(column, value)| column[lane] = *value);
            }
            let mut sums = [0; LANES];
            self.trees.iter().for_each(|tree| tree.add_leaves(&columns, &mut sums));
            scores.extend_from_slice(&sums[..rows.len()]);
        }
        scores
    }
}

impl Tree {
    fn add_leaves(&self, columns: &[[i16; LANES]], sums: &mut [i32; LANES]) {
        let mut possible = [u16::MAX; LANES];
        for cut in &self.cuts {
            let column = &columns[usize::from(cut.feature)];
            for (possible, value) in possible.iter_mut().zip(column) {
                *possible &= if *value > cut.threshold { cut.right } else { u16::MAX };
            }
        }
        for (sum, possible) in sums.iter_mut().zip(possible) {
            *sum += i32::from(self.leaves[possible.trailing_zeros() as usize]);
        }
    }
}

/// A tree as it is stored; its memory is used for one tree after another.
#[derive(Default)]
struct StoredTree {
    nodes: Vec<Node>,
    leaves: Vec<i16>,
}

impl StoredTree {
    fn read(&mut self, bytes: &mut Reader<'_>) -> Result<(), BadModel> {
        let count = usize::from(bytes.u8()?);
        self.nodes.clear();
        self.leaves.clear();
        for _ in 0..count {
            self.nodes.push(Node::read(bytes)?);
        }
        for _ in 0..=count {
            self.leaves.push(bytes.i16()?);
        }
        Ok(())
    }

    /// Returns true if every node and leaf is reached exactly once, nodes only from earlier ones.
    fn is_sound(&self, features: usize) -> bool {
        // A bit for each; a child is at most 127.
        let (mut reached_nodes, mut reached_leaves) = (0_u128, 0_u128);
        let mut reach = |from: usize, child: Child| {
            let (reached, index, count) = match usize::try_from(child) {
                Ok(node) if node <= from => return false,
                Ok(node) => (&mut reached_nodes, node, self.nodes.len()),
                Err(_) => (&mut reached_leaves, leaf_index(child), self.leaves.len()),
            };
            let is_new = index < count && *reached >> index & 1 == 0;
            *reached |= 1 << index;
            is_new
        };
        self.nodes.iter().enumerate().all(|(index, node)| {
            usize::from(node.feature) < features
                && reach(index, node.left)
                && reach(index, node.right)
        })
    }

    /// Returns a sound tree of at most [`MAX_LEAVES`] leaves as cuts.
    fn cut(&self) -> Tree {
        let cuts = Vec::with_capacity(self.nodes.len());
        let mut tree = Tree { cuts, leaves: Vec::with_capacity(self.leaves.len()) };
        self.cut_below(if self.nodes.is_empty() { !0 } else { 0 }, &mut tree);
        tree
    }

    /// Adds what is below a child; returns its leaves.
    fn cut_below(&self, child: Child, tree: &mut Tree) -> u16 {
        let Ok(index) = usize::try_from(child) else {
            tree.leaves.push(self.leaves[leaf_index(child)]);
            return 1 << (tree.leaves.len() - 1);
        };
        let Node { feature, threshold, left, right } = self.nodes[index];
        let left = self.cut_below(left, tree);
        tree.cuts.push(Cut { feature, threshold, right: !left });
        left | self.cut_below(right, tree)
    }
}

fn leaf_index(child: Child) -> usize {
    usize::from(!child as u8)
}

impl Node {
    fn read(bytes: &mut Reader<'_>) -> Result<Self, BadModel> {
        let (feature, threshold) = (bytes.u8()?, bytes.i16()?);
        Ok(Self { feature, threshold, left: bytes.u8()? as i8, right: bytes.u8()? as i8 })
    }
}

/// Reads little-endian numbers.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], BadModel> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(BadModel::Length)?;
        self.0 = rest;
        Ok(taken)
    }

    fn u8(&mut self) -> Result<u8, BadModel> {
        Ok(self.take(1)?[0])
    }

    fn u16(&mut self) -> Result<u16, BadModel> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn i16(&mut self) -> Result<i16, BadModel> {
        Ok(self.u16()? as i16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEATURES: usize = 5;

    /// One tree: feature 3 at most 10 gives -5, else feature 0 decides between 7 and 9.
    fn small_model() -> Vec<u8> {
        let mut bytes = [MAGIC, &[VERSION, 0, 0, 0, FEATURES as u8, 0, 1, 0, 2]].concat();
        bytes.extend([3, 10, 0, !0_i8 as u8, 1]);
        bytes.extend([0, 0xff, 0xff, !1_i8 as u8, !2_i8 as u8]);
        bytes.extend([-5_i16, 7, 9].map(i16::to_le_bytes).concat());
        bytes
    }

    #[test]
    fn a_feature_up_to_the_threshold_goes_left() {
        let model = Model::parse(&small_model(), FEATURES).unwrap();
        let score = |third, zeroth| {
            let mut features = [0; FEATURES];
            (features[3], features[0]) = (third, zeroth);
            model.score(&features)
        };
        assert_eq!([score(10, 0), score(11, -1), score(11, 0)], [-5, 7, 9]);
    }

    #[test]
    fn rows_are_scored_side_by_side_over_all_trees() {
        let mut bytes = small_model();
        // A second tree of one leaf, and a third one like the first.
        let tree = bytes[12..].to_vec();
        bytes[10] = 3;
        bytes.extend([&[0, 4, 0][..], &tree].concat());
        let model = Model::parse(&bytes, FEATURES).unwrap();
        let row = |number: i16| {
            let mut features = [0; FEATURES];
            (features[0], features[3]) = (number % 3 - 1, number % 21);
            features
        };
        let expect = |number: i16| match (number % 21, number % 3) {
            (..=10, _) => -6,
            (_, 0) => 18,
            _ => 22,
        };
        let rows: Vec<_> = (0..40).map(row).collect();
        assert_eq!(model.scores(&rows), (0..40).map(expect).collect::<Vec<i32>>());
    }

    #[test]
    fn a_tree_may_have_sixteen_leaves() {
        // A chain: each node goes left to a leaf, the last one also right.
        let chain = |nodes: u8| {
            let mut bytes = [MAGIC, &[VERSION, 0, 0, 0, FEATURES as u8, 0, 1, 0, nodes]].concat();
            for node in 0..nodes {
                let right = if node + 1 == nodes { !nodes } else { node + 1 };
                bytes.extend([0, node, 0, !node, right]);
            }
            bytes.extend((0..=i16::from(nodes)).flat_map(i16::to_le_bytes));
            Model::parse(&bytes, FEATURES)
        };
        let model = chain(15).unwrap();
        for value in 0..20 {
            assert_eq!(model.score(&[value; FEATURES]), i32::from(value.min(15)), "{value}");
        }
        assert_eq!(chain(16), Err(BadModel::Leaves(0)));
    }

    #[test]
    fn a_damaged_model_is_rejected() {
        let check = |change: fn(&mut Vec<u8>), expect| {
            let mut bytes = small_model();
            change(&mut bytes);
            assert_eq!(Model::parse(&bytes, FEATURES), Err(expect));
        };
        check(|bytes| bytes[0] = b'X', BadModel::Header);
        check(|bytes| bytes[4] = 1, BadModel::Header);
        check(|bytes| bytes[8] = 50, BadModel::Features { found: 50, expected: FEATURES });
        check(|bytes| bytes.truncate(20), BadModel::Length);
        check(|bytes| bytes.push(0), BadModel::Length);
        check(|bytes| bytes[13] = FEATURES as u8, BadModel::Tree(0));
        check(|bytes| bytes[17] = 0, BadModel::Tree(0));
        check(|bytes| bytes[17] = 2, BadModel::Tree(0));
        check(|bytes| bytes[22] = !1_i8 as u8, BadModel::Tree(0));
    }

    #[test]
    fn no_start_of_a_model_is_a_model() {
        let bytes = small_model();
        for end in 0..bytes.len() {
            assert!(Model::parse(&bytes[..end], FEATURES).is_err(), "{end}");
        }
    }
}
