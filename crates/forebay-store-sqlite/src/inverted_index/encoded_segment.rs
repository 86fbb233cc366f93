//! A segment encoded in memory, ready to be written.

use rusqlite::Transaction;

use super::chunk_lengths::ChunkLengths;
use super::postings::EncodedPostings;
use super::string_arena::StringArena;
use super::{Field, MAX_PAGES, varint, vocabulary};

/// A row of this size fits one page of the database file.
const PAGE_BYTES: usize = 4_000;

pub(super) struct EncodedSegment {
    chunks: ChunkLengths,
    vocabulary: StringArena,
    pages: Vec<Page>,
    /// The first term of each page.
    directory: Vec<u8>,
    last_term: Vec<u8>,
}

#[derive(Default)]
struct Page {
    terms: Vec<u8>,
    positions: Vec<u8>,
}

impl EncodedSegment {
    pub(super) fn new(chunks: ChunkLengths, vocabulary: StringArena) -> Self {
        Self { chunks, vocabulary, pages: Vec::new(), directory: Vec::new(), last_term: Vec::new() }
    }

    /// Adds the next term in sort order.
    pub(super) fn add(&mut self, term: &[u8], postings: &EncodedPostings) {
        let size = term.len() + postings.postings.len() + 16;
        let is_full = |page: &Page| page.terms.len() + size > PAGE_BYTES;
        if self.pages.last().is_none_or(is_full) {
            self.pages.push(Page::default());
            varint::write_slice(&mut self.directory, term);
            self.last_term.clear();
        }
        let Some(page) = self.pages.last_mut() else { return };
        let shared = self.last_term.iter().zip(term).take_while(|(a, b)| a == b).count();
        varint::write(&mut page.terms, shared as u64);
        varint::write_slice(&mut page.terms, &term[shared..]);
        varint::write(&mut page.terms, u64::from(postings.count));
        varint::write_slice(&mut page.terms, &postings.postings);
        varint::write_slice(&mut page.positions, &postings.positions);
        self.last_term.clear();
        self.last_term.extend_from_slice(term);
    }

    pub(super) fn chunks(&self) -> usize {
        self.chunks.count()
    }

    /// Replaces chunk ordinals by ids.
    pub(super) fn assign_ids(&mut self, ids: &[i64]) {
        self.chunks.assign_ids(ids);
    }

    /// Removes spellings from the vocabulary that no longer occur.
    pub(super) fn retain_words(&mut self, occurs: impl Fn(&str) -> bool) {
        let mut kept = StringArena::default();
        for word in self.vocabulary.iter().filter(|word| occurs(word)) {
            kept.push(word);
        }
        self.vocabulary = kept;
    }

    pub(super) fn write(self, transaction: &Transaction<'_>, field: Field) -> rusqlite::Result<()> {
        let Some((first, last)) = self.chunks.range() else { return Ok(()) };
        transaction
            .prepare_cached(
                "INSERT INTO word_segment (side, passages, words, first, last, members, directory, vocabulary)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute((
                field as i64,
                self.chunks.count() as i64,
                self.chunks.words() as i64,
                first,
                last,
                self.chunks.encode(),
                &self.directory,
                vocabulary::encode(&self.vocabulary),
            ))?;
        let start = transaction.last_insert_rowid() * MAX_PAGES;
        let mut terms =
            transaction.prepare_cached("INSERT INTO word_page (id, terms) VALUES (?1, ?2)")?;
        let mut positions =
            transaction.prepare_cached("INSERT INTO word_places (id, places) VALUES (?1, ?2)")?;
        for (number, page) in self.pages.iter().enumerate() {
            terms.execute((start + number as i64, &page.terms))?;
            positions.execute((start + number as i64, &page.positions))?;
        }
        Ok(())
    }
}
