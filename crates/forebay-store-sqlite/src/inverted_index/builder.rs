//! Builds a segment: collects terms in the order of the text, then sorts them by counting.
//!
//! Hand-written for speed; `cargo xtask bench --only index` measures it.

use std::ops::Range;

use forebay_store::vocabulary::is_word;
use forebay_text::prefetch;
use forebay_text::subwords;
use forebay_text::words::push_lower;

use super::chunk_lengths::ChunkLengths;
use super::encoded_segment::EncodedSegment;
use super::postings::{EncodedPostings, PositionWriter, Posting};
use super::string_arena::StringArena;
use super::term_interner::TermInterner;
use super::word_table::WordTable;
use super::{Field, term, varint};

/// Bounds memory: a segment with more words is closed.
const MAX_WORDS: usize = 4_000_000;
/// Bounds the chunk ordinals of a [`Position`]: a segment with more chunks is closed.
pub(super) const MAX_CHUNKS: usize = 1 << (u32::BITS - Position::SECTION_BITS);
/// From this many words on, the full capacity is reserved at once instead of by doubling.
const RESERVE_FROM_WORDS: usize = 1 << 16;
/// How many terms ahead postings are prefetched.
const PREFETCH_DISTANCE: usize = 8;

#[derive(Default)]
pub(super) struct Builder {
    chunks: ChunkLengths,
    /// The terms of each distinct token.
    tokens: WordTable<TokenTerms>,
    compounds: Vec<Compound>,
    /// The terms of all compounds, concatenated.
    compound_terms: Vec<u32>,
    terms: TermInterner,
    /// The term of each word in text order: title and body of one chunk after the other.
    words: Vec<u32>,
    /// End of each section (title or body) in `words`.
    section_ends: Vec<u32>,
    vocabulary: StringArena,
    /// Reused buffer for one term.
    term_buffer: String,
    /// Reused buffer: ranges of subwords to append after the current text.
    pending_subwords: Vec<Range<usize>>,
    /// Counts texts, to add the subwords of a compound once per text.
    text_number: u32,
}

/// The terms of a token.
#[derive(Clone, Copy)]
enum TokenTerms {
    /// One term, as nearly all tokens have.
    Single(u32),
    /// Index of a compound.
    Compound(u32),
}

impl Default for TokenTerms {
    fn default() -> Self {
        Self::Single(0)
    }
}

/// Terms of a compound token in `compound_terms`: its own, followed by its subwords.
struct Compound {
    start: u32,
    terms: u32,
    subwords: u32,
    last_text: u32,
}

impl Compound {
    fn terms(&self) -> Range<usize> {
        self.start as usize..(self.start + self.terms) as usize
    }

    fn subwords(&self) -> Range<usize> {
        let start = self.start + self.terms;
        start as usize..(start + self.subwords) as usize
    }
}

impl Builder {
    pub(super) fn add(&mut self, chunk_id: i64, title: &str, body: &str) {
        let before = self.words.len();
        if before >= RESERVE_FROM_WORDS {
            // The last chunk may exceed the maximum, by less than this.
            self.words.reserve_exact((MAX_WORDS + RESERVE_FROM_WORDS).saturating_sub(before));
        }
        for text in [title, body] {
            self.add_text(text);
            self.section_ends.push(self.words.len() as u32);
        }
        self.chunks.add(chunk_id, (self.words.len() - before) as u32);
    }

    /// Replaces chunk ordinals by ids.
    pub(super) fn assign_ids(&mut self, ids: &[i64]) {
        self.chunks.assign_ids(ids);
    }

    /// Returns whether it has reached the size of a segment.
    pub(super) fn is_full(&self) -> bool {
        self.words.len() >= MAX_WORDS || self.chunks.count() >= MAX_CHUNKS
    }

    /// Adds the words of a text, followed by their subwords.
    fn add_text(&mut self, text: &str) {
        self.text_number += 1;
        let mut pending_subwords = std::mem::take(&mut self.pending_subwords);
        term::each_token(text, |start, end| {
            let found = self.tokens.get(text, start, end);
            match found.unwrap_or_else(|| self.add_token(&text[start..end])) {
                TokenTerms::Single(term) => self.words.push(term),
                TokenTerms::Compound(index) => {
                    let compound = &mut self.compounds[index as usize];
                    let is_new = std::mem::replace(&mut compound.last_text, self.text_number)
                        != self.text_number;
                    let (terms, subwords) = (compound.terms(), compound.subwords());
                    self.words.extend_from_slice(&self.compound_terms[terms]);
                    if is_new && !subwords.is_empty() {
                        pending_subwords.push(subwords);
                    }
                }
            }
        });
        for subwords in pending_subwords.drain(..) {
            self.words.extend_from_slice(&self.compound_terms[subwords]);
        }
        self.pending_subwords = pending_subwords;
    }

