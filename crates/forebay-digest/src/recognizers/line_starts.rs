//! Lines of no known format that start or end alike: how many, by what they have in common.
//!
//! Each count is about exactly the lines that have the words it states, with `#` for what contains a digit.

use std::cmp::Reverse;

use forebay_text::cut;
use forebay_text::number::grouped;

use super::Report;
use crate::hash::HashMap;
use crate::location;
use crate::tally::{ValueCounts, write_template};

/// Texts of more lines are not counted, so that the time for this is bounded.
const MAX_LINES: u64 = 20_000;

/// More different starts are those of prose or data.
const MAX_STARTS: usize = 8_000;

/// Number of words in the longest start.
const MAX_WORDS: usize = 6;

/// Only this many bytes of a line are read.
const MAX_LINE_BYTES: usize = 160;

/// Fewer lines are not counted.
const MIN_LINES: u64 = 4;

/// A start of one word says enough if this percentage of the lines has it.
const MIN_WORD_SHARE: u64 = 10;

/// A shorter word in small letters says nothing about a line.
const MIN_NAME_BYTES: usize = 4;

/// Percentage of the lines that must have one of the starts, or the text is prose.
const MIN_COVERED: u64 = 30;

/// A start is divided by its next word if that has at most this many values.
const MAX_DIVISIONS: usize = 4;

/// Number of starts with the same count that are told.
const MAX_EQUAL_COUNTS: usize = 2;

/// Bytes shown of a start.
const MAX_SHOWN_BYTES: usize = 64;

/// A longer field is no name.
const MAX_KEY_BYTES: usize = 24;

/// Further keys are not counted.
const MAX_KEYS: usize = 60;

/// Counts what lines start and end with.
#[derive(Debug, Default)]
pub(super) struct LineStarts {
    lines: u64,
    starts: HashMap<Box<str>, Start>,
    ends: ValueCounts,
    fields: HashMap<Box<str>, (usize, ValueCounts)>,
    is_too_large: bool,
    buffer: Vec<u8>,
}

/// Lines that start with some words.
#[derive(Debug, Clone, Copy)]
struct Start {
    count: u64,
    /// How many of them have no further words.
    whole: u64,
    order: usize,
}

impl LineStarts {
    pub(super) fn push(&mut self, text: &str) {
        let text = cut::prefix(text, MAX_LINE_BYTES).trim();
        if text.is_empty() || self.is_too_large {
            return;
        }
        self.lines += 1;
        self.is_too_large = self.lines > MAX_LINES || self.starts.len() > MAX_STARTS;
        let message = location::located_message(text).map_or(text, |located| located.text);
        self.add_field(text);
        self.add_end(text);
        self.add_starts(message);
    }

    fn add_starts(&mut self, text: &str) {
        let written = write_template(text, &mut self.buffer);
        let Ok(template) = std::str::from_utf8(written) else { return };
        let template = template.trim_end();
        if template.is_empty() {
            return;
        }
        let ends = memchr::memchr_iter(b' ', template.as_bytes()).chain([template.len()]);
        for end in ends.take(MAX_WORDS) {
            let (start, whole) = (&template[..end], u64::from(end == template.len()));
            if let Some(known) = self.starts.get_mut(start) {
                known.count += 1;
                known.whole += whole;
            } else {
                let order = self.starts.len();
                self.starts.insert(start.into(), Start { count: 1, whole, order });
            }
        }
    }

    /// Counts the value of `key: value`.
    fn add_field(&mut self, text: &str) {
        let Some((key, value)) = text.split_once(':') else { return };
        let value = value.trim();
        let is_name = |c: char| c.is_alphabetic() || matches!(c, ' ' | '_' | '-');
        if key.len() > MAX_KEY_BYTES || value.is_empty() || !key.chars().all(is_name) {
            return;
        }
        let (order, key) = (self.fields.len(), key.trim_end());
        if let Some((_, values)) = self.fields.get_mut(key) {
            values.add(value);
        } else if order < MAX_KEYS {
            let mut values = ValueCounts::default();
            values.add(value);
            self.fields.insert(key.into(), (order, values));
        }
    }

