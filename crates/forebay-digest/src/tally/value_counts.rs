//! Counts how often each value occurs.

use forebay_text::cut;
use forebay_text::number::grouped;

use super::inline_string::InlineString;
use crate::hash::HashMap;

/// Maximum number of distinct values; further ones are counted together.
const MAX_DISTINCT: usize = 4_096;

/// Longer values are truncated.
const MAX_VALUE_BYTES: usize = 160;

/// Counts of values, exact for the first few thousand distinct ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct ValueCounts {
    /// The count of each value, and its order of first occurrence.
    counts: HashMap<InlineString, (u64, usize)>,
    others: u64,
    total: u64,
}

impl ValueCounts {
    pub(crate) fn add(&mut self, value: &str) {
        self.add_many(value, 1);
    }

    pub(crate) fn add_many(&mut self, value: &str, count: u64) {
        let value = cut::prefix(value, MAX_VALUE_BYTES);
        self.total += count;
        if let Some((seen, _)) = self.counts.get_mut(value.as_bytes()) {
            *seen += count;
        } else if self.counts.len() < MAX_DISTINCT {
            self.counts.insert(InlineString::from(value), (count, self.counts.len()));
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
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn count_of(&self, value: &str) -> u64 {
        self.counts.get(value.as_bytes()).map_or(0, |(count, _)| *count)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the number of distinct values tracked.
    pub(crate) fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// Returns true if every value was tracked.
    pub(crate) fn is_exact(&self) -> bool {
        self.others == 0
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
        if ranked.len() > max {
            shown.push(format!("+{} more", grouped((ranked.len() - max) as u64)));
        }
        shown.join(", ")
    }

    /// Lists the values in order of first occurrence: `a, b, c, +4 more`.
    pub(crate) fn names(&self, max: usize) -> String {
        let ordered = self.in_order();
        let mut shown: Vec<String> =
            ordered.iter().take(max).map(|(value, _)| (*value).to_owned()).collect();
        if ordered.len() > max {
            shown.push(format!("+{} more", grouped((ordered.len() - max) as u64)));
        }
        shown.join(", ")
    }
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
}