    #[cold]
    fn add_token(&mut self, token: &str) -> TokenTerms {
        let subwords_of = subwords::subwords_of_run(token);
        let start = self.compound_terms.len();
        self.add_terms(token);
        let terms = self.compound_terms.len() - start;
        for subword in &subwords_of {
            self.add_terms(subword);
        }
        let subwords = self.compound_terms.len() - start - terms;
        let found = if (terms, subwords) == (1, 0) {
            self.compound_terms.pop().map(TokenTerms::Single).unwrap_or_default()
        } else {
            let (start, terms, subwords) = (start as u32, terms as u32, subwords as u32);
            self.compounds.push(Compound { start, terms, subwords, last_text: 0 });
            TokenTerms::Compound(self.compounds.len() as u32 - 1)
        };
        let spellings = subwords_of.iter().map(String::as_str).chain([token]);
        for word in spellings.filter(|word| is_word(word)) {
            self.vocabulary.push_with(|text| push_lower(text, word));
        }
        self.tokens.insert(token, found);
        found
    }

    fn add_terms(&mut self, token: &str) {
        term::each_term(token, &mut self.term_buffer, |term| {
            self.compound_terms.push(self.terms.id(term));
        });
    }

    /// Sorts the terms and encodes their postings.
    pub(super) fn close(self, field: Field) -> EncodedSegment {
        let by_term = PositionsByTerm::new(&self.words, &self.section_ends, self.terms.len());
        let vocabulary =
            if field == Field::Text { self.vocabulary } else { StringArena::default() };
        let mut segment = EncodedSegment::new(self.chunks, vocabulary);
        let mut postings = EncodedPostings::default();
        let order = self.terms.sorted_ids();
        for (at, term) in order.iter().enumerate() {
            // Positions and strings are in order of first occurrence, so access in term order is
            // random.
            if let Some(upcoming) = order.get(at + PREFETCH_DISTANCE) {
                prefetch::fetch(by_term.of_term(*upcoming));
                prefetch::fetch(self.terms.string(*upcoming));
            }
            postings.clear();
            for of_chunk in by_term.of_term(*term).chunk_by(|a, b| a.ordinal() == b.ordinal()) {
                add_posting(of_chunk, &mut postings);
            }
            segment.add(self.terms.string(*term).as_bytes(), &postings);
        }
        segment
    }
}

/// Position of a word: chunk ordinal, section and word index, packed so that numeric order is text
/// order.
#[derive(Clone, Copy)]
struct Position(u32);

impl Position {
    /// Chunks have fewer words; later words of a longer one share the last index.
    const INDEX_BITS: u32 = 12;
    const SECTION_BITS: u32 = Self::INDEX_BITS + 1;

    /// Returns the start of a section; titles and bodies alternate.
    fn section_start(section: usize) -> Self {
        Self((section as u32) << Self::INDEX_BITS)
    }

    fn with_index(self, index: usize) -> Self {
        Self(self.0 | (index as u32).min((1 << Self::INDEX_BITS) - 1))
    }

    fn ordinal(self) -> u32 {
        self.0 >> Self::SECTION_BITS
    }

    fn is_body(self) -> bool {
        self.0 >> Self::INDEX_BITS & 1 == 1
    }

    fn index(self) -> u32 {
        self.0 & ((1 << Self::INDEX_BITS) - 1)
    }
}

/// Positions grouped by term, each group in text order.
struct PositionsByTerm {
    positions: Vec<Position>,
    /// Start of each term's group.
    starts: Vec<u32>,
}

impl PositionsByTerm {
    fn new(words: &[u32], section_ends: &[u32], terms: usize) -> Self {
        let mut starts = vec![0_u32; terms + 2];
        for term in words {
            starts[*term as usize + 2] += 1;
        }
        for term in 2..starts.len() {
            starts[term] += starts[term - 1];
        }
        let mut positions = vec![Position(0); words.len()];
        let mut start = 0;
        for (section, end) in section_ends.iter().enumerate() {
            let section_start = Position::section_start(section);
            for (index, term) in words[start..*end as usize].iter().enumerate() {
                let next = &mut starts[*term as usize + 1];
                positions[*next as usize] = section_start.with_index(index);
                *next += 1;
            }
            start = *end as usize;
        }
        Self { positions, starts }
    }

    fn of_term(&self, term: u32) -> &[Position] {
        let start = |term: u32| self.starts[term as usize] as usize;
        &self.positions[start(term)..start(term + 1)]
    }
}

/// Adds the posting of one chunk.
fn add_posting(of_chunk: &[Position], postings: &mut EncodedPostings) {
    let ordinal = of_chunk[0].ordinal();
    // Most words occur once in a chunk.
    if let [only] = of_chunk {
        varint::write(&mut postings.positions, only.index().into());
        let body = u32::from(only.is_body());
        return postings.add(Posting { ordinal, title: 1 - body, body });
    }
    let title = of_chunk.iter().take_while(|position| !position.is_body()).count();
    for section in [&of_chunk[..title], &of_chunk[title..]] {
        let mut writer = PositionWriter::default();
        for position in section {
            writer.write(&mut postings.positions, position.index());
        }
    }
    postings.add(Posting { ordinal, title: title as u32, body: (of_chunk.len() - title) as u32 });
}
