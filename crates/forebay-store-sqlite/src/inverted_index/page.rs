//! A page of a segment: front-coded terms with their postings.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::postings::Postings;
use super::varint;
use forebay_store::cache::ByteSize;

/// Distance of skip entries, in terms.
const SKIP_INTERVAL: usize = 8;

/// A page in memory.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub(super) id: i64,
    content: Arc<PageContent>,
}

/// A page's bytes with a skip list, built once when the page is cached.
#[derive(Debug)]
pub(super) struct PageContent {
    bytes: Box<[u8]>,
    skip_list: Box<[SkipEntry]>,
    /// The terms of all skip entries, concatenated.
    terms: Box<[u8]>,
}

/// A term of the page with its offset.
#[derive(Debug)]
struct SkipEntry {
    /// Range of the term in `terms`.
    term_range: Range<u32>,
    offset: u32,
    /// Index of the term on the page.
    index: u32,
}

impl ByteSize for PageContent {
    fn byte_size(&self) -> usize {
        self.bytes.len() + self.terms.len() + size_of_val(&*self.skip_list)
    }
}

impl PageContent {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let (mut skip_list, mut terms, mut term) = (Vec::new(), Vec::new(), Vec::new());
        let mut rest_of_page = bytes;
        for index in 0.. {
            let offset = (bytes.len() - rest_of_page.len()) as u32;
            let Some(encoded) = EncodedTerm::read(&mut rest_of_page) else { break };
            encoded.apply_to(&mut term);
            if index % SKIP_INTERVAL == 0 {
                let start = terms.len() as u32;
                terms.extend_from_slice(&term);
                let term_range = start..terms.len() as u32;
                skip_list.push(SkipEntry { term_range, offset, index: index as u32 });
            }
        }
        Self { bytes: bytes.into(), skip_list: skip_list.into(), terms: terms.into() }
    }

    /// Whether the bytes are terms up to the end.
    pub(super) fn is_readable(mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            if EncodedTerm::read(&mut bytes).is_none() {
                return false;
            }
        }
        true
    }

    fn term(&self, skip_entry: &SkipEntry) -> &[u8] {
        &self.terms[skip_entry.term_range.start as usize..skip_entry.term_range.end as usize]
    }

    /// Returns the last skip entry that is not after the target.
    fn skip_entry_before(&self, target: &[u8]) -> Option<&SkipEntry> {
        let after = self.skip_list.partition_point(|skip_entry| self.term(skip_entry) <= target);
        self.skip_list.get(after.checked_sub(1)?)
    }
}

/// A term of a segment.
#[derive(Debug, Clone)]
pub(super) struct TermEntry {
    pub(super) count: u32,
    pub(super) page: Page,
    /// Index of the term on the page.
    pub(super) index: usize,
    postings: Range<usize>,
}

impl TermEntry {
    pub(super) fn postings(&self) -> Postings<'_> {
        Postings::new(&self.page.content.bytes[self.postings.clone()])
    }
}

impl Page {
    pub(super) fn new(id: i64, content: Arc<PageContent>) -> Self {
        Self { id, content }
    }

    /// Finds a term. The shared prefix lengths order the terms, so none is reconstructed.
    pub(super) fn find(&self, term: &str) -> Option<TermEntry> {
        let skip_entry = self.content.skip_entry_before(term.as_bytes())?;
        let (offset, mut index) = (skip_entry.offset as usize, skip_entry.index as usize);
        let mut rest_of_page = self.content.bytes.get(offset..)?;
        let mut encoded = EncodedTerm::read(&mut rest_of_page)?;
        // Common prefix of the previous term, which is smaller, and the target.
        let previous = self.content.term(skip_entry);
        let mut common = common_prefix(previous, term.as_bytes());
        let mut is_found = previous.len() == common && term.len() == common;
        while !is_found {
            encoded = EncodedTerm::read(&mut rest_of_page)?;
            index += 1;
            if encoded.shared > common {
                continue;
            }
            let target = term.as_bytes().get(common..)?;
            if encoded.shared < common || encoded.rest > target {
                return None;
            }
            is_found = encoded.rest == target;
            common += common_prefix(encoded.rest, target);
        }
        Some(self.entry(&encoded, rest_of_page, index))
    }

    /// Returns the entry of a term that ends where the rest of the page starts.
    fn entry(&self, encoded: &EncodedTerm<'_>, rest_of_page: &[u8], index: usize) -> TermEntry {
        let end = self.content.bytes.len() - rest_of_page.len();
        let postings = end - encoded.postings.len()..end;
        TermEntry { count: encoded.count, page: self.clone(), index, postings }
    }

    /// Collects up to `limit` terms with a prefix; returns whether the next page may have more.
    pub(super) fn collect_prefix(
        &self,
        prefix: &[u8],
        limit: usize,
        found: &mut Vec<TermEntry>,
    ) -> ControlFlow<()> {
        let mut rest_of_page = &self.content.bytes[..];
        let mut term = Vec::new();
        for index in 0.. {
            let Some(encoded) = EncodedTerm::read(&mut rest_of_page) else { break };
            encoded.apply_to(&mut term);
            if term.starts_with(prefix) {
                found.push(self.entry(&encoded, rest_of_page, index));
            } else if *term > *prefix {
                return ControlFlow::Break(());
            }
            if found.len() >= limit {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

/// A front-coded term: the length of the prefix shared with the previous term, and the rest.
pub(super) struct EncodedTerm<'a> {
    pub(super) shared: usize,
    pub(super) rest: &'a [u8],
    pub(super) count: u32,
    pub(super) postings: &'a [u8],
}

impl<'a> EncodedTerm<'a> {
    /// Reads the next term of a page.
    #[inline]
    pub(super) fn read(bytes: &mut &'a [u8]) -> Option<Self> {
        Some(Self {
            shared: varint::read(bytes)? as usize,
            rest: varint::read_slice(bytes)?,
            count: varint::read(bytes)? as u32,
            postings: varint::read_slice(bytes)?,
        })
    }

    /// Turns the previous term into this one.
    #[inline]
    pub(super) fn apply_to(&self, term: &mut Vec<u8>) {
        term.truncate(self.shared);
        term.extend_from_slice(self.rest);
    }
}

/// Returns the length of the common prefix.
fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Returns a page of these words; the postings are the word's own bytes.
    fn page(words: &BTreeSet<String>) -> Page {
        let (mut bytes, mut before) = (Vec::new(), "");
        for word in words {
            let shared = common_prefix(before.as_bytes(), word.as_bytes());
            varint::write(&mut bytes, shared as u64);
            varint::write_slice(&mut bytes, &word.as_bytes()[shared..]);
            varint::write(&mut bytes, word.len() as u64);
            varint::write_slice(&mut bytes, word.as_bytes());
            before = word;
        }
        Page::new(1, Arc::new(PageContent::new(&bytes)))
    }

    proptest! {
        #[test]
        fn finds_exactly_the_terms_of_the_page(
            words in prop::collection::btree_set("[ab]{1,8}|[a-zä]{1,3}", 0..80),
            others in prop::collection::vec("[ab]{0,8}|[a-zä]{1,3}", 0..20),
        ) {
            let page = page(&words);
            for target in words.iter().chain(&others) {
                let found = page.find(target);
                let index = words.iter().position(|word| word == target);
                prop_assert_eq!(found.as_ref().map(|entry| entry.index), index);
                if let Some(entry) = found {
                    prop_assert_eq!(entry.count as usize, target.len());
                    let postings = &page.content.bytes[entry.postings.clone()];
                    prop_assert_eq!(postings, target.as_bytes());
                }
            }
        }
    }
}
