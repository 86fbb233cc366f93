//! Reads what the reranker needs, and adds its scores to the hits.

use std::collections::{BTreeSet, HashMap};

use forebay_domain::{EntryKind, Hit};
use forebay_store::{Candidate, Embedding, WordStatistics};

use super::prepared_query::PreparedQuery;
use super::reranker::{BestScores, Document, MAX_CHUNKS, RankedChunk, Reranker};
use super::{ScoredCandidate, Searcher};
use crate::AppError;
use crate::ingest::neighbours::{EACH_SIDE, SHORT_BYTES};

/// A query with fewer telling words is not reranked.
const MIN_TELLING_WORDS: usize = 2;

/// A chunk of one of the stores.
type ChunkKey = (usize, i64);

impl Searcher {
    /// Returns the reranker of a query; none if the model was not trained for it.
    ///
    /// It was trained neither on queries of one telling word nor on vectors of remote models.
    pub(super) fn reranker(&self, prepared: &PreparedQuery) -> Option<Reranker> {
        let is_remote = prepared.embedding.as_ref().is_some_and(Embedding::is_remote);
        let reranker =
            (self.uses_reranker && !is_remote).then(|| Reranker::new(&prepared.corrected_text()));
        reranker.filter(|reranker| reranker.telling_words().len() >= MIN_TELLING_WORDS)
    }

    /// Adds the learned scores to the first hits. Those after them get the lowest of these scores, so that none precedes a
    /// reranked one by not being reranked.
    pub(super) fn add_learned_scores(
        &self,
        reranker: &mut Reranker,
        candidates: &[ScoredCandidate],
        hits: &mut [Option<Hit>],
    ) -> Result<(), AppError> {
        let present = || hits.iter().zip(candidates).enumerate();
        let reranked: Vec<(usize, &Hit, &ScoredCandidate)> = present()
            .filter_map(|(index, (hit, candidate))| Some((index, hit.as_ref()?, candidate)))
            .take(MAX_CHUNKS)
            .collect();
        let statistics = self.word_statistics(reranker.telling_words())?;
        let around = self.read_neighbours(&reranked)?;
        let own = reranked.iter().map(|(_, hit, _)| *hit);
        let documents: Vec<Document<'_>> = own.chain(around.hits.iter()).map(document).collect();
        let ranks = Ranks::new(candidates);
        let chunk = |(at, (_, _, one)): (usize, &(usize, &Hit, &ScoredCandidate))| {
            ranks.chunk(one, at, around.of_chunk[at].clone())
        };
        let chunks: Vec<RankedChunk> = reranked.iter().enumerate().map(chunk).collect();
        let scores = reranker.scores(&statistics, &documents, (&chunks, ranks.best));
        let indexes: Vec<usize> = reranked.iter().map(|(index, ..)| *index).collect();
        add_scores(hits, &indexes, &scores);
        Ok(())
    }

    /// Returns the statistics of all stores together.
    fn word_statistics(&self, words: &[String]) -> Result<WordStatistics, AppError> {
        let mut all = WordStatistics { containing: vec![0; words.len()], ..Default::default() };
        let mut length = 0.0;
        for store in &self.stores {
            let one = store.word_statistics(words)?;
            all.chunks += one.chunks;
            length += one.chunks as f64 * one.average_length;
            for (sum, count) in all.containing.iter_mut().zip(one.containing) {
                *sum += count;
            }
        }
        all.average_length = length / all.chunks.max(1) as f64;
        Ok(all)
    }

    /// Reads the documents around short ones, with one call per store.
    fn read_neighbours(
        &self,
        reranked: &[(usize, &Hit, &ScoredCandidate)],
    ) -> Result<Neighbourhood, AppError> {
        let mut places: HashMap<ChunkKey, usize> = HashMap::new();
        for (at, (_, _, one)) in reranked.iter().enumerate() {
            places.insert((one.store, one.candidate.chunk_id), at);
        }
        let short = || reranked.iter().filter(|(_, hit, _)| has_neighbours(hit));
        let wanted: BTreeSet<ChunkKey> = short().flat_map(|(_, _, one)| keys_around(one)).collect();
        let missing: Vec<ChunkKey> =
            wanted.into_iter().filter(|key| !places.contains_key(key)).collect();
        let mut hits = Vec::new();
        for (index, store) in self.stores.iter().enumerate() {
            let keys: Vec<&ChunkKey> =
                missing.iter().filter(|(store, _)| *store == index).collect();
            let candidates: Vec<Candidate> =
                keys.iter().map(|key| unscored(key.1, reranked)).collect();
            for (key, hit) in keys.into_iter().zip(store.load_hits(&candidates)?) {
                if let Some(hit) = hit {
                    places.insert(*key, reranked.len() + hits.len());
                    hits.push(hit);
                }
            }
        }
        let known =
            |at: usize| reranked.get(at).map_or_else(|| &hits[at - reranked.len()], |one| one.1);
        let around = |(_, hit, one): &(usize, &Hit, &ScoredCandidate)| {
            let keys = keys_around(one).filter(|_| has_neighbours(hit));
            let near = keys.filter_map(|key| places.get(&key).copied());
            near.filter(|at| belong_together(hit, known(*at))).collect()
        };
        let of_chunk = reranked.iter().map(around).collect();
        Ok(Neighbourhood { hits, of_chunk })
    }
}

