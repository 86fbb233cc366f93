//! In which order the kept rows are offered the budget.

use std::cmp::Reverse;
use std::collections::HashSet;

use forebay_text::cut;

use super::fold::{self, Row};
use super::layout::{Layout, Text, mark};
use crate::LeftOut;
use crate::salience::Intent;

/// How much a word of the intent weighs against the other reasons to keep a line.
const WANTED_WEIGHT: u32 = 10;

/// From this weight on a row is part of a failure: it says so, or stands right below.
const FAILURE_WEIGHT: u32 = 15;

/// From this weight on a marked row says what failed, why, or how it ended.
const ESSENTIAL_WEIGHT: u32 = 50;

/// What a failure loses each time its distance from the end doubles.
///
/// A build or a test run ends with the part that failed; what went wrong long before was survived.
const LOSS_PER_DOUBLING: u32 = 4;

/// One step of a plan: these rows, for at most so many percent of the budget.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    rows: Rows,
    share: usize,
}

/// Rows, and the order they are offered in.
#[derive(Debug, Clone, Copy)]
enum Rows {
    /// Those with words of the intent, the rarest words first.
    Wanted,
    /// Those that say what failed and the ones below, late ones first, each text once.
    Failures,
    /// Those a recognizer marked as what failed, why and how it ended; the first of equals first.
    Essential,
    /// All that a recognizer marked, likewise.
    Marked,
    /// All that stand out.
    Telling,
    /// From the start, without a gap.
    Head,
    /// From the end, without a gap.
    Tail,
    /// The last one, however long.
    Last,
}

/// Something failed: what and why, then how it ended.
pub(super) const FAILING: &[Step] = &[
    Step { rows: Rows::Wanted, share: 60 },
    Step { rows: Rows::Essential, share: 90 },
    Step { rows: Rows::Failures, share: 97 },
    Step { rows: Rows::Tail, share: 100 },
    Step { rows: Rows::Failures, share: 100 },
];

/// Something failed and no line says what: whatever complains, and how it ended.
pub(super) const UNEXPLAINED: &[Step] = &[
    Step { rows: Rows::Wanted, share: 60 },
    Step { rows: Rows::Marked, share: 85 },
    Step { rows: Rows::Telling, share: 40 },
    Step { rows: Rows::Tail, share: 100 },
];

/// Nothing failed: how it starts, and how it ended.
pub(super) const CALM: &[Step] = &[
    Step { rows: Rows::Wanted, share: 60 },
    Step { rows: Rows::Marked, share: 85 },
    Step { rows: Rows::Telling, share: 10 },
    Step { rows: Rows::Last, share: 50 },
    Step { rows: Rows::Tail, share: 15 },
    Step { rows: Rows::Head, share: 100 },
    Step { rows: Rows::Tail, share: 100 },
];

/// A recognizer knows which lines matter.
pub(super) const MARKED: &[Step] =
    &[Step { rows: Rows::Wanted, share: 60 }, Step { rows: Rows::Marked, share: 100 }];

/// Only what the caller is after.
pub(super) const WANTED: &[Step] = &[Step { rows: Rows::Wanted, share: 100 }];

/// How the data looks.
pub(super) const SAMPLE: &[Step] =
    &[Step { rows: Rows::Wanted, share: 70 }, Step { rows: Rows::Head, share: 100 }];

/// How telling a row is among the `lines` lines seen.
pub(super) fn worth(row: &Row, intent: &Intent, lines: u64) -> u32 {
    row.salience.weight + WANTED_WEIGHT * intent.worth(row.salience.wanted, lines)
}

/// Shows as much of the rows as there is room for; nothing may be shown where facts stand above.
pub(super) fn show(
    plan: &[Step],
    rows: &[Row],
    intent: &Intent,
    text: Text,
    below_facts: bool,
) -> (String, Vec<LeftOut>) {
    let mut layout = Layout::new(rows, text);
    for step in plan {
        let share = text.room.saturating_mul(step.share) / 100;
        let limit = layout.bytes().saturating_add(share).min(text.room);
        step.rows.fill(&mut layout, step.rows.in_order(rows, intent, text.lines), limit);
    }
    if layout.is_empty() && below_facts {
        return (String::new(), vec![LeftOut { first: 1, last: text.lines }]);
    }
    if layout.is_empty() {
        return most_telling(rows, intent, text);
    }
    layout.close_small_gaps();
    layout.write()
}

