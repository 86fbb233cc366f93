//! Multi-pattern search with one table lookup per byte.
//!
//! Building an Aho-Corasick automaton takes longer than reading most outputs, so a hash of the
//! first three bytes selects the few words that may start there. Hand-written for speed:
//! `cargo xtask bench --only digest`.

use std::ops::Range;

/// Number of bytes that select the candidate words; no word is shorter.
const PREFIX_BYTES: usize = 3;

/// The bytes of a prefix in four that are read at once.
const PREFIX_MASK: u32 = u32::MAX >> (u32::BITS - 8 * PREFIX_BYTES as u32);

/// Far more slots than prefixes, so that most positions select nothing.
const SLOTS: usize = 1 << 13;

/// Words with an associated value.
#[derive(Debug)]
pub(super) struct WordFinder<T> {
    /// For each hashed prefix, the group of words that may start with it; group 0 is empty.
    slots: Box<[u8; SLOTS]>,
    groups: Vec<Vec<Word<T>>>,
}

#[derive(Debug)]
struct Word<T> {
    /// Different prefixes may have one slot.
    prefix: u32,
    text: &'static str,
    value: T,
}

impl<T: Copy> WordFinder<T> {
    pub(super) fn new(words: impl Iterator<Item = (&'static str, T)>) -> Self {
        let mut finder = Self { slots: Box::new([0; SLOTS]), groups: vec![Vec::new()] };
        for (word, value) in words {
            finder.add(word, value);
        }
        finder
    }

    fn add(&mut self, word: &'static str, value: T) {
        let prefix = prefix(word.as_bytes());
        let slot = &mut self.slots[slot(prefix)];
        if *slot == 0 {
            // Once group numbers run out, further prefixes share the last group.
            *slot = u8::try_from(self.groups.len()).unwrap_or(u8::MAX);
            self.groups.resize_with(self.groups.len().max(usize::from(*slot) + 1), Vec::new);
        }
        self.groups[usize::from(*slot)].push(Word { prefix, text: word, value });
    }

    /// Reports every word in the line with its position.
    pub(super) fn find(&self, line: &str, mut on_match: impl FnMut(T, Range<usize>)) {
        let (bytes, slots) = (line.as_bytes(), &*self.slots);
        let mut check = |at: usize, prefix: u32| {
            let group = slots[slot(prefix)];
            if group != 0 {
                self.report_group((group, prefix), bytes, at, &mut on_match);
            }
        };
        // Reads four bytes at a time, of which the last is ignored; the end of the line needs an
        // extra check.
        for (at, four) in bytes.array_windows::<{ PREFIX_BYTES + 1 }>().enumerate() {
            check(at, u32::from_le_bytes(*four));
        }
        if let Some(last) = bytes.last_chunk::<PREFIX_BYTES>() {
            check(bytes.len() - PREFIX_BYTES, prefix(last));
        }
    }

    #[inline(never)]
    fn report_group(
        &self,
        (group, prefix): (u8, u32),
        bytes: &[u8],
        at: usize,
        on_match: &mut impl FnMut(T, Range<usize>),
    ) {
        let prefix = prefix & PREFIX_MASK;
        for Word { text, value, .. } in
            self.groups[usize::from(group)].iter().filter(|word| word.prefix == prefix)
        {
            if bytes[at..].starts_with(text.as_bytes()) {
                on_match(*value, at..at + text.len());
            }
        }
    }
}

fn prefix(word: &[u8]) -> u32 {
    let byte = |at: usize| u32::from(word.get(at).copied().unwrap_or_default());
    byte(0) | byte(1) << 8 | byte(2) << 16
}

/// Returns the slot of a prefix; the fourth byte is ignored.
fn slot(prefix: u32) -> usize {
    let prefix = prefix << (u32::BITS - 8 * PREFIX_BYTES as u32);
    (prefix.wrapping_mul(0x9e37_79b1) >> (u32::BITS - SLOTS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WORDS: &[&str] = &["abc", "abca", "bca", "error", "rror: ", "r: a", "äb", "aaaa", "aaa"];

    proptest! {
        #[test]
        fn finds_every_word_at_every_offset(
            parts in prop::collection::vec(prop::sample::select(WORDS), 0..6), between in "[a-cä ]{0,3}",
        ) {
            let line = parts.join(&between);
            let finder = WordFinder::new(WORDS.iter().map(|word| (*word, *word)));
            let mut found = Vec::new();
            finder.find(&line, |word, at| found.push((at.start, word)));
            found.sort_unstable();
            let mut expected: Vec<_> = (0..line.len())
                .flat_map(|at| WORDS.iter().map(move |word| (at, *word)))
                .filter(|(at, word)| line.as_bytes()[*at..].starts_with(word.as_bytes()))
                .collect();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn finds_words_with_more_prefixes_than_groups() {
        let words: Vec<&'static str> = (100..600)
            .map(|number: u32| &*Box::leak(format!("{number}x").into_boxed_str()))
            .collect();
        let finder = WordFinder::new(words.iter().map(|word| (*word, ())));
        for word in words {
            let mut count = 0;
            finder.find(word, |(), _| count += 1);
            assert_eq!(count, 1, "{word}");
        }
    }
}
