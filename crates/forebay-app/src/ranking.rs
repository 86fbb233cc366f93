//! Which of the found passages come first: words and meaning weighed against each other.
//!
//! Each side's scores are brought to the same scale over all candidates and added. Measured on questions
//! about code and about conversations, this finds more than adding ranks.

use forebay_domain::Hit;

/// How much meaning counts: in prose people use the words that stand there, about code they do not.
const MEANING_OF_PROSE: f64 = 0.25;
const MEANING_OF_CODE: f64 = 0.6;

/// Orders candidates by both, best first; each comes with where it was found.
pub(crate) fn fuse<S>(hits: &mut [(S, Hit)]) {
    let words = Scale::of(hits.iter().map(|(_, hit)| hit.words));
    let nearness = Scale::of(hits.iter().map(|(_, hit)| f64::from(hit.nearness)));
    for (_, hit) in &mut *hits {
        let weight = if hit.is_code { MEANING_OF_CODE } else { MEANING_OF_PROSE };
        hit.score = (1.0 - weight) * words.place(hit.words)
            + weight * nearness.place(f64::from(hit.nearness));
    }
    // Equal ones stay in the order of their store.
    hits.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
}

/// The range of one side's scores; those of 0 are none.
struct Scale {
    least: f64,
    most: f64,
}

impl Scale {
    fn of(scores: impl Iterator<Item = f64>) -> Self {
        let some = scores.filter(|score| *score > 0.0);
        let (least, most) = some.fold((f64::MAX, 0.0), |(least, most): (f64, f64), score| {
            (least.min(score), most.max(score))
        });
        Self { least, most }
    }

    /// From 0 for the least to 1 for the most.
    fn place(&self, score: f64) -> f64 {
        if score <= 0.0 {
            0.0
        } else if self.most <= self.least {
            1.0
        } else {
            (score - self.least) / (self.most - self.least)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_brought_to_one_scale() {
        let scale = Scale::of([2.0, 0.0, 6.0, 4.0].into_iter());
        for (score, place) in [(0.0, 0.0), (2.0, 0.0), (4.0, 0.5), (6.0, 1.0)] {
            assert!((scale.place(score) - place).abs() < 1e-9);
        }
        assert!((Scale::of([3.0].into_iter()).place(3.0) - 1.0).abs() < 1e-9);
    }
}
