//! A text as a user's recognizer reads it.

use std::sync::Arc;

use forebay_text::number::grouped;

use super::Custom;
use super::pattern::{Count, Counting, Patterns};
use crate::lines::Line;
use crate::recognizers::{End, Mark, Quotes, Report};
use crate::tally::{Range, Tops, plain};

/// What a line of the first pattern to keep weighs; those of each further one weigh one less.
const KEPT: u32 = 69;

/// Down to here, which is still more than what a line counts for by its words.
const KEPT_AT_LEAST: u32 = 61;

/// Marks and counts lines.
#[derive(Debug)]
pub(crate) struct Reading {
    custom: Arc<Custom>,
    tallies: Vec<Tally>,
}

#[derive(Debug)]
enum Tally {
    Lines(u64),
    Sum { numbers: Range, without: u64 },
    By(Tops),
}

impl Tally {
    fn for_count(count: &Count) -> Self {
        match count.counting {
            Counting::Lines => Self::Lines(0),
            Counting::Sum => Self::Sum { numbers: Range::default(), without: 0 },
            Counting::By => Self::By(Tops::default()),
        }
    }

    fn add(&mut self, count: &Count, line: &str) {
        match self {
            Self::Lines(lines) => *lines += 1,
            Self::Sum { numbers, without } => match count.captured(line).and_then(number) {
                Some(number) => numbers.add(number),
                None => *without += 1,
            },
            Self::By(values) => values.add(count.captured(line).unwrap_or("(none)").trim()),
        }
    }

    /// `12 hosts`, `3,401 bytes in 5 lines (10..900)`, `15 steps (ok: 12, failed: 3)`.
    fn tell(&self, label: &str, most: usize) -> String {
        match self {
            Self::Lines(lines) => format!("{} {label}", grouped(*lines)),
            Self::Sum { numbers, without } => {
                let mut said = format!("{} {label}", whole_or_plain(numbers.sum));
                if numbers.count > 1 {
                    let each = if numbers.least < numbers.most { "" } else { " each" };
                    let lines = grouped(numbers.count);
                    said += &format!(" in {lines} lines ({}{each})", numbers.show());
                }
                if *without > 0 {
                    said += &format!(", {} lines without a number", grouped(*without));
                }
                said
            }
            Self::By(values) if values.is_empty() => format!("0 {label}"),
            Self::By(values) => {
                format!("{} {label} ({})", grouped(values.total()), values.list(most))
            }
        }
    }
}

/// `1,234.5` as people and programs write it.
fn number(text: &str) -> Option<f64> {
    text.trim().replace([',', '_'], "").parse().ok().filter(|number: &f64| number.is_finite())
}

fn whole_or_plain(number: f64) -> String {
    if number.fract() == 0.0 && (0.0..1e15).contains(&number) {
        return grouped(number as u64);
    }
    // Sums of decimals gather errors in their last digits.
    plain((number * 1e4).round() / 1e4)
}

impl Reading {
    pub(super) fn of(custom: Arc<Custom>) -> Option<Self> {
        let tallies = custom.patterns()?.counts.iter().map(Tally::for_count).collect();
        Some(Self { custom, tallies })
    }

    pub(super) fn name(&self) -> &str {
        &self.custom.definition.name
    }

    /// Looks at a line; what is both to be kept and dropped is kept.
    pub(crate) fn take(&mut self, line: Line<'_>) -> Mark {
        let Some(patterns) = self.custom.patterns() else { return Mark::Plain };
        if !patterns.all.is_match(line.text) {
            return Mark::Plain;
        }
        let Patterns { all, keep, drop, counts } = patterns;
        let (mut kept, mut dropped) = (None, false);
        for index in all.matches(line.text) {
            match index.checked_sub(keep + drop) {
                Some(count) => self.tallies[count].add(&counts[count], line.text),
                None if index < *keep => kept = kept.or(Some(index as u32)),
                None => dropped = true,
            }
        }
        match kept {
            Some(rank) => Mark::Weight(KEPT.saturating_sub(rank).max(KEPT_AT_LEAST)),
            None if dropped => Mark::Noise,
            None => Mark::Plain,
        }
    }

    pub(crate) fn report(self, end: &End) -> Option<Report> {
        let most = if end.room > 2_000 { 12 } else { 6 };
        let counts = &self.custom.definition.counts;
        let mut told =
            self.tallies.iter().zip(counts).map(|(tally, count)| tally.tell(&count.label, most));
        let first = format!("{}: {}", self.name(), told.next()?);
        let mut report = Report::of(first, Quotes::Usual);
        for (index, text) in (0..).zip(told) {
            report.add(99_u32.saturating_sub(index), text);
        }
        Some(report)
    }
}
