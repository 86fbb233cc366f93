//! Finds the best chunks for a query by BM25.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::HashSet;
use forebay_domain::EntryKind;
use forebay_store::top_k::TopK;
use forebay_store::{IndexQuery, bm25};
use rusqlite::Connection;

use super::page::TermEntry;
use super::postings::{Posting, positions, read_positions_of};
use super::segment::{Segment, SegmentCache};
use super::{Field, term, tombstones};

const K1: f32 = bm25::K1 as f32;
const B: f32 = bm25::B as f32;
const MIN_IDF: f32 = bm25::MIN_IDF as f32;
/// A match in the title weighs more than one in the body.
const TITLE_WEIGHT: f32 = 2.0;
/// Maximum number of terms per segment that a prefix matches.
const MAX_PREFIX_TERMS: usize = 200;
/// Every match has a positive score.
const MIN_SCORE: f32 = f32::MIN_POSITIVE;
/// First position of the body, as [`positions`] counts.
const BODY_START: u64 = 1 << 32;

/// A boolean query over terms.
pub(in super::super) struct TermQuery {
    /// Chunks match some of these,
    should: Vec<Clause>,
    /// all of these
    must: Vec<Clause>,
    /// and none of these.
    must_not: Vec<Clause>,
    /// Minimum number of `should` clauses that match.
    min_should_match: usize,
    /// Entry kinds, to skip segments without any; empty for all. Does not filter chunks.
    kinds: Vec<EntryKind>,
}

enum Clause {
    /// Consecutive terms; usually one.
    Phrase(Vec<String>),
    Prefix(String),
}

impl TermQuery {
    pub(in super::super) fn new(query: &IndexQuery) -> Self {
        let phrases = |texts: &[String]| -> Vec<Clause> {
            let terms = texts.iter().map(|text| term::terms_of(text));
            terms.filter(|terms| !terms.is_empty()).map(Clause::Phrase).collect()
        };
        let prefixes = query.prefixes.iter().filter_map(|text| term::terms_of(text).pop());
        let mut should = phrases(&query.words);
        should.extend(prefixes.map(Clause::Prefix));
        let min_should_match = query.min_words.min(should.len());
        // Note kinds are an alternative to entry kinds, so both cannot be required.
        let kinds = if query.notes.is_empty() { query.kinds.clone() } else { Vec::new() };
        Self {
            should,
            must: phrases(&query.phrases),
            must_not: phrases(&query.excluded),
            min_should_match,
            kinds,
        }
    }

    pub(in super::super) fn is_empty(&self) -> bool {
        self.should.is_empty() && self.must.is_empty()
    }

    /// Scores all chunks of a field.
    pub(in super::super) fn score_field(
        &self,
        connection: &Connection,
        segments: &SegmentCache,
        field: Field,
    ) -> rusqlite::Result<FieldScores> {
        let LiveIndex { segments, tombstones } = LiveIndex::load(connection, segments, field)?;
        let matches = self.find_matches(connection, &segments)?;
        let weights = weights(&segments, &matches, self.should.len() + self.must.len());
        let average_length = average_length(&segments);
        let mut scored = Vec::with_capacity(segments.len());
        for (segment, matches) in segments.into_iter().zip(&matches) {
            if segment.may_have(connection, &self.kinds)? {
                let scores = self.score(&segment, matches, (&weights, average_length));
                scored.push((segment, scores));
            }
        }
        Ok(FieldScores { scored, tombstones })
    }

    /// Returns the chunks that match all `must` clauses; None without such clauses.
    pub(in super::super) fn required(
        &self,
        connection: &Connection,
        segments: &SegmentCache,
    ) -> rusqlite::Result<Option<HashSet<i64>>> {
        let mut required: Option<HashSet<i64>> = None;
        for clause in &self.must {
            let found = chunks_with(connection, segments, clause)?;
            required = Some(match required {
                Some(before) => before.intersection(&found).copied().collect(),
                None => found,
            });
        }
        Ok(required)
    }