    /// Counts the brackets at the end of a line: `(Severity: 1)`, `[runtime/printf] [4]`.
    fn add_end(&mut self, text: &str) {
        let mut before = text;
        while let Some(open) = opening_bracket(before)
            && let Some(at) = before.rfind(open)
        {
            before = text[..at].trim_end();
        }
        let end = text[before.len()..].trim_start();
        // `[  3%]` is progress, not a category.
        if !before.is_empty() && end.contains(char::is_alphabetic) && !end.contains("  ") {
            self.ends.add(end);
        }
    }

    /// Adds the counts to a report; returns false if they say nothing about the text.
    pub(super) fn report(self, report: &mut Report, max_items: usize) -> bool {
        if self.is_too_large {
            return false;
        }
        let starts = self.frequent_starts();
        let covered: u64 = starts.iter().map(|(count, ..)| count).sum();
        let fields = self.repeating_fields();
        let ends = self.repeating_ends();
        let is_counted = covered * 100 >= self.lines * MIN_COVERED;
        if !is_counted && fields.is_empty() && ends.is_empty() {
            return false;
        }
        let before = report.facts.len();
        for (index, (key, values)) in fields.iter().take(max_items / 2).enumerate() {
            report.add(84 - index as u32, format!("{key}: {}", values.list(4)));
        }
        for (index, (end, count)) in ends.iter().take(max_items).enumerate() {
            report.add(76 - index as u32, format!("{}× … {end}", grouped(*count)));
        }
        let of_field =
            |text: &str| fields.iter().any(|(key, _)| text.starts_with(&format!("{key}:")));
        let others = starts.iter().filter(|(_, _, text, _)| !of_field(text));
        for (index, (count, _, text, is_whole)) in others.take(max_items).enumerate() {
            let shown = cut::prefix(text, MAX_SHOWN_BYTES);
            let more = if *is_whole && shown.len() == text.len() { "" } else { " …" };
            report.add(72 - index as u32, format!("{}× {shown}{more}", grouped(*count)));
        }
        report.facts.len() > before
    }

    /// Returns count, order and text of starts that no other contains, the most frequent first, and whether their lines
    /// have no further words.
    fn frequent_starts(&self) -> Vec<(u64, usize, &str, bool)> {
        let mut longer: HashMap<&str, Vec<(&str, Start)>> = HashMap::default();
        for (text, start) in self.starts.iter().filter(|(_, start)| start.count >= MIN_LINES) {
            let shorter = text.rfind(' ').map_or("", |at| &text[..at]);
            longer.entry(shorter).or_default().push((text, *start));
        }
        for starts in longer.values_mut() {
            starts.sort_by_key(|(_, start)| (Reverse(start.count), start.order));
        }
        let mut found = Vec::new();
        for start in longer.get("").into_iter().flatten() {
            divide(*start, &longer, &mut found);
        }
        let says_something = |count: u64, text: &str| {
            let words = text.split(' ').filter(|word| word.contains(char::is_alphabetic)).count();
            words > 1
                || words == 1 && !is_particle(text) && count * 100 >= self.lines * MIN_WORD_SHARE
        };
        found.retain(|(count, _, text, _)| says_something(*count, text));
        found.sort_by_key(|(count, order, ..)| (Reverse(*count), *order));
        // The lines of a record occur equally often.
        let mut equal = (0, 0);
        found.retain(|(count, ..)| {
            equal = if equal.0 == *count { (*count, equal.1 + 1) } else { (*count, 1) };
            equal.1 <= MAX_EQUAL_COUNTS
        });
        found
    }

    /// Returns the names whose values repeat, with their values.
    fn repeating_fields(&self) -> Vec<(&str, &ValueCounts)> {
        let repeats = |values: &ValueCounts| {
            let (total, distinct) = (values.total(), values.distinct() as u64);
            values.is_exact() && distinct > 1 && total >= MIN_LINES && distinct * 2 <= total
        };
        let mut fields: Vec<_> =
            self.fields.iter().filter(|(_, (_, values))| repeats(values)).collect();
        fields.sort_by_key(|(_, (order, _))| *order);
        fields.into_iter().map(|(key, (_, values))| (&**key, values)).collect()
    }

