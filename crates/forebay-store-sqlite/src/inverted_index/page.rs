//! A page of a segment: words in order, each by what it does not share with the one before it, and its passages.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::postings::Postings;
use super::varint;
use forebay_store::lru::Bytes;

/// Words of a page that are looked at one after the other, where that begins at a signpost.
const APART: usize = 8;

/// A page as it was read.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub(super) id: i64,
    content: Arc<Content>,
}

/// What stands on a page. It is read again and again, so some of its words are put together once.
#[derive(Debug)]
pub(super) struct Content {
    bytes: Box<[u8]>,
    signposts: Box<[Signpost]>,
    /// The words of all signposts, one after the other.
    names: Box<[u8]>,
}

/// A word of a page whose place is known.
#[derive(Debug)]
struct Signpost {
    /// Where its name stands among those of the signposts, and it on the page.
    name: Range<u32>,
    place: u32,
    /// How many words stand before it on the page.
    number: u32,
}

impl Bytes for Content {
    fn bytes(&self) -> usize {
        self.bytes.len() + self.names.len() + size_of_val(&*self.signposts)
    }
}

impl Content {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let (mut signposts, mut names, mut term) = (Vec::new(), Vec::new(), Vec::new());
        let mut left = bytes;
        for number in 0.. {
            let place = (bytes.len() - left.len()) as u32;
            let Some(word) = Packed::take(&mut left) else { break };
            word.follow(&mut term);
            if number % APART == 0 {
                let start = names.len() as u32;
                names.extend_from_slice(&term);
                let name = start..names.len() as u32;
                signposts.push(Signpost { name, place, number: number as u32 });
            }
        }
        Self { bytes: bytes.into(), signposts: signposts.into(), names: names.into() }
    }

    fn name(&self, signpost: &Signpost) -> &[u8] {
        &self.names[signpost.name.start as usize..signpost.name.end as usize]
    }

    /// The last signpost whose word does not come after this one.
    fn before(&self, wanted: &[u8]) -> Option<&Signpost> {
        let behind = self.signposts.partition_point(|signpost| self.name(signpost) <= wanted);
        self.signposts.get(behind.checked_sub(1)?)
    }
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
        Postings::of(&self.page.content.bytes[self.postings.clone()])
    }
}

impl Page {
    pub(super) fn new(id: i64, content: Arc<Content>) -> Self {
        Self { id, content }
    }

    /// Finds a word. What the words do not share tells where it would stand, so none is put together.
    pub(super) fn find(&self, term: &str) -> Option<Entry> {
        let signpost = self.content.before(term.as_bytes())?;
        let (place, mut number) = (signpost.place as usize, signpost.number as usize);
        let mut left = self.content.bytes.get(place..)?;
        let mut word = Packed::take(&mut left)?;
        // What the word before and the wanted one have in common; the one before comes first.
        let name = self.content.name(signpost);
        let mut common = in_common(name, term.as_bytes());
        let mut is_found = name.len() == common && term.len() == common;
        while !is_found {
            word = Packed::take(&mut left)?;
            number += 1;
            if word.shared > common {
                continue;
            }
            let wanted = term.as_bytes().get(common..)?;
            if word.shared < common || word.rest > wanted {
                return None;
            }
            is_found = word.rest == wanted;
            common += in_common(word.rest, wanted);
        }
        Some(self.entry(&word, left, number))
    }

    /// A word behind which so much of the page is left.
    fn entry(&self, word: &Packed<'_>, left: &[u8], number: usize) -> Entry {
        let end = self.content.bytes.len() - left.len();
        let postings = end - word.postings.len()..end;
        Entry { count: word.count, page: self.clone(), number, postings }
    }

    /// Adds the words that begin with this, until there are `most`; says whether the next page may have more.
    pub(super) fn add_beginning(
        &self,
        with: &[u8],
        most: usize,
        found: &mut Vec<Entry>,
    ) -> ControlFlow<()> {
        let mut left = &self.content.bytes[..];
        let mut term = Vec::new();
        for number in 0.. {
            let Some(word) = Packed::take(&mut left) else { break };
            word.follow(&mut term);
            if term.starts_with(with) {
                found.push(self.entry(&word, left, number));
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

    /// Makes this word of the one before it.
    #[inline]
    pub(super) fn follow(&self, term: &mut Vec<u8>) {
        term.truncate(self.shared);
        term.extend_from_slice(self.rest);
    }
}

/// How many bytes two words begin with alike.
fn in_common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// A page of these words, each with as many bytes for its passages as it has letters.
    fn page(words: &BTreeSet<String>) -> Page {
        let (mut bytes, mut before) = (Vec::new(), "");
        for word in words {
            let shared = in_common(before.as_bytes(), word.as_bytes());
            varint::put(&mut bytes, shared as u64);
            varint::put_slice(&mut bytes, &word.as_bytes()[shared..]);
            varint::put(&mut bytes, word.len() as u64);
            varint::put_slice(&mut bytes, word.as_bytes());
            before = word;
        }
        Page::new(1, Arc::new(Content::of(&bytes)))
    }

    proptest! {
        #[test]
        fn a_word_is_found_where_it_stands_and_no_other(
            words in prop::collection::btree_set("[ab]{1,8}|[a-zä]{1,3}", 0..80),
            others in prop::collection::vec("[ab]{0,8}|[a-zä]{1,3}", 0..20),
        ) {
            let page = page(&words);
            for wanted in words.iter().chain(&others) {
                let found = page.find(wanted);
                let number = words.iter().position(|word| word == wanted);
                prop_assert_eq!(found.as_ref().map(|entry| entry.number), number);
                if let Some(entry) = found {
                    prop_assert_eq!(entry.count as usize, wanted.len());
                    let postings = &page.content.bytes[entry.postings.clone()];
                    prop_assert_eq!(postings, wanted.as_bytes());
                }
            }
        }
    }
}
