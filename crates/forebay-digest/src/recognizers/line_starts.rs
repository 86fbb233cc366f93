//! Lines of no known format that start or end alike: how many, by what they have in common.
//!
//! Each count is about exactly the lines that have the words it states, with `#` for what contains a digit: nothing is
//! counted by a part of what is shown, and what is not shown of a list leaves a gap.

use std::cmp::Reverse;

use forebay_text::cut;
use forebay_text::number::grouped;

use super::Report;
use crate::hash::{HashMap, HashSet};
use crate::lines::Line;
use crate::location;
use crate::tally::{ValueCounts, write_template};

/// Texts of more lines are not counted, so that the time for this is bounded.
const MAX_LINES: u64 = 20_000;

/// More different starts are those of prose or data.
const MAX_STARTS: usize = 8_000;

/// Number of words in the longest start.
const MAX_WORDS: usize = 6;

/// Starts are at most this long.
const MAX_START_BYTES: usize = 160;

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

/// Number of starts with the same count that are listed: the lines of a record occur equally often.
const MAX_EQUAL_COUNTS: usize = 2;

/// Names of what a list leaves out.
const FIELD: &str = " field";
const END: &str = " repeated end";
const START: &str = " repeated start";

/// Bytes shown of a start.
const MAX_SHOWN_BYTES: usize = 64;

/// A longer field is no name.
const MAX_KEY_BYTES: usize = 24;

/// Separates the fields of a line.
const WIDE_GAP: &str = "   ";
const MAX_FIELDS_OF_LINE: usize = 6;

/// Further keys are not counted.
const MAX_KEYS: usize = 60;

/// Only the most frequent ends are listed.
const MAX_ENDS: usize = 40;

/// Counts what lines start and end with.
#[derive(Debug, Default)]
pub(super) struct LineStarts {
    lines: u64,
    starts: HashMap<Box<str>, Start>,
    ends: ValueCounts,
    fields: HashMap<Box<str>, (usize, ValueCounts)>,
    is_too_large: bool,
    /// A line was cut, so what it ends with is unknown.
    has_cut_line: bool,
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

/// The words of a start, and the lines that have them.
type CountedStart<'a> = (&'a str, Start);

impl LineStarts {
    pub(super) fn push(&mut self, line: Line<'_>) {
        let text = line.text.trim();
        if text.is_empty() || self.is_too_large {
            return;
        }
        self.lines += 1;
        self.is_too_large = self.lines > MAX_LINES || self.starts.len() > MAX_STARTS;
        self.has_cut_line |= line.cut > 0;
        let message = location::located_message(text).map_or(text, |located| located.text);
        self.add_fields(text);
        self.add_end(text);
        self.add_starts(message);
    }

