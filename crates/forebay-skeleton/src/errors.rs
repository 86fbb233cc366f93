//! Places where a text does not fit its grammar.

use std::ops::Range;

use tree_sitter::Node;

use crate::document::Document;

/// A place in a text, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    pub line: usize,
    pub column: usize,
    pub bytes: Range<usize>,
    /// What stands there, or what is missing.
    pub what: String,
}

/// More than this tells nobody more.
const MOST: usize = 20;
/// Pieces that were skipped at one place.
const MOST_SKIPPED: u32 = 10_000;
const SHOWN: usize = 40;

impl Document {
    /// The outermost errors, in order, at most twenty.
    pub fn syntax_errors(&self) -> Vec<SyntaxError> {
        let mut found = self.errors_in_tree();
        if found.is_empty() && !self.is_whole() {
            found.push(self.unread());
        }
        found
    }

    /// Whether so much was skipped at one place that looking at it piece by piece has no end: what is skipped hangs
    /// together by a chain that is walked up from each piece.
    pub(crate) fn is_tangled(&self) -> bool {
        self.outermost_errors().iter().any(|node| node.child_count() > MOST_SKIPPED)
    }

    fn errors_in_tree(&self) -> Vec<SyntaxError> {
        let nodes = self.outermost_errors().into_iter();
        nodes.map(|node| error(&self.source, node)).collect()
    }

    fn outermost_errors(&self) -> Vec<Node<'_>> {
        let mut found = Vec::new();
        let mut cursor = self.tree.walk();
        // Only subtrees with errors are entered, so a sound file costs one look.
        loop {
            let node = cursor.node();
            let is_place = node.is_error() || node.is_missing();
            if is_place {
                found.push(node);
            }
            let enters = node.has_error() && !is_place && found.len() < MOST;
            if enters && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return found;
                }
            }
            if found.len() >= MOST {
                return found;
            }
        }
    }

    /// The place from which on nothing was read.
    fn unread(&self) -> SyntaxError {
        let start = self.source.floor_char_boundary(self.read_to());
        let before = &self.source[..start];
        let text = self.source[start..].trim_start().lines().next().unwrap_or_default();
        SyntaxError {
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().unwrap_or_default().len() + 1,
            bytes: start..self.source.len(),
            what: format!("unexpected {}", &text[..text.floor_char_boundary(SHOWN)]),
        }
    }

    /// The errors that an edit brought: those that the text before it did not have.
    pub fn new_errors(&self, before: &Self) -> Vec<SyntaxError> {
        let old = before.syntax_errors();
        let mut known: Vec<&str> = old.iter().map(|error| error.what.as_str()).collect();
        let is_new = |error: &SyntaxError| {
            // An old error may have moved, so it is known by what it says.
            let place = known.iter().position(|what| *what == error.what);
            place.map(|place| known.swap_remove(place)).is_none()
        };
        self.syntax_errors().into_iter().filter(is_new).collect()
    }
}

fn error(source: &str, node: Node<'_>) -> SyntaxError {
    let place = node.start_position();
    let what = if node.is_missing() {
        format!("missing {}", node.kind())
    } else {
        let text = source.get(node.byte_range()).unwrap_or_default();
        let line = text.lines().next().unwrap_or_default().trim();
        format!("unexpected {}", &line[..line.floor_char_boundary(SHOWN)])
    };
    SyntaxError { line: place.row + 1, column: place.column + 1, bytes: node.byte_range(), what }
}
