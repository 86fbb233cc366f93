//! Reads a text with a custom recognizer.

use std::sync::Arc;

use forebay_text::number::grouped;

use super::CustomRecognizer;
use super::pattern::{Count, Counting, Patterns};
use crate::lines::Line;
use crate::recognizers::{Mark, Quotes, Report, ReportContext};
use crate::tally::{NumberRange, ValueCounts, format_number};

/// Weight of lines that match the first `keep` pattern; each later pattern weighs one less.
const FIRST_KEEP_WEIGHT: u32 = 69;

/// Lower bound of that weight, still above any weight that words alone give a line.
const MIN_KEEP_WEIGHT: u32 = 61;

/// Marks and counts the lines of one text.
#[derive(Debug)]
pub(crate) struct CustomReader {
    recognizer: Arc<CustomRecognizer>,
    tallies: Vec<Tally>,
}

#[derive(Debug)]
enum Tally {
    Lines(u64),
    Sum { numbers: NumberRange, without_number: u64 },
    By(ValueCounts),
}

impl Tally {
    fn for_count(count: &Count) -> Self {
        match count.counting {
            Counting::Lines => Self::Lines(0),
            Counting::Sum => Self::Sum { numbers: NumberRange::default(), without_number: 0 },
            Counting::By => Self::By(ValueCounts::default()),
        }
    }

    fn add(&mut self, count: &Count, line: &str) {
        match self {
            Self::Lines(lines) => *lines += 1,
            Self::Sum { numbers, without_number } => {
                match count.captured(line).and_then(parse_number) {
                    Some(number) => numbers.add(number),
                    None => *without_number += 1,
                }
            }
            Self::By(values) => values.add(count.captured(line).unwrap_or("(none)").trim()),
        }
    }

    /// Formats a count: `12 hosts`, `3,401 bytes in 5 lines (10..900)`, `15 steps (ok: 12)`.
    fn describe(&self, label: &str, max_items: usize) -> String {
        match self {
            Self::Lines(lines) => format!("{} {label}", grouped(*lines)),
            Self::Sum { numbers, without_number } => {
                let mut description = format!("{} {label}", format_sum(numbers.sum));
                if numbers.count > 1 {
                    let each = if numbers.min < numbers.max { "" } else { " each" };
                    let lines = grouped(numbers.count);
                    description += &format!(" in {lines} lines ({}{each})", numbers.describe());
                }
                if *without_number > 0 {
                    description +=
                        &format!(", {} lines without a number", grouped(*without_number));
                }
                description
            }
            Self::By(values) if values.is_empty() => format!("0 {label}"),
            Self::By(values) => {
                format!("{} {label} ({})", grouped(values.total()), values.list(max_items))
            }
        }
    }
}

/// Parses a number with optional digit separators, such as `1,234.5`.
fn parse_number(text: &str) -> Option<f64> {
    text.trim().replace([',', '_'], "").parse().ok().filter(|number: &f64| number.is_finite())
}

fn format_sum(number: f64) -> String {
    if number.fract() == 0.0 && (0.0..1e15).contains(&number) {
        return grouped(number as u64);
    }
    // Rounds away the error that sums of decimals accumulate.
    format_number((number * 1e4).round() / 1e4)
}

impl CustomReader {
    pub(super) fn new(recognizer: Arc<CustomRecognizer>) -> Option<Self> {
        let tallies = recognizer.patterns()?.counts.iter().map(Tally::for_count).collect();
        Some(Self { recognizer, tallies })
    }

    pub(super) fn name(&self) -> &str {
        &self.recognizer.definition.name
    }

    /// Marks a line; `keep` takes precedence over `drop`.
    pub(crate) fn push_line(&mut self, line: Line<'_>) -> Mark {
        let Some(patterns) = self.recognizer.patterns() else { return Mark::Plain };
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
            Some(rank) => Mark::Weight(FIRST_KEEP_WEIGHT.saturating_sub(rank).max(MIN_KEEP_WEIGHT)),
            None if dropped => Mark::Noise,
            None => Mark::Plain,
        }
    }

    pub(crate) fn report(self, context: &ReportContext) -> Option<Report> {
        let max_items = if context.max_bytes > 2_000 { 12 } else { 6 };
        let counts = &self.recognizer.definition.counts;
        let mut facts = self
            .tallies
            .iter()
            .zip(counts)
            .map(|(tally, count)| tally.describe(&count.label, max_items));
        let first = format!("{}: {}", self.name(), facts.next()?);
        let mut report = Report::with_summary(first, Quotes::Default);
        for (index, text) in (0..).zip(facts) {
            report.add(99_u32.saturating_sub(index), text);
        }
        Some(report)
    }
}