    fn add_starts(&mut self, message: &str) {
        let text = cut::prefix(message, MAX_START_BYTES);
        let is_cut = text.len() < message.len();
        let written = write_template(text, &mut self.buffer);
        let Ok(template) = std::str::from_utf8(written) else { return };
        let template = template.trim_end();
        if template.is_empty() {
            return;
        }
        // Of a word that was cut nothing is known.
        let whole_end = (!is_cut).then_some(template.len());
        let ends = memchr::memchr_iter(b' ', template.as_bytes()).chain(whole_end);
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

    /// Counts the values of `key: value`, and of each of `key: value   key: value`.
    fn add_fields(&mut self, text: &str) {
        let mut parts = text.split(WIDE_GAP).map(str::trim).filter(|part| !part.is_empty());
        if parts.clone().count() <= MAX_FIELDS_OF_LINE && parts.all(|part| field(part).is_some()) {
            text.split(WIDE_GAP).for_each(|part| self.add_field(part.trim()));
        } else {
            self.add_field(text);
        }
    }

    fn add_field(&mut self, text: &str) {
        let Some((key, value)) = field(text) else { return };
        let order = self.fields.len();
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
        if !before.is_empty() && end.contains(char::is_alphabetic) {
            self.ends.add(end);
        }
    }

    /// Adds the counts to a report; returns false if they say nothing about the text.
    pub(super) fn report(self, report: &mut Report, max_items: usize) -> bool {
        if self.is_too_large {
            return false;
        }
        let (starts, equally_frequent) = self.shown_starts();
        let covered: u64 = starts.iter().map(|(_, start)| start.count).sum();
        let fields = self.repeating_fields();
        let ends = self.repeating_ends();
        let is_counted = covered * 100 >= self.lines * MIN_COVERED;
        if !is_counted && fields.is_empty() && ends.is_empty() {
            return false;
        }
        let of_field =
            |text: &str| fields.iter().any(|(key, _)| text.starts_with(&format!("{key}:")));
        let starts: Vec<String> = starts
            .into_iter()
            .chain(equally_frequent)
            .filter(|(text, _)| !of_field(text))
            .map(|(text, start)| start.describe(text))
            .collect();
        let fields = fields.iter().map(|(key, values)| format!("{key}: {}", values.list(4)));
        let ends = ends.iter().map(|(end, count)| format!("{}× … {end}", grouped(*count)));
        let before = report.facts.len();
        add_list(report, (84, max_items / 2, FIELD), fields.collect());
        add_list(report, (76, max_items, END), ends.collect());
        add_list(report, (72, max_items, START), starts);
        report.facts.len() > before
    }

    /// Returns the frequent starts, the most frequent first: of those that occur equally often the first ones, and the
    /// others. Each is shortened to the words that have space, and then has the count of all lines with these.
    fn shown_starts(&self) -> (Vec<CountedStart<'_>>, Vec<CountedStart<'_>>) {
        let mut seen = HashSet::default();
        let mut shown: Vec<CountedStart<'_>> = self
            .frequent_starts()
            .into_iter()
            .filter_map(|text| {
                let (text, start) =
                    self.starts.get_key_value(whole_words(text, MAX_SHOWN_BYTES)?)?;
                Some((&**text, *start))
            })
            .filter(|(text, _)| seen.insert(*text))
            .collect();
        shown.sort_by_key(|(_, start)| (Reverse(start.count), start.order));
        let mut equal = (0, 0);
        shown.into_iter().partition(|(_, start)| {
            equal = if equal.0 == start.count { (equal.0, equal.1 + 1) } else { (start.count, 1) };
            equal.1 <= MAX_EQUAL_COUNTS
        })
    }

    /// Returns the starts that no other contains and that say something.
    fn frequent_starts(&self) -> Vec<&str> {
        let mut longer: HashMap<&str, Vec<CountedStart<'_>>> = HashMap::default();
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
        found.retain(|(text, start)| says_something(start.count, text));
        found.into_iter().map(|(text, _)| text).collect()
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
        let is_exact = self.ends.is_exact() && !self.has_cut_line;
        if total * 2 < self.lines || distinct < 2 || distinct * 2 > total || !is_exact {
            return Vec::new();
        }
        let ends = self.ends.ranked();
        // Lines with further brackets before these end with them too.
        let lines_with = |end: &str| -> u64 {
            ends.iter().filter(|(other, _)| other.ends_with(end)).map(|(_, count)| count).sum()
        };
        // `[  3%]` is progress, not a category.
        let is_category = |end: &str| !end.contains("  ");
        let mut counted: Vec<(&str, u64)> = ends
            .iter()
            .take(MAX_ENDS)
            .filter(|(end, count)| *count > 1 && is_category(end))
            .map(|(end, _)| (*end, lines_with(end)))
            .collect();
        counted.sort_by_key(|(_, count)| Reverse(*count));
        counted
    }
}

impl Start {
    /// Returns `5× Adding user #`, with `…` if some of the lines have further words.
    fn describe(self, text: &str) -> String {
        let more = if self.whole == self.count { "" } else { " …" };
        format!("{}× {text}{more}", grouped(self.count))
    }
}

/// Adds the first items of a list, and the number of the others.
fn add_list(
    report: &mut Report,
    (weight, max, name): (u32, usize, &'static str),
    items: Vec<String>,
) {
    let unlisted = items.len().saturating_sub(max) as u64;
    for (weight, item) in (0..=weight).rev().zip(items.into_iter().take(max)) {
        report.add_named(weight, item, name);
    }
    report.add_unlisted_named(unlisted, name);
}

/// Returns the words at the start that have space.
fn whole_words(text: &str, bytes: usize) -> Option<&str> {
    if text.len() <= bytes {
        return Some(text);
    }
    let end = text.as_bytes()[..=bytes].iter().rposition(|byte| *byte == b' ')?;
    Some(&text[..end])
}

/// Returns true for a word such as `the`, with which lines of prose start.
fn is_particle(word: &str) -> bool {
    word.len() < MIN_NAME_BYTES && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Parses `key: value`.
pub(super) fn field(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let (key, value) = (key.trim_end(), value.trim());
    let is_name = |c: char| c.is_alphabetic() || matches!(c, ' ' | '_' | '-');
    let is_key = key.len() <= MAX_KEY_BYTES
        && key.starts_with(char::is_alphabetic)
        && key.chars().all(is_name);
    (is_key && !value.is_empty()).then_some((key, value))
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
    (text, start): CountedStart<'a>,
    longer: &HashMap<&str, Vec<CountedStart<'a>>>,
    found: &mut Vec<CountedStart<'a>>,
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
    found.push((text, start));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recognizers::Quotes;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let mut starts = LineStarts::default();
        for (number, text) in (1..).zip(text.lines()) {
            starts.push(Line { number, text, cut: 0, has_newline: true });
        }
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
    fn values_of_several_names_on_a_line_are_counted() {
        let text: String = (0..9)
            .map(|n| {
                format!("  Risk: {}   Trust: {}\n", ["low", "high"][n % 2], ["a", "b", "b"][n % 3])
            })
            .collect();
        check(&text, &["Risk: low: 5, high: 4", "Trust: b: 6, a: 3"]);
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
    fn the_end_of_a_long_line_is_counted() {
        let long = "word ".repeat(60);
        let text: String = (0..9).map(|n| format!("{long}{n} [{}]\n", ["x", "y"][n % 2])).collect();
        let start = format!("9× {} …", ["word"; MAX_WORDS].join(" "));
        check(&text, &["5× … [x]", "4× … [y]", &start]);
    }

    #[test]
    fn an_end_is_counted_with_those_that_contain_it() {
        let text: String =
            (0..9).map(|n| format!("w{n} {}[y]\n", ["[x] ", "", ""][n % 3])).collect();
        check(&text, &["9× … [y]", "3× … [x] [y]"]);
    }

    #[test]
    fn a_start_that_is_shortened_has_the_count_of_what_is_shown() {
        let common = "alpha-beta-gamma-delta-epsilon-zeta-eta-theta common";
        let text: String = (0..12)
            .map(|n| format!("{common} {} tail\n", ["first-long-name", "other-long-name"][n % 2]))
            .collect();
        check(&text, &[&format!("12× {common} …")]);
    }

    #[test]
    fn starts_that_are_not_listed_leave_a_gap() {
        let text: String = (0..8)
            .flat_map(|kind| {
                (0..4 + kind).map(move |_| format!("kind-{} of work\n", char::from(b'a' + kind)))
            })
            .collect();
        let mut starts = LineStarts::default();
        for text in text.lines() {
            starts.push(Line { number: 1, text, cut: 0, has_newline: true });
        }
        let mut report = Report::new(Quotes::Default);
        starts.report(&mut report, 6);
        let facts = report.facts_within(1_000).text;
        assert!(facts.ends_with("… 2 more repeated starts"), "{facts}");
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
