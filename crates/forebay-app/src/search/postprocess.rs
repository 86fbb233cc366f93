//! Postprocessing of hits: exact phrases, near-duplicates, conflicting notes, order by time.

use std::cell::OnceCell;

use forebay_domain::conflict::Claim;
use forebay_domain::{EntryKind, Hit, Query};

use super::Sort;
use super::near_duplicates::{MIN_OVERLAP, WordSet};

/// Shorter chunks overlap by accident.
const MIN_FOLDED_WORDS: usize = 12;
/// Hits checked for contradicting notes; the rest is not shown anyway.
const MAX_COMPARED_NOTES: usize = 60;
/// Hits beyond the shown ones that are checked for duplicates: those score about the same.
const FOLD_LOOKAHEAD: usize = 15;
/// The first hits, which are of different entries where possible.
const DISTINCT_HITS: usize = 3;
/// Of those after them, so many may be of one entry while others match as well.
const MAX_PER_ENTRY: usize = 2;
/// The hits that are spread; few answers have more.
const SPREAD_HITS: usize = 20;
/// The share of the best score that a hit needs to be moved or sorted by time.
const MIN_SCORE_SHARE: f64 = 0.4;

/// Keeps the hits that contain every phrase of the query exactly.
pub(super) fn retain_phrases(mut hits: Vec<Hit>, query: &Query) -> Vec<Hit> {
    let phrases: Vec<String> = query.phrases.iter().map(|phrase| normalized(phrase)).collect();
    if phrases.is_empty() {
        return hits;
    }
    hits.retain(|hit| {
        let (title, text) = (normalized(&hit.title), normalized(&hit.text));
        phrases.iter().all(|phrase| text.contains(phrase) || title.contains(phrase))
    });
    hits
}

/// Returns the text in lower case with single spaces, for phrase comparison.
fn normalized(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Moves the newer of two notes that may contradict each other before the older, whatever their scores.
pub(super) fn reorder_conflicting_notes(hits: &mut [Hit]) {
    let mut claims: Vec<Option<Claim>> = hits.iter().take(MAX_COMPARED_NOTES).map(claim).collect();
    for older in 0..claims.len() {
        let contradicts = |newer: &usize| {
            hits[*newer].created > hits[older].created
                && conflict(claims[*newer].as_ref(), claims[older].as_ref())
        };
        if let Some(newer) = (older + 1..claims.len()).find(contradicts) {
            hits[older..=newer].rotate_right(1);
            claims[older..=newer].rotate_right(1);
        }
    }
}

/// Sets for each note the reference of a hit that may contradict it.
pub(super) fn mark_conflicts(hits: &mut [Hit]) {
    let claims: Vec<Option<Claim>> = hits.iter().map(claim).collect();
    for at in 0..hits.len() {
        let contradicts =
            |other: &usize| *other != at && conflict(claims[at].as_ref(), claims[*other].as_ref());
        let other = (0..hits.len()).find(contradicts);
        hits[at].conflicts = other.map(|other| hits[other].reference);
    }
}

/// Parses the claim of a hit that is a note.
fn claim(hit: &Hit) -> Option<Claim> {
    (hit.kind == EntryKind::Note).then(|| Claim::new(&hit.text))
}

fn conflict(one: Option<&Claim>, other: Option<&Claim>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.may_conflict_with(other))
}

/// Keeps one of several near-duplicates, with the count of the others, among the first `shown` hits and a few more.
/// Notes are folded only if their text is identical, and the newest stands for them: it names what it supersedes.
pub(super) fn merge_near_duplicates(hits: &mut Vec<Hit>, shown: usize) {
    let mut kept: Vec<(Hit, Option<WordSet>)> = Vec::with_capacity(hits.len());
    for hit in hits.drain(..) {
        let words = (kept.len() < shown + FOLD_LOOKAHEAD).then(|| WordSet::new(&hit.text));
        let is_same = |(other, known): &&mut (Hit, Option<WordSet>)| {
            let both = words.as_ref().zip(known.as_ref());
            both.is_some_and(|(words, known)| is_duplicate((&hit, words), (other, known)))
        };
        match kept.iter_mut().find(is_same) {
            Some((first, _)) => stand_for_both(first, hit),
            None => kept.push((hit, words)),
        }
    }
    hits.extend(kept.into_iter().map(|(hit, _)| hit));
}

fn stand_for_both(first: &mut Hit, duplicate: Hit) {
    // Its place is that of the first one, and so is what explains the place.
    let (score, terms, near_duplicates) = (first.score, first.terms, first.near_duplicates + 1);
    let is_note = first.kind == EntryKind::Note && duplicate.kind == EntryKind::Note;
    if is_note && duplicate.created > first.created {
        *first = Hit { score, terms, ..duplicate };
    }
    first.near_duplicates = near_duplicates;
}

