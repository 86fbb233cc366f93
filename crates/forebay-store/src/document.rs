//! Keeps one long document from taking every place of a ranking.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Identifies a text of its own: an entry, or a part of one that has a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DocumentId {
    pub entry: i64,
    /// Hash of the key; 0 without one.
    key: u64,
}

impl DocumentId {
    pub fn new(entry: i64, key: Option<&str>) -> Self {
        let hash = |key: &str| {
            let mut hasher = DefaultHasher::new();
            key.hash(&mut hasher);
            hasher.finish()
        };
        Self { entry, key: key.map_or(0, hash) }
    }
}

/// Looks up which chunks form a document.
pub trait Documents {
    type Error;

    /// Returns the document of each chunk; None if it was deleted in the meantime.
    fn of_chunks(&mut self, chunk_ids: &[i64]) -> Result<Vec<Option<DocumentId>>, Self::Error>;

    /// Returns the chunks of a document.
    fn chunks(&mut self, document: DocumentId) -> Result<Vec<i64>, Self::Error>;
}

/// The chunks that a ranking delivers.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    pub count: usize,
    /// Maximum for one document while others match, too.
    per_document: usize,
}

impl Places {
    /// Returns `count` places of which the first `selected` are what the caller wants.
    pub fn new(count: usize, selected: usize) -> Self {
        Self { count, per_document: (selected / 10).max(3) }
    }
}

/// Ranks the best chunks so that no document crowds out others: its chunks beyond a maximum come after all others.
///
/// `best` returns up to `places.count` chunks, best first, without the excluded ones. It is called again only if it returned
/// that many and a document has too many of them.
pub fn spread<Score: Copy + PartialOrd, D: Documents>(
    places: Places,
    documents: &mut D,
    mut best: impl FnMut(&mut D, &ChunkRanges) -> Result<Vec<(i64, Score)>, D::Error>,
) -> Result<Vec<(i64, Score)>, D::Error> {
    let mut excluded = ChunkRanges::default();
    // The best chunks of crowded documents, and the first ones beyond their maximum.
    let (mut held, mut surplus) = (Vec::new(), Vec::new());
    loop {
        let mut found = best(documents, &excluded)?;
        if found.len() < places.count {
            return Ok(joined(held, found, surplus, places.count));
        }
        let max = places.per_document;
        let crowded = split_crowded(documents, max, &mut found, &mut held, &mut surplus)?;
        if crowded.is_empty() || held.len() + found.len() >= places.count {
            return Ok(joined(held, found, surplus, places.count));
        }
        // These are no longer among a document's chunks if it was deleted in the meantime.
        excluded.extend(held.iter().chain(&surplus).map(|(chunk_id, _)| *chunk_id));
        for document in crowded {
            excluded.extend(documents.chunks(document)?);
        }
    }
}

/// Moves the chunks of documents with more than `max` from `found` to `held` and `surplus`; returns these documents.
fn split_crowded<Score: Copy, D: Documents>(
    documents: &mut D,
    max: usize,
    found: &mut Vec<(i64, Score)>,
    held: &mut Vec<(i64, Score)>,
    surplus: &mut Vec<(i64, Score)>,
) -> Result<Vec<DocumentId>, D::Error> {
    let chunk_ids: Vec<i64> = found.iter().map(|(chunk_id, _)| *chunk_id).collect();
    let of_chunks = documents.of_chunks(&chunk_ids)?;
    let mut counts: HashMap<DocumentId, usize> = HashMap::new();
    for document in of_chunks.iter().flatten() {
        *counts.entry(*document).or_default() += 1;
    }
    counts.retain(|_, count| *count > max);
    if counts.is_empty() {
        return Ok(Vec::new());
    }
    let mut places: HashMap<DocumentId, usize> = HashMap::new();
    let mut others = Vec::with_capacity(found.len());
    for (one, document) in found.drain(..).zip(of_chunks) {
        let Some(document) = document.filter(|document| counts.contains_key(document)) else {
            others.push(one);
            continue;
        };
        let place = places.entry(document).or_default();
        *place += 1;
        if *place <= max { held.push(one) } else { surplus.push(one) }
    }
    *found = others;
    Ok(counts.into_keys().collect())
}

