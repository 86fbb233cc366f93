//! Counts how often each value occurs.

use std::borrow::Cow;

use forebay_text::cut;
use forebay_text::number::grouped;

use super::inline_string::InlineString;
use crate::hash::HashMap;

/// Maximum number of distinct values; further ones are counted together.
const MAX_DISTINCT: usize = 4_096;

/// Longer values are shortened, so those that start alike are counted as one.
const MAX_VALUE_BYTES: usize = 160;

const CUT_MARK: &str = "…";

/// Counts of values, exact for the first few thousand distinct ones that are not too long.
#[derive(Debug, Clone, Default)]
pub(crate) struct ValueCounts {
    /// The count of each value, and its order of first occurrence.
    counts: HashMap<InlineString, (u64, usize)>,
    others: u64,
    total: u64,
    /// A value was shortened.
    has_shortened: bool,
}

impl ValueCounts {
    pub(crate) fn add(&mut self, value: &str) {
        self.add_many(value, 1);
    }

    pub(crate) fn add_many(&mut self, value: &str, count: u64) {
        let value = shortened(value);
        self.has_shortened |= matches!(value, Cow::Owned(_));
        self.total += count;
        if let Some((seen, _)) = self.counts.get_mut(value.as_bytes()) {
            *seen += count;
        } else if self.counts.len() < MAX_DISTINCT {
            self.counts.insert(InlineString::from(&*value), (count, self.counts.len()));
        } else {
            self.others += count;
        }
    }

    /// Adds the counts of another instance, as if they came later.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (value, count) in other.in_order() {
            self.add_many(value, count);
        }
        self.others += other.others;
        self.total += other.others;
        self.has_shortened |= other.has_shortened;
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn count_of(&self, value: &str) -> u64 {
        self.counts.get(shortened(value).as_bytes()).map_or(0, |(count, _)| *count)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the number of distinct values tracked.
    pub(crate) fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// Returns true if every value was tracked as a whole.
    pub(crate) fn is_exact(&self) -> bool {
        self.others == 0 && !self.has_shortened
    }

    /// Formats the number of distinct values: `12`, or `4,096+` if not all were tracked.
    pub(crate) fn distinct_label(&self) -> String {
        let more = if self.is_exact() { "" } else { "+" };
        format!("{}{more}", grouped(self.distinct() as u64))
    }

    /// Formats the number of distinct values with a noun: `1 client`, `12 clients`.
    pub(crate) fn distinct_with_noun(&self, noun: &str) -> String {
        let plural = if self.distinct() == 1 && self.is_exact() { "" } else { "s" };
        format!("{} {noun}{plural}", self.distinct_label())
    }

    /// Returns the values with their counts, the most frequent first, then by first occurrence.
    pub(crate) fn ranked(&self) -> Vec<(&str, u64)> {
        let mut ranked: Vec<_> = self.counts.iter().collect();
        ranked.sort_by_key(|(_, (count, order))| (std::cmp::Reverse(*count), *order));
        ranked.into_iter().map(|(value, (count, _))| (value.as_str(), *count)).collect()
    }

    /// Returns the values in order of first occurrence.
    pub(crate) fn in_order(&self) -> Vec<(&str, u64)> {
        let mut ordered: Vec<_> = self.counts.iter().collect();
        ordered.sort_by_key(|(_, (_, order))| *order);
        ordered.into_iter().map(|(value, (count, _))| (value.as_str(), *count)).collect()
    }

    /// Lists the most frequent values: `GET: 12, POST: 3, +4 more`.
    pub(crate) fn list(&self, max: usize) -> String {
        let ranked = self.ranked();
        let mut shown: Vec<String> = ranked
            .iter()
            .take(max)
            .map(|(value, count)| format!("{value}: {}", grouped(*count)))
            .collect();
        shown.extend(self.more_than(max));
        shown.join(", ")
    }

    /// Lists the values in order of first occurrence: `a, b, c, +4 more`.
    pub(crate) fn names(&self, max: usize) -> String {
        let ordered = self.in_order();
        let mut shown: Vec<String> =
            ordered.iter().take(max).map(|(value, _)| (*value).to_owned()).collect();
        shown.extend(self.more_than(max));
        shown.join(", ")
    }

    /// Says how many values a list of `shown` leaves out, if any.
    fn more_than(&self, shown: usize) -> Option<String> {
        let more = self.distinct().saturating_sub(shown) as u64;
        match self.others {
            0 => (more > 0).then(|| format!("+{} more", grouped(more))),
            // How many values are among those that were not tracked is unknown, but for one.
            _ => Some(format!("+{} or more", grouped(more + 1))),
        }
    }
}

/// Returns the value as it is counted and shown.
fn shortened(value: &str) -> Cow<'_, str> {
    if value.len() <= MAX_VALUE_BYTES {
        return Cow::Borrowed(value);
    }
    let start = cut::prefix(value, MAX_VALUE_BYTES - CUT_MARK.len());
    Cow::Owned(format!("{start}{CUT_MARK}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_by_count_then_by_first_occurrence() {
        let mut counts = ValueCounts::default();
        for value in ["b", "a", "a", "c"] {
            counts.add(value);
        }
        assert_eq!(counts.list(2), "a: 2, b: 1, +1 more");
        assert_eq!(counts.names(9), "b, a, c");
        assert_eq!((counts.total(), counts.distinct()), (4, 3));
        assert_eq!(counts.distinct_with_noun("name"), "3 names");
    }

    #[test]
    fn a_shortened_value_says_so_and_makes_the_count_of_values_a_minimum() {
        let mut counts = ValueCounts::default();
        let long = "x".repeat(MAX_VALUE_BYTES);
        counts.add(&format!("{long}a"));
        counts.add(&format!("{long}b"));
        assert!(!counts.is_exact());
        assert_eq!(counts.distinct_label(), "1+");
        let shown = format!("{}…: 2", "x".repeat(MAX_VALUE_BYTES - CUT_MARK.len()));
        assert_eq!(counts.list(2), shown);
        assert_eq!(counts.count_of(&format!("{long}c")), 2);
    }

    #[test]
    fn a_list_of_values_that_were_not_all_tracked_gives_a_minimum() {
        let mut counts = ValueCounts::default();
        (0..MAX_DISTINCT + 7).for_each(|value| counts.add(&value.to_string()));
        assert_eq!(counts.list(1), "0: 1, +4,096 or more");
        assert_eq!(counts.names(1), "0, +4,096 or more");
    }
}
