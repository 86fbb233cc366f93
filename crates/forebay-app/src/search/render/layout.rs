//! Divides the room of an answer among the hits of its queries.
//!
//! A hit without its text is of little use, so fewer hits are shown with useful excerpts. Every query's best hit comes
//! first, then the second ones.

/// The least useful excerpt: 60 tokens.
const MIN_EXCERPT: usize = 240;
/// The line break after a hit's first line and after its text.
const LINE_BREAKS: usize = 2;

/// The bytes that a hit takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HitSize {
    pub(super) head: usize,
    /// All of its text.
    pub(super) text: usize,
}

/// A hit to show, with the bytes of its excerpt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Excerpt {
    query: usize,
    rank: usize,
    bytes: usize,
}

/// Returns for each query the bytes of its shown hits' excerpts, best hit first.
pub(super) fn divide(queries: &[Vec<HitSize>], mut room: usize) -> Vec<Vec<usize>> {
    let mut shown = select(queries, &mut room);
    enlarge(&mut shown, queries, room);
    let mut excerpts = vec![Vec::new(); queries.len()];
    shown.sort_unstable_by_key(|excerpt| excerpt.rank);
    for Excerpt { query, bytes, .. } in shown {
        excerpts[query].push(bytes);
    }
    excerpts
}

/// Selects hits rank by rank while a useful excerpt of the next one fits; takes their bytes from the room.
fn select(queries: &[Vec<HitSize>], room: &mut usize) -> Vec<Excerpt> {
    let mut shown = Vec::new();
    let mut open: Vec<usize> = (0..queries.len()).collect();
    let mut rank = 0;
    while !open.is_empty() {
        let mut queries_left = open.len();
        open.retain(|&query| {
            let share = *room / queries_left;
            queries_left -= 1;
            let Some(hit) = queries[query].get(rank) else { return false };
            let useful = hit.text.min(MIN_EXCERPT);
            let fixed = hit.head + LINE_BREAKS;
            // A best hit is shown with what the best hits of the other queries leave.
            let bytes = if rank == 0 { useful.min(share.saturating_sub(fixed)) } else { useful };
            let fits = fixed + bytes <= *room;
            if fits {
                *room -= fixed + bytes;
                shown.push(Excerpt { query, rank, bytes });
            }
            fits
        });
        rank += 1;
    }
    shown
}

/// Gives the rest of the room to the excerpts, in equal parts as far as their texts are long enough.
fn enlarge(shown: &mut [Excerpt], queries: &[Vec<HitSize>], mut room: usize) {
    let missing = |excerpt: &Excerpt| queries[excerpt.query][excerpt.rank].text - excerpt.bytes;
    shown.sort_by_key(missing);
    let count = shown.len();
    for (index, excerpt) in shown.iter_mut().enumerate() {
        let share = (room / (count - index)).min(missing(excerpt));
        excerpt.bytes += share;
        room -= share;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hits(texts: &[usize]) -> Vec<HitSize> {
        texts.iter().map(|text| HitSize { head: 78, text: *text }).collect()
    }

    #[test]
    fn every_best_hit_comes_first() {
        let queries = [hits(&[1_000; 5]), hits(&[1_000; 5]), hits(&[1_000])];
        assert_eq!(divide(&queries, 3 * 320), [[240], [240], [240]]);
        assert_eq!(divide(&queries, 4 * 320), [vec![240, 240], vec![240], vec![240]]);
        assert_eq!(divide(&queries, 300), [[20], [20], [20]]);
    }

    #[test]
    fn long_texts_share_what_short_ones_leave() {
        assert_eq!(divide(&[hits(&[500, 10, 2_000])], 240 + 1_000), [[495, 10, 495]]);
        assert_eq!(divide(&[hits(&[100, 10])], 10_000), [[100, 10]]);
        assert!(divide(&[], 100).is_empty());
    }

    proptest! {
        #[test]
        fn stays_within_the_room(
            texts in prop::collection::vec(prop::collection::vec(0_usize..3_000, 0..6), 0..6),
            room in 0_usize..6_000,
        ) {
            let queries: Vec<_> = texts.iter().map(|texts| hits(texts)).collect();
            let excerpts = divide(&queries, room);
            let used: usize = excerpts.iter().flatten().map(|bytes| bytes + 80).sum();
            prop_assert!(used <= room);
            for (excerpts, hits) in excerpts.iter().zip(&queries) {
                for (rank, (bytes, hit)) in excerpts.iter().zip(hits).enumerate() {
                    prop_assert!(*bytes <= hit.text);
                    prop_assert!(rank == 0 || *bytes >= hit.text.min(MIN_EXCERPT));
                }
            }
        }
    }
}
