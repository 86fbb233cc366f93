//! The rows of a ranked text: its ranked lines, each by itself, and the other rows between them.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::Peekable;

use forebay_text::cut;

use super::columns::{Columns, Numbered};
use super::fold::Row;
use super::layout::Layout;
use super::noise_lines::NoiseLines;
use crate::hash::HashSet;
use crate::lines::Line;
use crate::ranker::RankedLine;
use crate::salience::Salience;
use crate::terminal;

/// Bytes shown of a ranked line.
const MAX_SHOWN_BYTES: usize = 168;

/// Lines that start with the same bytes are shown once.
const COMPARED_BYTES: usize = 160;

/// Longer runs of similar lines, such as those of a progress report, stay folded.
const MAX_UNFOLDED_LINES: u64 = 20;

/// Only the best lines compete for the budget.
const MAX_COMPETING_LINES: usize = 1_500;

/// Cheaper rows, which replace a gap marker, are not preferred over one another.
const MIN_COST_BYTES: usize = 12;

/// Puts ranked lines in the place of rows.
///
/// A row of equal lines stays, with the best of their scores; so does a long one of similar lines. A short one is
/// replaced: next to a failure each of its lines may matter.
pub(super) fn with_ranked_lines(
    rows: Vec<Row>,
    lines: Vec<RankedLine>,
    noise: &NoiseLines,
    keeps_blanks: bool,
) -> Vec<Row> {
    let texts = shown_texts(&lines, keeps_blanks);
    let mut lines = lines.into_iter().zip(texts).peekable();
    let mut ranked = Vec::with_capacity(rows.len() + lines.len());
    for mut row in rows {
        let between = take_before(&mut lines, row.first);
        ranked.extend(between.into_iter().map(|line| new_row(line, noise)));
        let mut inside = take_before(&mut lines, row.last + 1);
        let is_short = row.last - row.first < MAX_UNFOLDED_LINES;
        if row.has_variants && is_short && !inside.is_empty() {
            let alone = |line| Row { salience: row.salience, ..new_row(line, noise) };
            ranked.extend(inside.into_iter().map(alone));
            continue;
        }
        if let Some((best, _)) = inside.iter().max_by_key(|(line, _)| line.score) {
            row.score = Some(best.score);
            row.reason.clone_from(&best.reason);
        }
        if let [(line, text)] = &mut inside[..]
            && row.first == row.last
            && !line.is_cut
        {
            row.shown = std::mem::take(text);
        }
        ranked.push(row);
    }
    ranked.extend(lines.map(|line| new_row(line, noise)));
    ranked
}

/// Selects ranked rows, the best value per byte first.
///
/// A row next to a selected one needs no gap marker between them, so it is cheaper.
pub(super) fn fill(
    layout: &mut Layout<'_>,
    rows: &[Row],
    may_compete: impl Fn(&Row) -> bool,
    limit: usize,
    why: &'static str,
) {
    let mut competing = competing(rows);
    competing.retain(|index| may_compete(&rows[*index]));
    let mut is_competing = vec![false; rows.len()];
    for index in &competing {
        is_competing[*index] = true;
    }
    let bid =
        |layout: &Layout<'_>, index: usize| Bid::new(&rows[index], index, layout.cost_of(index));
    let mut bids: BinaryHeap<Bid> = competing.iter().map(|index| bid(layout, *index)).collect();
    while let Some(best) = bids.pop() {
        if layout.has(best.index) {
            continue;
        }
        let current = bid(layout, best.index);
        if current < best {
            // Its cost has grown since it was computed.
            bids.push(current);
        } else if layout.try_choose(best.index, limit, why) {
            let neighbours = [best.index.checked_sub(1), best.index.checked_add(1)];
            let cheaper = neighbours
                .into_iter()
                .flatten()
                .filter(|near| is_competing.get(*near) == Some(&true));
            bids.extend(cheaper.filter(|near| !layout.has(*near)).map(|near| bid(layout, near)));
        }
    }
}

/// A row that competes for the budget; the greatest gets it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Bid {
    /// Logarithm of the expected value per byte.
    value: i32,
    score: i32,
    /// Of equals the first.
    order: Reverse<usize>,
    index: usize,
}

