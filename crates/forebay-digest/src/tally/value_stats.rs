//! Statistics of the values of a field or column.

use forebay_text::cut;
use forebay_text::number::grouped;

use super::{NumberRange, ValueCounts};

/// Maximum number of distinct values of a categorical field.
const MAX_CATEGORIES: usize = 12;

/// Maximum bytes shown of a value.
const MAX_SHOWN_BYTES: usize = 40;

/// Type, range and frequent values of a field.
#[derive(Debug, Clone, Default)]
pub(crate) struct ValueStats {
    pub(crate) count: u64,
    pub(crate) empty: u64,
    numbers: NumberRange,
    whole_numbers: u64,
    texts: ValueCounts,
    /// Number of values that start with a date, and their range.
    dates: u64,
    first_date: String,
    last_date: String,
    first: String,
    last: String,
}

impl ValueStats {
    pub(crate) fn add(&mut self, value: &str) {
        if let Some(number) = parse_number(value) {
            self.numbers.add(number);
            self.whole_numbers += u64::from(!value.bytes().any(|byte| b".eE".contains(&byte)));
        }
        self.add_text(value);
    }

    /// Adds a value as text, even if it consists of digits.
    pub(crate) fn add_text(&mut self, value: &str) {
        self.count += 1;
        if value.is_empty() {
            self.empty += 1;
            return;
        }
        if self.first.is_empty() {
            cut::prefix(value, 200).clone_into(&mut self.first);
        }
        self.last.clear();
        self.last.push_str(cut::prefix(value, 200));
        self.texts.add(value);
        if looks_like_date(value) {
            self.add_date(value);
        }
    }

    /// Adds the values of another instance, as if they came later.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.empty += other.empty;
        self.whole_numbers += other.whole_numbers;
        self.numbers.merge(other.numbers);
        self.texts.merge(&other.texts);
        for date in
            [&other.first_date, &other.last_date].into_iter().filter(|date| !date.is_empty())
        {
            self.add_date(date);
        }
        // `add_date` counted the two ends of the range again.
        let counted_twice = if other.first_date.is_empty() { 0 } else { 2 };
        self.dates = self.dates + other.dates - counted_twice;
        if self.first.is_empty() {
            self.first.clone_from(&other.first);
        }
        if !other.last.is_empty() {
            self.last.clone_from(&other.last);
        }
    }

    pub(crate) fn is_numeric(&self) -> bool {
        self.numbers.count > 0 && self.numbers.count == self.nonempty()
    }

    /// Returns true if all values are numbers within the range.
    pub(crate) fn is_within(&self, range: std::ops::RangeInclusive<f64>) -> bool {
        self.is_numeric() && range.contains(&self.numbers.min) && range.contains(&self.numbers.max)
    }

    pub(crate) fn type_name(&self) -> &'static str {
        match () {
            () if self.nonempty() == 0 => "empty",
            () if self.whole_numbers == self.nonempty() => "int",
            () if self.is_numeric() => "float",
            () if self.dates == self.nonempty() => "date",
            () => "text",
        }
    }

    /// Returns true if there are few distinct values, each frequent.
    pub(crate) fn is_categorical(&self) -> bool {
        let distinct = self.texts.distinct();
        distinct > 1 && distinct <= MAX_CATEGORIES && self.texts.total() >= 4 * distinct as u64
    }

    pub(crate) fn texts(&self) -> &ValueCounts {
        &self.texts
    }

    /// Lists as many values as fit: `a, b, c, +4 more`.
    pub(crate) fn names(&self, max_bytes: usize) -> String {
        let mut bytes = 0;
        let ordered = self.texts.in_order();
        let fitting = ordered.iter().take_while(|(value, _)| {
            bytes += value.len() + 2;
            bytes <= max_bytes
        });
        let count = fitting.count();
        self.texts.names(count)
    }

    /// Returns the value if there is exactly one.
    pub(crate) fn only(&self) -> Option<&str> {
        (self.count == 1 && self.empty == 0).then_some(self.first.as_str())
    }

    /// Describes the values: `int 1..120`, `text active: 80, inactive: 40`,
    /// `date 2024-01-01..2024-03-02`, `text, 118 distinct: a … z`.
    pub(crate) fn describe(&self, max: usize) -> String {
        let mut description = self.type_name().to_owned();
        let distinct = self.texts.distinct();
        let has_repeats = self.texts.total() > distinct as u64;
        if self.is_numeric() {
            description += &format!(" {}", self.numbers.describe());
            if has_repeats && distinct > 1 && distinct <= MAX_CATEGORIES {
                description += &format!(" ({})", self.texts.list(max.min(6)));
            } else if self.numbers.count > 2 && self.numbers.min < self.numbers.max {
                description += &format!(", mean {}", super::format_rounded(self.numbers.mean()));
            }
        } else if self.dates == self.nonempty() && self.dates > 0 {
            description += &format!(" {}..{}", self.first_date, self.last_date);
        } else if self.nonempty() > 0 {
            description += &self.describe_texts(distinct, has_repeats, max);
        }
        if self.empty > 0 {
            description += &format!(", {} empty", grouped(self.empty));
        }
        description
    }

    fn describe_texts(&self, distinct: usize, has_repeats: bool, max: usize) -> String {
        if has_repeats && (distinct <= MAX_CATEGORIES || self.is_skewed()) {
            let more = if distinct > max {
                format!(", {} distinct", self.texts.distinct_label())
            } else {
                String::new()
            };
            return format!("{more} {}", self.short_list(max));
        }
        let (first, last) = (
            cut::one_line(&self.first, MAX_SHOWN_BYTES),
            cut::one_line(&self.last, MAX_SHOWN_BYTES),
        );
        match distinct {
            1 => format!(": {first}"),
            _ => format!(", {} distinct: {first} … {last}", self.texts.distinct_label()),
        }
    }

    fn short_list(&self, max: usize) -> String {
        let ranked = self.texts.ranked();
        let shown: Vec<String> = ranked
            .iter()
            .take(max)
            .map(|(value, count)| {
                format!("{}: {}", cut::one_line(value, MAX_SHOWN_BYTES), grouped(*count))
            })
            .collect();
        shown.join(", ")
    }

    /// Returns true if a few values make up much of the total.
    fn is_skewed(&self) -> bool {
        let top: u64 = self.texts.ranked().iter().take(5).map(|(_, count)| count).sum();
        top * 4 >= self.texts.total() && top > 10
    }

    fn nonempty(&self) -> u64 {
        self.count - self.empty
    }

    fn add_date(&mut self, value: &str) {
        let value = cut::prefix(value, 30);
        self.dates += 1;
        if self.first_date.is_empty() || value < self.first_date.as_str() {
            value.clone_into(&mut self.first_date);
        }
        if value > self.last_date.as_str() {
            value.clone_into(&mut self.last_date);
        }
    }
}

