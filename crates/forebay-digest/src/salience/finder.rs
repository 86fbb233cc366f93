//! Finds many words in a line, wherever they start, with one look at a small table for each byte.
//!
//! An automaton takes longer to make than most outputs take to be read. Here the first bytes of a word
//! lead to the few words that start so.

use std::ops::Range;

/// The bytes that lead to a word; none is shorter.
const START: usize = 3;

/// Many more than there are starts, so that most bytes of a line lead nowhere.
const SLOTS: usize = 1 << 13;

/// Words, each with what it means.
#[derive(Debug)]
pub(super) struct Finder<T> {
    /// For each start the group of the words that may start so; the first group is empty.
    slots: Box<[u8; SLOTS]>,
    groups: Vec<Vec<(&'static str, T)>>,
}

impl<T: Copy> Finder<T> {
    pub(super) fn new(words: impl Iterator<Item = (&'static str, T)>) -> Self {
        let mut finder = Self { slots: Box::new([0; SLOTS]), groups: vec![Vec::new()] };
        for (word, meaning) in words {
            finder.add(word, meaning);
        }
        finder
    }

    fn add(&mut self, word: &'static str, meaning: T) {
        let slot = &mut self.slots[slot(start(word.as_bytes()))];
        if *slot == 0 {
            // Those that find no free number share the last group.
            *slot = u8::try_from(self.groups.len()).unwrap_or(u8::MAX);
            self.groups.resize_with(self.groups.len().max(usize::from(*slot) + 1), Vec::new);
        }
        self.groups[usize::from(*slot)].push((word, meaning));
    }

    /// Shows every word in the line, with where it stands.
    pub(super) fn find(&self, line: &str, mut show: impl FnMut(T, Range<usize>)) {
        let (bytes, slots) = (line.as_bytes(), &*self.slots);
        let mut look = |at: usize, start: u32| {
            let group = slots[slot(start)];
            if group != 0 {
                self.show_group(group, bytes, at, &mut show);
            }
        };
        // Four bytes are read at once, and the last of them is only needed at the end of the line.
        for (at, four) in bytes.array_windows::<{ START + 1 }>().enumerate() {
            look(at, u32::from_le_bytes(*four));
        }
        if let Some(last) = bytes.last_chunk::<START>() {
            look(bytes.len() - START, start(last));
        }
    }

    #[inline(never)]
    fn show_group(
        &self,
        group: u8,
        bytes: &[u8],
        at: usize,
        show: &mut impl FnMut(T, Range<usize>),
    ) {
        for (word, meaning) in &self.groups[usize::from(group)] {
            if bytes[at..].starts_with(word.as_bytes()) {
                show(*meaning, at..at + word.len());
            }
        }
    }
}

fn start(word: &[u8]) -> u32 {
    let byte = |at: usize| u32::from(word.get(at).copied().unwrap_or_default());
    byte(0) | byte(1) << 8 | byte(2) << 16
}

/// The slot of a start; a byte beyond the third makes no difference.
fn slot(start: u32) -> usize {
    let start = start << (u32::BITS - 8 * START as u32);
    (start.wrapping_mul(0x9e37_79b1) >> (u32::BITS - SLOTS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WORDS: &[&str] = &["abc", "abca", "bca", "error", "rror: ", "r: a", "äb", "aaaa", "aaa"];

    proptest! {
        #[test]
        fn every_word_is_found_wherever_it_stands(
            parts in prop::collection::vec(prop::sample::select(WORDS), 0..6), between in "[a-cä ]{0,3}",
        ) {
            let line = parts.join(&between);
            let finder = Finder::new(WORDS.iter().map(|word| (*word, *word)));
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
    fn words_of_more_starts_than_there_are_groups_are_found() {
        let words: Vec<&'static str> = (100..600)
            .map(|number: u32| &*Box::leak(format!("{number}x").into_boxed_str()))
            .collect();
        let finder = Finder::new(words.iter().map(|word| (*word, ())));
        for word in words {
            let mut count = 0;
            finder.find(word, |(), _| count += 1);
            assert_eq!(count, 1, "{word}");
        }
    }
}
