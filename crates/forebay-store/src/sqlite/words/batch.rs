//! A batch: the words of passages that are written in one transaction, put in order in memory.

use std::ops::Range;

use forebay_domain::text::{inner, short};
use rusqlite::Transaction;

use super::draft::Draft;
use super::hash::WordMap;
use super::postings::{List, PlaceWriter, Posting};
use super::short::ShortWords;
use super::{Side, merge, term, vocabulary};
use crate::passage::NewChunk;

/// A segment with more words than this is closed: memory is bounded, whatever is indexed.
const MOST_WORDS: usize = 2_000_000;

/// The words of some passages, in order. It is made before the transaction, so that nobody waits for it.
pub(in super::super) struct Batch {
    drafts: Vec<(Side, Draft)>,
    passages: usize,
}

/// Which passages a transaction has written, in the order of their batch; none for those it has not.
#[derive(Debug, Default)]
pub(in super::super) struct Placed(Vec<Option<i64>>);

impl Placed {
    pub(in super::super) fn add(&mut self, passage: i64) {
        self.0.push(Some(passage));
    }

    pub(in super::super) fn skip(&mut self, passages: usize) {
        self.0.resize(self.0.len() + passages, None);
    }
}

impl Batch {
    pub(in super::super) fn of(chunks: &[&NewChunk]) -> Self {
        if chunks.is_empty() {
            return Self { drafts: Vec::new(), passages: 0 };
        }
        let (mut own, mut around) = (Builder::default(), Builder::default());
        let mut drafts = Vec::new();
        for (number, chunk) in (0..).zip(chunks) {
            own.add(number, &chunk.title, &chunk.text);
            if !chunk.around.is_empty() {
                around.add(number, "", &chunk.around);
            }
            for (side, builder) in [(Side::Own, &mut own), (Side::Around, &mut around)] {
                if builder.words.len() >= MOST_WORDS {
                    drafts.push((side, std::mem::take(builder).close(side)));
                }
            }
        }
        for (side, builder) in [(Side::Own, own), (Side::Around, around)] {
            if !builder.passages.is_empty() {
                drafts.push((side, builder.close(side)));
            }
        }
        Self { drafts, passages: chunks.len() }
    }

    /// Writes all of it, and merges what has become too many segments.
    pub(in super::super) fn write(
        self,
        transaction: &Transaction<'_>,
        chunks: &[&NewChunk],
        Placed(mut ids): Placed,
    ) -> rusqlite::Result<()> {
        ids.resize(chunks.len(), None);
        if ids.iter().any(Option::is_none) {
            // Another process was faster with some of them.
            let left: Vec<(&NewChunk, i64)> =
                chunks.iter().zip(ids).filter_map(|(chunk, id)| Some((*chunk, id?))).collect();
            let (chunks, ids): (Vec<&NewChunk>, Vec<i64>) = left.into_iter().unzip();
            return Self::of(&chunks).write_as(transaction, &ids);
        }
        let ids: Vec<i64> = ids.into_iter().flatten().collect();
        self.write_as(transaction, &ids)
    }

    fn write_as(self, transaction: &Transaction<'_>, ids: &[i64]) -> rusqlite::Result<()> {
        for (side, mut draft) in self.drafts {
            draft.name_passages(ids);
            draft.write(transaction, side)?;
            merge::after_write(transaction, side, self.passages)?;
        }
        Ok(())
    }
}

/// A segment in the making.
#[derive(Default)]
struct Builder {
    /// Each passage and its words.
    passages: Vec<(i64, u32)>,
    runs: Vec<Run>,
    /// Which run a text is: by its number where it is short, else by itself.
    short: ShortWords,
    long: WordMap<u32>,
    /// The terms of all runs, one after the other.
    of_runs: Vec<u32>,
    terms: WordMap<u32>,
    names: Vec<Box<str>>,
    words: Vec<Word>,
    vocabulary: Vec<String>,
    /// Counts texts, to tell which runs were seen in the present one.
    text: u32,
}

/// What a run of letters stands for: so many terms from a place in `of_runs` on, and then so many inner ones.
struct Run {
    start: u32,
    terms: u32,
    inner: u32,
    seen_in: u32,
}

/// A word at its place, in a number that sorts as its parts do: term, passage, field, place.
#[derive(Clone, Copy)]
struct Word(u64);

impl Word {
    const PLACE_BITS: u32 = 15;
    const PASSAGE_BITS: u32 = 24;

    fn new(term: u32, passage: u32, is_body: bool, place: u32) -> Self {
        let place = place.min((1 << Self::PLACE_BITS) - 1);
        let field = (u64::from(passage) << 1 | u64::from(is_body)) << Self::PLACE_BITS;
        Self(
            u64::from(term) << (Self::PASSAGE_BITS + 1 + Self::PLACE_BITS)
                | field
                | u64::from(place),
        )
    }

