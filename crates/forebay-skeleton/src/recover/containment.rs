//! Errors that hide no item.

use std::ops::Range;

use crate::document::Document;
use crate::outline::{Item, Outline};

/// Whether all errors stand in bodies that end where their indentation says.
pub(super) fn are_all(document: &Document, outline: &Outline) -> bool {
    let errors = document.syntax_errors();
    let stands_in = |bytes: &Range<usize>| {
        let holds = |item: &&Item| {
            let body = item.body.as_ref().or(item.values.first());
            body.is_some_and(|body| body.start < bytes.start && bytes.end < body.end)
        };
        outline.items.iter().find(holds)
    };
    errors.len() < MANY
        && errors.iter().all(|error| {
            stands_in(&error.bytes).is_some_and(|item| is_indented(&document.source, item))
        })
}

/// So many errors are more than one slip.
const MANY: usize = 20;

/// Whether every line of an item between its first and its last is indented under the first, or
/// goes on with a signature.
pub(super) fn is_indented(source: &str, item: &Item) -> bool {
    const GOES_ON: &[char] = &[')', '}', ']', '{', '>'];
    let line_start = source[..item.range.start].rfind('\n').map_or(0, |at| at + 1);
    let indent = item.range.start - line_start;
    let mut lines = source[item.range.clone()].lines().skip(1).peekable();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        let is_under = line.len() - text.len() > indent || text.is_empty();
        let is_last = lines.peek().is_none();
        if !(is_under || is_last || text.starts_with(GOES_ON) || text.starts_with("where")) {
            return false;
        }
    }
    true
}
