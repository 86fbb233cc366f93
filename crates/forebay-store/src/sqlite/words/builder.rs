//! A segment in the making: words are taken as they come, and put in order in the end.

use std::ops::Range;

use forebay_domain::text::inner;
use forebay_domain::text::words::push_lower;

use super::draft::Draft;
use super::names::Names;
use super::postings::{List, PlaceWriter, Posting};
use super::table::Table;
use super::terms::Terms;
use super::{Side, term, vocabulary};

#[derive(Default)]
pub(super) struct Builder {
    /// Each passage and its words.
    passages: Vec<(i64, u32)>,
    /// What each run of letters stands for.
    runs: Table<Run>,
    compounds: Vec<Compound>,
    /// The terms of all compounds, one after the other.
    of_compounds: Vec<u32>,
    terms: Terms,
    words: Vec<Word>,
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
        let number = self.passages.len() as u32;
        let words = self.add_text(title, Field::title_of(number))
            + self.add_text(body, Field::body_of(number));
        self.passages.push((passage, words));
    }

    /// How many words it has.
    pub(super) fn words(&self) -> usize {
        self.words.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    /// Adds the words of a text, and after them those that stand inside others; gives how many.
    fn add_text(&mut self, text: &str, field: Field) -> u32 {
        self.text += 1;
        let mut place = 0;
        let mut inside = std::mem::take(&mut self.inside);
        term::each_run(text, |start, end| {
            let known = self.runs.get(text, start, end);
            match known.unwrap_or_else(|| self.learn(&text[start..end])) {
                Run::Plain(term) => {
                    self.words.push(Word::new(term, field, place));
                    place += 1;
                }
                Run::Compound(number) => {
                    let compound = &mut self.compounds[number as usize];
                    let is_new = std::mem::replace(&mut compound.seen_in, self.text) != self.text;
                    let (terms, inner) = (compound.terms(), compound.inner());
                    self.put(terms, field, &mut place);
                    if is_new && !inner.is_empty() {
                        inside.push(inner);
                    }
                }
            }
        });
        for inner in inside.drain(..) {
            self.put(inner, field, &mut place);
        }
        self.inside = inside;
        place
    }

    fn put(&mut self, terms: Range<usize>, field: Field, place: &mut u32) {
        for term in &self.of_compounds[terms] {
            self.words.push(Word::new(*term, field, *place));
            *place += 1;
        }
    }

    #[cold]
    fn learn(&mut self, run: &str) -> Run {
        let parts = inner::of_run(run);
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
        for word in written.filter(|word| vocabulary::is_word(word)) {
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
        let sorted = Sorted::of(&self.words, self.terms.count());
        let vocabulary = if side == Side::Own { self.vocabulary } else { Names::default() };
        let mut draft = Draft::new(self.passages, vocabulary);
        let mut list = List::default();
        for term in self.terms.in_order() {
            list.clear();
            for same in sorted.of_term(term).chunk_by(|a, b| a.passage() == b.passage()) {
                add_posting(same, &mut list);
            }
            draft.add(self.terms.name(term).as_bytes(), &list);
        }
        draft
    }
}

/// The title or the body of a passage, in a number that sorts as they do.
#[derive(Clone, Copy)]
struct Field(u64);

impl Field {
    fn title_of(passage: u32) -> Self {
        Self(u64::from(passage) << 1)
    }

    fn body_of(passage: u32) -> Self {
        Self(u64::from(passage) << 1 | 1)
    }
}

/// A word at its place, in a number that sorts as its parts do: term, passage, field, place.
#[derive(Clone, Copy)]
struct Word(u64);

impl Word {
    const PLACE_BITS: u32 = 15;
    const PASSAGE_BITS: u32 = 24;
    const TERM_SHIFT: u32 = Self::PASSAGE_BITS + 1 + Self::PLACE_BITS;

    #[inline]
    fn new(term: u32, Field(field): Field, place: u32) -> Self {
        let place = place.min((1 << Self::PLACE_BITS) - 1);
        Self(u64::from(term) << Self::TERM_SHIFT | field << Self::PLACE_BITS | u64::from(place))
    }

    fn term(self) -> usize {
        (self.0 >> Self::TERM_SHIFT) as usize
    }

    fn passage(self) -> u32 {
        (self.0 >> (1 + Self::PLACE_BITS)) as u32 & ((1 << Self::PASSAGE_BITS) - 1)
    }

    fn is_body(self) -> bool {
        self.0 >> Self::PLACE_BITS & 1 == 1
    }

    fn place(self) -> u32 {
        self.0 as u32 & ((1 << Self::PLACE_BITS) - 1)
    }
}

/// Words by their terms; the order within a term stays.
struct Sorted {
    words: Vec<Word>,
    /// Where the words of each term start.
    starts: Vec<u32>,
}

impl Sorted {
    fn of(words: &[Word], terms: usize) -> Self {
        let mut starts = vec![0_u32; terms + 2];
        for word in words {
            starts[word.term() + 2] += 1;
        }
        for term in 2..starts.len() {
            starts[term] += starts[term - 1];
        }
        let mut sorted = vec![Word(0); words.len()];
        for word in words {
            let next = &mut starts[word.term() + 1];
            sorted[*next as usize] = *word;
            *next += 1;
        }
        Self { words: sorted, starts }
    }

    fn of_term(&self, term: u32) -> &[Word] {
        let start = |term: u32| self.starts[term as usize] as usize;
        &self.words[start(term)..start(term + 1)]
    }
}

/// Adds what one passage has of a word.
fn add_posting(same: &[Word], list: &mut List) {
    let title = same.iter().take_while(|word| !word.is_body()).count();
    for field in [&same[..title], &same[title..]] {
        let mut writer = PlaceWriter::default();
        for word in field {
            writer.put(&mut list.places, word.place());
        }
    }
    let passage = same[0].passage();
    list.add(Posting { passage, title: title as u32, body: (same.len() - title) as u32 });
}
