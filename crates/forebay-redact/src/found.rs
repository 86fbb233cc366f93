//! What was found in a text: where secrets stand, and of which kind.

use std::ops::Range;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) span: Range<usize>,
    pub(super) kind: &'static str,
    /// Where spans overlap, the kind of the lower rank tells more.
    pub(super) rank: usize,
    /// Whether it counts, or belongs to one that was counted before.
    pub(super) counts: bool,
}

/// Puts the spans in order and makes one of those that overlap.
pub(super) fn merged(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|found| (found.span.start, found.rank));
    let mut merged: Vec<Found> = Vec::with_capacity(found.len());
    for next in found {
        match merged.last_mut() {
            Some(last) if next.span.start < last.span.end => last.absorb(next),
            _ => merged.push(next),
        }
    }
    merged
}

impl Found {
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

    fn found(span: Range<usize>, kind: &'static str, rank: usize) -> Found {
        Found { span, kind, rank, counts: true }
    }

    #[test]
    fn what_overlaps_becomes_one_of_the_more_telling_kind() {
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