/// Merges the chunks of crowded documents with the others, best first, and fills up with the surplus.
fn joined<Score: PartialOrd>(
    held: Vec<(i64, Score)>,
    mut found: Vec<(i64, Score)>,
    surplus: Vec<(i64, Score)>,
    limit: usize,
) -> Vec<(i64, Score)> {
    if held.is_empty() {
        return found;
    }
    found.extend(held);
    found.sort_by(|a, b| {
        b.1.partial_cmp(&a.1).unwrap_or(std::cmp::Ordering::Equal).then(b.0.cmp(&a.0))
    });
    found.extend(surplus);
    found.truncate(limit);
    found
}

/// A set of chunks; those of an entry usually have consecutive ids.
#[derive(Debug, Default)]
pub struct ChunkRanges {
    /// First and last ids, sorted and disjoint.
    ranges: Vec<(i64, i64)>,
}

impl ChunkRanges {
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub fn contains(&self, chunk_id: i64) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first <= chunk_id);
        after > 0 && chunk_id <= self.ranges[after - 1].1
    }

    /// Returns the first and the last id of each range.
    pub fn bounds(&self) -> (Vec<i64>, Vec<i64>) {
        self.ranges.iter().copied().unzip()
    }

    fn extend(&mut self, chunk_ids: impl IntoIterator<Item = i64>) {
        self.ranges.extend(chunk_ids.into_iter().map(|chunk_id| (chunk_id, chunk_id)));
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|(first, last), (_, previous_last)| {
            let is_adjacent = *first <= previous_last.saturating_add(1);
            if is_adjacent {
                *previous_last = (*previous_last).max(*last);
            }
            is_adjacent
        });
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Chunks by id; each document has the ids of one hundred.
    struct Hundreds;

    impl Documents for Hundreds {
        type Error = Infallible;

        fn of_chunks(&mut self, chunk_ids: &[i64]) -> Result<Vec<Option<DocumentId>>, Infallible> {
            Ok(chunk_ids.iter().map(|id| Some(DocumentId::new(id / 100, None))).collect())
        }

        fn chunks(&mut self, document: DocumentId) -> Result<Vec<i64>, Infallible> {
            Ok((document.entry * 100..(document.entry + 1) * 100).collect())
        }
    }

    /// Returns the chunks in the order in which they are ranked, and how often the ranking was computed.
    fn ranked(limit: usize, by_score: &[i64]) -> (Vec<i64>, usize) {
        let mut calls = 0;
        let Ok(ranked) = spread(Places::new(limit, limit), &mut Hundreds, |_, excluded| {
            calls += 1;
            let scored = by_score.iter().enumerate().map(|(place, id)| (*id, -(place as f64)));
            let kept = scored.filter(|(id, _)| !excluded.contains(*id));
            Ok(kept.take(limit).collect())
        });
        (ranked.into_iter().map(|(id, _)| id).collect(), calls)
    }

    #[test]
    fn a_long_document_leaves_room_for_others_and_fills_up_the_rest() {
        let by_score: Vec<i64> = (100..180).chain([201, 301]).collect();
        assert_eq!(ranked(8, &by_score), (vec![100, 101, 102, 201, 301, 103, 104, 105], 2));
    }

    #[test]
    fn several_long_documents_leave_room_too() {
        let by_score: Vec<i64> = (100..180).chain(200..280).chain([301]).collect();
        let expected = vec![100, 101, 102, 200, 201, 202, 301, 103];
        assert_eq!(ranked(8, &by_score), (expected, 3));
    }

    #[test]
    fn an_uncrowded_ranking_is_computed_once_and_unchanged() {
        let by_score = [100, 201, 301, 202, 101, 401, 203, 501, 601];
        assert_eq!(ranked(8, &by_score), (by_score[..8].to_vec(), 1));
        let few = [100, 101, 102, 103, 104];
        assert_eq!(ranked(8, &few), (few.to_vec(), 1));
    }

    #[test]
    fn ranges_contain_what_was_added() {
        let mut ranges = ChunkRanges::default();
        ranges.extend(vec![7, 5, 6, 9]);
        ranges.extend(vec![1, 8]);
        assert_eq!(ranges.bounds(), (vec![1, 5], vec![1, 9]));
        let contained: Vec<i64> = (0..12).filter(|id| ranges.contains(*id)).collect();
        assert_eq!(contained, [1, 5, 6, 7, 8, 9]);
    }
}
