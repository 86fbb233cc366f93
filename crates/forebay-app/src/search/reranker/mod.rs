//! Learned reranking of the best chunks of a query.
//!
//! 200 small trees over 37 integer features add to the score of each chunk; `README.md` beside the model says where it
//! is from and what was measured. Features come from the ranking (scores and ranks of both lists), from the text
//! (`text_features`: coverage, spans, pairs, similar words) and from the neighbours of short documents.

mod text_features;
mod words;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use forebay_store::WordStatistics;
use forebay_store::bm25::{B, K1, MIN_IDF};
use forebay_text::trees::Model;

use self::text_features::{Match, Sequence, WeightedQuery, text_features};
use self::words::{QueryWords, Similarities, Vocabulary, WordId, Words};
use crate::ingest::embedding;

/// The number of chunks that are reranked.
pub(super) const MAX_CHUNKS: usize = 50;
const FEATURES: usize = 37;
/// A leaf of this size weighs as much as 1 in the score.
const LEAF_UNIT: f64 = 40_960.0;
/// The rank of a chunk that a list does not have.
const NO_RANK: usize = 140;
const TITLE_WEIGHT: f64 = 2.0;
const MAX_TITLE_WORDS: usize = 30;

static MODEL: LazyLock<Option<Model>> =
    LazyLock::new(|| Model::parse(include_bytes!("model.bin"), FEATURES).ok());

/// A text that is a chunk or the neighbour of one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Document<'a> {
    pub(super) title: &'a str,
    pub(super) text: &'a str,
}

/// A chunk with its place in the ranking so far.
#[derive(Debug, Clone, Default)]
pub(super) struct RankedChunk {
    /// Index of its document.
    pub(super) document: usize,
    /// Indexes of the documents around it whose words are indexed with it.
    pub(super) neighbours: Vec<usize>,
    pub(super) is_code: bool,
    /// The fused score, and the normalized scores that it is the sum of.
    pub(super) fused: f64,
    pub(super) words: f64,
    pub(super) similarity: f64,
    /// BM25, the context included.
    pub(super) word_score: f64,
    pub(super) word_rank: Option<usize>,
    pub(super) similarity_rank: Option<usize>,
    /// The cosine of its vector and the query's; computed where the list does not have it.
    pub(super) cosine: Option<f64>,
}

/// The best scores of all candidates.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BestScores {
    pub(super) word_score: f64,
    pub(super) second_word_score: f64,
    pub(super) cosine: f64,
}

/// Computes the scores of chunks for one query.
pub(super) struct Reranker {
    vocabulary: Vocabulary,
    query: QueryWords,
    /// The vector of the query, of length 1.
    vector: Option<Vec<f32>>,
}

impl Reranker {
    pub(super) fn new(query: &str) -> Self {
        let mut vocabulary = Vocabulary::default();
        let words = QueryWords::new(query, &mut vocabulary);
        let vector = embedding::embed(query).map(|embedding| unit(&embedding.vector));
        Self { vocabulary, query: words, vector }
    }

    /// The words whose statistics are needed.
    pub(super) fn telling_words(&self) -> &[String] {
        &self.query.texts
    }

