//! A segment in the making: words are taken as they come, and put in order in the end.

use std::ops::Range;

use forebay_store::vocabulary::is_word;
use forebay_text::prefetch;
use forebay_text::subwords;
use forebay_text::words::push_lower;

use super::encoded_segment::Draft;
use super::members::Members;
use super::names::Names;
use super::postings::{List, PlaceWriter, Posting};
use super::table::Table;
use super::terms::Terms;
use super::{Side, term, varint};

/// A segment with more words than this is closed: memory is bounded, whatever is indexed.
const MOST_WORDS: usize = 4_000_000;
/// And so is one with so many passages: more cannot be told apart while it is made.
pub(super) const MOST_PASSAGES: usize = 1 << (u32::BITS - Spot::FIELD_BITS);
/// From so many words on there is room for all: to grow by steps would copy them, and use the memory of each step.
const MANY_WORDS: usize = 1 << 16;
/// Terms between the one that is fetched and the one that is written.
const AHEAD: usize = 8;

#[derive(Default)]
pub(super) struct Builder {
    passages: Members,
    /// What each run of letters stands for.
    runs: Table<Run>,
    compounds: Vec<Compound>,
    /// The terms of all compounds, one after the other.
    of_compounds: Vec<u32>,
    terms: Terms,
    /// The term of each word, in the order in which they stand: title and body of one passage after the other.
    words: Vec<u32>,
    /// Where the words of each title and of each body end.
    ends: Vec<u32>,
    vocabulary: Names,
    /// Room for a term.
    term: String,
    /// Room for what stands inside the runs of a text.
    inside: Vec<Range<usize>>,
    /// Counts texts, to tell which compounds were seen in the present one.
    text: u32,
}

/// What a run of letters stands for.
#[derive(Clone, Copy)]
enum Run {
    /// One term, as nearly all do.
    Plain(u32),
    /// A compound, by its number.
    Compound(u32),
}

impl Default for Run {
    fn default() -> Self {
        Self::Plain(0)
    }
}

/// So many terms from a place in `of_compounds` on, and then so many that stand inside the run.
struct Compound {
    start: u32,
    terms: u32,
    inner: u32,
    seen_in: u32,
}

impl Compound {
    fn terms(&self) -> Range<usize> {
        self.start as usize..(self.start + self.terms) as usize
    }

    fn inner(&self) -> Range<usize> {
        let start = self.start + self.terms;
        start as usize..(start + self.inner) as usize
    }
}

impl Builder {
    pub(super) fn add(&mut self, passage: i64, title: &str, body: &str) {
        let before = self.words.len();
        if before >= MANY_WORDS {
            // The passage that makes it full has less than many.
            self.words.reserve_exact((MOST_WORDS + MANY_WORDS).saturating_sub(before));
        }
        for text in [title, body] {
            self.add_text(text);
            self.ends.push(self.words.len() as u32);
        }
        self.passages.add(passage, (self.words.len() - before) as u32);
    }

    /// Gives passages their ids in place of their numbers.
    pub(super) fn name_passages(&mut self, ids: &[i64]) {
        self.passages.name(ids);
    }

    /// Whether it has as much as a segment may have.
    pub(super) fn is_full(&self) -> bool {
        self.words.len() >= MOST_WORDS || self.passages.count() >= MOST_PASSAGES
    }

    /// Adds the words of a text, and after them those that stand inside others.
    fn add_text(&mut self, text: &str) {
        self.text += 1;
        let mut inside = std::mem::take(&mut self.inside);
        term::each_run(text, |start, end| {
            let known = self.runs.get(text, start, end);
            match known.unwrap_or_else(|| self.learn(&text[start..end])) {
                Run::Plain(term) => self.words.push(term),
                Run::Compound(number) => {
                    let compound = &mut self.compounds[number as usize];
                    let is_new = std::mem::replace(&mut compound.seen_in, self.text) != self.text;
                    let (terms, inner) = (compound.terms(), compound.inner());
                    self.words.extend_from_slice(&self.of_compounds[terms]);
                    if is_new && !inner.is_empty() {
                        inside.push(inner);
                    }
                }
            }
        });
        for inner in inside.drain(..) {
            self.words.extend_from_slice(&self.of_compounds[inner]);
        }
        self.inside = inside;
    }

