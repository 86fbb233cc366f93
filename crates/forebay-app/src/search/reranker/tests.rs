//! Features and order against `test_vectors.json`, which the script that trained the model has written: 10 questions over
//! 17 documents. What a store contributes (scores and ranks) is taken from there, everything else is computed.

use serde_json::Value;

use super::*;
use crate::ingest::neighbours::EACH_SIDE;

/// Cosines differ a little, because vectors are quantized here.
const COSINES: &[usize] = &[10, 12, 28, 29, 30, 33];
const MAX_COSINE_ERROR: i16 = 8;
/// The mean length of the index counts compound words twice, that of the reference does not.
const RELATIVE_LENGTH: usize = 27;
const MAX_LENGTH_ERROR: i16 = 4;

fn vectors() -> Value {
    serde_json::from_str(include_str!("test_vectors.json")).unwrap()
}

fn features_of(candidate: &Value) -> [i16; FEATURES] {
    let features: Vec<i16> = serde_json::from_value(candidate["features"].clone()).unwrap();
    features.try_into().unwrap()
}

/// The documents, with their statistics.
struct Corpus<'a> {
    documents: Vec<Document<'a>>,
}

impl<'a> Corpus<'a> {
    fn new(vectors: &'a Value) -> Self {
        let document = |one: &'a Value| Document {
            title: one["title"].as_str().unwrap(),
            text: one["text"].as_str().unwrap(),
        };
        Self { documents: vectors["docs"].as_array().unwrap().iter().map(document).collect() }
    }

    fn statistics(&self, words: &[String]) -> WordStatistics {
        let analyzed = |query: &str| -> Vec<Analyzed> {
            let mut vocabulary = Vocabulary::default();
            let query = QueryWords::new(query, &mut vocabulary);
            let documents = self.documents.iter();
            documents.map(|one| Analyzed::new(one, &query, &mut vocabulary)).collect()
        };
        let lengths: usize = analyzed("").iter().map(|one| one.length).sum();
        let containing = |word: &String| {
            let has = |one: &&Analyzed| one.in_title[0] + one.in_body[0] > 0;
            analyzed(word).iter().filter(has).count() as u64
        };
        WordStatistics {
            chunks: self.documents.len() as u64,
            average_length: lengths as f64 / self.documents.len() as f64,
            containing: words.iter().map(containing).collect(),
        }
    }

    fn neighbours(&self, own: usize) -> Vec<usize> {
        let title = self.documents[own].title;
        let near = own.saturating_sub(EACH_SIDE)..=own + EACH_SIDE;
        let is_near = |at: &usize| {
            *at != own
                && !title.is_empty()
                && self.documents.get(*at).is_some_and(|one| one.title == title)
        };
        near.filter(is_near).collect()
    }

    /// Returns a candidate with the scores and ranks that the vectors have.
    fn chunk(&self, candidate: &Value) -> RankedChunk {
        let document = candidate["doc"].as_u64().unwrap() as usize;
        let features = features_of(candidate);
        let share = |index: usize| f64::from(features[index]) / 1_000.0;
        let rank = |index: usize| {
            let rank = (f64::from(features[index]) / 100.0).exp2().round() as usize - 1;
            (rank < NO_RANK).then_some(rank)
        };
        RankedChunk {
            document,
            neighbours: self.neighbours(document),
            is_code: features[3] != 0,
            fused: share(0),
            words: share(1),
            similarity: share(2),
            word_score: 0.0,
            word_rank: rank(7),
            similarity_rank: rank(8),
            cosine: Some(share(9)),
        }
    }
}

#[test]
fn leaves_match_the_reference() {
    let model = Model::parse(include_bytes!("model.bin"), FEATURES).unwrap();
    let vectors = vectors();
    for query in vectors["queries"].as_array().unwrap() {
        for candidate in query["candidates"].as_array().unwrap() {
            let leaves = model.score(&features_of(candidate));
            assert_eq!(
                i64::from(leaves),
                candidate["leaves"].as_i64().unwrap(),
                "{}",
                query["query"]
            );
        }
    }
}

#[test]
fn telling_words_match_the_reference() {
    for query in vectors()["queries"].as_array().unwrap() {
        let text = forebay_text::words::without_languages(query["query"].as_str().unwrap());
        let words = Reranker::new(&text).query.texts;
        assert_eq!(serde_json::json!(words), query["telling"], "{text}");
    }
}

#[test]
fn features_match_the_reference() {
    let vectors = vectors();
    let names: Vec<String> = serde_json::from_value(vectors["feature_names"].clone()).unwrap();
    let corpus = Corpus::new(&vectors);
    let mut errors = Vec::new();
    for query in vectors["queries"].as_array().unwrap() {
        let text = forebay_text::words::without_languages(query["query"].as_str().unwrap());
        let mut reranker = Reranker::new(&text);
        let statistics = corpus.statistics(reranker.telling_words());
        let candidates = query["candidates"].as_array().unwrap();
        let chunks: Vec<RankedChunk> = candidates.iter().map(|one| corpus.chunk(one)).collect();
        let best = BestScores {
            word_score: 1.0,
            second_word_score: 1.0 - f64::from(features_of(&candidates[0])[32]) / 1_000.0,
            cosine: f64::from(features_of(&candidates[0])[11]) / 1_000.0,
        };
        let rows = reranker.features(&statistics, &corpus.documents, (&chunks, best));
        for (candidate, row) in candidates.iter().zip(rows) {
            for (index, (actual, expected)) in
                row.into_iter().zip(features_of(candidate)).enumerate()
            {
                // The score of the context is the store's.
                let allowed = match index {
                    RELATIVE_LENGTH => MAX_LENGTH_ERROR,
                    _ if COSINES.contains(&index) => MAX_COSINE_ERROR,
                    _ => 1,
                };
                if index != 6 && (actual - expected).abs() > allowed {
                    errors.push(format!(
                        "{text}, {}: {} {actual}, not {expected}",
                        candidate["doc"], names[index]
                    ));
                }
            }
        }
    }
    assert!(errors.is_empty(), "{} {errors:#?}", errors.len());
}