    /// Returns what is added to the score of each chunk.
    pub(super) fn scores(
        &mut self,
        statistics: &WordStatistics,
        documents: &[Document<'_>],
        (chunks, best): (&[RankedChunk], BestScores),
    ) -> Vec<f64> {
        let Some(model) = &*MODEL else { return vec![0.0; chunks.len()] };
        let features = self.features(statistics, documents, (chunks, best));
        model.scores(&features).into_iter().map(|score| f64::from(score) / LEAF_UNIT).collect()
    }

    fn features(
        &mut self,
        statistics: &WordStatistics,
        documents: &[Document<'_>],
        (chunks, best): (&[RankedChunk], BestScores),
    ) -> Vec<[i16; FEATURES]> {
        let mut analyzed: Vec<Analyzed> = documents
            .iter()
            .map(|document| Analyzed::new(document, &self.query, &mut self.vocabulary))
            .collect();
        for index in compared(chunks) {
            analyzed[index].embed(&documents[index]);
        }
        let idf = idf(statistics);
        let own_words = chunks.iter().flat_map(|chunk| &analyzed[chunk.document].sequence).copied();
        let is_known: Vec<bool> = statistics.containing.iter().map(|count| *count > 0).collect();
        let collection = Collection {
            similarities: self.vocabulary.similarities(&self.query.telling, own_words),
            query: WeightedQuery { words: &self.query, idf: &idf, is_known: &is_known },
            vector: self.vector.as_deref(),
            documents: &analyzed,
            statistics,
        };
        let own: Vec<f64> =
            chunks.iter().map(|chunk| collection.bm25(&analyzed[chunk.document])).collect();
        let best_own = own.iter().copied().fold(1e-9, f64::max);
        let row = |(chunk, own): (&RankedChunk, &f64)| {
            let around = collection.around(chunk, chunks);
            let scores = ChunkScores { own: *own, best_own, best };
            collection.row(chunk, &around, &scores)
        };
        chunks.iter().zip(&own).map(row).collect()
    }
}

/// A document's words and vector.
struct Analyzed {
    /// The words of the title, then those of the text.
    sequence: Vec<WordId>,
    title_words: usize,
    /// Number of words, runs of several included.
    length: usize,
    /// Where telling words are in the sequence.
    matches: Vec<Match>,
    /// How often each telling word occurs in the title and in the text, also as a run of several words.
    in_title: Vec<usize>,
    in_body: Vec<usize>,
    /// Of length 1; only if it is compared with others.
    vector: Option<Vec<f32>>,
}

impl Analyzed {
    fn new(document: &Document<'_>, query: &QueryWords, vocabulary: &mut Vocabulary) -> Self {
        let (title, body) = (vocabulary.words(document.title), vocabulary.words(document.text));
        let count = |words: &Words| {
            let mut counts = vec![0; query.telling.len()];
            let all = words.sequence.iter().chain(&words.compounds);
            for telling in all.filter_map(|word| vocabulary.telling(*word)) {
                counts[telling] += 1;
            }
            counts
        };
        let (in_title, in_body) = (count(&title), count(&body));
        let compounds = title.compounds.len() + body.compounds.len();
        let title_words = title.sequence.len();
        let mut sequence = title.sequence;
        sequence.extend(body.sequence);
        let found = |(place, word): (usize, &WordId)| {
            Some(Match { place, word: vocabulary.telling(*word)? })
        };
        let matches = sequence.iter().enumerate().filter_map(found).collect();
        let length = sequence.len() + compounds;
        Self { sequence, title_words, length, matches, in_title, in_body, vector: None }
    }

    fn embed(&mut self, document: &Document<'_>) {
        let embedding = embedding::embed_chunk(document.title, document.text).meaning;
        self.vector = embedding.map(|embedding| unit(&embedding.vector));
    }

    fn sequence(&self) -> Sequence<'_> {
        let title_words = self.title_words;
        Sequence { words: &self.sequence, title_words, matches: &self.matches }
    }
}

/// Returns the documents whose vectors are needed: neighbours, what has some, and what the stores did not compare.
fn compared(chunks: &[RankedChunk]) -> BTreeSet<usize> {
    let is_compared = |one: &&RankedChunk| !one.neighbours.is_empty() || one.cosine.is_none();
    let own_and_neighbours = |one: &RankedChunk| {
        one.neighbours.iter().copied().chain([one.document]).collect::<Vec<_>>()
    };
    chunks.iter().filter(is_compared).flat_map(own_and_neighbours).collect()
}

/// What the features of a chunk are computed from.
struct Collection<'a> {
    similarities: Similarities,
    query: WeightedQuery<'a>,
    vector: Option<&'a [f32]>,
    documents: &'a [Analyzed],
    statistics: &'a WordStatistics,
}

/// The words and vectors around a chunk.
#[derive(Default)]
struct Around {
    has_telling: Vec<bool>,
    near_cosine: f64,
    cohesion: f64,
    best_fused: f64,
}

struct ChunkScores {
    own: f64,
    best_own: f64,
    best: BestScores,
}

