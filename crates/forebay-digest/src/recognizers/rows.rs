//! Rows of fields in a text of no known format: how many, and the values that repeat in a field.

use forebay_text::number::counted;

use super::line_starts::LineStarts;
use super::records::Records;
use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(crate) const FORMAT: Format = Format {
    name: "rows and similar lines",
    keeps: "number of rows with the values that repeat in a field, records of `key: value` lines on a line each, or \
            numbers of lines that start or end alike, if no other format claims the text",
    commands: &[],
    scope: Scope::Unclaimed,
    create: || Box::<Unclaimed>::default(),
};

/// Reads a text of no known format.
#[derive(Debug, Default)]
struct Unclaimed {
    rows: Rows,
    records: Records,
    starts: LineStarts,
}

impl Recognizer for Unclaimed {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        self.rows.push(line.text);
        self.records.push(line);
        self.starts.push(line);
        Mark::Plain
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        if context.max_bytes < MIN_DIGEST_BYTES {
            return None;
        }
        let Self { rows, records, starts } = *self;
        rows.report(context).or_else(|| {
            let mut report = Report::new(Quotes::Default);
            report.facts_share = STARTS_SHARE;
            let max_items = if context.max_bytes > 2_000 { 10 } else { 5 };
            let has_records = records.report(&mut report);
            if has_records {
                report.facts_share = RECORDS_SHARE;
            }
            (starts.report(&mut report, max_items) || has_records).then_some(report)
        })
    }
}

/// Number of nonblank lines that decide about the layout.
const SAMPLE_LINES: usize = 80;

/// Fewer rows can be read one by one.
const MIN_ROWS: usize = 12;

/// Rows are at least this percentage of the nonblank lines, but for a few at either end. With more other lines, the text
/// may be that of several commands.
const MIN_ROWS_SHARE: u64 = 90;
const MAX_EDGE_LINES: u64 = 6;

/// Percentage of the rows that share a property of the layout.
const MIN_SAME: usize = 90;

const MAX_FIELDS: usize = 8;

/// Two words in each line are no table.
const MIN_COUNTED_FIELDS: usize = 3;

/// A smaller digest has no space beside the lines that matter.
const MIN_DIGEST_BYTES: usize = 600;

/// Longer lines are no rows.
const MAX_LINE_BYTES: usize = 1_000;

/// Percentage of the budget for counts of lines that start or end alike.
const STARTS_SHARE: usize = 25;

/// The same if records stand on a line each.
const RECORDS_SHARE: usize = 80;

/// Number of fields whose values are listed.
const MAX_LISTED_FIELDS: usize = 3;

/// Reads the fields of lines whose layout is that of most lines at the start.
#[derive(Debug)]
enum Rows {
    /// The first lines, until there are enough to decide.
    Sampling(Vec<String>),
    Reading(Table),
    /// The lines have no common layout.
    Irregular,
}

impl Default for Rows {
    fn default() -> Self {
        Self::Sampling(Vec::new())
    }
}

impl Rows {
    fn push(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match self {
            Self::Sampling(sample) => {
                sample.push(forebay_text::cut::prefix(text, MAX_LINE_BYTES + 1).to_owned());
                if sample.len() == SAMPLE_LINES {
                    self.decide();
                }
            }
            Self::Reading(table) => table.push(text),
            Self::Irregular => {}
        }
    }

    fn report(mut self, context: &ReportContext) -> Option<Report> {
        self.decide();
        match self {
            Self::Reading(table) => table.report(context),
            Self::Sampling(_) | Self::Irregular => None,
        }
    }

    fn decide(&mut self) {
        let Self::Sampling(sample) = self else { return };
        let sample = std::mem::take(sample);
        *self = Layout::of_most(&sample).map_or(Self::Irregular, |layout| {
            let mut table = Table::new(layout, &sample);
            for line in &sample {
                table.push(line);
            }
            Self::Reading(table)
        });
    }
}

/// The kind of a field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Kind {
    /// Starts with a digit: a number, date, version or position.
    Number,
    /// Only punctuation, which is the same in every row.
    Punctuation(String),
    Word,
}

impl Kind {
    fn classify(field: &str) -> Self {
        match field.chars().find(|c| c.is_alphanumeric()) {
            None => Self::Punctuation(field.to_owned()),
            Some(first) if first.is_numeric() => Self::Number,
            Some(_) => Self::Word,
        }
    }

    fn includes(&self, field: &str) -> bool {
        let first = field.chars().find(|c| c.is_alphanumeric());
        match self {
            Self::Punctuation(text) => field == text,
            Self::Number => first.is_some_and(char::is_numeric),
            Self::Word => first.is_some_and(|first| !first.is_numeric()),
        }
    }
}

