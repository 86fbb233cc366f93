//! Spans of secrets in a text.

use std::ops::Range;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SecretSpan {
    pub(super) span: Range<usize>,
    pub(super) kind: &'static str,
    /// Of overlapping spans, the lowest rank names the kind.
    pub(super) rank: usize,
    /// False for a further line of a secret that was already counted.
    pub(super) counts: bool,
}

/// Sorts spans and merges overlapping ones.
pub(super) fn merged(mut found: Vec<SecretSpan>) -> Vec<SecretSpan> {
    found.sort_by_key(|found| (found.span.start, found.rank));
    let mut merged: Vec<SecretSpan> = Vec::with_capacity(found.len());
    for next in found {
        match merged.last_mut() {
            Some(last) if next.span.start < last.span.end => last.absorb(next),
            _ => merged.push(next),
        }
    }
    merged
}

impl SecretSpan {
    fn absorb(&mut self, other: Self) {
        self.span.end = self.span.end.max(other.span.end);
        if other.rank < self.rank {
            (self.kind, self.rank, self.counts) = (other.kind, other.rank, other.counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(span: Range<usize>, kind: &'static str, rank: usize) -> SecretSpan {
        SecretSpan { span, kind, rank, counts: true }
    }

    #[test]
    fn overlapping_spans_merge_into_the_most_specific_kind() {
        let spans = vec![
            found(9..12, "c", 1),
            found(0..5, "a", 7),
            found(3..8, "b", 2),
            found(8..9, "d", 3),
        ];
        let expect = vec![found(0..8, "b", 2), found(8..9, "d", 3), found(9..12, "c", 1)];
        assert_eq!(merged(spans), expect);
    }
}