    /// Returns the chunks that match a `must_not` clause.
    pub(in super::super) fn excluded(
        &self,
        connection: &Connection,
        segments: &SegmentCache,
    ) -> rusqlite::Result<HashSet<i64>> {
        let mut excluded = HashSet::default();
        for clause in &self.must_not {
            excluded.extend(chunks_with(connection, segments, clause)?);
        }
        Ok(excluded)
    }

    /// Finds the matches of each clause in each segment.
    fn find_matches(
        &self,
        connection: &Connection,
        segments: &[Arc<Segment>],
    ) -> rusqlite::Result<Vec<Vec<Matches>>> {
        let clauses = || self.should.iter().chain(&self.must).chain(&self.must_not);
        let of_segment = |segment: &Arc<Segment>| {
            clauses().map(|clause| find_matches(connection, segment, clause)).collect()
        };
        segments.iter().map(of_segment).collect()
    }

    /// Computes the score of each chunk of a segment; 0 if it does not match.
    fn score(
        &self,
        segment: &Segment,
        matches: &[Matches],
        (weights, average_length): (&[f32], f32),
    ) -> Vec<f32> {
        let mut scores = vec![0.0; segment.chunk_ids.len()];
        let (should, rest) = matches.split_at(self.should.len());
        let (must, must_not) = rest.split_at(self.must.len());
        for (matches, weight) in should.iter().zip(weights) {
            matches.add_scores(&mut scores, segment, (*weight, average_length));
        }
        if self.min_should_match > 1 {
            let has = count_matches(should, scores.len());
            retain(&mut scores, |ordinal| usize::from(has[ordinal]) >= self.min_should_match);
        }
        let mut matches_should: Vec<bool> = Vec::new();
        if !must.is_empty() && !should.is_empty() {
            matches_should = scores.iter().map(|score| *score > 0.0).collect();
        }
        for (matches, weight) in must.iter().zip(&weights[should.len()..]) {
            matches.add_scores(&mut scores, segment, (*weight, average_length));
        }
        for matches in must {
            let mut has = vec![false; scores.len()];
            matches.for_each(|posting| set(&mut has, posting.ordinal));
            retain(&mut scores, |ordinal| has[ordinal]);
        }
        if !matches_should.is_empty() {
            retain(&mut scores, |ordinal| matches_should[ordinal]);
        }
        for matches in must_not {
            matches.for_each(|posting| {
                if let Some(score) = scores.get_mut(posting.ordinal as usize) {
                    *score = 0.0;
                }
            });
        }
        scores
    }
}

/// The scores of a field's chunks, by segment.
pub(in super::super) struct FieldScores {
    scored: Vec<(Arc<Segment>, Vec<f32>)>,
    tombstones: HashSet<i64>,
}

impl FieldScores {
    /// Returns the best chunks that `accepts` lets pass, best first; called only for chunks that
    /// may be among them.
    pub(in super::super) fn top(
        &self,
        limit: usize,
        accepts: impl Fn(i64) -> rusqlite::Result<bool>,
    ) -> rusqlite::Result<Vec<(i64, f64)>> {
        let is_accepted = |chunk_id| -> rusqlite::Result<bool> {
            Ok(!self.tombstones.contains(&chunk_id) && accepts(chunk_id)?)
        };
        let mut top = TopK::new(limit, MIN_SCORE);
        for (segment, scores) in &self.scored {
            top.extend(&segment.chunk_ids, scores, is_accepted)?;
        }
        let top = top.into_sorted().into_iter();
        Ok(top.map(|(chunk_id, score)| (chunk_id, f64::from(score))).collect())
    }
}

/// Counts the clauses that each chunk matches.
fn count_matches(clauses: &[Matches], chunks: usize) -> Vec<u8> {
    let mut has = vec![0_u8; chunks];
    for matches in clauses {
        matches.for_each(|posting| {
            if let Some(has) = has.get_mut(posting.ordinal as usize) {
                *has = has.saturating_add(1);
            }
        });
    }
    has
}

fn set(has: &mut [bool], ordinal: u32) {
    if let Some(has) = has.get_mut(ordinal as usize) {
        *has = true;
    }
}

