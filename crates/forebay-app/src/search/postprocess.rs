//! The last order of hits: what breaks the question's word goes, what says the same is folded, the newer of
//! two notes that contradict each other stands first.

use forebay_domain::conflict::Claim;
use forebay_domain::{EntryKind, Hit, Query};

use super::Sort;
use super::near_duplicates::{NEARLY_SAME, Wording};

/// Short passages are alike by accident.
const FEW_WORDS: usize = 12;
/// Notes that are compared with one another; the rest is not shown anyway.
const COMPARED: usize = 60;
/// Beyond those that are shown, passages that are looked at for being the same: what says nearly the same fits
/// nearly as well.
const BEHIND: usize = 15;
/// Of the best hit's score, what a hit must have to count where time decides.
const RELEVANT: f64 = 0.4;

/// The hits in which every phrase stands as it was asked for, and no unwanted word.
pub(super) fn kept(mut hits: Vec<Hit>, question: &Query) -> Vec<Hit> {
    let phrases: Vec<String> = question.phrases.iter().map(|phrase| plain(phrase)).collect();
    if phrases.is_empty() {
        return hits;
    }
    hits.retain(|hit| {
        let (title, text) = (plain(&hit.title), plain(&hit.text));
        phrases.iter().all(|phrase| text.contains(phrase) || title.contains(phrase))
    });
    hits
}

/// Lower case, one blank between words: what a phrase is compared by.
fn plain(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Of two notes that may contradict each other the newer comes first, whichever fits better.
pub(super) fn newer_first(hits: &mut [Hit]) {
    let mut claims: Vec<Option<Claim>> = hits.iter().take(COMPARED).map(claim).collect();
    for place in 0..claims.len() {
        let contradicts = |newer: &usize| {
            hits[*newer].created > hits[place].created
                && conflict(claims[*newer].as_ref(), claims[place].as_ref())
        };
        if let Some(newer) = (place + 1..claims.len()).find(contradicts) {
            hits[place..=newer].rotate_right(1);
            claims[place..=newer].rotate_right(1);
        }
    }
}

/// Tells of each note the one among the hits that may say the opposite.
pub(super) fn name_conflicts(hits: &mut [Hit]) {
    let claims: Vec<Option<Claim>> = hits.iter().map(claim).collect();
    for at in 0..hits.len() {
        let contradicts =
            |other: &usize| *other != at && conflict(claims[at].as_ref(), claims[*other].as_ref());
        let other = (0..hits.len()).find(contradicts);
        hits[at].conflicts = other.map(|other| hits[other].reference);
    }
}

/// What a hit claims, if it is a note.
fn claim(hit: &Hit) -> Option<Claim> {
    (hit.kind == EntryKind::Note).then(|| Claim::new(&hit.text))
}

fn conflict(one: Option<&Claim>, other: Option<&Claim>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.may_conflict_with(other))
}

/// Keeps one of the passages that say nearly the same, with the count of the others; `shown` are wanted. Notes
/// are never folded into anything but the same words.
pub(super) fn fold(hits: &mut Vec<Hit>, shown: usize) {
    let mut kept: Vec<(Hit, Option<Wording>)> = Vec::with_capacity(hits.len());
    for hit in hits.drain(..) {
        let wording = (kept.len() < shown + BEHIND).then(|| Wording::of(&hit.text));
        let is_same = |(other, known): &&mut (Hit, Option<Wording>)| {
            let both = wording.as_ref().zip(known.as_ref());
            both.is_some_and(|(own, known)| says_the_same((&hit, own), (other, known)))
        };
        match kept.iter_mut().find(is_same) {
            Some((first, _)) => first.near_duplicates += 1,
            None => kept.push((hit, wording)),
        }
    }
    hits.extend(kept.into_iter().map(|(hit, _)| hit));
}

fn says_the_same((hit, words): (&Hit, &Wording), (other, known): (&Hit, &Wording)) -> bool {
    if words.surely_differs_from(known) || known.surely_differs_from(words) {
        return false;
    }
    let (words, known) = (words.distinct(&hit.text), known.distinct(&other.text));
    let (fewer, more) = (words.len().min(known.len()), words.len().max(known.len()));
    if fewer == 0 || (fewer as f64) < NEARLY_SAME * more as f64 {
        return false;
    }
    if hit.text.trim() == other.text.trim() {
        return true;
    }
    let is_note = hit.kind == EntryKind::Note || other.kind == EntryKind::Note;
    !is_note && fewer >= FEW_WORDS && shared(words, known) as f64 >= NEARLY_SAME * more as f64
}

/// How many two sorted lists have in common.
fn shared(mut one: &[u64], mut other: &[u64]) -> usize {
    let mut shared = 0;
    while let ([a, rest_of_one @ ..], [b, rest_of_other @ ..]) = (one, other) {
        shared += usize::from(a == b);
        if a <= b {
            one = rest_of_one;
        }
        if b <= a {
            other = rest_of_other;
        }
    }
    shared
}

/// By time where that is asked for: of those that fit, not of all that have some word.
pub(super) fn sort(hits: &mut Vec<Hit>, sort: Sort) {
    if sort == Sort::Relevance {
        return;
    }
    let best = hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
    hits.retain(|hit| hit.score >= RELEVANT * best);
    match sort {
        Sort::Newest => hits.sort_by_key(|hit| std::cmp::Reverse(hit.created)),
        _ => hits.sort_by_key(|hit| hit.created),
    }
}