impl Collection<'_> {
    /// BM25 of the chunk itself.
    fn bm25(&self, document: &Analyzed) -> f64 {
        let relative = document.length as f64 / self.statistics.average_length.max(1.0);
        let counts = document.in_title.iter().zip(&document.in_body);
        let scores = counts.zip(self.query.idf).map(|((title, body), idf)| {
            let frequency = TITLE_WEIGHT * *title as f64 + *body as f64;
            let norm = frequency + K1 * (1.0 - B + B * relative);
            idf * frequency * (K1 + 1.0) / norm
        });
        scores.sum()
    }

    fn around(&self, chunk: &RankedChunk, chunks: &[RankedChunk]) -> Around {
        if chunk.neighbours.is_empty() {
            return Around { has_telling: vec![false; self.query.idf.len()], ..Around::default() };
        }
        let near = || chunk.neighbours.iter().map(|index| &self.documents[*index]);
        let has = |word: usize| near().any(|document| document.in_body[word] > 0);
        let sum = unit_sum(near().filter_map(|document| document.vector.as_deref()));
        let cosine = |other: Option<&[f32]>| other.map_or(0.0, |other| dot(&sum, other));
        let fused = chunks
            .iter()
            .filter(|other| chunk.neighbours.contains(&other.document))
            .map(|other| other.fused);
        Around {
            has_telling: (0..self.query.idf.len()).map(has).collect(),
            near_cosine: cosine(self.vector),
            cohesion: cosine(self.documents[chunk.document].vector.as_deref()),
            best_fused: fused.fold(0.0, f64::max),
        }
    }

    fn cosine(&self, chunk: &RankedChunk) -> f64 {
        let vector = self.documents[chunk.document].vector.as_deref();
        let computed = || self.vector.zip(vector).map_or(0.0, |(one, other)| dot(one, other));
        chunk.cosine.unwrap_or_else(computed)
    }

    fn row(
        &self,
        chunk: &RankedChunk,
        around: &Around,
        ChunkScores { own, best_own, best }: &ChunkScores,
    ) -> [i16; FEATURES] {
        let document = &self.documents[chunk.document];
        let query = &self.query;
        let text = text_features(query, &document.sequence(), &self.similarities);
        let best_words = best.word_score.max(1e-9);
        let has_neighbours = !chunk.neighbours.is_empty();
        let context = if has_neighbours { chunk.word_score - own } else { 0.0 };
        let length = document.sequence.len() as f64;
        let cosine = self.cosine(chunk);
        let idf_sum = query.idf_sum();
        let has_own = |word: usize| document.in_title[word] + document.in_body[word] > 0;
        [
            thousandths(chunk.fused),
            thousandths(chunk.words),
            thousandths(chunk.similarity),
            i16::from(chunk.is_code),
            thousandths(own / best_own),
            thousandths(own / ((K1 + 1.0) * idf_sum)),
            thousandths(context.max(0.0) / forebay_store::bm25::CONTEXT_WEIGHT / best_words),
            hundredths(rank(chunk.word_rank)),
            hundredths(rank(chunk.similarity_rank)),
            thousandths(cosine),
            thousandths(best.cosine - cosine),
            thousandths(best.cosine),
            thousandths(around.near_cosine),
            rounded(query.words.sequence.len() as f64),
            hundredths(idf_sum / query.idf.len().max(1) as f64),
            thousandths(text.coverage),
            thousandths(text.exact_coverage),
            thousandths(text.title_coverage),
            thousandths(text.title_precision),
            thousandths(text.body_coverage),
            thousandths(query.share(|word| around.has_telling[word])),
            thousandths(text.span),
            thousandths(text.ordered_pairs),
            thousandths(text.near_pairs),
            rounded(text.phrase as f64),
            hundredths(text.first_position),
            hundredths((1.0 + length).log2()),
            hundredths(length / self.statistics.average_length.max(1.0)),
            thousandths(text.late),
            thousandths(text.late_unmatched),
            thousandths(text.late_min),
            thousandths(text.rare_frequency),
            thousandths((best.word_score - best.second_word_score) / best_words),
            thousandths(around.cohesion),
            rounded(document.title_words.min(MAX_TITLE_WORDS) as f64),
            thousandths(query.share(|word| around.has_telling[word] || has_own(word))),
            thousandths(around.best_fused),
        ]
    }
}

/// The IDF of each telling word; of a word that no chunk contains, more than that of any other.
fn idf(statistics: &WordStatistics) -> Vec<f64> {
    let chunks = statistics.chunks as f64;
    let idf = |count: &u64| match *count {
        0 => (2.0 * chunks + 1.0).ln(),
        count => {
            let count = count as f64;
            (((chunks - count).max(0.0) + 0.5) / (count + 0.5)).ln().max(MIN_IDF)
        }
    };
    statistics.containing.iter().map(idf).collect()
}

fn rank(rank: Option<usize>) -> f64 {
    (1.0 + rank.unwrap_or(NO_RANK) as f64).log2()
}

fn thousandths(value: f64) -> i16 {
    rounded(1_000.0 * value)
}

fn hundredths(value: f64) -> i16 {
    rounded(100.0 * value)
}

/// Rounds half to even and saturates.
fn rounded(value: f64) -> i16 {
    value.round_ties_even() as i16
}

/// Returns a vector of length 1.
fn unit(bytes: &[u8]) -> Vec<f32> {
    scaled(bytes.iter().map(|byte| f32::from(byte.cast_signed())).collect())
}

fn unit_sum<'a>(vectors: impl Iterator<Item = &'a [f32]>) -> Vec<f32> {
    let mut sum = Vec::new();
    for vector in vectors {
        sum.resize(vector.len(), 0.0);
        sum.iter_mut().zip(vector).for_each(|(sum, number)| *sum += number);
    }
    scaled(sum)
}

fn scaled(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt().max(1e-9);
    for number in &mut vector {
        *number /= length;
    }
    vector
}

fn dot(one: &[f32], other: &[f32]) -> f64 {
    f64::from(one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>())
}

#[cfg(test)]
mod tests;
