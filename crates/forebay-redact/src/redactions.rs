//! Counts of replaced secrets by kind.

use std::collections::BTreeMap;
use std::fmt;

use forebay_text::number;

/// Kinds named individually.
const MAX_NAMED: usize = 3;

/// Counts of replaced secrets by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redactions(BTreeMap<&'static str, u64>);

impl Redactions {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// The kinds and their counts, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.0.iter().map(|(kind, count)| (*kind, *count))
    }

    pub fn add(&mut self, others: &Self) {
        for (kind, count) in others.iter() {
            *self.0.entry(kind).or_default() += count;
        }
    }

    pub(super) fn count(&mut self, kind: &'static str) {
        *self.0.entry(kind).or_default() += 1;
    }
}

/// `redacted: 2 github tokens, 1 password`, on one line of about 100 bytes at most.
impl fmt::Display for Redactions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds: Vec<(&str, u64)> = self.iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let named: Vec<String> = kinds
            .iter()
            .take(MAX_NAMED)
            .map(|(kind, count)| number::counted(*count, &kind.replace('-', " ")))
            .collect();
        write!(f, "redacted: {}", named.join(", "))?;
        match kinds.iter().skip(MAX_NAMED).map(|(_, count)| count).sum() {
            0 => Ok(()),
            more => write!(f, " and {} more", number::grouped(more)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displays_counts_by_kind() {
        let counts = Redactions(BTreeMap::from([("password", 1), ("github-token", 2)]));
        assert_eq!(counts.to_string(), "redacted: 2 github tokens, 1 password");
        let many = Redactions(BTreeMap::from([("a", 1), ("b", 5), ("c", 1), ("d", 1), ("e", 1)]));
        assert_eq!(many.to_string(), "redacted: 5 bs, 1 a, 1 c and 2 more");
    }
}
