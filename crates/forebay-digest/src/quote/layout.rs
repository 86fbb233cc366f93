//! Computes the size of a selection of rows, gap markers included, and renders it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::fold::Row;
use crate::OmittedRange;
use crate::recognizers::REASON_MARK;

/// Number of lines of the text, and the bytes available to show it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) lines: u64,
    pub(super) max_bytes: usize,
}

/// The rows selected so far.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    rows: &'a [Row],
    bounds: Bounds,
    /// The chosen rows, and why.
    chosen: BTreeMap<usize, &'static str>,
    bytes: usize,
}

impl<'a> Layout<'a> {
    /// Starts without rows, as one gap.
    pub(super) fn new(rows: &'a [Row], bounds: Bounds) -> Self {
        let bytes = FIRST_GAP_WORD.len() + gap_cost(0, bounds.lines + 1);
        Self { rows, bounds, chosen: BTreeMap::new(), bytes }
    }

    /// Selects a row if the total stays within `limit` bytes; returns true if it is selected.
    pub(super) fn try_choose(&mut self, index: usize, limit: usize, why: &'static str) -> bool {
        if self.chosen.contains_key(&index) {
            return true;
        }
        let bytes = self.bytes_with(index);
        // The last line needs no newline.
        let fits = bytes <= limit.saturating_add(1);
        if fits {
            self.bytes = bytes;
            self.chosen.insert(index, why);
        }
        fits
    }

    /// Returns the size of the selection in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of lines of the text.
    pub(super) fn lines(&self) -> u64 {
        self.bounds.lines
    }

    /// Returns the bytes that a row would add.
    pub(super) fn cost_of(&self, index: usize) -> usize {
        self.bytes_with(index).saturating_sub(self.bytes)
    }

    pub(super) fn has(&self, index: usize) -> bool {
        self.chosen.contains_key(&index)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// Adds rows that cost no more than the gap marker they replace.
    pub(super) fn close_small_gaps(&mut self) {
        for index in 0..self.rows.len() {
            if !self.chosen.contains_key(&index) && self.bytes_with(index) <= self.bytes {
                self.try_choose(index, usize::MAX, "no longer than a gap marker");
            }
        }
    }

    /// Returns the text and the omitted lines; `explains` adds to each row why it is shown.
    pub(super) fn write(&self, explains: bool) -> (String, Vec<OmittedRange>) {
        let mut output = String::with_capacity(self.bytes);
        let mut omitted = Vec::new();
        let mut word = FIRST_GAP_WORD;
        let mut last = 0;
        for (index, why) in &self.chosen {
            let row = &self.rows[*index];
            if let Some(gap) = gap(last, row.first) {
                omitted.push(gap);
                let _ = writeln!(output, "{}", gap_marker(gap, std::mem::take(&mut word)));
            }
            output.push_str(&row.shown);
            if explains {
                output.push_str(REASON_MARK);
                output.push_str(row.reason.as_deref().unwrap_or(why));
            }
            output.push('\n');
            if row.has_variants {
                omitted.push(OmittedRange { first: row.first + 1, last: row.last });
            }
            last = row.last;
        }
        if let Some(gap) = gap(last, self.bounds.lines + 1) {
            omitted.push(gap);
            let _ = writeln!(output, "{}", gap_marker(gap, word));
        }
        output.pop();
        (output, merge_adjacent(omitted))
    }

    fn bytes_with(&self, index: usize) -> usize {
        let row = &self.rows[index];
        let last =
            self.chosen.range(..index).next_back().map_or(0, |(before, _)| self.rows[*before].last);
        let next = self.chosen.range(index..).next();
        let next = next.map_or(self.bounds.lines + 1, |(after, _)| self.rows[*after].first);
        let gaps = gap_cost(last, row.first) + gap_cost(row.last, next);
        self.bytes + row.shown.len() + 1 + gaps - gap_cost(last, next)
    }
}

/// Returns the size of the marker between two shown lines, or 0 if there is no gap.
fn gap_cost(last: u64, next: u64) -> usize {
    gap(last, next).map_or(0, |gap| gap_marker_len(gap) + 1)
}

fn gap(last: u64, next: u64) -> Option<OmittedRange> {
    (last + 1 < next).then(|| OmittedRange { first: last + 1, last: next - 1 })
}

const GAP: &str = "…";

/// The first marker of a digest says what its numbers are; the others do without.
const FIRST_GAP_WORD: &str = " lines ";

/// Returns the only marker of a digest.
pub(super) fn only_gap_marker(gap: OmittedRange) -> String {
    gap_marker(gap, FIRST_GAP_WORD)
}

/// Returns the line that represents a gap.
fn gap_marker(OmittedRange { first, last }: OmittedRange, word: &str) -> String {
    let word = if first == last && !word.is_empty() { " line " } else { word };
    if first == last { format!("{GAP}{word}{first}") } else { format!("{GAP}{word}{first}-{last}") }
}

/// Returns the length of the marker but for its word, without building it, because it is needed for every candidate row.
fn gap_marker_len(OmittedRange { first, last }: OmittedRange) -> usize {
    let digits = |number: u64| number.checked_ilog10().unwrap_or_default() as usize + 1;
    let end = if first == last { 0 } else { "-".len() + digits(last) };
    GAP.len() + digits(first) + end
}

/// Merges adjacent ranges.
fn merge_adjacent(ranges: Vec<OmittedRange>) -> Vec<OmittedRange> {
    let mut merged: Vec<OmittedRange> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(before) if before.last + 1 == range.first => before.last = range.last,
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gap_marker_len_matches_the_marker() {
        for (first, last) in
            [(1, 1), (9, 10), (10, 10), (99, 100), (1, 123_456), (u64::MAX, u64::MAX)]
        {
            let gap = OmittedRange { first, last };
            assert_eq!(gap_marker_len(gap), gap_marker(gap, "").len(), "{gap:?}");
        }
    }
}
