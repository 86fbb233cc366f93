//! Syntax errors that do not affect the outline.

use std::ops::Range;

use crate::document::Document;
use crate::outline::{Item, Outline};

/// Returns whether all errors are in bodies that end where their indentation does.
pub(super) fn all_errors_in_bodies(document: &Document, outline: &Outline) -> bool {
    let errors = document.syntax_errors();
    let enclosing_item = |bytes: &Range<usize>| {
        let holds = |item: &&Item| {
            let body = item.body.as_ref().or(item.values.first());
            body.is_some_and(|body| body.start < bytes.start && bytes.end < body.end)
        };
        outline.items.iter().find(holds)
    };
    errors.len() < MAX_CONTAINED_ERRORS
        && errors.iter().all(|error| {
            enclosing_item(&error.bytes)
                .is_some_and(|item| is_consistently_indented(&document.source, item))
        })
}

/// With this many errors, recovery is always attempted.
const MAX_CONTAINED_ERRORS: usize = 20;

/// Returns whether every line of an item between the first and the last is indented below the first, or continues its
/// signature.
pub(super) fn is_consistently_indented(source: &str, item: &Item) -> bool {
    const CONTINUATION: &[char] = &[')', '}', ']', '{', '>'];
    let line_start = source[..item.range.start].rfind('\n').map_or(0, |at| at + 1);
    let indent = item.range.start - line_start;
    let mut lines = source[item.range.clone()].lines().skip(1).peekable();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        let is_under = line.len() - text.len() > indent || text.is_empty();
        let is_last = lines.peek().is_none();
        if !(is_under || is_last || text.starts_with(CONTINUATION) || text.starts_with("where")) {
            return false;
        }
    }
    true
}
