//! Totals that a tool prints itself below a heading:
//!
//! ```text
//! Total issues (by severity):
//!     Low: 30
//!     High: 11
//! ```

use forebay_text::cut;
use forebay_text::number::grouped;

use crate::tally::count;

/// Further headings, and further values of one, are left to be quoted.
const MAX_HEADINGS: usize = 6;
const MAX_VALUES: usize = 12;
const MAX_HEADING_BYTES: usize = 60;

/// Values by the heading that they stand below.
#[derive(Debug, Default)]
pub(super) struct Totals {
    lists: Vec<(String, Vec<String>)>,
    is_below_heading: bool,
}

impl Totals {
    /// Reads a heading or a value below one; returns false for other lines.
    pub(super) fn push(&mut self, text: &str) -> bool {
        let is_value =
            self.is_below_heading && text.starts_with([' ', '\t']) && self.push_value(text);
        self.is_below_heading = is_value || self.push_heading(text);
        self.is_below_heading
    }

    fn push_heading(&mut self, text: &str) -> bool {
        let Some(heading) = text.trim().strip_suffix(':') else { return false };
        let is_total = heading.len() <= MAX_HEADING_BYTES
            && heading.split(' ').any(|word| word.eq_ignore_ascii_case("total"));
        if !is_total || self.lists.len() == MAX_HEADINGS {
            return false;
        }
        self.lists.push((heading.to_owned(), Vec::new()));
        true
    }

    fn push_value(&mut self, text: &str) -> bool {
        let Some((_, values)) = self.lists.last_mut() else { return false };
        let Some((name, number)) = text.trim().split_once(": ") else { return false };
        let Some(number) = count::parse(number) else { return false };
        if values.len() == MAX_VALUES {
            return false;
        }
        if number > 0 {
            values.push(format!("{}: {}", cut::one_line(name, 30), grouped(number)));
        }
        true
    }

    /// Returns each list on one line, without what is zero.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let lists = self.lists.iter().filter(|(_, values)| !values.is_empty());
        lists.map(|(heading, values)| format!("{heading}: {}", values.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_below_a_heading_are_one_line() {
        let mut totals = Totals::default();
        let text = "Run metrics:\n\tTotal issues (by severity):\n\t\tUndefined: 0\n\t\tLow: 1030\n\t\tHigh: 11\nFiles skipped (0):\n\tLow: 3";
        let read: Vec<bool> = text.lines().map(|line| totals.push(line)).collect();
        assert_eq!(read, [false, true, true, true, true, false, false]);
        assert_eq!(
            totals.lines().collect::<Vec<_>>(),
            ["Total issues (by severity): Low: 1,030, High: 11"]
        );
    }
}
