//! How the words of a query occur in the text of a chunk.

use super::words::{QueryWords, Similarities, WordId};

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
    /// Where telling words are, in order.
    pub(super) matches: &'a [Match],
}

/// A place in a sequence, and the telling word that has the stem of the word there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Match {
    pub(super) place: usize,
    pub(super) word: usize,
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

/// How often each telling word occurs in a sequence.
struct Counts {
    in_title: Vec<usize>,
    in_body: Vec<usize>,
    is_exact: Vec<bool>,
}

impl Counts {
    fn new(query: &QueryWords, sequence: &Sequence<'_>) -> Self {
        let count = query.telling.len();
        let (mut in_title, mut in_body) = (vec![0; count], vec![0; count]);
        let mut is_exact = vec![false; count];
        for Match { place, word } in sequence.matches.iter().copied() {
            let counts = if place < sequence.title_words { &mut in_title } else { &mut in_body };
            counts[word] += 1;
            is_exact[word] |= query.telling[word] == sequence.words[place];
        }
        Self { in_title, in_body, is_exact }
    }

    fn occurrences(&self, word: usize) -> usize {
        self.in_title[word] + self.in_body[word]
    }

    fn matched(&self) -> usize {
        (0..self.in_title.len()).filter(|word| self.occurrences(*word) > 0).count()
    }
}

pub(super) fn text_features(
    query: &WeightedQuery<'_>,
    sequence: &Sequence<'_>,
    similarities: &Similarities,
) -> TextFeatures {
    let counts = Counts::new(query.words, sequence);
    let in_title = sequence.matches.partition_point(|one| one.place < sequence.title_words);
    let first = sequence.matches.get(in_title).map(|one| one.place - sequence.title_words);
    let (ordered_pairs, near_pairs) = pairs(query, sequence.matches);
    let late = LateInteraction::new(query, sequence, similarities);
    TextFeatures {
        coverage: query.share(|word| counts.occurrences(word) > 0),
        exact_coverage: query.share(|word| counts.is_exact[word]),
        title_coverage: query.share(|word| counts.in_title[word] > 0),
        title_precision: in_title as f64 / sequence.title_words.max(1) as f64,
        body_coverage: query.share(|word| counts.in_body[word] > 0),
        span: span(sequence.matches, &counts),
        ordered_pairs,
        near_pairs,
        phrase: longest_phrase(&query.words.sequence, sequence.words),
        first_position: first.map_or(9.0, |place| (1.0 + place as f64).log2()),
        late: late.mean(query, |_| true).unwrap_or_default(),
        late_unmatched: late.mean(query, |word| counts.occurrences(word) == 0).unwrap_or(1.0),
        late_min: late.best.iter().copied().fold(1.0, f64::min),
        rare_frequency: rare_frequency(query.idf, &counts),
    }
}

/// Returns the matched words over the length of the shortest stretch that has all of them; 0 with fewer than two.
fn span(matches: &[Match], counts: &Counts) -> f64 {
    let needed = counts.matched();
    if needed < 2 {
        return 0.0;
    }
    let mut inside = vec![0_usize; counts.in_title.len()];
    let (mut present, mut start, mut shortest) = (0, 0, usize::MAX);
    for end in matches {
        present += usize::from(inside[end.word] == 0);
        inside[end.word] += 1;
        while present == needed {
            let first = matches[start];
            shortest = shortest.min(end.place - first.place + 1);
            inside[first.word] -= 1;
            present -= usize::from(inside[first.word] == 0);
            start += 1;
        }
    }
    needed as f64 / shortest as f64
}

/// Returns the share of the query's pairs of consecutive known telling words that occur in order, as close as in the query, and
/// the share that occur near each other.
fn pairs(query: &WeightedQuery<'_>, matches: &[Match]) -> (f64, f64) {
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

fn find_pair(matches: &[Match], first: usize, second: usize, gap: usize) -> (bool, bool) {
    let (mut last_first, mut last_second) = (None, None);
    let (mut is_ordered, mut is_near) = (false, false);
    let within = |last: Option<usize>, place: usize, distance: usize| {
        last.is_some_and(|last| place - last <= distance)
    };
    for Match { place, word } in matches.iter().copied() {
        if word == first {
            last_first = Some(place);
            is_near |= within(last_second, place, NEAR);
        } else if word == second {
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
    let runs = query.iter().enumerate().flat_map(|(at, first)| {
        let starts = words.iter().enumerate().filter(move |(_, word)| *word == first);
        starts.map(move |(place, _)| common(at, place))
    });
    runs.max().unwrap_or(0)
}

/// Returns the saturated frequency of the rarest matched word.
fn rare_frequency(idf: &[f64], counts: &Counts) -> f64 {
    let matched = (0..idf.len()).filter(|word| counts.occurrences(*word) > 0);
    // Of equally rare words the first one counts.
    let rarest = matched.rev().max_by(|one, other| idf[*one].total_cmp(&idf[*other]));
    rarest.map_or(0.0, |word| {
        let frequency = counts.occurrences(word) as f64;
        frequency / (frequency + 1.0)
    })
}

/// The similarity of each telling word to the most similar word of the chunk.
struct LateInteraction {
    best: Vec<f64>,
}

impl LateInteraction {
    fn new(
        query: &WeightedQuery<'_>,
        sequence: &Sequence<'_>,
        similarities: &Similarities,
    ) -> Self {
        let best = |word| similarities.best(word, sequence.words);
        Self { best: (0..query.words.telling.len()).map(best).collect() }
    }

    /// Returns the mean over some telling words, weighted by IDF; None without any.
    fn mean(&self, query: &WeightedQuery<'_>, is_counted: impl Fn(usize) -> bool) -> Option<f64> {
        let counted = || (0..self.best.len()).filter(|word| is_counted(*word));
        let weight: f64 = counted().map(|word| query.idf[word]).sum();
        let sum: f64 = counted().map(|word| query.idf[word] * self.best[word]).sum();
        (weight > 1e-9).then(|| sum / weight)
    }
}
