//! Line ranges delivered to a model: sorted, disjoint, counted from 1.

type Lines = (u64, u64);

/// Whether all of these lines were delivered. An empty range counts as delivered if any line was.
pub(super) fn cover(delivered: &[Lines], (first, last): Lines) -> bool {
    delivered.iter().any(|known| known.0 <= first && last <= known.1)
}

/// Adds a range and merges it with adjacent ones.
pub(super) fn add(delivered: &mut Vec<Lines>, (mut first, mut last): Lines) {
    delivered.retain(|known| {
        let touches = known.0 <= last.saturating_add(1) && first <= known.1.saturating_add(1);
        if touches {
            (first, last) = (first.min(known.0), last.max(known.1));
        }
        !touches
    });
    delivered.push((first, last));
    delivered.sort_unstable();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn merges_adjacent_ranges() {
        let mut delivered = vec![(1, 4), (10, 20)];
        add(&mut delivered, (5, 9));
        assert_eq!(delivered, [(1, 20)]);
        add(&mut delivered, (30, 40));
        assert!(cover(&delivered, (3, 20)) && !cover(&delivered, (20, 30)));
    }

    proptest! {
        #[test]
        fn covers_exactly_what_was_added(
            added in prop::collection::vec((1_u64..40, 0_u64..6), 1..12),
        ) {
            let mut delivered = Vec::new();
            for (first, length) in &added {
                add(&mut delivered, (*first, first + length));
            }
            for line in 1..50 {
                let was_added = added.iter().any(|(first, length)| (*first..=first + length).contains(&line));
                prop_assert_eq!(cover(&delivered, (line, line)), was_added);
            }
        }
    }
}
