//! The best by words and the best by meaning, put together; the same for every engine.

use crate::search_index::Candidate;

/// Passages behind the best by either, each way: one of them that is among the best by the other is weighed by both.
const BEHIND: usize = 40;

/// So many each way are looked for where `limit` are wanted.
pub const fn wider(limit: usize) -> usize {
    limit + BEHIND
}

/// What was found so far.
pub struct CandidateSet {
    limit: usize,
    /// By their passages, each once: a few hundred, for which a tree takes longer.
    found: Vec<(i64, Scores)>,
}

/// How well a passage fits, either way; 0 where it does not.
#[derive(Default, Clone, Copy)]
struct Scores {
    words: f64,
    similarity: f32,
    /// It is among the wanted, by the one or the other.
    is_wanted: bool,
}

impl Scores {
    /// What another way tells of the same passage.
    fn add(&mut self, other: Self) {
        self.words += other.words;
        self.similarity += other.similarity;
        self.is_wanted |= other.is_wanted;
    }
}

impl CandidateSet {
    pub fn new(limit: usize) -> Self {
        Self { limit, found: Vec::with_capacity(2 * wider(limit)) }
    }

    /// Adds passages by their words, best first.
    pub fn add_by_words(&mut self, found: Vec<(i64, f64)>) {
        let scores = |(passage, words)| (passage, Scores { words, ..Scores::default() });
        self.add(found.into_iter().map(scores));
    }

    /// Adds passages by their meaning, nearest first.
    pub fn add_by_meaning(&mut self, found: Vec<(i64, f32)>) {
        let scores = |(passage, similarity)| (passage, Scores { similarity, ..Scores::default() });
        self.add(found.into_iter().map(scores));
    }

    fn add(&mut self, found: impl Iterator<Item = (i64, Scores)>) {
        let limit = self.limit;
        let wanted =
            |(place, (passage, scores))| (passage, Scores { is_wanted: place < limit, ..scores });
        self.found.extend(found.enumerate().map(wanted));
        self.found.sort_unstable_by_key(|(passage, _)| *passage);
        self.found.dedup_by(|(passage, scores), (before, known)| {
            let is_same = passage == before;
            if is_same {
                known.add(*scores);
            }
            is_same
        });
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All that was found.
    pub fn passages(&self) -> impl Iterator<Item = &i64> {
        self.found.iter().map(|(passage, _)| passage)
    }

    /// Those that are wanted.
    pub fn wanted(&self) -> Vec<i64> {
        let mut wanted = Vec::with_capacity(self.found.len());
        let found = self.found.iter().filter(|(_, scores)| scores.is_wanted);
        wanted.extend(found.map(|(passage, _)| *passage));
        wanted
    }

    /// What is known of a passage that was found.
    pub fn candidate(&self, passage: i64, is_code: bool) -> Candidate {
        let place = self.found.binary_search_by_key(&passage, |(passage, _)| *passage);
        let Scores { words, similarity, .. } =
            place.map_or(Scores::default(), |at| self.found[at].1);
        Candidate { passage, words, similarity, is_code }
    }
}

/// The best by words first; of equal ones the newer.
pub fn in_order(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by(|a, b| b.words.total_cmp(&a.words).then(b.passage.cmp(&a.passage)));
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_stands_behind_by_one_counts_by_both_where_the_other_wants_it() {
        let mut gathered = CandidateSet::new(1);
        gathered.add_by_words(vec![(1, 3.0), (2, 2.0), (3, 1.0)]);
        gathered.add_by_meaning(vec![(3, 0.9), (2, 0.8), (1, 0.7)]);
        let wanted = gathered.wanted();
        let candidates = wanted.into_iter().map(|passage| gathered.candidate(passage, false));
        let told: Vec<_> = in_order(candidates.collect())
            .iter()
            .map(|candidate| (candidate.passage, candidate.words, candidate.similarity))
            .collect();
        assert_eq!(told, [(1, 3.0, 0.7), (3, 1.0, 0.9)]);
    }
}