    fn term(self) -> u32 {
        (self.0 >> (Self::PASSAGE_BITS + 1 + Self::PLACE_BITS)) as u32
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

impl Builder {
    fn add(&mut self, passage: i64, title: &str, body: &str) {
        let number = self.passages.len() as u32;
        let words = self.add_text(title, number, false) + self.add_text(body, number, true);
        self.passages.push((passage, words));
    }

    /// Adds the words of a text, and after them those that stand inside others; gives how many.
    fn add_text(&mut self, text: &str, passage: u32, is_body: bool) -> u32 {
        self.text += 1;
        let mut place = 0;
        let mut compounds = Vec::new();
        term::each_run(text, |start, end| {
            let number = self.look_up(text, start, end);
            let run = &mut self.runs[number as usize];
            if run.inner > 0 && run.seen_in != self.text {
                run.seen_in = self.text;
                compounds.push(run.start + run.terms..run.start + run.terms + run.inner);
            }
            let terms = run.start..run.start + run.terms;
            self.put(terms, (passage, is_body), &mut place);
        });
        for inner in compounds {
            self.put(inner, (passage, is_body), &mut place);
        }
        place
    }

    #[inline]
    fn put(&mut self, terms: Range<u32>, (passage, is_body): (u32, bool), place: &mut u32) {
        for at in terms {
            let term = self.of_runs[at as usize];
            self.words.push(Word::new(term, passage, is_body, *place));
            *place += 1;
        }
    }

    /// The number of a run.
    #[inline]
    fn look_up(&mut self, text: &str, start: usize, end: usize) -> u32 {
        let key = short::key(text.as_bytes(), start, end);
        let known = match key {
            Some(key) => self.short.get(key),
            None => self.long.get(&text[start..end]).copied(),
        };
        known.unwrap_or_else(|| self.learn(&text[start..end], key))
    }

    #[cold]
    fn learn(&mut self, run: &str, key: Option<u128>) -> u32 {
        let parts = inner::of_run(run);
        let terms = self.terms_of(term::of_run(run));
        let inner = self.terms_of(parts.iter().flat_map(|part| term::of_run(part)).collect());
        let written = parts.iter().map(String::as_str).chain([run]);
        self.vocabulary
            .extend(written.filter(|word| vocabulary::is_word(word)).map(str::to_lowercase));
        let number = self.runs.len() as u32;
        let inner_terms = inner.len() as u32;
        let (start, terms) = (terms.start, terms.len() as u32);
        self.runs.push(Run { start, terms, inner: inner_terms, seen_in: 0 });
        if let Some(key) = key {
            self.short.insert(key, number);
        } else {
            self.long.insert(run.into(), number);
        }
        number
    }

    fn terms_of(&mut self, terms: Vec<String>) -> Range<u32> {
        let start = self.of_runs.len() as u32;
        for term in terms {
            let term = term.into_boxed_str();
            let known = self.terms.get(&term).copied();
            let number = known.unwrap_or(self.names.len() as u32);
            if known.is_none() {
                self.names.push(term.clone());
                self.terms.insert(term, number);
            }
            self.of_runs.push(number);
        }
        start..self.of_runs.len() as u32
    }

    /// Puts the words in order and writes their lists.
    fn close(self, side: Side) -> Draft {
        let words = by_term(&self.words, self.names.len());
        let order = in_order(&self.names);
        let vocabulary = if side == Side::Own { self.vocabulary } else { Vec::new() };
        let mut draft = Draft::new(self.passages, vocabulary);
        let (mut list, mut places) = (List::default(), Vec::new());
        for term in order {
            list.clear();
            let own = &words.0[words.1[term as usize]..words.1[term as usize + 1]];
            for same in own.chunk_by(|a, b| a.passage() == b.passage()) {
                list.add(posting(same, &mut places), &places);
            }
            draft.add(self.names[term as usize].as_bytes(), &list);
        }
        draft
    }
}

/// The numbers of names in their order.
fn in_order(names: &[Box<str>]) -> Vec<u32> {
    // Most names differ in their beginnings, and numbers are compared at once.
    let mut order: Vec<(u64, u32)> = names.iter().map(|name| beginning(name)).zip(0..).collect();
    order.sort_unstable_by(|(a, one), (b, other)| {
        a.cmp(b).then_with(|| names[*one as usize].cmp(&names[*other as usize]))
    });
    order.into_iter().map(|(_, number)| number).collect()
}

/// The first eight bytes as a number that sorts as they do.
fn beginning(name: &str) -> u64 {
    let mut bytes = [0; 8];
    let length = name.len().min(bytes.len());
    bytes[..length].copy_from_slice(&name.as_bytes()[..length]);
    u64::from_be_bytes(bytes)
}

/// The words sorted by term, and where those of each term start; the order within a term stays.
fn by_term(words: &[Word], terms: usize) -> (Vec<Word>, Vec<usize>) {
    let mut starts = vec![0; terms + 2];
    for word in words {
        starts[word.term() as usize + 2] += 1;
    }
    for term in 2..starts.len() {
        starts[term] += starts[term - 1];
    }
    let mut sorted = vec![Word(0); words.len()];
    for word in words {
        let next = &mut starts[word.term() as usize + 1];
        sorted[*next] = *word;
        *next += 1;
    }
    (sorted, starts)
}

/// What one passage has of a word; its places are left in `places`.
fn posting(same: &[Word], places: &mut Vec<u8>) -> Posting {
    places.clear();
    let title = same.iter().take_while(|word| !word.is_body()).count();
    for field in [&same[..title], &same[title..]] {
        let mut writer = PlaceWriter::default();
        for word in field {
            writer.put(places, word.place());
        }
    }
    let passage = same[0].passage();
    Posting { passage, title: title as u32, body: (same.len() - title) as u32 }
}
