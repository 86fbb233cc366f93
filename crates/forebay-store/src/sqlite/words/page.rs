//! A page of a segment: words in order, each by what it does not share with the one before it, and its passages.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::postings::Postings;
use super::varint;

/// A page as it was read.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub(super) id: i64,
    pub(super) bytes: Arc<[u8]>,
}

/// A word of a segment.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) count: u32,
    pub(super) page: Page,
    /// How many words stand before it on the page, and where its passages stand there.
    pub(super) number: usize,
    postings: Range<usize>,
}

impl Entry {
    pub(super) fn postings(&self) -> Postings<'_> {
        Postings::of(&self.page.bytes[self.postings.clone()])
    }
}

impl Page {
    /// Finds a word. What the words do not share tells where it would stand, so none is put together.
    pub(super) fn find(self, term: &str) -> Option<Entry> {
        let mut left = &self.bytes[..];
        // What the word before and the wanted one have in common; the one before comes first.
        let mut common = 0;
        for number in 0.. {
            let word = Packed::take(&mut left)?;
            if word.shared > common {
                continue;
            }
            let wanted = term.as_bytes().get(common..)?;
            if word.shared < common || word.rest > wanted {
                return None;
            }
            if word.rest == wanted {
                let left = left.len();
                let (count, postings) = (word.count, word.place(&self.bytes, left));
                return Some(Entry { count, page: self, number, postings });
            }
            common += word.rest.iter().zip(wanted).take_while(|(a, b)| a == b).count();
        }
        None
    }

    /// Adds the words that begin with this, until there are `most`; says whether the next page may have more.
    pub(super) fn add_beginning(
        &self,
        with: &[u8],
        most: usize,
        found: &mut Vec<Entry>,
    ) -> ControlFlow<()> {
        let mut left = &self.bytes[..];
        let mut term = Vec::new();
        for number in 0.. {
            let Some(word) = Packed::take(&mut left) else { break };
            term.truncate(word.shared);
            term.extend_from_slice(word.rest);
            if term.starts_with(with) {
                let postings = word.place(&self.bytes, left.len());
                found.push(Entry { count: word.count, page: self.clone(), number, postings });
            } else if *term > *with {
                return ControlFlow::Break(());
            }
            if found.len() >= most {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

/// A word as a page has it: what it shares with the one before it is left out.
pub(super) struct Packed<'a> {
    pub(super) shared: usize,
    pub(super) rest: &'a [u8],
    pub(super) count: u32,
    pub(super) postings: &'a [u8],
}

impl<'a> Packed<'a> {
    /// Takes the next word off a page.
    #[inline]
    pub(super) fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        Some(Self {
            shared: varint::take(bytes)? as usize,
            rest: varint::take_slice(bytes)?,
            count: varint::take(bytes)? as u32,
            postings: varint::take_slice(bytes)?,
        })
    }

    /// Where its passages stand on a page of which so many bytes are left behind them.
    fn place(&self, page: &[u8], left: usize) -> Range<usize> {
        let end = page.len() - left;
        end - self.postings.len()..end
    }
}