    #[cold]
    fn learn(&mut self, run: &str) -> Run {
        let parts = subwords::subwords_of_run(run);
        let start = self.of_compounds.len();
        self.add_terms(run);
        let terms = self.of_compounds.len() - start;
        for part in &parts {
            self.add_terms(part);
        }
        let inner = self.of_compounds.len() - start - terms;
        let known = if (terms, inner) == (1, 0) {
            self.of_compounds.pop().map(Run::Plain).unwrap_or_default()
        } else {
            let (start, terms, inner) = (start as u32, terms as u32, inner as u32);
            self.compounds.push(Compound { start, terms, inner, seen_in: 0 });
            Run::Compound(self.compounds.len() as u32 - 1)
        };
        let written = parts.iter().map(String::as_str).chain([run]);
        for word in written.filter(|word| is_word(word)) {
            self.vocabulary.push_with(|text| push_lower(text, word));
        }
        self.runs.insert(run, known);
        known
    }

    fn add_terms(&mut self, run: &str) {
        term::each_of_run(run, &mut self.term, |term| {
            self.of_compounds.push(self.terms.number(term));
        });
    }

    /// Puts the words in order and writes their lists.
    pub(super) fn close(self, side: Side) -> Draft {
        let sorted = Sorted::of(&self.words, &self.ends, self.terms.count());
        let vocabulary = if side == Side::Own { self.vocabulary } else { Names::default() };
        let mut draft = Draft::new(self.passages, vocabulary);
        let mut list = List::default();
        let order = self.terms.in_order();
        for (at, term) in order.iter().enumerate() {
            // They lie in memory as they came, and not in order.
            if let Some(later) = order.get(at + AHEAD) {
                prefetch::fetch(sorted.of_term(*later));
                prefetch::fetch(self.terms.name(*later));
            }
            list.clear();
            for same in sorted.of_term(*term).chunk_by(|a, b| a.passage() == b.passage()) {
                add_posting(same, &mut list);
            }
            draft.add(self.terms.name(*term).as_bytes(), &list);
        }
        draft
    }
}

/// Where a word stands, in a number that sorts as its parts do: passage, field, place.
#[derive(Clone, Copy)]
struct Spot(u32);

impl Spot {
    /// A passage has fewer words; in one that has not, those after them count as one place.
    const PLACE_BITS: u32 = 12;
    const FIELD_BITS: u32 = Self::PLACE_BITS + 1;

    /// The beginning of a title or a body; they are counted alternately.
    fn beginning_of(field: usize) -> Self {
        Self((field as u32) << Self::PLACE_BITS)
    }

    fn at(self, place: usize) -> Self {
        Self(self.0 | (place as u32).min((1 << Self::PLACE_BITS) - 1))
    }

    fn passage(self) -> u32 {
        self.0 >> Self::FIELD_BITS
    }

    fn is_body(self) -> bool {
        self.0 >> Self::PLACE_BITS & 1 == 1
    }

    fn place(self) -> u32 {
        self.0 & ((1 << Self::PLACE_BITS) - 1)
    }
}

/// Where words stand, by their terms and then in order.
struct Sorted {
    spots: Vec<Spot>,
    /// Where the spots of each term start.
    starts: Vec<u32>,
}

impl Sorted {
    fn of(words: &[u32], ends: &[u32], terms: usize) -> Self {
        let mut starts = vec![0_u32; terms + 2];
        for term in words {
            starts[*term as usize + 2] += 1;
        }
        for term in 2..starts.len() {
            starts[term] += starts[term - 1];
        }
        let mut spots = vec![Spot(0); words.len()];
        let mut start = 0;
        for (field, end) in ends.iter().enumerate() {
            let beginning = Spot::beginning_of(field);
            for (place, term) in words[start..*end as usize].iter().enumerate() {
                let next = &mut starts[*term as usize + 1];
                spots[*next as usize] = beginning.at(place);
                *next += 1;
            }
            start = *end as usize;
        }
        Self { spots, starts }
    }

    fn of_term(&self, term: u32) -> &[Spot] {
        let start = |term: u32| self.starts[term as usize] as usize;
        &self.spots[start(term)..start(term + 1)]
    }
}

/// Adds what one passage has of a word.
fn add_posting(same: &[Spot], list: &mut List) {
    let passage = same[0].passage();
    // Most words stand once in a passage.
    if let [only] = same {
        varint::put(&mut list.places, only.place().into());
        let body = u32::from(only.is_body());
        return list.add(Posting { passage, title: 1 - body, body });
    }
    let title = same.iter().take_while(|spot| !spot.is_body()).count();
    for field in [&same[..title], &same[title..]] {
        let mut writer = PlaceWriter::default();
        for spot in field {
            writer.put(&mut list.places, spot.place());
        }
    }
    list.add(Posting { passage, title: title as u32, body: (same.len() - title) as u32 });
}
