//! Plans: the order in which rows get the budget.

use std::cmp::Reverse;

use forebay_text::cut;

use super::fold::Row;
use super::layout::{Bounds, Layout, only_gap_marker};
use super::ranked_rows;
use crate::OmittedRange;
use crate::ranker::TextKind;
use crate::salience::Intent;

/// Weight of an intent word relative to other reasons to quote a line, stated by the caller or inferred.
const STATED_INTENT_WEIGHT: u32 = 10;
const INFERRED_INTENT_WEIGHT: u32 = 3;

/// Percentage of the budget for lines that match an inferred intent.
const INFERRED_INTENT_SHARE: usize = 15;

/// Minimum weight of marked rows that say what failed, why, or how it ended.
const ESSENTIAL_WEIGHT: u32 = 50;

/// Minimum weight of marked rows that surround it.
const DETAIL_WEIGHT: u32 = 15;

/// One step of a plan: a set of rows, and the percentage of the budget it may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    rows: RowSet,
    share: usize,
}

/// The steps in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan(&'static [Step]);

impl Plan {
    /// Returns the kind of text whose ranked lines it quotes, if any.
    pub(super) fn ranks(self) -> Option<TextKind> {
        let is_ranked = self.0.iter().any(|step| matches!(step.rows, RowSet::Ranked));
        let kind = if self == FAILING_SCRIPT { TextKind::Log } else { TextKind::Output };
        is_ranked.then_some(kind)
    }

    /// Returns true if it is about a failure, and no selected row states one because none fits beside its gap markers.
    fn lacks_failure(self, rows: &[Row], layout: &Layout<'_>) -> bool {
        let mut failures =
            (0..rows.len()).filter(|index| is_about_failure(&rows[*index])).peekable();
        self == FAILING_COMMAND
            && failures.peek().is_some()
            && !failures.any(|index| layout.has(index))
    }

    /// Returns the steps for this intent. An inferred one comes after what recognizers marked, and gets less.
    fn steps(self, intent: &Intent) -> Vec<Step> {
        if !intent.is_inferred() {
            return self.0.to_vec();
        }
        let is_marked = |step: &Step| matches!(step.rows, RowSet::Essential | RowSet::Marked);
        let others = self.0.iter().filter(|step| !is_marked(step)).map(|step| match step.rows {
            RowSet::IntentMatches => Step { share: INFERRED_INTENT_SHARE, ..*step },
            _ => *step,
        });
        self.0.iter().filter(|step| is_marked(step)).copied().chain(others).collect()
    }
}

/// A set of rows and their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowSet {
    /// Rows that contain intent words, the rarest words first.
    IntentMatches,
    /// Ranked lines that state a failure, or surround one according to a recognizer.
    RankedFailures,
    /// Ranked lines, the best value per byte first.
    Ranked,
    /// Marked rows that say what failed, why and how it ended; by weight, then by line.
    Essential,
    /// All marked rows; by weight, then by line.
    Marked,
    /// All rows with a weight.
    Salient,
    /// From the start, without gaps.
    Head,
    /// From the end, without gaps.
    Tail,
    /// The last nonblank row, whatever its length.
    Last,
}

/// A command failed: what a recognizer of its output marked, then the lines that a reader most likely needs.
pub(super) const FAILING_COMMAND: Plan = Plan(&[
    Step { rows: RowSet::IntentMatches, share: 60 },
    Step { rows: RowSet::Essential, share: 90 },
    Step { rows: RowSet::RankedFailures, share: 30 },
    Step { rows: RowSet::Ranked, share: 100 },
    Step { rows: RowSet::Tail, share: 100 },
]);

/// One of several commands failed, perhaps not one whose output was recognized.
pub(super) const FAILING_SCRIPT: Plan = Plan(&[
    Step { rows: RowSet::IntentMatches, share: 60 },
    Step { rows: RowSet::Ranked, share: 100 },
    Step { rows: RowSet::Tail, share: 100 },
]);

/// Something failed and no line says what: possible causes first.
pub(super) const UNEXPLAINED: Plan = Plan(&[
    Step { rows: RowSet::IntentMatches, share: 60 },
    Step { rows: RowSet::Marked, share: 85 },
    Step { rows: RowSet::Salient, share: 40 },
    Step { rows: RowSet::Last, share: 50 },
    Step { rows: RowSet::Ranked, share: 100 },
    Step { rows: RowSet::Tail, share: 100 },
]);

/// Nothing failed: what a recognizer marked, how it ended, and the lines that a reader most likely needs.
pub(super) const CALM: Plan = Plan(&[
    Step { rows: RowSet::IntentMatches, share: 60 },
    Step { rows: RowSet::Marked, share: 85 },
    Step { rows: RowSet::Last, share: 50 },
    Step { rows: RowSet::Ranked, share: 100 },
    Step { rows: RowSet::Head, share: 100 },
    Step { rows: RowSet::Tail, share: 100 },
]);

/// A recognizer knows which lines matter.
pub(super) const MARKED: Plan = Plan(&[
    Step { rows: RowSet::IntentMatches, share: 60 },
    Step { rows: RowSet::Marked, share: 100 },
]);

/// Only rows that match the intent.
pub(super) const INTENT_ONLY: Plan = Plan(&[Step { rows: RowSet::IntentMatches, share: 100 }]);

/// A sample of the data.
pub(super) const SAMPLE: Plan = Plan(&[
    Step { rows: RowSet::IntentMatches, share: 70 },
    Step { rows: RowSet::Head, share: 100 },
]);

/// Returns the score of a row, given the number of lines so far.
pub(super) fn score(row: &Row, intent: &Intent, lines: u64) -> u32 {
    let weight = if intent.is_inferred() { INFERRED_INTENT_WEIGHT } else { STATED_INTENT_WEIGHT };
    row.salience.weight + weight * intent.score(row.salience.intent_mask, lines)
}