impl Bid {
    fn new(row: &Row, index: usize, cost: usize) -> Self {
        let score = row.score.unwrap_or(i32::MIN / 2);
        Self {
            value: score - log2_1024(cost.max(MIN_COST_BYTES)),
            score,
            order: Reverse(index),
            index,
        }
    }
}

/// Returns the indexes of the best rows, one of those that start alike.
fn competing(rows: &[Row]) -> Vec<usize> {
    let may_compete = |row: &Row| !row.salience.is_noise && !is_frame(&row.shown);
    let score = |index: usize| rows[index].score.filter(|_| may_compete(&rows[index]));
    let mut best: Vec<(i32, usize)> =
        (0..rows.len()).filter_map(|index| Some((score(index)?, index))).collect();
    best.sort_by_key(|(score, index)| (Reverse(*score), *index));
    best.truncate(MAX_COMPETING_LINES);
    let mut seen = HashSet::default();
    best.retain(|(_, index)| seen.insert(cut::prefix(rows[*index].shown.trim(), COMPARED_BYTES)));
    best.into_iter().map(|(_, index)| index).collect()
}

/// Returns true for rules and the frames of tables and headings; a line of `^` or `~` points at code.
fn is_frame(text: &str) -> bool {
    !text.contains(|c: char| c.is_alphanumeric() || c == '^' || c == '~')
}

fn take_before<T>(
    lines: &mut Peekable<impl Iterator<Item = (RankedLine, T)>>,
    number: u64,
) -> Vec<(RankedLine, T)> {
    std::iter::from_fn(|| lines.next_if(|(line, _)| line.number < number)).collect()
}

fn new_row((line, shown): (RankedLine, String), noise: &NoiseLines) -> Row {
    Row {
        first: line.number,
        last: line.number,
        has_variants: false,
        is_blank: shown.trim().is_empty(),
        shown,
        mark: String::new(),
        salience: Salience { is_noise: noise.contains(line.number), ..Salience::default() },
        score: Some(line.score),
        reason: line.reason,
    }
}

/// Returns the texts of lines as a digest shows them.
fn shown_texts(lines: &[RankedLine], keeps_blanks: bool) -> Vec<String> {
    let texts: Vec<_> = lines.iter().map(|line| (line.number, clean_text(line))).collect();
    let numbered =
        texts.iter().map(|(number, text)| Numbered { first: *number, last: *number, text });
    let columns = Columns::new(if keeps_blanks { Vec::new() } else { numbered.collect() });
    let shown = |(index, line): (usize, &RankedLine)| {
        let shortened = if keeps_blanks { None } else { columns.shortened(index) };
        cut_text(shortened.as_deref().unwrap_or(&texts[index].1), line.is_cut)
    };
    lines.iter().enumerate().map(shown).collect()
}

fn clean_text(line: &RankedLine) -> String {
    let clean = terminal::already_clean(&line.raw).map(Cow::Borrowed);
    let text = clean.unwrap_or_else(|| Cow::Owned(terminal::strip(&line.raw)));
    let line = Line { number: line.number, text: &text, cut: 0, has_newline: true };
    line.without_timestamp().text.trim_end().to_owned()
}

fn cut_text(text: &str, is_cut: bool) -> String {
    if text.len() <= MAX_SHOWN_BYTES && !is_cut {
        return text.to_owned();
    }
    format!("{}…", cut::prefix(text, MAX_SHOWN_BYTES - '…'.len_utf8()))
}

/// Returns 1024 · log2(n), rounded down, by squaring integers.
fn log2_1024(n: usize) -> i32 {
    const ONE: u64 = 1 << 30;
    let exponent = n.max(1).ilog2();
    let mut mantissa = ((n.max(1) as u64) << 30) >> exponent;
    let mut log = exponent as i32;
    for _ in 0..10 {
        mantissa = (mantissa * mantissa) >> 30;
        let carry = mantissa >= 2 * ONE;
        mantissa >>= u32::from(carry);
        log = log << 1 | i32::from(carry);
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log2_is_exact_at_powers_of_two_and_rounded_down_between() {
        assert_eq!([1, 2, 3, 9, 168, 256].map(log2_1024), [0, 1_024, 1_623, 3_246, 7_569, 8_192]);
    }
}
