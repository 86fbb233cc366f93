//! Places where a text does not fit its grammar.

mod indentation;
mod trouble;

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
        let rest = &self.source[start..];
        self.unexpected_at(start + rest.len() - rest.trim_start().len())
    }

    /// The errors that an edit brought: those that the text before it did not have. `changed` is what the edit put
    /// there; an error that it caused is told there where it seems to begin before.
    pub fn new_errors(&self, before: &Self, changed: Range<usize>) -> Vec<SyntaxError> {
        let old = before.all_errors();
        let mut known: Vec<&str> = old.iter().map(|error| error.what.as_str()).collect();
        let is_new = |error: &SyntaxError| {
            // An old error may have moved, so it is known by what it says.
            let place = known.iter().position(|what| *what == error.what);
            place.map(|place| known.swap_remove(place)).is_none()
        };
        let new: Vec<SyntaxError> = self.all_errors().into_iter().filter(is_new).collect();
        let is_wide = |error: &SyntaxError| self.source[error.bytes.clone()].trim().contains('\n');
        if !new.iter().any(is_wide) {
            return new;
        }
        let troubles = trouble::places(&self.source, self.language);
        let placed =
            |error| if is_wide(&error) { self.placed(error, &troubles, &changed) } else { error };
        new.into_iter().map(placed).collect()
    }

    /// With what the grammar lets pass.
    fn all_errors(&self) -> Vec<SyntaxError> {
        let found = self.syntax_errors();
        if found.is_empty() && self.language.table.is_indented {
            return indentation::slips(&self.source);
        }
        found
    }

    /// An error over several lines, told where the parser met it, and not before what was changed.
    fn placed(
        &self,
        error: SyntaxError,
        troubles: &[usize],
        changed: &Range<usize>,
    ) -> SyntaxError {
        let Range { start, end } = error.bytes;
        let met = troubles.iter().copied().find(|at| (start..=end).contains(at));
        let at = met.unwrap_or(start);
        if at >= changed.start || end <= changed.start {
            return met.map_or(error, |at| self.unexpected_at(at));
        }
        let own = self.source.get(changed.clone()).unwrap_or_default();
        self.unexpected_at(changed.start + own.len() - own.trim_start().len())
    }

    fn unexpected_at(&self, at: usize) -> SyntaxError {
        let at = self.source.floor_char_boundary(at.min(self.source.len()));
        let before = &self.source[..at];
        let text = self.source[at..].lines().next().unwrap_or_default();
        SyntaxError {
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().unwrap_or_default().len() + 1,
            bytes: at..self.source.len(),
            what: unexpected(text),
        }
    }
}

fn unexpected(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    line.map_or("unexpected end".to_owned(), |line| {
        format!("unexpected {}", &line[..line.floor_char_boundary(SHOWN)])
    })
}

fn error(source: &str, node: Node<'_>) -> SyntaxError {
    let place = node.start_position();
    let what = if node.is_missing() {
        format!("missing {}", node.kind())
    } else {
        let text = source.get(node.byte_range()).unwrap_or_default();
        unexpected(text)
    };
    SyntaxError { line: place.row + 1, column: place.column + 1, bytes: node.byte_range(), what }
}