/// Parses a decimal number; rejects `inf`, versions, codes with leading zeros, and ids with more
/// digits than a float represents exactly.
fn parse_number(value: &str) -> Option<f64> {
    let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) || value.len() >= 25 {
        return None;
    }
    let is_code =
        digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
    if is_code
        || digits.len() > MAX_EXACT_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    if let Some(number) = parse_short_number(digits) {
        return Some(if value.starts_with('-') { -number } else { number });
    }
    let is_part =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'-' | b'+');
    if digits.bytes().all(is_part) { value.parse().ok() } else { None }
}

/// Number of digits that a float represents exactly.
const MAX_EXACT_DIGITS: usize = 15;

/// Fast path for short decimals such as `12` or `3.25`, which a float represents exactly.
fn parse_short_number(digits: &str) -> Option<f64> {
    const POWERS: [f64; MAX_EXACT_DIGITS + 1] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    if digits.len() > MAX_EXACT_DIGITS {
        return None;
    }
    let (mut all, mut point) = (0_u64, None);
    for (at, byte) in digits.bytes().enumerate() {
        match byte {
            b'0'..=b'9' => all = all * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(at + 1),
            _ => return None,
        }
    }
    let decimals = point.map_or(0, |point| digits.len() - point);
    Some(all as f64 / POWERS[decimals])
}

/// Returns true if most of the columns that had only numbers so far have something else in a row.
pub(crate) fn has_other_types<'a>(
    columns: &[ValueStats],
    values: impl Iterator<Item = &'a str>,
) -> bool {
    let (mut numbers, mut others) = (0, 0);
    for (_, value) in columns
        .iter()
        .zip(values)
        .filter(|(column, value)| column.is_numeric() && !value.is_empty())
    {
        *(if is_number(value) { &mut numbers } else { &mut others }) += 1;
    }
    others > numbers
}

fn is_number(value: &str) -> bool {
    let is_short = || parse_short_number(value).is_some();
    value.starts_with(|c: char| c.is_ascii_digit()) && is_short() || value.parse::<f64>().is_ok()
}

/// Returns true for `2024-05-01`, with or without a time.
pub(crate) fn looks_like_date(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.len() >= 10
        && bytes[..4].iter().chain(&bytes[5..7]).chain(&bytes[8..10]).all(u8::is_ascii_digit)
        && matches!(bytes[4], b'-' | b'/')
        && bytes[7] == bytes[4]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rejects_text_that_only_resembles_a_number() {
        for text in
            ["1.2.3", "inf", "1-2", "-", "", "12a", "0x1f", "1e", "007", "00.5", "9007199254740993"]
        {
            assert_eq!(parse_number(text), None, "{text}");
        }
        for (text, expected) in [("-0.5", -0.5), ("+3", 3.0), ("1e3", 1000.0), ("7.", 7.0)] {
            assert_eq!(parse_number(text), Some(expected), "{text}");
        }
    }

    proptest! {
        #[test]
        fn short_numbers_match_the_standard_parser(text in "-?(0|[1-9][0-9]{0,8})(\\.[0-9]{0,8})?") {
            prop_assert_eq!(parse_number(&text), text.parse().ok());
        }
    }
}