fn retain(scores: &mut [f32], is_accepted: impl Fn(usize) -> bool) {
    for (ordinal, score) in scores.iter_mut().enumerate() {
        if !is_accepted(ordinal) {
            *score = 0.0;
        }
    }
}

/// The segments of a field, and the chunks deleted from them.
pub(super) struct LiveIndex {
    segments: Vec<Arc<Segment>>,
    tombstones: HashSet<i64>,
}

impl LiveIndex {
    pub(super) fn load(
        connection: &Connection,
        segments: &SegmentCache,
        field: Field,
    ) -> rusqlite::Result<Self> {
        Ok(Self {
            segments: segments.load(connection, field)?,
            tombstones: tombstones(connection, field)?,
        })
    }

    /// Counts all chunks, deleted ones included until a merge, as BM25 does.
    pub(super) fn chunks(&self) -> usize {
        self.segments.iter().map(|segment| segment.chunk_ids.len()).sum()
    }

    pub(super) fn average_length(&self) -> f32 {
        average_length(&self.segments)
    }

    /// Counts chunks that contain a word, up to a limit.
    pub(super) fn count(
        &self,
        connection: &Connection,
        word: &str,
        limit: usize,
    ) -> rusqlite::Result<usize> {
        let terms = term::terms_of(word);
        if terms.is_empty() {
            return Ok(0);
        }
        let clause = Clause::Phrase(terms);
        let mut count = 0;
        for segment in &self.segments {
            count += self.count_live(segment, &find_matches(connection, segment, &clause)?);
            if count >= limit {
                return Ok(limit);
            }
        }
        Ok(count)
    }

    /// Counts the matches in a segment that are not deleted.
    fn count_live(&self, segment: &Segment, matches: &Matches) -> usize {
        if self.tombstones.is_empty() {
            return matches.count();
        }
        let mut count = 0;
        matches.for_each(|posting| {
            let chunk_id = segment.chunk_ids.get(posting.ordinal as usize);
            count +=
                usize::from(chunk_id.is_some_and(|chunk_id| !self.tombstones.contains(chunk_id)));
        });
        count
    }
}

fn chunks_with(
    connection: &Connection,
    segments: &SegmentCache,
    clause: &Clause,
) -> rusqlite::Result<HashSet<i64>> {
    let mut found = HashSet::default();
    for segment in segments.load(connection, Field::Text)? {
        find_matches(connection, &segment, clause)?
            .for_each(|posting| found.extend(segment.chunk_ids.get(posting.ordinal as usize)));
    }
    Ok(found)
}

/// Chunks of a segment that match a clause.
enum Matches {
    Term(TermEntry),
    Collected(Vec<Posting>),
}

impl Matches {
    fn count(&self) -> usize {
        match self {
            Self::Term(entry) => entry.count as usize,
            Self::Collected(postings) => postings.len(),
        }
    }

    fn for_each(&self, visit: impl FnMut(Posting)) {
        match self {
            Self::Term(entry) => entry.postings().for_each(visit),
            Self::Collected(postings) => postings.iter().copied().for_each(visit),
        }
    }

    fn add_scores(
        &self,
        scores: &mut [f32],
        segment: &Segment,
        (weight, average_length): (f32, f32),
    ) {
        let per_word = K1 * B / average_length;
        self.for_each(|posting| {
            let ordinal = posting.ordinal as usize;
            let (Some(score), Some(length)) =
                (scores.get_mut(ordinal), segment.lengths.get(ordinal))
            else {
                return;
            };
            let times = TITLE_WEIGHT * posting.title as f32 + posting.body as f32;
            let length = K1 * (1.0 - B) + per_word * *length as f32;
            *score += weight * times * (K1 + 1.0) / (times + length);
        });
    }
}

