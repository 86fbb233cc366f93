//! The best so many passages by a score.

/// Scores that are looked at together: among so many there is mostly none that counts.
const LOOKED_AT: usize = 16;

/// The best so many; of equal ones the newer.
pub struct TopK {
    most: usize,
    /// Who has a lower score is none of them.
    least: f32,
    /// Those so far, up to as many again that may yet fall out.
    found: Vec<(i64, f32)>,
}

impl TopK {
    /// The best `most` of those that have at least this score.
    pub fn new(most: usize, least: f32) -> Self {
        Self { most, least, found: Vec::with_capacity(2 * most) }
    }

    /// Takes passages, as many as there are scores, that come in by theirs and that `fits` lets through.
    pub fn take_from<E>(
        &mut self,
        passages: &[i64],
        scores: &[f32],
        fits: impl Fn(i64) -> Result<bool, E>,
    ) -> Result<(), E> {
        let (blocks, rest) = scores.as_chunks::<LOOKED_AT>();
        for (scores, passages) in blocks.iter().zip(passages.chunks(LOOKED_AT)) {
            if any_is_at_least(self.least, scores) {
                self.take_each(passages, scores, &fits)?;
            }
        }
        self.take_each(&passages[scores.len() - rest.len()..], rest, fits)
    }

    fn take_each<E>(
        &mut self,
        passages: &[i64],
        scores: &[f32],
        fits: impl Fn(i64) -> Result<bool, E>,
    ) -> Result<(), E> {
        for (passage, score) in passages.iter().zip(scores) {
            if *score >= self.least && fits(*passage)? {
                self.take(*passage, *score);
            }
        }
        Ok(())
    }

    fn take(&mut self, passage: i64, score: f32) {
        self.found.push((passage, score));
        if self.found.len() >= 2 * self.most {
            self.drop_rest();
        }
    }

    fn drop_rest(&mut self) {
        if let Some(last) = self.most.checked_sub(1).filter(|last| *last < self.found.len()) {
            let (_, (_, least), _) = self.found.select_nth_unstable_by(last, better);
            self.least = *least;
        }
        self.found.truncate(self.most);
    }

    pub fn in_order(mut self) -> Vec<(i64, f32)> {
        self.drop_rest();
        self.found.sort_unstable_by(better);
        self.found
    }
}

#[expect(
    clippy::needless_bitwise_bool,
    reason = "without a branch for each, so many are compared at once"
)]
fn any_is_at_least(least: f32, scores: &[f32; LOOKED_AT]) -> bool {
    scores.iter().fold(false, |any, score| any | (*score >= least))
}

/// Which of two passages comes first: the one with the higher score, of equal ones the newer.
pub fn better(a: &(i64, f32), b: &(i64, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(b.0.cmp(&a.0))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_those_that_sorting_gives(
            scores in proptest::collection::vec(0_u8..20, 0..200),
            most in 0_usize..20,
        ) {
            let scores: Vec<f32> = scores.into_iter().map(f32::from).collect();
            let passages: Vec<i64> = (0..scores.len() as i64).collect();
            let mut foremost = TopK::new(most, 1.0);
            let is_even = |passage| Ok::<_, Infallible>(passage % 2 == 0);
            foremost.take_from(&passages, &scores, is_even).unwrap();
            let mut sorted: Vec<(i64, f32)> = passages.into_iter().zip(scores).collect();
            sorted.retain(|(passage, score)| passage % 2 == 0 && *score >= 1.0);
            sorted.sort_by(better);
            sorted.truncate(most);
            prop_assert_eq!(foremost.in_order(), sorted);
        }
    }
}
