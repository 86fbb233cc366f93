//! What a file defines and what it uses, by name.

use std::collections::BTreeMap;

use crate::document::Document;
use crate::kind::Kind;
use crate::render;
use crate::skeleton::LineIndex;

/// The names that a file defines and uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags {
    pub definitions: Vec<Definition>,
    /// Names used, with how often; in order of names.
    pub references: Vec<(String, u32)>,
}

/// A definition that others may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    pub kind: Kind,
    /// On one line, cut if long.
    pub signature: String,
    /// Counted from 1.
    pub line: usize,
    pub public: bool,
    pub parent: Option<String>,
}

/// Longer signatures are cut.
const WIDTH: usize = 120;
/// A shorter name says nothing about who is meant.
const SHORTEST: usize = 3;

impl Document {
    /// What the file defines and uses.
    pub fn tags(&self) -> Tags {
        Tags { definitions: self.definitions(), references: self.references() }
    }

    fn definitions(&self) -> Vec<Definition> {
        let (outline, _) = self.outline();
        let lines = LineIndex::of(&self.source);
        let is_told = |kind: Kind| {
            !matches!(kind, Kind::Impl | Kind::Reexport | Kind::Field | Kind::Variant | Kind::Key)
        };
        let items = outline.items.iter().filter(|item| is_told(item.kind) && !item.name.is_empty());
        items
            .map(|item| Definition {
                name: item.name.clone(),
                kind: item.kind,
                signature: cut(render::signature(self.language, &self.source, &outline, item)),
                line: lines.line(item.range.start),
                public: item.public,
                parent: item.owner.clone().or_else(|| {
                    Some(outline.items[item.parent?].name.clone()).filter(|name| !name.is_empty())
                }),
            })
            .collect()
    }

    /// The names at the leaves of the tree; comments and texts are not among them.
    fn references(&self) -> Vec<(String, u32)> {
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        let mut cursor = self.tree.walk();
        loop {
            let node = cursor.node();
            if cursor.goto_first_child() {
                continue;
            }
            if node.is_named()
                && is_name(node.kind())
                && let Some(name) = self.source.get(node.byte_range())
                && name.len() >= SHORTEST
            {
                *counts.entry(name).or_default() += 1;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return counts
                        .into_iter()
                        .map(|(name, count)| (name.to_owned(), count))
                        .collect();
                }
            }
        }
    }
}

/// Whether a leaf of this kind is a name that something may define.
fn is_name(kind: &str) -> bool {
    const NAMES: &[&str] = &["constant", "name", "variable", "alias", "word", "simple_symbol"];
    kind.ends_with("identifier") || NAMES.contains(&kind)
}

fn cut(mut signature: String) -> String {
    if signature.len() > WIDTH {
        signature.truncate(signature.floor_char_boundary(WIDTH));
        signature.push_str("...");
    }
    signature
}
