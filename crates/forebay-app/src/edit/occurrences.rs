//! The places where a text stands in another, exactly.

use std::ops::Range;

use super::{line_of, numbered};

/// Places that are quoted when there are several.
const QUOTED: usize = 8;

/// Where `wanted` stands, from the start on; places that overlap an earlier one do not count.
pub(crate) fn all(text: &str, wanted: &str) -> Vec<Range<usize>> {
    text.match_indices(wanted).map(|(start, found)| start..start + found.len()).collect()
}

/// The places with the line each begins in, for somebody who must choose.
pub(crate) fn told(text: &str, places: &[Range<usize>]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for place in places.iter().take(QUOTED) {
        let line = line_of(text, place.start);
        lines.extend(numbered(text, line, line));
    }
    if let Some(more) = places.len().checked_sub(QUOTED).filter(|more| *more > 0) {
        lines.push(format!("and {more} more"));
    }
    lines.join("\n")
}