fn find_matches(
    connection: &Connection,
    segment: &Segment,
    clause: &Clause,
) -> rusqlite::Result<Matches> {
    match clause {
        Clause::Phrase(terms) if terms.len() == 1 => {
            let entry = segment.find(connection, &terms[0])?;
            Ok(entry.map_or(Matches::Collected(Vec::new()), Matches::Term))
        }
        Clause::Phrase(terms) => phrase_matches(connection, segment, terms).map(Matches::Collected),
        Clause::Prefix(prefix) => {
            let entries = segment.find_prefix(connection, prefix, MAX_PREFIX_TERMS)?;
            Ok(Matches::Collected(merge_postings(&entries)))
        }
    }
}

/// Merges the postings of several terms, one per chunk.
fn merge_postings(entries: &[TermEntry]) -> Vec<Posting> {
    let mut must: BTreeMap<u32, Posting> = BTreeMap::new();
    for posting in entries.iter().flat_map(TermEntry::postings) {
        let known = must.entry(posting.ordinal).or_insert(Posting { title: 0, body: 0, ..posting });
        known.title += posting.title;
        known.body += posting.body;
    }
    must.into_values().collect()
}

/// Returns the chunks that contain these terms consecutively.
fn phrase_matches(
    connection: &Connection,
    segment: &Segment,
    terms: &[String],
) -> rusqlite::Result<Vec<Posting>> {
    // Positions in each chunk at which the terms so far end.
    let mut ends: Vec<(u32, Vec<u64>)> = Vec::new();
    for (ordinal, term) in terms.iter().enumerate() {
        let Some(entry) = segment.find(connection, term)? else { return Ok(Vec::new()) };
        let positions = term_positions(connection, segment, &entry)?;
        ends = if ordinal == 0 { positions } else { consecutive(&ends, positions) };
        if ends.is_empty() {
            return Ok(Vec::new());
        }
    }
    let posting = |(ordinal, positions): (u32, Vec<u64>)| {
        let title = positions.iter().filter(|position| **position < BODY_START).count();
        Posting { ordinal, title: title as u32, body: (positions.len() - title) as u32 }
    };
    Ok(ends.into_iter().map(posting).collect())
}

fn term_positions(
    connection: &Connection,
    segment: &Segment,
    entry: &TermEntry,
) -> rusqlite::Result<Vec<(u32, Vec<u64>)>> {
    let bytes = segment.positions(connection, entry)?;
    let mut left = &bytes[..];
    let positions = entry.postings().map_while(|posting| {
        Some((posting.ordinal, positions(read_positions_of(&mut left, posting)?, posting)))
    });
    Ok(positions.collect())
}

/// Keeps positions that directly follow one of the previous term.
fn consecutive(
    before: &[(u32, Vec<u64>)],
    positions: Vec<(u32, Vec<u64>)>,
) -> Vec<(u32, Vec<u64>)> {
    let mut found = Vec::new();
    for (ordinal, mut positions) in positions {
        let Ok(at) = before.binary_search_by_key(&ordinal, |(ordinal, _)| *ordinal) else {
            continue;
        };
        let ends = &before[at].1;
        positions.retain(|position| {
            position.checked_sub(1).is_some_and(|end| ends.binary_search(&end).is_ok())
        });
        if !positions.is_empty() {
            found.push((ordinal, positions));
        }
    }
    found
}

/// Returns the IDF of each clause.
fn weights(segments: &[Arc<Segment>], matches: &[Vec<Matches>], clauses: usize) -> Vec<f32> {
    let chunks: usize = segments.iter().map(|segment| segment.chunk_ids.len()).sum();
    let weight = |clause: usize| {
        let prefix: usize = matches.iter().map(|of_segment| of_segment[clause].count()).sum();
        let (prefix, without) = (prefix as f32, chunks.saturating_sub(prefix) as f32);
        ((without + 0.5) / (prefix + 0.5)).ln().max(MIN_IDF)
    };
    (0..clauses).map(weight).collect()
}

fn average_length(segments: &[Arc<Segment>]) -> f32 {
    let chunks: usize = segments.iter().map(|segment| segment.chunk_ids.len()).sum();
    let words: u64 = segments.iter().map(|segment| segment.words).sum();
    (words as f32 / chunks.max(1) as f32).max(1.0)
}
