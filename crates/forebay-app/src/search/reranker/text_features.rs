//! How the words of a query occur in the text of a chunk.

use super::words::{QueryWords, Vocabulary, WordId};

/// Words of a pair that are farther apart are not near.
const NEAR: usize = 5;

/// The telling words of a query with their weights.
pub(super) struct WeightedQuery<'a> {
    pub(super) words: &'a QueryWords,
    pub(super) idf: &'a [f64],
    /// Whether some chunk contains the word.
    pub(super) is_known: &'a [bool],
}

impl WeightedQuery<'_> {
    pub(super) fn idf_sum(&self) -> f64 {
        self.idf.iter().sum::<f64>().max(1e-6)
    }

    /// Returns the share of the query's IDF that the marked telling words have.
    pub(super) fn share(&self, is_marked: impl Fn(usize) -> bool) -> f64 {
        let marked = self.idf.iter().enumerate().filter(|(word, _)| is_marked(*word));
        marked.map(|(_, idf)| idf).sum::<f64>() / self.idf_sum()
    }
}

/// The words of a chunk: those of the title, then those of the text.
pub(super) struct Sequence<'a> {
    pub(super) words: &'a [WordId],
    pub(super) title_words: usize,
}

#[derive(Debug, Default)]
pub(super) struct TextFeatures {
    pub(super) coverage: f64,
    pub(super) exact_coverage: f64,
    pub(super) title_coverage: f64,
    pub(super) title_precision: f64,
    pub(super) body_coverage: f64,
    pub(super) span: f64,
    pub(super) ordered_pairs: f64,
    pub(super) near_pairs: f64,
    pub(super) phrase: usize,
    pub(super) first_position: f64,
    pub(super) late: f64,
    pub(super) late_unmatched: f64,
    pub(super) late_min: f64,
    pub(super) rare_frequency: f64,
}

/// The telling word at each place of a sequence, and how often each of them occurs.
struct Matches {
    at: Vec<Option<usize>>,
    in_title: Vec<usize>,
    in_body: Vec<usize>,
    is_exact: Vec<bool>,
}

impl Matches {
    fn new(query: &QueryWords, sequence: &Sequence<'_>, vocabulary: &Vocabulary) -> Self {
        let count = query.telling.len();
        let (mut in_title, mut in_body) = (vec![0; count], vec![0; count]);
        let mut is_exact = vec![false; count];
        let stems: Vec<_> = query.telling.iter().map(|word| vocabulary.stem(*word)).collect();
        let matching = |(place, word): (usize, &WordId)| {
            let stem = vocabulary.stem(*word);
            let found = stems.iter().position(|other| *other == stem)?;
            let counts = if place < sequence.title_words { &mut in_title } else { &mut in_body };
            counts[found] += 1;
            is_exact[found] |= query.telling[found] == *word;
            Some(found)
        };
        let at = sequence.words.iter().enumerate().map(matching).collect();
        Self { at, in_title, in_body, is_exact }
    }

    fn count(&self, word: usize) -> usize {
        self.in_title[word] + self.in_body[word]
    }

    fn matched(&self) -> usize {
        (0..self.in_title.len()).filter(|word| self.count(*word) > 0).count()
    }
}

pub(super) fn text_features(
    query: &WeightedQuery<'_>,
    sequence: &Sequence<'_>,
    vocabulary: &Vocabulary,
) -> TextFeatures {
    let matches = Matches::new(query.words, sequence, vocabulary);
    let title = &matches.at[..sequence.title_words];
    let body = &matches.at[sequence.title_words..];
    let first = body.iter().position(Option::is_some);
    let (ordered_pairs, near_pairs) = pairs(query, &matches);
    let late = LateInteraction::new(query, sequence, vocabulary);
    TextFeatures {
        coverage: query.share(|word| matches.count(word) > 0),
        exact_coverage: query.share(|word| matches.is_exact[word]),
        title_coverage: query.share(|word| matches.in_title[word] > 0),
        title_precision: title.iter().flatten().count() as f64 / title.len().max(1) as f64,
        body_coverage: query.share(|word| matches.in_body[word] > 0),
        span: span(&matches),
        ordered_pairs,
        near_pairs,
        phrase: longest_phrase(&query.words.sequence, sequence.words),
        first_position: first.map_or(9.0, |place| (1.0 + place as f64).log2()),
        late: late.mean(query, |_| true).unwrap_or_default(),
        late_unmatched: late.mean(query, |word| matches.count(word) == 0).unwrap_or(1.0),
        late_min: late.best.iter().copied().fold(1.0, f64::min),
        rare_frequency: rare_frequency(query.idf, &matches),
    }
}