fn fields(line: &str) -> impl Iterator<Item = &str> {
    line.split_ascii_whitespace()
}

/// What the rows have in common: their first fields are of these kinds.
#[derive(Debug)]
struct Layout {
    is_indented: bool,
    kinds: Vec<Kind>,
    regularity: Regularity,
}

/// What tells rows from lines of prose or code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Regularity {
    /// Numbers or punctuation stand at the same place in each.
    Anchored,
    /// A field starts at the same column in each, wherever the one before it ends.
    Aligned { index: usize, column: usize },
    /// Each has this many fields.
    Count(usize),
}

impl Regularity {
    fn holds(self, row: &str) -> bool {
        match self {
            Self::Anchored => true,
            Self::Aligned { index, column } => start(row, index) == Some(column),
            Self::Count(count) => fields(row).count() == count,
        }
    }
}

impl Layout {
    /// Returns the layout of most lines, if it is one of rows and not of prose or code.
    fn of_most(lines: &[String]) -> Option<Self> {
        let first = most_frequent(lines.iter().filter_map(|line| {
            Some((is_indented(line), fields(line).next().map(Kind::classify)?))
        }))?;
        let (is_indented, kind) = first;
        let regularity = Regularity::Anchored;
        let mut layout = Self { is_indented, kinds: vec![kind], regularity };
        let min_rows = layout.rows(lines).len() * MIN_SAME / 100;
        while layout.kinds.len() < MAX_FIELDS {
            let rows = layout.rows(lines);
            let next = rows.iter().filter_map(|row| fields(row).nth(layout.kinds.len()));
            let Some(kind) = most_frequent(next.map(Kind::classify)) else { break };
            layout.kinds.push(kind);
            if layout.rows(lines).len() < min_rows {
                layout.kinds.pop();
                break;
            }
        }
        layout.regularity = layout.find_regularity(&layout.rows(lines))?;
        let rows = layout.rows(lines).len();
        let others = lines.len() - rows;
        (rows >= MIN_ROWS && are_most(rows as u64, others as u64)).then_some(layout)
    }

    fn rows<'a>(&self, lines: &'a [String]) -> Vec<&'a str> {
        lines.iter().map(String::as_str).filter(|line| self.matches(line)).collect()
    }

    fn matches(&self, line: &str) -> bool {
        let mut fields = fields(line);
        line.len() <= MAX_LINE_BYTES
            && is_indented(line) == self.is_indented
            && self.regularity.holds(line)
            && self.kinds.iter().all(|kind| fields.next().is_some_and(|field| kind.includes(field)))
    }

    fn find_regularity(&self, rows: &[&str]) -> Option<Regularity> {
        let same = |property: &dyn Fn(&str) -> Option<usize>| {
            let most = most_frequent(rows.iter().map(|row| property(row)))?;
            let count = rows.iter().filter(|row| property(row) == most).count();
            most.filter(|_| count * 100 >= rows.len() * MIN_SAME)
        };
        let anchored = || {
            let has_anchor = self.kinds.iter().skip(1).any(|kind| *kind != Kind::Word);
            has_anchor.then_some(Regularity::Anchored)
        };
        let aligned = |index: usize| {
            let column = same(&|row| start(row, index))?;
            let is_padded = same(&|row| end(row, index - 1)).is_none();
            is_padded.then_some(Regularity::Aligned { index, column })
        };
        let counted = || {
            let count = same(&|row| Some(fields(row).count()))?;
            (count >= MIN_COUNTED_FIELDS).then_some(Regularity::Count(count))
        };
        anchored().or_else(|| (1..=2).find_map(aligned)).or_else(counted)
    }
}

