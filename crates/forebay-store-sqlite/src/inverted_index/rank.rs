//! The passages that fit a question best, by BM25: rare words tell more, and a word tells more in a short
//! passage than in a long one.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use forebay_domain::EntryKind;
use forebay_store::top_k::TopK;
use forebay_store::{IndexQuery, bm25};
use rusqlite::Connection;

use super::page::Entry;
use super::postings::{Posting, places, take_places};
use super::segment::{Segment, Segments};
use super::{Side, gone, term};

const SATURATION: f32 = bm25::SATURATION as f32;
const LENGTH: f32 = bm25::LENGTH as f32;
const LEAST_WORTH: f32 = bm25::LEAST_WORTH as f32;
/// A match in the title tells more than one in the body.
const TITLE: f32 = 2.0;
/// Words of a segment that one beginning may stand for.
const MOST_BEGINNINGS: usize = 200;
/// Whatever fits has more than no score.
const LEAST_SCORE: f32 = f32::MIN_POSITIVE;
/// Where places of the body begin.
const BODY: u64 = 1 << 32;

/// What is asked of the index.
pub(in super::super) struct Asked {
    /// A passage has some of these,
    any: Vec<Clause>,
    /// all of these,
    all: Vec<Clause>,
    /// and none of these.
    none: Vec<Clause>,
    /// Of the first it has at least so many.
    least: usize,
    /// It is of one of these kinds; of any where none is named. Only what surely is of none is left out by it.
    kinds: Vec<EntryKind>,
}

enum Clause {
    /// Terms one after the other; mostly one.
    Phrase(Vec<String>),
    Beginning(String),
}

impl Asked {
    pub(in super::super) fn of(query: &IndexQuery) -> Self {
        let phrases = |texts: &[String]| -> Vec<Clause> {
            let terms = texts.iter().map(|text| term::of_text(text));
            terms.filter(|terms| !terms.is_empty()).map(Clause::Phrase).collect()
        };
        let beginnings = query.beginnings.iter().filter_map(|text| term::of_text(text).pop());
        let mut any = phrases(&query.words);
        any.extend(beginnings.map(Clause::Beginning));
        let least = query.least_words.min(any.len());
        // A kind of note is another way to be wanted.
        let kinds = if query.notes.is_empty() { query.kinds.clone() } else { Vec::new() };
        Self { any, all: phrases(&query.phrases), none: phrases(&query.without), least, kinds }
    }

    pub(in super::super) fn is_empty(&self) -> bool {
        self.any.is_empty() && self.all.is_empty()
    }

    /// The best passages, best first, of those that `allows` lets through; it is asked of few.
    pub(in super::super) fn best(
        &self,
        connection: &Connection,
        (segments, side): (&Segments, Side),
        most: usize,
        allows: impl Fn(i64) -> rusqlite::Result<bool>,
    ) -> rusqlite::Result<Vec<(i64, f64)>> {
        let Present { segments, gone } = Present::of(connection, segments, side)?;
        let matches = self.matches(connection, &segments)?;
        let weights = weights(&segments, &matches, self.any.len() + self.all.len());
        let average = average_length(&segments);
        let fits = |passage| -> rusqlite::Result<bool> {
            Ok(!gone.contains(&passage) && allows(passage)?)
        };
        let mut best = TopK::new(most, LEAST_SCORE);
        let mut scores = Vec::new();
        for (segment, matches) in segments.iter().zip(&matches) {
            if !segment.may_have(connection, &self.kinds)? {
                continue;
            }
            self.score(segment, matches, (&weights, average), &mut scores);
            best.take_from(&segment.passages, &scores, fits)?;
        }
        let best = best.in_order().into_iter();
        Ok(best.map(|(passage, score)| (passage, f64::from(score))).collect())
    }

    /// Passages that have all that must stand there; none where nothing must.
    pub(in super::super) fn required(
        &self,
        connection: &Connection,
        segments: &Segments,
    ) -> rusqlite::Result<Option<HashSet<i64>>> {
        let mut required: Option<HashSet<i64>> = None;
        for clause in &self.all {
            let found = passages_with(connection, segments, clause)?;
            required = Some(match required {
                Some(before) => before.intersection(&found).copied().collect(),
                None => found,
            });
        }
        Ok(required)
    }

    /// Passages that have what must not stand there.
    pub(in super::super) fn unwanted(
        &self,
        connection: &Connection,
        segments: &Segments,
    ) -> rusqlite::Result<HashSet<i64>> {
        let mut unwanted = HashSet::new();
        for clause in &self.none {
            unwanted.extend(passages_with(connection, segments, clause)?);
        }
        Ok(unwanted)
    }