/// Renders as many rows as fit; may render nothing if there are facts above.
pub(super) fn render(
    plan: Plan,
    rows: &[Row],
    intent: &Intent,
    bounds: Bounds,
    below_facts: bool,
    explains: bool,
) -> (String, Vec<OmittedRange>) {
    let mut layout = Layout::new(rows, bounds);
    for step in plan.steps(intent) {
        let share = bounds.max_bytes.saturating_mul(step.share) / 100;
        let limit = layout.bytes().saturating_add(share).min(bounds.max_bytes);
        step.rows.fill(&mut layout, rows, intent, limit);
    }
    if layout.is_empty() && below_facts {
        return (String::new(), vec![OmittedRange { first: 1, last: bounds.lines }]);
    }
    if layout.is_empty() || !below_facts && plan.lacks_failure(rows, &layout) {
        return truncated_best_row(rows, intent, bounds);
    }
    layout.close_small_gaps();
    layout.write(explains)
}

impl RowSet {
    /// Says why a row of the set is shown.
    const fn reason(self) -> &'static str {
        match self {
            Self::IntentMatches => "matches the intent",
            Self::RankedFailures | Self::Ranked => "ranked",
            Self::Essential | Self::Marked => "marked by a recognizer",
            Self::Salient => "notable words",
            Self::Head => "start",
            Self::Tail => "end",
            Self::Last => "last line",
        }
    }

    /// Selects rows in this order; head and tail stop at the first row that does not fit.
    fn fill(self, layout: &mut Layout<'_>, rows: &[Row], intent: &Intent, limit: usize) {
        let is_contiguous = matches!(self, Self::Head | Self::Tail);
        let order = match self {
            Self::RankedFailures => {
                return ranked_rows::fill(layout, rows, is_about_failure, limit, self.reason());
            }
            Self::Ranked => {
                return ranked_rows::fill(layout, rows, |_| true, limit, self.reason());
            }
            Self::Head => readable(rows).collect(),
            Self::Tail => readable(rows).rev().collect(),
            Self::Last => rows.iter().rposition(Row::is_nonblank).into_iter().collect(),
            Self::IntentMatches => ranked(rows, |row| match row.salience {
                salience if salience.is_noise && intent.is_inferred() => 0,
                salience => intent.score(salience.intent_mask, layout.lines()),
            }),
            Self::Essential => marked(rows, ESSENTIAL_WEIGHT),
            Self::Marked => marked(rows, 1),
            Self::Salient => ranked(rows, |row| row.salience.weight),
        };
        for index in order {
            if !layout.try_choose(index, limit, self.reason()) && is_contiguous {
                break;
            }
        }
    }
}

fn is_about_failure(row: &Row) -> bool {
    let is_marked = row.salience.is_marked && row.salience.weight >= DETAIL_WEIGHT;
    is_marked || row.salience.is_failure
}

/// Returns the indexes of rows that no recognizer considers unnecessary.
fn readable(rows: &[Row]) -> impl DoubleEndedIterator<Item = usize> {
    (0..rows.len()).filter(|index| !rows[*index].salience.is_noise)
}

/// Returns the indexes of marked rows of at least this weight, by weight, then by line.
fn marked(rows: &[Row], min_weight: u32) -> Vec<usize> {
    let weight = |index: &usize| rows[*index].salience.weight;
    let mut order: Vec<usize> = (0..rows.len())
        .filter(|index| rows[*index].salience.is_marked && weight(index) >= min_weight)
        .collect();
    order.sort_by_key(|index| (Reverse(weight(index)), *index));
    order
}

/// Returns the indexes of rows with a score, the best first, of equals the latest.
fn ranked(rows: &[Row], score: impl Fn(&Row) -> u32) -> Vec<usize> {
    let mut ranked: Vec<_> =
        rows.iter().map(score).zip(0..).filter(|(score, _)| *score > 0).collect();
    ranked.sort_unstable_by_key(|row| Reverse(*row));
    ranked.into_iter().map(|(_, index)| index).collect()
}

/// Returns the start of the best row if no row fits beside its gap markers.
fn truncated_best_row(
    rows: &[Row],
    intent: &Intent,
    bounds: Bounds,
) -> (String, Vec<OmittedRange>) {
    let all = OmittedRange { first: 1, last: bounds.lines };
    let rank = |row: &&Row| (score(row, intent, bounds.lines), row.is_nonblank());
    match rows.iter().max_by_key(rank).filter(|row| !row.shown.trim().is_empty()) {
        Some(row) if row.shown.trim().len() <= bounds.max_bytes => {
            (row.shown.trim().to_owned(), gaps_around(row, bounds.lines))
        }
        Some(row) => (truncate(row.shown.trim(), bounds.max_bytes), vec![all]),
        None => (truncate(&only_gap_marker(all), bounds.max_bytes), vec![all]),
    }
}

/// Returns the gaps before and after the only row that is shown.
fn gaps_around(row: &Row, lines: u64) -> Vec<OmittedRange> {
    let last_shown = if row.has_variants { row.first } else { row.last };
    let before = OmittedRange { first: 1, last: row.first - 1 };
    let after = OmittedRange { first: last_shown + 1, last: lines };
    [before, after].into_iter().filter(|gap| gap.first <= gap.last).collect()
}

fn truncate(text: &str, bytes: usize) -> String {
    let start = cut::prefix(text, bytes.saturating_sub('…'.len_utf8()));
    if text.len() <= bytes || start.is_empty() {
        return cut::prefix(text, bytes).to_owned();
    }
    format!("{start}…")
}
