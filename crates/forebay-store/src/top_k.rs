//! Selects the k best chunks by score.

/// Scores compared at once against the threshold; most blocks contain none that reaches it.
const BLOCK: usize = 16;

/// The k best chunks; among equal scores the newer.
pub struct TopK {
    k: usize,
    /// Lower scores cannot be among the best.
    threshold: f32,
    /// Up to 2k candidates; pruned to k when full.
    kept: Vec<(i64, f32)>,
}

impl TopK {
    /// Selects the best `k` among scores of at least `threshold`.
    pub fn new(k: usize, threshold: f32) -> Self {
        Self { k, threshold, kept: Vec::with_capacity(2 * k) }
    }

    /// Adds chunks, one per score, that reach the threshold and that `accepts` lets pass.
    pub fn extend<E>(
        &mut self,
        chunk_ids: &[i64],
        scores: &[f32],
        accepts: impl Fn(i64) -> Result<bool, E>,
    ) -> Result<(), E> {
        let (blocks, rest) = scores.as_chunks::<BLOCK>();
        for (scores, chunk_ids) in blocks.iter().zip(chunk_ids.chunks(BLOCK)) {
            if any_reaches(self.threshold, scores) {
                self.extend_each(chunk_ids, scores, &accepts)?;
            }
        }
        self.extend_each(&chunk_ids[scores.len() - rest.len()..], rest, accepts)
    }

    fn extend_each<E>(
        &mut self,
        chunk_ids: &[i64],
        scores: &[f32],
        accepts: impl Fn(i64) -> Result<bool, E>,
    ) -> Result<(), E> {
        for (chunk_id, score) in chunk_ids.iter().zip(scores) {
            if *score >= self.threshold && accepts(*chunk_id)? {
                self.push(*chunk_id, *score);
            }
        }
        Ok(())
    }

    fn push(&mut self, chunk_id: i64, score: f32) {
        self.kept.push((chunk_id, score));
        if self.kept.len() >= 2 * self.k {
            self.prune();
        }
    }

    fn prune(&mut self) {
        if let Some(last) = self.k.checked_sub(1).filter(|last| *last < self.kept.len()) {
            let (_, (_, threshold), _) =
                self.kept.select_nth_unstable_by(last, by_score_descending);
            self.threshold = *threshold;
        }
        self.kept.truncate(self.k);
    }

    pub fn into_sorted(mut self) -> Vec<(i64, f32)> {
        self.prune();
        self.kept.sort_unstable_by(by_score_descending);
        self.kept
    }
}

#[expect(clippy::needless_bitwise_bool, reason = "branch-free, so that the compiler vectorizes it")]
fn any_reaches(threshold: f32, scores: &[f32; BLOCK]) -> bool {
    scores.iter().fold(false, |any, score| any | (*score >= threshold))
}

/// Orders by descending score, then newest first.
pub fn by_score_descending(a: &(i64, f32), b: &(i64, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(b.0.cmp(&a.0))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn agrees_with_sorting_everything(
            scores in proptest::collection::vec(0_u8..20, 0..200),
            k in 0_usize..20,
        ) {
            let scores: Vec<f32> = scores.into_iter().map(f32::from).collect();
            let chunk_ids: Vec<i64> = (0..scores.len() as i64).collect();
            let mut top = TopK::new(k, 1.0);
            let is_even = |chunk_id| Ok::<_, Infallible>(chunk_id % 2 == 0);
            top.extend(&chunk_ids, &scores, is_even).unwrap();
            let mut sorted: Vec<(i64, f32)> = chunk_ids.into_iter().zip(scores).collect();
            sorted.retain(|(chunk_id, score)| chunk_id % 2 == 0 && *score >= 1.0);
            sorted.sort_by(by_score_descending);
            sorted.truncate(k);
            prop_assert_eq!(top.into_sorted(), sorted);
        }
    }
}