fn are_most(rows: u64, others: u64) -> bool {
    let others = others.saturating_sub(MAX_EDGE_LINES);
    rows * 100 >= (rows + others) * MIN_ROWS_SHARE
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

/// Returns the column where a field starts.
fn start(row: &str, index: usize) -> Option<usize> {
    fields(row).nth(index).map(|field| offset_in(row, field))
}

/// Returns the column where a field ends.
fn end(row: &str, index: usize) -> Option<usize> {
    fields(row).nth(index).map(|field| offset_in(row, field) + field.len())
}

fn offset_in(line: &str, field: &str) -> usize {
    field.as_ptr() as usize - line.as_ptr() as usize
}

fn most_frequent<T: Eq + std::hash::Hash + Clone>(items: impl Iterator<Item = T>) -> Option<T> {
    let mut counts = crate::hash::HashMap::<T, (usize, usize)>::default();
    for (order, item) in items.enumerate() {
        counts.entry(item).or_insert((0, order)).0 += 1;
    }
    // The first of several equally frequent ones, whatever the order of the map.
    counts
        .into_iter()
        .max_by_key(|(_, (count, order))| (*count, usize::MAX - order))
        .map(|(item, _)| item)
}

/// The rows of one layout.
#[derive(Debug)]
struct Table {
    layout: Layout,
    captions: Vec<Option<String>>,
    values: Vec<ValueCounts>,
    rows: u64,
    others: u64,
}

impl Table {
    fn new(layout: Layout, sample: &[String]) -> Self {
        let values = vec![ValueCounts::default(); layout.kinds.len()];
        Self { captions: captions(&layout, sample), layout, values, rows: 0, others: 0 }
    }

    fn push(&mut self, line: &str) {
        if !self.layout.matches(line) {
            self.others += 1;
            return;
        }
        self.rows += 1;
        for ((field, kind), values) in fields(line).zip(&self.layout.kinds).zip(&mut self.values) {
            if *kind == Kind::Word {
                values.add(without_position(field));
            }
        }
    }

    fn report(self, context: &ReportContext) -> Option<Report> {
        if !are_most(self.rows, self.others) {
            return None;
        }
        let repeating: Vec<_> =
            self.values.iter().enumerate().filter(|(_, values)| repeat(values)).collect();
        if repeating.is_empty() {
            return None;
        }
        let others = match self.others {
            0 => String::new(),
            count => format!(", {}", counted(count, "other line")),
        };
        let mut report =
            Report::with_summary(format!("{}{others}", counted(self.rows, "row")), Quotes::Default);
        let max_items = if context.max_bytes > 2_000 { 12 } else { 6 };
        let unlisted = repeating.len().saturating_sub(MAX_LISTED_FIELDS) as u64;
        for (index, values) in repeating.into_iter().take(MAX_LISTED_FIELDS) {
            let caption =
                self.captions[index].clone().unwrap_or_else(|| format!("field {}", index + 1));
            report.add_field(80 - index as u32, format!("{caption}: {}", values.list(max_items)));
        }
        report.add_unlisted_named(unlisted, " field");
        Some(report)
    }
}

/// Returns the words above the fields of the first row, if all words of their line are above one.
fn captions(layout: &Layout, sample: &[String]) -> Vec<Option<String>> {
    let first = sample.iter().position(|line| layout.matches(line)).unwrap_or(0);
    let is_rule = |line: &&String| !line.contains(char::is_alphanumeric);
    let header = sample[..first].iter().rev().find(|line| !is_rule(line));
    let header = header.filter(|header| stands_above(header, &sample[first]));
    let caption = |index: usize| {
        let word = fields(header?).nth(index)?;
        word.contains(char::is_alphabetic).then(|| word.to_owned())
    };
    (0..layout.kinds.len()).map(caption).collect()
}

/// Returns true if each of several words starts or ends where the field of a row does.
fn stands_above(header: &str, row: &str) -> bool {
    let is_above =
        |index| start(header, index) == start(row, index) || end(header, index) == end(row, index);
    let words = fields(header).count();
    (2..=fields(row).count()).contains(&words) && (0..words).all(is_above)
}

/// Returns true if a few values make up much of the field.
fn repeat(values: &ValueCounts) -> bool {
    let (total, distinct) = (values.total(), values.distinct() as u64);
    let top: u64 = values.ranked().iter().take(5).map(|(_, count)| count).sum();
    distinct > 1 && distinct * 2 <= total && top * 5 >= total * 2
}

/// Strips the punctuation around a value, and the line and column after a path.
fn without_position(field: &str) -> &str {
    let is_around = |c: char| matches!(c, ',' | ';' | ':' | '"' | '\'' | '(' | ')' | '[' | ']');
    let mut rest = field.trim_matches(is_around);
    while rest.ends_with(|c: char| c.is_ascii_digit())
        && let Some((before, number)) = rest.rsplit_once(':')
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        rest = before;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_are_a_line_of_words_above_the_fields() {
        let rows: Vec<String> = (0..40)
            .map(|row| format!("worker-{} finished job-{row} {} ms", row % 3, row * 37 % 900 + 100))
            .collect();
        let captions = |header: &str| {
            let sample: Vec<String> =
                std::iter::once(header.to_owned()).chain(rows.iter().cloned()).collect();
            let layout = Layout::of_most(&sample).unwrap();
            captions(&layout, &sample).into_iter().flatten().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(captions("Starting worker pool"), "");
        assert_eq!(captions("Starting"), "");
        assert_eq!(captions("WORKER STATE JOB MS"), "");
        assert_eq!(captions("WORKER   STATE    JOB    MS"), "WORKER STATE JOB MS");
    }
}
