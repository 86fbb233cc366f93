//! Records of `Key: value` lines in a text of no known format: how many, and one line of each with the values that tell
//! it from the others.

use forebay_text::cut;
use forebay_text::number::counted;

use super::Report;
use super::line_starts::field;
use crate::hash::HashSet;
use crate::lines::Line;

/// Fewer records can be read one by one.
const MIN_RECORDS: u64 = 4;

/// Records have at least this many fields.
const MIN_FIELDS: usize = 3;

/// Only this many are kept, with so many fields and bytes of a value.
const MAX_RECORDS: usize = 100;
const MAX_FIELDS: usize = 24;
const MAX_VALUE_BYTES: usize = 60;

/// Percentage of the lines that must be fields or go on with one.
const MIN_SHARE: u64 = 90;

/// Number of fields shown of a record.
const MAX_SHOWN_FIELDS: usize = 5;

/// Longer values are rather prose, on average.
const MAX_MEAN_BYTES: usize = 40;

const SUMMARY_WEIGHT: u32 = 86;
const RECORD_WEIGHT: u32 = 70;

type Field = (Box<str>, Box<str>);

/// Reads records, each of which starts with the same key.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// The key that the first field has.
    first_key: Option<Box<str>>,
    kept: Vec<Vec<Field>>,
    count: u64,
    /// Records that start after a blank line or a ruled one, or at the start.
    separated: u64,
    lines: u64,
    others: u64,
    is_in_record: bool,
}

impl Records {
    pub(super) fn push(&mut self, line: Line<'_>) {
        let text = line.text.trim_end();
        let is_separator = text.chars().all(|c| "-=*#_".contains(c));
        if is_separator {
            self.is_in_record = false;
            return;
        }
        self.lines += 1;
        let known = self.others * 100 <= self.lines.max(50) * (100 - MIN_SHARE);
        if !known {
            self.others += 1;
            return;
        }
        match field(text) {
            Some((key, value)) => self.add_field(key, value),
            // The rest of a value.
            None if self.is_in_record && text.starts_with([' ', '\t']) => {}
            None => self.others += 1,
        }
    }

    fn add_field(&mut self, key: &str, value: &str) {
        let first_key = self.first_key.get_or_insert_with(|| key.into());
        if **first_key == *key {
            self.count += 1;
            self.separated += u64::from(!self.is_in_record);
            self.is_in_record = true;
            if self.kept.len() < MAX_RECORDS {
                self.kept.push(Vec::new());
            }
        } else if !self.is_in_record {
            self.others += 1;
            return;
        }
        if self.count > MAX_RECORDS as u64 {
            return;
        }
        if let Some(record) = self.kept.last_mut().filter(|record| record.len() < MAX_FIELDS) {
            record.push((key.into(), cut::one_line(value, MAX_VALUE_BYTES).into()));
        }
    }

    /// Adds the records to a report; returns false if the text has none.
    pub(super) fn report(&self, report: &mut Report) -> bool {
        let is_known = self.others * 100 <= self.lines * (100 - MIN_SHARE);
        let has_fields = self.kept.iter().filter(|record| record.len() >= MIN_FIELDS).count();
        // Where blank lines separate some records, the key of a start may also be one of the fields.
        let is_divided = self.separated == self.count || self.separated == 1;
        let is_enough = self.count >= MIN_RECORDS && has_fields * 10 >= self.kept.len() * 9;
        if !is_known || !is_divided || !is_enough {
            return false;
        }
        let keys = self.telling_keys();
        if keys.is_empty() {
            return false;
        }
        report.add(SUMMARY_WEIGHT, format!("{}, each with:", counted(self.count, "record")));
        for (index, record) in self.kept.iter().enumerate() {
            let weight = RECORD_WEIGHT.saturating_sub(index as u32).max(1);
            report.add_item(weight, describe(record, &keys));
        }
        report.add_unlisted(self.count - self.kept.len() as u64);
        true
    }

    /// Returns the keys of the fields to show, in their order: not those that always say the same, nor prose.
    fn telling_keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = Vec::new();
        for (key, _) in self.kept.iter().flatten() {
            if keys.len() < MAX_FIELDS && !keys.contains(&&**key) {
                keys.push(key);
            }
        }
        keys.retain(|key| self.tells(key));
        keys.truncate(MAX_SHOWN_FIELDS);
        keys
    }

    fn tells(&self, key: &str) -> bool {
        let values: Vec<&str> = self.kept.iter().filter_map(|record| value(record, key)).collect();
        let distinct: HashSet<&str> = values.iter().copied().collect();
        let bytes: usize = values.iter().map(|value| value.len()).sum();
        distinct.len() > 1
            && values.len() * 2 >= self.kept.len()
            && bytes <= values.len() * MAX_MEAN_BYTES
    }
}

fn value<'a>(record: &'a [Field], key: &str) -> Option<&'a str> {
    record.iter().find(|(name, _)| **name == *key).map(|(_, value)| &**value)
}

/// Returns `Package: curl, Version: 7.88, Section: web`.
fn describe(record: &[Field], keys: &[&str]) -> String {
    let shown = keys.iter().filter_map(|key| Some(format!("{key}: {}", value(record, key)?)));
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recognizers::Quotes;

    fn facts(text: &str) -> Option<Vec<String>> {
        let mut records = Records::default();
        for (number, text) in (1..).zip(text.lines()) {
            records.push(Line { number, text, cut: 0, has_newline: true });
        }
        let mut report = Report::new(Quotes::Default);
        let has_records = records.report(&mut report);
        has_records.then(|| report.facts.into_iter().map(|fact| fact.text).collect())
    }

    #[test]
    fn a_record_is_a_line_with_what_tells_it_from_others() {
        let text: String = (1..=4)
            .map(|n| {
                format!(
                    "Name: tool-{n}\nVersion: {n}.0\nLicense: MIT\nSummary: Does one thing\n and another\n\n"
                )
            })
            .collect();
        let expect = [
            "4 records, each with:",
            "Name: tool-1, Version: 1.0",
            "Name: tool-2, Version: 2.0",
            "Name: tool-3, Version: 3.0",
            "Name: tool-4, Version: 4.0",
        ];
        assert_eq!(facts(&text).unwrap(), expect);
        assert_eq!(facts(&text.replace("\n\n", "\n")).unwrap(), expect);
        assert_eq!(facts(&text.replace("\n\n", "\n---\n")).unwrap(), expect);
    }

    #[test]
    fn other_text_has_no_records() {
        let text = "Name: a\nVersion: 1\nLicense: MIT\n\n".repeat(4);
        assert_eq!(facts(&text), None, "all are equal");
        let prose = "Name: a\nthe tool does\nmany things\n\nName: b\nthis one too\nbut others\n\n";
        assert_eq!(facts(&prose.repeat(3)), None);
        let repeated = "Name: a\nVersion: 1\nName: b\nSize: 2\n\n";
        assert_eq!(facts(&repeated.repeat(4)), None, "a field has the key of the start");
        assert_eq!(facts(""), None);
    }
}