    /// Returns the brackets that most lines end with, if they repeat.
    fn repeating_ends(&self) -> Vec<(&str, u64)> {
        let (total, distinct) = (self.ends.total(), self.ends.distinct() as u64);
        if total * 2 < self.lines || distinct < 2 || distinct * 2 > total || !self.ends.is_exact() {
            return Vec::new();
        }
        let mut ends = self.ends.ranked();
        ends.retain(|(_, count)| *count > 1);
        ends
    }
}

/// Returns true for a word such as `the`, with which lines of prose start.
fn is_particle(word: &str) -> bool {
    word.len() < MIN_NAME_BYTES && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Returns the bracket that opens the last one of a text.
fn opening_bracket(text: &str) -> Option<char> {
    match text.as_bytes().last()? {
        b')' => Some('('),
        b']' => Some('['),
        _ => None,
    }
}

/// Adds a start with the words that all of its lines share, or its divisions if few cover it.
fn divide<'a>(
    (text, start): (&'a str, Start),
    longer: &HashMap<&str, Vec<(&'a str, Start)>>,
    found: &mut Vec<(u64, usize, &'a str, bool)>,
) {
    let next = longer.get(text).map_or(&[][..], Vec::as_slice);
    if let [only] = next
        && only.1.count == start.count
    {
        return divide(*only, longer, found);
    }
    let covered: u64 = next.iter().map(|(_, start)| start.count).sum();
    // `INFO:` is a category by itself.
    let is_category = !text.contains(' ') && text.ends_with([':', ']', '>']);
    if !is_category && (2..=MAX_DIVISIONS).contains(&next.len()) && covered * 10 >= start.count * 9
    {
        for start in next {
            divide(*start, longer, found);
        }
        return;
    }
    found.push((start.count, start.order, text, start.whole == start.count));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recognizers::Quotes;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let mut starts = LineStarts::default();
        text.lines().for_each(|line| starts.push(line));
        let mut report = Report::new(Quotes::Default);
        starts.report(&mut report, 6);
        let facts: Vec<_> = report.facts.iter().map(|fact| fact.text.as_str()).collect();
        assert_eq!(facts, expect, "{text}");
    }

    #[test]
    fn lines_are_counted_by_the_words_that_they_share() {
        let applied: String = (1..=9).map(|n| format!("  Applying step.{n} ... OK\n")).collect();
        let added: String =
            (1..=5).map(|n| format!("Adding user {n}\nAdding group {n}\n")).collect();
        check(
            &(applied + &added),
            &["9× Applying # ... OK", "5× Adding user #", "5× Adding group #"],
        );
    }

    #[test]
    fn a_level_is_not_divided_by_what_follows_it() {
        let text: String =
            (1..=6).map(|n| format!("INFO: open {n}\nINFO: close {n}\nDEBUG: idle\n")).collect();
        check(&text, &["12× INFO: …", "6× DEBUG: idle"]);
    }

    #[test]
    fn values_of_a_repeated_name_are_counted() {
        let text: String =
            (0..9).map(|n| format!("user:  {}\nrevision: {n}\n", ["ann", "bo"][n % 2])).collect();
        check(&text, &["user: ann: 5, bo: 4", "9× revision: #"]);
    }

    #[test]
    fn brackets_at_the_ends_are_counted() {
        let text: String = (0..9)
            .map(|n| {
                format!(
                    "{} at line {n} [style] (Severity: {})\n",
                    ["x y", "z", "u v w"][n % 3],
                    n % 2
                )
            })
            .collect();
        check(&text, &["5× … [style] (Severity: 0)", "4× … [style] (Severity: 1)"]);
    }

    #[test]
    fn a_place_before_a_message_is_not_counted() {
        check(&"a.py:3:\nb.py:4: unused import\n".repeat(5), &["5× unused import"]);
    }

    #[test]
    fn prose_is_not_counted() {
        check("the end is near\nthe house is big\na b\nc d\ne f\ng h\nthe i\nk l\nthe m\n", &[]);
    }
}
