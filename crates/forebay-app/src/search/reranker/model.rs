//! Boosted regression trees over integer features, and their file format.
//!
//! Little endian: `FBLR`, version 2 (a byte), three zero bytes, the number of features and of trees (two bytes each);
//! for each tree the number of inner nodes (a byte), the nodes (feature: a byte, threshold: two, left and right: a signed
//! byte each; a negative child is the complement of a leaf's index), and one leaf more than nodes (two bytes each).
//! A feature at most equal to the threshold goes left.

/// Trees whose leaves are added.
#[derive(Debug)]
pub(super) struct Model {
    trees: Vec<Tree>,
}

#[derive(Debug)]
struct Tree {
    nodes: Vec<Node>,
    leaves: Vec<i16>,
}

#[derive(Debug)]
struct Node {
    feature: usize,
    threshold: i16,
    children: [i8; 2],
}

impl Model {
    /// Parses a model for `features` features; None if it is damaged.
    pub(super) fn parse(bytes: &[u8], features: usize) -> Option<Self> {
        let mut reader = Reader { bytes };
        let is_known = reader.take(8)? == b"FBLR\x02\0\0\0";
        let has_features = usize::from(reader.u16()?) == features;
        let count = reader.u16()?;
        let trees: Option<Vec<Tree>> = (0..count).map(|_| reader.tree(features)).collect();
        let is_whole = is_known && has_features && reader.bytes.is_empty();
        trees.filter(|_| is_whole).map(|trees| Self { trees })
    }

    /// Returns the sum of the leaves that the features lead to.
    pub(super) fn evaluate(&self, features: &[i16]) -> i32 {
        self.trees.iter().map(|tree| i32::from(tree.evaluate(features))).sum()
    }
}

impl Tree {
    fn evaluate(&self, features: &[i16]) -> i16 {
        let mut child = if self.nodes.is_empty() { !0 } else { 0 };
        while let Ok(index) = usize::try_from(child) {
            let Node { feature, threshold, children } = &self.nodes[index];
            child = children[usize::from(features[*feature] > *threshold)];
        }
        self.leaves[usize::from(!child.cast_unsigned())]
    }

    /// Whether every child exists and comes after its parent, so that every path ends in a leaf.
    fn is_valid(&self) -> bool {
        let leads_on = |parent: usize, child: i8| match usize::try_from(child) {
            Ok(node) => node > parent && node < self.nodes.len(),
            Err(_) => usize::from(!child.cast_unsigned()) < self.leaves.len(),
        };
        let nodes = self.nodes.iter().enumerate();
        nodes.into_iter().all(|(at, node)| node.children.iter().all(|child| leads_on(at, *child)))
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    fn tree(&mut self, features: usize) -> Option<Tree> {
        let count = usize::from(self.take(1)?[0]);
        let nodes: Option<Vec<Node>> = (0..count).map(|_| self.node(features)).collect();
        let leaves: Option<Vec<i16>> =
            (0..=count).map(|_| Some(self.u16()?.cast_signed())).collect();
        let tree = Tree { nodes: nodes?, leaves: leaves? };
        tree.is_valid().then_some(tree)
    }

    fn node(&mut self, features: usize) -> Option<Node> {
        let feature = usize::from(self.take(1)?[0]);
        let threshold = self.u16()?.cast_signed();
        let children: [u8; 2] = self.take(2)?.try_into().ok()?;
        let children = children.map(u8::cast_signed);
        (feature < features).then_some(Node { feature, threshold, children })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One tree with one node: feature 1 at most 5 is 10, otherwise -20.
    const SMALL: &[u8] = b"FBLR\x02\0\0\0\x02\0\x01\0\x01\x01\x05\0\xff\xfe\x0a\0\xec\xff";

    #[test]
    fn a_feature_at_most_equal_to_the_threshold_goes_left() {
        let model = Model::parse(SMALL, 2).unwrap();
        assert_eq!([5, 6].map(|feature| model.evaluate(&[0, feature])), [10, -20]);
    }

    #[test]
    fn damaged_models_are_rejected() {
        for end in 0..SMALL.len() {
            assert!(Model::parse(&SMALL[..end], 2).is_none(), "{end}");
        }
        assert!(Model::parse(&[SMALL, &[0]].concat(), 2).is_none());
        assert!(Model::parse(SMALL, 1).is_none());
        // A child that is its own parent, and a leaf that does not exist.
        for child in [0, 0xfd] {
            let mut bytes = SMALL.to_vec();
            bytes[16] = child;
            assert!(Model::parse(&bytes, 2).is_none(), "{child}");
        }
    }
}
