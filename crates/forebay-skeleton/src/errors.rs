//! Syntax errors.

mod indentation;
mod parser_log;

use std::ops::Range;

use tree_sitter::Node;

use crate::document::Document;

/// A syntax error; line and column are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    pub line: usize,
    pub column: usize,
    pub bytes: Range<usize>,
    /// The unexpected text, or what is missing.
    pub message: String,
}

/// Errors reported per file.
const MAX_ERRORS: usize = 20;
/// Nodes skipped in one error before a document counts as tangled.
const MAX_SKIPPED_NODES: u32 = 10_000;
const MAX_QUOTED_BYTES: usize = 40;

impl Document {
    /// Returns the outermost errors, in order, at most twenty.
    pub fn syntax_errors(&self) -> Vec<SyntaxError> {
        let mut found = self.errors_in_tree();
        if found.is_empty() && !self.is_error_free() {
            found.push(self.unparsed_rest());
        }
        found
    }

    /// Returns whether one error has so many skipped nodes that visiting them takes quadratic time: each visit walks
    /// up their chain.
    pub(crate) fn is_tangled(&self) -> bool {
        self.outermost_errors().iter().any(|node| node.child_count() > MAX_SKIPPED_NODES)
    }

    fn errors_in_tree(&self) -> Vec<SyntaxError> {
        let nodes = self.outermost_errors().into_iter();
        nodes.map(|node| error(&self.source, node)).collect()
    }

    fn outermost_errors(&self) -> Vec<Node<'_>> {
        let mut found = Vec::new();
        let mut cursor = self.tree.walk();
        // Descends only into subtrees with errors, so that a valid file costs one step.
        loop {
            let node = cursor.node();
            let is_error = node.is_error() || node.is_missing();
            if is_error {
                found.push(node);
            }
            let descends = node.has_error() && !is_error && found.len() < MAX_ERRORS;
            if descends && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return found;
                }
            }
            if found.len() >= MAX_ERRORS {
                return found;
            }
        }
    }

    /// Reports the position where the parser stopped.
    fn unparsed_rest(&self) -> SyntaxError {
        let start = self.source.floor_char_boundary(self.parsed_end());
        let rest = &self.source[start..];
        self.unexpected_at(start + rest.len() - rest.trim_start().len())
    }

    /// Returns the errors that an edit introduced, which are those that `before` does not have. `changed` is the
    /// range that the edit inserted; errors that start before it are moved there if the edit caused them.
    pub fn introduced_errors(&self, before: &Self, changed: Range<usize>) -> Vec<SyntaxError> {
        let old = before.all_errors();
        let mut old_messages: Vec<&str> = old.iter().map(|error| error.message.as_str()).collect();
        let is_new = |error: &SyntaxError| {
            // Old errors may have moved, so they are matched by message.
            let index = old_messages.iter().position(|message| *message == error.message);
            index.map(|index| old_messages.swap_remove(index)).is_none()
        };
        let new: Vec<SyntaxError> = self.all_errors().into_iter().filter(is_new).collect();
        let is_wide = |error: &SyntaxError| self.source[error.bytes.clone()].trim().contains('\n');
        if !new.iter().any(is_wide) {
            return new;
        }
        let error_offsets = parser_log::error_offsets(&self.source, self.language);
        let relocated = |error| {
            if is_wide(&error) { self.relocated(error, &error_offsets, &changed) } else { error }
        };
        new.into_iter().map(relocated).collect()
    }

    /// Returns the syntax errors, or indentation errors that the grammar accepts.
    fn all_errors(&self) -> Vec<SyntaxError> {
        let found = self.syntax_errors();
        if found.is_empty() && self.language.spec.is_indented {
            return indentation::indentation_errors(&self.source);
        }
        found
    }

    /// Moves an error that spans several lines to where the parser detected it, but not before the change.
    fn relocated(
        &self,
        error: SyntaxError,
        error_offsets: &[usize],
        changed: &Range<usize>,
    ) -> SyntaxError {
        let Range { start, end } = error.bytes;
        let reported = error_offsets.iter().copied().find(|at| (start..=end).contains(at));
        let at = reported.unwrap_or(start);
        if at >= changed.start || end <= changed.start {
            return reported.map_or(error, |at| self.unexpected_at(at));
        }
        let inserted = self.source.get(changed.clone()).unwrap_or_default();
        self.unexpected_at(changed.start + inserted.len() - inserted.trim_start().len())
    }

    fn unexpected_at(&self, at: usize) -> SyntaxError {
        let at = self.source.floor_char_boundary(at.min(self.source.len()));
        let before = &self.source[..at];
        let text = self.source[at..].lines().next().unwrap_or_default();
        SyntaxError {
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().unwrap_or_default().len() + 1,
            bytes: at..self.source.len(),
            message: unexpected(text),
        }
    }
}

fn unexpected(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    line.map_or("unexpected end".to_owned(), |line| {
        format!("unexpected {}", &line[..line.floor_char_boundary(MAX_QUOTED_BYTES)])
    })
}

fn error(source: &str, node: Node<'_>) -> SyntaxError {
    let start = node.start_position();
    let message = if node.is_missing() {
        format!("missing {}", node.kind())
    } else {
        let text = source.get(node.byte_range()).unwrap_or_default();
        unexpected(text)
    };
    SyntaxError { line: start.row + 1, column: start.column + 1, bytes: node.byte_range(), message }
}
