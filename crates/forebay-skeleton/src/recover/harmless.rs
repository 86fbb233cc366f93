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
            body.is_some_and(|body| body.start <= bytes.start && bytes.end <= body.end)
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

/// Whether every line of an item but its last is indented under its first.
fn is_indented(source: &str, item: &Item) -> bool {
    let line_start = source[..item.range.start].rfind('\n').map_or(0, |at| at + 1);
    let indent = item.range.start - line_start;
    let Some(body) = &item.body else { return true };
    let mut lines = source[body.clone()].lines().skip(1).peekable();
    while let Some(line) = lines.next() {
        let is_last = lines.peek().is_none();
        let own = line.len() - line.trim_start().len();
        if !is_last && !line.trim().is_empty() && own <= indent {
            return false;
        }
    }
    true
}