impl Rows {
    /// The indexes of these rows, the first to be shown first.
    fn in_order(self, rows: &[Row], intent: &Intent, lines: u64) -> Vec<usize> {
        match self {
            Self::Head => (0..rows.len()).filter(|index| !rows[*index].salience.noise).collect(),
            Self::Tail => {
                (0..rows.len()).rev().filter(|index| !rows[*index].salience.noise).collect()
            }
            Self::Last => rows.iter().rposition(Row::says_something).into_iter().collect(),
            Self::Wanted => ranked(rows, |row| intent.worth(row.salience.wanted, lines)),
            Self::Failures => each_once(rows, ranked(rows, |row| failure_worth(row, lines))),
            Self::Essential => marked(rows, ESSENTIAL_WEIGHT),
            Self::Marked => marked(rows, 1),
            Self::Telling => ranked(rows, |row| row.salience.weight),
        }
    }

    /// Chooses rows in this order until the limit; head and tail end at the first that does not fit.
    fn fill(self, layout: &mut Layout<'_>, order: Vec<usize>, limit: usize) {
        let unbroken = matches!(self, Self::Head | Self::Tail);
        for index in order {
            if !layout.choose(index, limit) && unbroken {
                break;
            }
        }
    }
}

fn failure_worth(row: &Row, lines: u64) -> u32 {
    if row.salience.weight < FAILURE_WEIGHT {
        return 0;
    }
    let doublings = (lines - row.first + 1).ilog2();
    1 + row.salience.weight + LOSS_PER_DOUBLING * (u64::BITS - doublings)
}

/// The indexes of the marked rows from a weight on, the heaviest first, of equals the first.
fn marked(rows: &[Row], least: u32) -> Vec<usize> {
    let weight = |index: &usize| rows[*index].salience.weight;
    let mut order: Vec<usize> = (0..rows.len())
        .filter(|index| rows[*index].salience.marked && weight(index) >= least)
        .collect();
    order.sort_by_key(|index| (Reverse(weight(index)), *index));
    order
}

/// The indexes of the rows worth something, the best first, of equals the latest.
fn ranked(rows: &[Row], worth: impl Fn(&Row) -> u32) -> Vec<usize> {
    let mut ranked: Vec<_> =
        rows.iter().map(worth).zip(0..).filter(|(worth, _)| *worth > 0).collect();
    ranked.sort_unstable_by_key(|row| Reverse(*row));
    ranked.into_iter().map(|(_, index)| index).collect()
}

/// Without the rows that say what an earlier one says, but for digits.
fn each_once(rows: &[Row], mut order: Vec<usize>) -> Vec<usize> {
    let mut seen = HashSet::new();
    order
        .retain(|index| seen.insert(fold::without_digits(&rows[*index].shown).collect::<Vec<_>>()));
    order
}

/// No row fits beside its gaps: the start of the one that tells most.
fn most_telling(rows: &[Row], intent: &Intent, text: Text) -> (String, Vec<LeftOut>) {
    let all = LeftOut { first: 1, last: text.lines };
    let says_most = |row: &&Row| (worth(row, intent, text.lines), row.says_something());
    match rows.iter().max_by_key(says_most).filter(|row| row.says_something()) {
        Some(row) if row.shown.trim().len() <= text.room => {
            (row.shown.trim().to_owned(), around(row, text.lines))
        }
        Some(row) => (cut_to(row.shown.trim(), text.room), vec![all]),
        None => (cut_to(&mark(all), text.room), vec![all]),
    }
}

/// The lines before and after the only row that is shown.
fn around(row: &Row, lines: u64) -> Vec<LeftOut> {
    let last_shown = if row.alike { row.first } else { row.last };
    let before = LeftOut { first: 1, last: row.first - 1 };
    let after = LeftOut { first: last_shown + 1, last: lines };
    [before, after].into_iter().filter(|gap| gap.first <= gap.last).collect()
}

fn cut_to(text: &str, bytes: usize) -> String {
    let start = cut::prefix(text, bytes.saturating_sub('…'.len_utf8()));
    if text.len() <= bytes || start.is_empty() {
        return cut::prefix(text, bytes).to_owned();
    }
    format!("{start}…")
}