/// The documents around the chunks.
struct Neighbourhood {
    /// Those that are not chunks themselves.
    hits: Vec<Hit>,
    /// For each chunk the indexes of its neighbours: the chunks, then `hits`.
    of_chunk: Vec<Vec<usize>>,
}

/// Chunks are numbered in the order of their documents.
fn keys_around(one: &ScoredCandidate) -> impl Iterator<Item = ChunkKey> + use<> {
    let (store, own) = (one.store, one.candidate.chunk_id);
    let reach = EACH_SIDE as i64;
    (own - reach..=own + reach).filter(move |id| *id != own).map(move |id| (store, id))
}

fn unscored(chunk_id: i64, reranked: &[(usize, &Hit, &ScoredCandidate)]) -> Candidate {
    let document = reranked[0].2.candidate.document;
    Candidate { chunk_id, word_score: 0.0, similarity: 0.0, is_code: false, document }
}

/// Whether the words of other documents may be indexed with this one.
fn has_neighbours(hit: &Hit) -> bool {
    let is_listed = hit.key.is_some() && !hit.title.is_empty();
    (is_listed || hit.kind == EntryKind::Turn) && hit.text.len() as u64 <= SHORT_BYTES
}

fn belong_together(hit: &Hit, other: &Hit) -> bool {
    let is_same = other.kind == hit.kind && other.source == hit.source;
    is_same && has_neighbours(other) && (hit.kind == EntryKind::Turn || hit.title == other.title)
}

fn document(hit: &Hit) -> Document<'_> {
    Document { title: &hit.title, text: &hit.text }
}

/// Adds the scores to the hits at `indexes`, which are in order, and the lowest one to all others, if it is below zero.
fn add_scores(hits: &mut [Option<Hit>], indexes: &[usize], scores: &[f64]) {
    let lowest = scores.iter().copied().fold(0.0, f64::min);
    for (index, hit) in hits.iter_mut().enumerate() {
        let score = indexes.binary_search(&index).map_or(lowest, |at| scores[at]);
        if let Some(hit) = hit {
            hit.score += score;
            hit.terms.learned = score;
        }
    }
}

/// The candidates' ranks by words and by similarity.
struct Ranks {
    by_words: HashMap<ChunkKey, usize>,
    by_similarity: HashMap<ChunkKey, usize>,
    best: BestScores,
}

impl Ranks {
    fn new(candidates: &[ScoredCandidate]) -> Self {
        let words = ranked(candidates, |candidate| candidate.word_score);
        let similarity = ranked(candidates, |candidate| f64::from(candidate.similarity));
        let score = |list: &[(ChunkKey, f64)], rank: usize| list.get(rank).map_or(0.0, |one| one.1);
        let best = BestScores {
            word_score: score(&words, 0),
            second_word_score: score(&words, 1),
            cosine: score(&similarity, 0),
        };
        let ranks = |list: Vec<(ChunkKey, f64)>| {
            list.into_iter().enumerate().map(|(rank, (key, _))| (key, rank)).collect()
        };
        Self { by_words: ranks(words), by_similarity: ranks(similarity), best }
    }

    fn chunk(&self, one: &ScoredCandidate, document: usize, neighbours: Vec<usize>) -> RankedChunk {
        let key = (one.store, one.candidate.chunk_id);
        let similarity = f64::from(one.candidate.similarity);
        RankedChunk {
            document,
            neighbours,
            is_code: one.candidate.is_code,
            fused: one.score,
            words: one.parts.words,
            similarity: one.parts.similarity,
            word_score: one.candidate.word_score,
            word_rank: self.by_words.get(&key).copied(),
            similarity_rank: self.by_similarity.get(&key).copied(),
            cosine: (similarity > 0.0).then_some(similarity),
        }
    }
}

/// Returns the candidates with a positive score, best first.
fn ranked(
    candidates: &[ScoredCandidate],
    score: impl Fn(&Candidate) -> f64,
) -> Vec<(ChunkKey, f64)> {
    let scored =
        candidates.iter().map(|one| ((one.store, one.candidate.chunk_id), score(&one.candidate)));
    let mut scored: Vec<(ChunkKey, f64)> = scored.filter(|(_, score)| *score > 0.0).collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    scored
}
