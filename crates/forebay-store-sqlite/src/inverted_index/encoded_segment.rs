//! A draft: a segment that is laid out and not written yet.
//!
//! Words stand in order on pages, each with its passages; a word is told by what it does not share with the
//! one before it. A page fits one of SQLite's, unless a single list is larger.

use rusqlite::Transaction;

use super::members::Members;
use super::names::Names;
use super::postings::List;
use super::{PAGES, Side, varint, vocabulary};

/// A row of this size still fits a page of the file.
const PAGE_BYTES: usize = 4_000;

pub(super) struct Draft {
    passages: Members,
    vocabulary: Names,
    pages: Vec<Page>,
    /// The first word of each page.
    directory: Vec<u8>,
    last_term: Vec<u8>,
}

#[derive(Default)]
struct Page {
    terms: Vec<u8>,
    places: Vec<u8>,
}

impl Draft {
    pub(super) fn new(passages: Members, vocabulary: Names) -> Self {
        Self {
            passages,
            vocabulary,
            pages: Vec::new(),
            directory: Vec::new(),
            last_term: Vec::new(),
        }
    }

    /// Adds the next word in order.
    pub(super) fn add(&mut self, term: &[u8], list: &List) {
        let needed = term.len() + list.postings.len() + 16;
        let is_full = |page: &Page| page.terms.len() + needed > PAGE_BYTES;
        if self.pages.last().is_none_or(is_full) {
            self.pages.push(Page::default());
            varint::put_slice(&mut self.directory, term);
            self.last_term.clear();
        }
        let Some(page) = self.pages.last_mut() else { return };
        let shared = self.last_term.iter().zip(term).take_while(|(a, b)| a == b).count();
        varint::put(&mut page.terms, shared as u64);
        varint::put_slice(&mut page.terms, &term[shared..]);
        varint::put(&mut page.terms, u64::from(list.count));
        varint::put_slice(&mut page.terms, &list.postings);
        varint::put_slice(&mut page.places, &list.places);
        self.last_term.clear();
        self.last_term.extend_from_slice(term);
    }

    pub(super) fn passages(&self) -> usize {
        self.passages.count()
    }

    /// Gives passages their ids in place of their numbers.
    pub(super) fn name_passages(&mut self, ids: &[i64]) {
        self.passages.name(ids);
    }

    /// Leaves out words as they are written that stand nowhere any more.
    pub(super) fn keep_words(&mut self, stands: impl Fn(&str) -> bool) {
        let mut kept = Names::default();
        for word in self.vocabulary.iter().filter(|word| stands(word)) {
            kept.push(word);
        }
        self.vocabulary = kept;
    }

    pub(super) fn write(self, transaction: &Transaction<'_>, side: Side) -> rusqlite::Result<()> {
        let Some((first, last)) = self.passages.range() else { return Ok(()) };
        transaction
            .prepare_cached(
                "INSERT INTO word_segment (side, passages, words, first, last, members, directory, vocabulary)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute((
                side as i64,
                self.passages.count() as i64,
                self.passages.words() as i64,
                first,
                last,
                self.passages.packed(),
                &self.directory,
                vocabulary::packed(&self.vocabulary),
            ))?;
        let start = transaction.last_insert_rowid() * PAGES;
        let mut terms =
            transaction.prepare_cached("INSERT INTO word_page (id, terms) VALUES (?1, ?2)")?;
        let mut places =
            transaction.prepare_cached("INSERT INTO word_places (id, places) VALUES (?1, ?2)")?;
        for (number, page) in self.pages.iter().enumerate() {
            terms.execute((start + number as i64, &page.terms))?;
            places.execute((start + number as i64, &page.places))?;
        }
        Ok(())
    }
}
