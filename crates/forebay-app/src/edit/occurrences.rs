//! Exact occurrences of a text in another.

use std::ops::Range;

use super::{line_of, numbered};

/// Quoted occurrences.
const MAX_QUOTED: usize = 8;

/// Returns all non-overlapping occurrences of `wanted`.
pub(crate) fn find_all(text: &str, wanted: &str) -> Vec<Range<usize>> {
    text.match_indices(wanted).map(|(start, found)| start..start + found.len()).collect()
}

/// Lists the occurrences with the line each starts in.
pub(crate) fn describe(text: &str, ranges: &[Range<usize>]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for range in ranges.iter().take(MAX_QUOTED) {
        let line = line_of(text, range.start);
        lines.extend(numbered(text, line, line));
    }
    if let Some(more) = ranges.len().checked_sub(MAX_QUOTED).filter(|more| *more > 0) {
        lines.push(format!("and {more} more"));
    }
    lines.join("\n")
}
