//! The values of one field or column.

use forebay_text::cut;
use forebay_text::number::grouped;

use super::{Range, Tops};

/// A field with at most so many different values is a choice among them.
const CHOICES: usize = 12;

/// So much of a value is shown.
const SHOWN: usize = 40;

/// What is known of the values of a field.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    pub(crate) count: u64,
    pub(crate) empty: u64,
    numbers: Range,
    whole_numbers: u64,
    texts: Tops,
    /// Values that start like a date, and the range of them.
    dates: u64,
    first_date: String,
    last_date: String,
    first: String,
    last: String,
}

impl Values {
    pub(crate) fn add(&mut self, value: &str) {
        if let Some(number) = number(value) {
            self.numbers.add(number);
            self.whole_numbers += u64::from(!value.bytes().any(|byte| b".eE".contains(&byte)));
        }
        self.add_text(value);
    }

    /// Adds a value that is a text, even where it is made of digits.
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

    /// Adds what the other has seen, as if it came later.
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
        // Which of them are dates is counted there, not found out again.
        let told_twice = if other.first_date.is_empty() { 0 } else { 2 };
        self.dates = self.dates + other.dates - told_twice;
        if self.first.is_empty() {
            self.first.clone_from(&other.first);
        }
        if !other.last.is_empty() {
            self.last.clone_from(&other.last);
        }
    }

    pub(crate) fn is_numeric(&self) -> bool {
        self.numbers.count > 0 && self.numbers.count == self.filled()
    }

    /// All of them are numbers of this range.
    pub(crate) fn lies_within(&self, range: std::ops::RangeInclusive<f64>) -> bool {
        self.is_numeric()
            && range.contains(&self.numbers.least)
            && range.contains(&self.numbers.most)
    }

    pub(crate) fn kind(&self) -> &'static str {
        match () {
            () if self.filled() == 0 => "empty",
            () if self.whole_numbers == self.filled() => "int",
            () if self.is_numeric() => "float",
            () if self.dates == self.filled() => "date",
            () => "text",
        }
    }

    /// Few values, each of them often.
    pub(crate) fn is_choice(&self) -> bool {
        let distinct = self.texts.distinct();
        distinct > 1 && distinct <= CHOICES && self.texts.total() >= 4 * distinct as u64
    }

    pub(crate) fn texts(&self) -> &Tops {
        &self.texts
    }

    /// `a, b, c, +4 more`: the values themselves, as many as fit.
    pub(crate) fn names(&self, room: usize) -> String {
        let mut bytes = 0;
        let ordered = self.texts.in_order();
        let fitting = ordered.iter().take_while(|(value, _)| {
            bytes += value.len() + 2;
            bytes <= room
        });
        let count = fitting.count();
        self.texts.names(count)
    }

    /// The only value there is.
    pub(crate) fn only(&self) -> Option<&str> {
        (self.count == 1 && self.empty == 0).then_some(self.first.as_str())
    }

    /// `int 1..120`, `text active: 80, inactive: 40`, `date 2024-01-01..2024-03-02`, `text, 118 distinct: a … z`.
    pub(crate) fn describe(&self, most: usize) -> String {
        let mut said = self.kind().to_owned();
        let distinct = self.texts.distinct();
        let repeats = self.texts.total() > distinct as u64;
        if self.is_numeric() {
            said += &format!(" {}", self.numbers.show());
            if repeats && distinct > 1 && distinct <= CHOICES {
                said += &format!(" ({})", self.texts.list(most.min(6)));
            } else if self.numbers.count > 2 && self.numbers.least < self.numbers.most {
                said += &format!(", mean {}", super::rounded(self.numbers.mean()));
            }
        } else if self.dates == self.filled() && self.dates > 0 {
            said += &format!(" {}..{}", self.first_date, self.last_date);
        } else if self.filled() > 0 {
            said += &self.choices(distinct, repeats, most);
        }
        if self.empty > 0 {
            said += &format!(", {} empty", grouped(self.empty));
        }
        said
    }

    fn choices(&self, distinct: usize, repeats: bool, most: usize) -> String {
        if repeats && (distinct <= CHOICES || self.is_skewed()) {
            let more = if distinct > most {
                format!(", {} distinct", self.texts.distinct_said())
            } else {
                String::new()
            };
            return format!("{more} {}", self.short_list(most));
        }
        let (first, last) = (cut::one_line(&self.first, SHOWN), cut::one_line(&self.last, SHOWN));
        match distinct {
            1 => format!(": {first}"),
            _ => format!(", {} distinct: {first} … {last}", self.texts.distinct_said()),
        }
    }

    fn short_list(&self, most: usize) -> String {
        let ranked = self.texts.ranked();
        let shown: Vec<String> = ranked
            .iter()
            .take(most)
            .map(|(value, count)| format!("{}: {}", cut::one_line(value, SHOWN), grouped(*count)))
            .collect();
        shown.join(", ")
    }

    /// Few values make up much of it.
    fn is_skewed(&self) -> bool {
        let top: u64 = self.texts.ranked().iter().take(5).map(|(_, count)| count).sum();
        top * 4 >= self.texts.total() && top > 10
    }

    fn filled(&self) -> u64 {
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

/// A number as people write it; neither `inf` nor a version, nor a code that starts with zeros, nor an
/// id that has more digits than are worked with exactly.
fn number(value: &str) -> Option<f64> {
    let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) || value.len() >= 25 {
        return None;
    }
    let is_code =
        digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
    if is_code || digits.len() > EXACT && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if let Some(number) = short_number(digits) {
        return Some(if value.starts_with('-') { -number } else { number });
    }
    let is_part =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'-' | b'+');
    if digits.bytes().all(is_part) { value.parse().ok() } else { None }
}

/// So many digits fit a float exactly.
const EXACT: usize = 15;

/// `12`, `3.25`: most numbers are, and their digits fit a float exactly.
fn short_number(digits: &str) -> Option<f64> {
    const POWERS: [f64; EXACT + 1] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    if digits.len() > EXACT {
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

/// `2024-05-01`, with or without a time.
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
    fn numbers_are_told_from_what_only_looks_like_them() {
        for text in
            ["1.2.3", "inf", "1-2", "-", "", "12a", "0x1f", "1e", "007", "00.5", "9007199254740993"]
        {
            assert_eq!(number(text), None, "{text}");
        }
        for (text, expected) in [("-0.5", -0.5), ("+3", 3.0), ("1e3", 1000.0), ("7.", 7.0)] {
            assert_eq!(number(text), Some(expected), "{text}");
        }
    }

    proptest! {
        #[test]
        fn short_numbers_are_what_the_standard_library_reads(text in "-?(0|[1-9][0-9]{0,8})(\\.[0-9]{0,8})?") {
            prop_assert_eq!(number(&text), text.parse().ok());
        }
    }
}