    /// What each segment has of each clause.
    fn matches(
        &self,
        connection: &Connection,
        segments: &[Arc<Segment>],
    ) -> rusqlite::Result<Vec<Vec<Matches>>> {
        let clauses = || self.any.iter().chain(&self.all).chain(&self.none);
        let of_segment = |segment: &Arc<Segment>| {
            clauses().map(|clause| matches(connection, segment, clause)).collect()
        };
        segments.iter().map(of_segment).collect()
    }

    /// Writes the score of each passage of a segment; 0 for those that do not fit.
    fn score(
        &self,
        segment: &Segment,
        matches: &[Matches],
        (weights, average): (&[f32], f32),
        scores: &mut Vec<f32>,
    ) {
        scores.clear();
        scores.resize(segment.passages.len(), 0.0);
        let (any, rest) = matches.split_at(self.any.len());
        let (all, none) = rest.split_at(self.all.len());
        for (matches, weight) in any.iter().zip(weights) {
            matches.add_to(scores, segment, (*weight, average));
        }
        if self.least > 1 {
            let has = how_many(any, scores.len());
            keep(scores, |number| usize::from(has[number]) >= self.least);
        }
        let mut fits_any: Vec<bool> = Vec::new();
        if !all.is_empty() && !any.is_empty() {
            fits_any = scores.iter().map(|score| *score > 0.0).collect();
        }
        for (matches, weight) in all.iter().zip(&weights[any.len()..]) {
            matches.add_to(scores, segment, (*weight, average));
        }
        for matches in all {
            let mut has = vec![false; scores.len()];
            matches.each(|posting| mark(&mut has, posting.passage));
            keep(scores, |number| has[number]);
        }
        if !fits_any.is_empty() {
            keep(scores, |number| fits_any[number]);
        }
        for matches in none {
            matches.each(|posting| {
                if let Some(score) = scores.get_mut(posting.passage as usize) {
                    *score = 0.0;
                }
            });
        }
    }
}

/// How many of the clauses each passage has.
fn how_many(clauses: &[Matches], passages: usize) -> Vec<u8> {
    let mut has = vec![0_u8; passages];
    for matches in clauses {
        matches.each(|posting| {
            if let Some(has) = has.get_mut(posting.passage as usize) {
                *has = has.saturating_add(1);
            }
        });
    }
    has
}

fn mark(has: &mut [bool], passage: u32) {
    if let Some(has) = has.get_mut(passage as usize) {
        *has = true;
    }
}

fn keep(scores: &mut [f32], fits: impl Fn(usize) -> bool) {
    for (number, score) in scores.iter_mut().enumerate() {
        if !fits(number) {
            *score = 0.0;
        }
    }
}

/// One side of the index as it stands: its segments, and the passages in them that were forgotten.
pub(super) struct Present {
    segments: Vec<Arc<Segment>>,
    gone: HashSet<i64>,
}

impl Present {
    pub(super) fn of(
        connection: &Connection,
        segments: &Segments,
        side: Side,
    ) -> rusqlite::Result<Self> {
        Ok(Self { segments: segments.of(connection, side)?, gone: gone(connection, side)? })
    }

    /// How many passages have a word, counted up to `most`.
    pub(super) fn count(
        &self,
        connection: &Connection,
        word: &str,
        most: usize,
    ) -> rusqlite::Result<usize> {
        let terms = term::of_text(word);
        if terms.is_empty() {
            return Ok(0);
        }
        let clause = Clause::Phrase(terms);
        let mut count = 0;
        for segment in &self.segments {
            count += self.count_there(segment, &matches(connection, segment, &clause)?);
            if count >= most {
                return Ok(most);
            }
        }
        Ok(count)
    }

    /// How many of the matches in a segment were not forgotten.
    fn count_there(&self, segment: &Segment, matches: &Matches) -> usize {
        if self.gone.is_empty() {
            return matches.count();
        }
        let mut count = 0;
        matches.each(|posting| {
            let passage = segment.passages.get(posting.passage as usize);
            count += usize::from(passage.is_some_and(|passage| !self.gone.contains(passage)));
        });
        count
    }
}

fn passages_with(
    connection: &Connection,
    segments: &Segments,
    clause: &Clause,
) -> rusqlite::Result<HashSet<i64>> {
    let mut found = HashSet::new();
    for segment in segments.of(connection, Side::Own)? {
        matches(connection, &segment, clause)?
            .each(|posting| found.extend(segment.passages.get(posting.passage as usize)));
    }
    Ok(found)
}

/// The passages of a segment that have what a clause asks for.
enum Matches {
    OfWord(Entry),
    Read(Vec<Posting>),
}

impl Matches {
    fn count(&self) -> usize {
        match self {
            Self::OfWord(entry) => entry.count as usize,
            Self::Read(postings) => postings.len(),
        }
    }

