//! Gradient-boosted decision trees over integer features, and their file format.
//!
//! Little endian: `FBLR`, version 2 (a byte), three zero bytes, the number of features and of trees (two bytes each);
//! for each tree the number of inner nodes (a byte), the nodes (feature: a byte, threshold: two, left and right: a signed
//! byte each; a negative child is the complement of a leaf's index), and one leaf more than nodes (two bytes each).

const MAGIC: &[u8] = b"FBLR";
const VERSION: u8 = 2;

/// Trees; a score is the sum of one leaf of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    trees: Vec<Tree>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Tree {
    nodes: Vec<Node>,
    leaves: Vec<i16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        let trees: Vec<Tree> =
            (0..count).map(|_| Tree::read(&mut bytes)).collect::<Result<_, _>>()?;
        if let Some(bad) = trees.iter().position(|tree| !tree.is_sound(features)) {
            return Err(BadModel::Tree(bad));
        }
        if bytes.0.is_empty() { Ok(Self { trees }) } else { Err(BadModel::Length) }
    }

    pub fn tree_count(&self) -> usize {
        self.trees.len()
    }

    /// Returns the sum of the leaves that the features lead to.
    pub fn score(&self, features: &[i16]) -> i32 {
        self.trees.iter().map(|tree| i32::from(tree.leaf(features))).sum()
    }
}

impl Tree {
    fn read(bytes: &mut Reader<'_>) -> Result<Self, BadModel> {
        let count = usize::from(bytes.u8()?);
        let nodes = (0..count).map(|_| Node::read(bytes)).collect::<Result<_, _>>()?;
        let leaves = (0..=count).map(|_| bytes.i16()).collect::<Result<_, _>>()?;
        Ok(Self { nodes, leaves })
    }

    /// Returns true if every node and leaf is reached exactly once, nodes only from earlier ones.
    fn is_sound(&self, features: usize) -> bool {
        let mut reached_nodes = vec![false; self.nodes.len()];
        let mut reached_leaves = vec![false; self.leaves.len()];
        let mut reach = |from: usize, child: Child| {
            let reached = match usize::try_from(child) {
                Ok(node) if node <= from => return false,
                Ok(node) => reached_nodes.get_mut(node),
                Err(_) => reached_leaves.get_mut(leaf_index(child)),
            };
            reached.is_some_and(|reached| !std::mem::replace(reached, true))
        };
        self.nodes.iter().enumerate().all(|(index, node)| {
            usize::from(node.feature) < features
                && reach(index, node.left)
                && reach(index, node.right)
        })
    }

    fn leaf(&self, features: &[i16]) -> i16 {
        let mut at: Child = if self.nodes.is_empty() { !0 } else { 0 };
        while let Ok(index) = usize::try_from(at) {
            let node = &self.nodes[index];
            let goes_left = features[usize::from(node.feature)] <= node.threshold;
            at = if goes_left { node.left } else { node.right };
        }
        self.leaves[leaf_index(at)]
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