fn is_duplicate((hit, words): (&Hit, &WordSet), (other, known): (&Hit, &WordSet)) -> bool {
    if words.surely_differs_from(known) || known.surely_differs_from(words) {
        return false;
    }
    let (words, known) = (words.distinct(&hit.text), known.distinct(&other.text));
    let (fewer, more) = (words.len().min(known.len()), words.len().max(known.len()));
    if fewer == 0 || (fewer as f64) < MIN_OVERLAP * more as f64 {
        return false;
    }
    if hit.text.trim() == other.text.trim() {
        return true;
    }
    let is_note = hit.kind == EntryKind::Note || other.kind == EntryKind::Note;
    !is_note
        && fewer >= MIN_FOLDED_WORDS
        && count_common(words, known) as f64 >= MIN_OVERLAP * more as f64
}

/// Counts the common elements of two sorted lists.
fn count_common(mut one: &[u64], mut other: &[u64]) -> usize {
    let mut count = 0;
    while let ([a, rest_of_one @ ..], [b, rest_of_other @ ..]) = (one, other) {
        count += usize::from(a == b);
        if a <= b {
            one = rest_of_one;
        }
        if b <= a {
            other = rest_of_other;
        }
    }
    count
}

/// Moves the best hit of each entry before further ones of the same entry, among the first few: a long text has many
/// chunks that match a little, and the reader can get more of it. A hit is moved if its score is not much lower than
/// the best, or if it has as many of the query's words: the score of a short text is low beside a long one that
/// repeats them.
pub(super) fn spread_over_entries(hits: &mut [Hit], count_matched: impl Fn(&Hit) -> usize) {
    let Some(best) = hits.first() else { return };
    let (best_score, most_matched) = (best.score, OnceCell::new());
    let most_matched = |best: &Hit| *most_matched.get_or_init(|| count_matched(best));
    for place in 1..SPREAD_HITS.min(hits.len()) {
        let (before, rest) = hits.split_at_mut(place);
        let max = if place < DISTINCT_HITS { 1 } else { MAX_PER_ENTRY };
        let has_room = |hit: &Hit| {
            let same = |other: &&Hit| other.reference == hit.reference && other.key == hit.key;
            before.iter().filter(same).count() < max
        };
        let deserves_place = |hit: &Hit| {
            hit.score >= MIN_SCORE_SHARE * best_score
                || count_matched(hit) >= most_matched(&before[0])
        };
        let is_next = |hit: &Hit| has_room(hit) && deserves_place(hit);
        if let Some(next) = rest.iter().position(is_next) {
            rest[..=next].rotate_right(1);
        }
    }
}

/// Sorts by time if requested; hits with low scores are dropped, since time hides their rank.
pub(super) fn sort(hits: &mut Vec<Hit>, sort: Sort) {
    if sort == Sort::Relevance {
        return;
    }
    let best = hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
    hits.retain(|hit| hit.score >= MIN_SCORE_SHARE * best);
    match sort {
        Sort::Newest => hits.sort_by_key(|hit| std::cmp::Reverse(hit.created)),
        _ => hits.sort_by_key(|hit| hit.created),
    }
}

#[cfg(test)]
mod tests {
    use forebay_domain::hit::ScoreTerms;
    use forebay_domain::{Reference, Timestamp};

    use super::*;

    fn note(reference: &str, created: i64, score: f64) -> Hit {
        Hit {
            reference: Reference::parse(reference).unwrap(),
            kind: EntryKind::Note,
            note: None,
            title: reference.into(),
            source: "".into(),
            key: None,
            created: Timestamp(created),
            words: 0.0,
            similarity: 0.0,
            score,
            terms: ScoreTerms { words: score, ..ScoreTerms::default() },
            lines: (1, 1),
            text: "We deploy on Mondays with two people.".to_owned().into(),
            matched: Vec::new(),
            supersedes: None,
            conflicts: None,
            near_duplicates: 0,
        }
    }

    #[test]
    fn the_newest_of_equal_notes_has_the_place_of_the_best_and_the_terms_of_its_score() {
        let mut hits = vec![note("aaaaaaaaaa", 1, 0.8), note("bbbbbbbbbb", 2, 0.5)];
        merge_near_duplicates(&mut hits, 10);
        let [hit] = &hits[..] else { panic!("{hits:?}") };
        assert_eq!((hit.reference.as_str(), hit.near_duplicates), ("bbbbbbbbbb", 1));
        assert_eq!((hit.score, hit.terms.words), (0.8, 0.8));
    }
}
