//! Combines the best chunks by words with the best by similarity.

use crate::document::DocumentId;
use crate::search_index::Candidate;

/// Chunks fetched beyond the limit from each ranking, so that a chunk selected by one ranking often
/// has its score from the other.
const OVERSAMPLE: usize = 40;

/// Returns how many chunks each ranking has to deliver for `limit` results.
pub const fn oversampled(limit: usize) -> usize {
    limit + OVERSAMPLE
}

/// Chunks found by either ranking, with both scores.
pub struct CandidateSet {
    limit: usize,
    /// Sorted by chunk id without duplicates; for a few hundred, faster than a tree.
    scored: Vec<(i64, Scores)>,
}

/// Scores of a chunk in both rankings; 0 where it was not found.
#[derive(Default, Clone, Copy)]
struct Scores {
    word_score: f64,
    similarity: f32,
    /// Within the limit of at least one ranking.
    is_selected: bool,
}

impl Scores {
    /// Adds the scores of the same chunk from the other ranking.
    fn add(&mut self, other: Self) {
        self.word_score += other.word_score;
        self.similarity += other.similarity;
        self.is_selected |= other.is_selected;
    }
}

impl CandidateSet {
    pub fn new(limit: usize) -> Self {
        Self { limit, scored: Vec::with_capacity(2 * oversampled(limit)) }
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Adds chunks ranked by words, best first.
    pub fn add_by_words(&mut self, scored: Vec<(i64, f64)>) {
        let scores =
            |(chunk_id, word_score)| (chunk_id, Scores { word_score, ..Scores::default() });
        self.add(scored.into_iter().map(scores));
    }

    /// Adds chunks ranked by vector similarity, best first.
    pub fn add_by_similarity(&mut self, scored: Vec<(i64, f32)>) {
        let scores =
            |(chunk_id, similarity)| (chunk_id, Scores { similarity, ..Scores::default() });
        self.add(scored.into_iter().map(scores));
    }

    fn add(&mut self, scored: impl Iterator<Item = (i64, Scores)>) {
        let limit = self.limit;
        let selected = |(index, (chunk_id, scores))| {
            (chunk_id, Scores { is_selected: index < limit, ..scores })
        };
        self.scored.extend(scored.enumerate().map(selected));
        self.scored.sort_unstable_by_key(|(chunk_id, _)| *chunk_id);
        self.scored.dedup_by(|(chunk_id, scores), (previous, existing)| {
            let is_same = chunk_id == previous;
            if is_same {
                existing.add(*scores);
            }
            is_same
        });
    }

    pub fn is_empty(&self) -> bool {
        self.scored.is_empty()
    }

    /// Returns the ids of all chunks found.
    pub fn chunk_ids(&self) -> impl Iterator<Item = &i64> {
        self.scored.iter().map(|(chunk_id, _)| chunk_id)
    }

    /// Returns the chunks within the limit of at least one ranking.
    pub fn selected(&self) -> Vec<i64> {
        let mut selected = Vec::with_capacity(self.scored.len());
        let scored = self.scored.iter().filter(|(_, scores)| scores.is_selected);
        selected.extend(scored.map(|(chunk_id, _)| *chunk_id));
        selected
    }

    /// Returns a chunk with its scores.
    pub fn candidate(&self, chunk_id: i64, is_code: bool, document: DocumentId) -> Candidate {
        let index = self.scored.binary_search_by_key(&chunk_id, |(chunk_id, _)| *chunk_id);
        let Scores { word_score, similarity, .. } =
            index.map_or(Scores::default(), |at| self.scored[at].1);
        Candidate { chunk_id, word_score, similarity, is_code, document }
    }
}

/// Sorts by word score, then newest first.
pub fn sorted_by_words(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates
        .sort_by(|a, b| b.word_score.total_cmp(&a.word_score).then(b.chunk_id.cmp(&a.chunk_id)));
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selected_chunk_keeps_its_score_from_beyond_the_other_limit() {
        let mut candidates = CandidateSet::new(1);
        candidates.add_by_words(vec![(1, 3.0), (2, 2.0), (3, 1.0)]);
        candidates.add_by_similarity(vec![(3, 0.9), (2, 0.8), (1, 0.7)]);
        let selected = candidates.selected();
        let candidate =
            |chunk_id| candidates.candidate(chunk_id, false, DocumentId::new(chunk_id, None));
        let candidates = selected.into_iter().map(candidate);
        let scores: Vec<_> = sorted_by_words(candidates.collect())
            .iter()
            .map(|candidate| (candidate.chunk_id, candidate.word_score, candidate.similarity))
            .collect();
        assert_eq!(scores, [(1, 3.0, 0.7), (3, 1.0, 0.9)]);
    }
}