/// Returns the matched words over the length of the shortest stretch that has all of them; 0 with fewer than two.
fn span(matches: &Matches) -> f64 {
    let needed = matches.matched();
    if needed < 2 {
        return 0.0;
    }
    let mut counts = vec![0_usize; matches.in_title.len()];
    let (mut present, mut start, mut shortest) = (0, 0, matches.at.len());
    for (end, word) in matches.at.iter().enumerate() {
        if let Some(word) = *word {
            present += usize::from(counts[word] == 0);
            counts[word] += 1;
        }
        while present == needed {
            shortest = shortest.min(end - start + 1);
            if let Some(word) = matches.at[start] {
                counts[word] -= 1;
                present -= usize::from(counts[word] == 0);
            }
            start += 1;
        }
    }
    needed as f64 / shortest as f64
}

/// Returns the share of the query's pairs of consecutive known telling words that occur in order, as close as in the query, and
/// the share that occur near each other.
fn pairs(query: &WeightedQuery<'_>, matches: &Matches) -> (f64, f64) {
    let (mut count, mut ordered, mut near) = (0_usize, 0_usize, 0_usize);
    let places = query.words.order.iter().enumerate();
    let telling = places.filter_map(|(place, word)| Some((place, (*word)?)));
    let telling: Vec<(usize, usize)> = telling.filter(|(_, word)| query.is_known[*word]).collect();
    for pair in telling.windows(2) {
        let [(first_place, first), (second_place, second)] = [pair[0], pair[1]];
        if first != second {
            let (is_ordered, is_near) =
                find_pair(matches, first, second, second_place - first_place);
            count += 1;
            ordered += usize::from(is_ordered);
            near += usize::from(is_near);
        }
    }
    let share = |found: usize| found as f64 / count.max(1) as f64;
    (share(ordered), share(near))
}

fn find_pair(matches: &Matches, first: usize, second: usize, gap: usize) -> (bool, bool) {
    let (mut last_first, mut last_second) = (None, None);
    let (mut is_ordered, mut is_near) = (false, false);
    let within = |last: Option<usize>, place: usize, distance: usize| {
        last.is_some_and(|last| place - last <= distance)
    };
    for (place, word) in matches.at.iter().enumerate() {
        if *word == Some(first) {
            last_first = Some(place);
            is_near |= within(last_second, place, NEAR);
        } else if *word == Some(second) {
            last_second = Some(place);
            is_ordered |= within(last_first, place, gap);
            is_near |= within(last_first, place, NEAR);
        }
    }
    (is_ordered, is_near)
}

/// Returns the length of the longest run of the query's words that occurs as written.
fn longest_phrase(query: &[WordId], words: &[WordId]) -> usize {
    let common = |at: usize, place: usize| {
        query[at..].iter().zip(&words[place..]).take_while(|(one, other)| one == other).count()
    };
    let runs = (0..query.len()).flat_map(|at| (0..words.len()).map(move |place| common(at, place)));
    runs.max().unwrap_or(0)
}

/// Returns the saturated frequency of the rarest matched word.
fn rare_frequency(idf: &[f64], matches: &Matches) -> f64 {
    let matched = (0..idf.len()).filter(|word| matches.count(*word) > 0);
    // Of equally rare words the first one counts.
    let rarest = matched.rev().max_by(|one, other| idf[*one].total_cmp(&idf[*other]));
    rarest.map_or(0.0, |word| {
        let frequency = matches.count(word) as f64;
        frequency / (frequency + 1.0)
    })
}

/// The similarity of each telling word to the most similar word of the chunk.
struct LateInteraction {
    best: Vec<f64>,
}

impl LateInteraction {
    fn new(query: &WeightedQuery<'_>, sequence: &Sequence<'_>, vocabulary: &Vocabulary) -> Self {
        let mut distinct = sequence.words.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let best = |word: &WordId| {
            let similarities = distinct.iter().map(|other| vocabulary.similarity(*word, *other));
            similarities.fold(0.0, f64::max)
        };
        Self { best: query.words.telling.iter().map(best).collect() }
    }

    /// Returns the mean over some telling words, weighted by IDF; None without any.
    fn mean(&self, query: &WeightedQuery<'_>, is_counted: impl Fn(usize) -> bool) -> Option<f64> {
        let counted = || (0..self.best.len()).filter(|word| is_counted(*word));
        let weight: f64 = counted().map(|word| query.idf[word]).sum();
        let sum: f64 = counted().map(|word| query.idf[word] * self.best[word]).sum();
        (weight > 1e-9).then(|| sum / weight)
    }
}