    fn each(&self, take: impl FnMut(Posting)) {
        match self {
            Self::OfWord(entry) => entry.postings().for_each(take),
            Self::Read(postings) => postings.iter().copied().for_each(take),
        }
    }

    fn add_to(&self, scores: &mut [f32], segment: &Segment, (weight, average): (f32, f32)) {
        let per_word = SATURATION * LENGTH / average;
        self.each(|posting| {
            let number = posting.passage as usize;
            let (Some(score), Some(length)) = (scores.get_mut(number), segment.lengths.get(number))
            else {
                return;
            };
            let times = TITLE * posting.title as f32 + posting.body as f32;
            let length = SATURATION * (1.0 - LENGTH) + per_word * *length as f32;
            *score += weight * times * (SATURATION + 1.0) / (times + length);
        });
    }
}

fn matches(
    connection: &Connection,
    segment: &Segment,
    clause: &Clause,
) -> rusqlite::Result<Matches> {
    match clause {
        Clause::Phrase(terms) if terms.len() == 1 => {
            let entry = segment.find(connection, &terms[0])?;
            Ok(entry.map_or(Matches::Read(Vec::new()), Matches::OfWord))
        }
        Clause::Phrase(terms) => phrase(connection, segment, terms).map(Matches::Read),
        Clause::Beginning(with) => {
            let entries = segment.beginning(connection, with, MOST_BEGINNINGS)?;
            Ok(Matches::Read(any_of(&entries)))
        }
    }
}

/// What any of these words has, each passage once.
fn any_of(entries: &[Entry]) -> Vec<Posting> {
    let mut all: BTreeMap<u32, Posting> = BTreeMap::new();
    for posting in entries.iter().flat_map(Entry::postings) {
        let known = all.entry(posting.passage).or_insert(Posting { title: 0, body: 0, ..posting });
        known.title += posting.title;
        known.body += posting.body;
    }
    all.into_values().collect()
}

/// The passages in which these words stand one after the other.
fn phrase(
    connection: &Connection,
    segment: &Segment,
    terms: &[String],
) -> rusqlite::Result<Vec<Posting>> {
    // Each passage with the places where what was looked at so far ends.
    let mut ends: Vec<(u32, Vec<u64>)> = Vec::new();
    for (number, term) in terms.iter().enumerate() {
        let Some(entry) = segment.find(connection, term)? else { return Ok(Vec::new()) };
        let own = places_of(connection, segment, &entry)?;
        ends = if number == 0 { own } else { following(&ends, own) };
        if ends.is_empty() {
            return Ok(Vec::new());
        }
    }
    let posting = |(passage, places): (u32, Vec<u64>)| {
        let title = places.iter().filter(|place| **place < BODY).count();
        Posting { passage, title: title as u32, body: (places.len() - title) as u32 }
    };
    Ok(ends.into_iter().map(posting).collect())
}

fn places_of(
    connection: &Connection,
    segment: &Segment,
    entry: &Entry,
) -> rusqlite::Result<Vec<(u32, Vec<u64>)>> {
    let bytes = segment.places(connection, entry)?;
    let mut left = &bytes[..];
    let own = entry.postings().map_while(|posting| {
        Some((posting.passage, places(take_places(&mut left, posting)?, posting)))
    });
    Ok(own.collect())
}

/// Those places that come right after one before.
fn following(before: &[(u32, Vec<u64>)], own: Vec<(u32, Vec<u64>)>) -> Vec<(u32, Vec<u64>)> {
    let mut found = Vec::new();
    for (passage, mut places) in own {
        let Ok(at) = before.binary_search_by_key(&passage, |(passage, _)| *passage) else {
            continue;
        };
        let ends = &before[at].1;
        places.retain(|place| {
            place.checked_sub(1).is_some_and(|end| ends.binary_search(&end).is_ok())
        });
        if !places.is_empty() {
            found.push((passage, places));
        }
    }
    found
}

/// What each clause tells: the more, the fewer passages have it.
fn weights(segments: &[Arc<Segment>], matches: &[Vec<Matches>], clauses: usize) -> Vec<f32> {
    let passages: usize = segments.iter().map(|segment| segment.passages.len()).sum();
    let weight = |clause: usize| {
        let with: usize = matches.iter().map(|of_segment| of_segment[clause].count()).sum();
        let (with, without) = (with as f32, passages.saturating_sub(with) as f32);
        ((without + 0.5) / (with + 0.5)).ln().max(LEAST_WORTH)
    };
    (0..clauses).map(weight).collect()
}

fn average_length(segments: &[Arc<Segment>]) -> f32 {
    let passages: usize = segments.iter().map(|segment| segment.passages.len()).sum();
    let words: u64 = segments.iter().map(|segment| segment.words).sum();
    (words as f32 / passages.max(1) as f32).max(1.0)
}
