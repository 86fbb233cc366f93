//! A hash table from words to values, with a fast path for short words.
//!
//! A word of up to 15 bytes is loaded from the text as one 128-bit key and identified by a seeded
//! 64-bit hash of it, so a slot takes 16 bytes and words are neither stored nor compared bytewise;
//! longer words go to a map. Looking up every word is the hot path of indexing: measure changes with
//! `cargo xtask bench --only index`.

use foldhash::HashMap;
use forebay_text::packed_word::WordHashes;

/// Initial number of slots; always a power of two.
const MIN_SLOTS: usize = 1 << 10;

pub(super) struct WordTable<Value> {
    /// Open addressing with linear probing.
    slots: Vec<Slot<Value>>,
    count: usize,
    fingerprints: WordHashes,
    long: HashMap<Box<str>, Value>,
}

/// A slot; fingerprint 0 if empty. Aligned so that no slot spans two cache lines.
#[derive(Clone, Copy, Default)]
#[repr(align(16))]
struct Slot<Value> {
    fingerprint: u64,
    value: Value,
}

impl<Value: Copy + Default> Default for WordTable<Value> {
    fn default() -> Self {
        let slots = vec![Slot::default(); MIN_SLOTS];
        Self { slots, count: 0, fingerprints: WordHashes::default(), long: HashMap::default() }
    }
}

impl<Value: Copy + Default> WordTable<Value> {
    /// Returns the value of the word at `start..end` of a text.
    #[inline]
    pub(super) fn get(&self, text: &str, start: usize, end: usize) -> Option<Value> {
        let Some(fingerprint) = self.fingerprints.hash(text.as_bytes(), start, end) else {
            return self.long.get(&text[start..end]).copied();
        };
        let mut slot_index = self.first_slot(fingerprint);
        loop {
            let slot = self.slots[slot_index];
            if slot.fingerprint == fingerprint {
                return Some(slot.value);
            }
            if slot.fingerprint == 0 {
                return None;
            }
            slot_index = self.next_slot(slot_index);
        }
    }

    pub(super) fn insert(&mut self, word: &str, value: Value) {
        let Some(fingerprint) = self.fingerprints.hash(word.as_bytes(), 0, word.len()) else {
            self.long.insert(word.into(), value);
            return;
        };
        if 2 * self.count >= self.slots.len() {
            self.grow();
        }
        let slot_index = self.slot_index(fingerprint);
        self.count += usize::from(self.slots[slot_index].fingerprint != fingerprint);
        self.slots[slot_index] = Slot { fingerprint, value };
    }

    /// Returns the slot of a short word, or a free one for it.
    fn slot_index(&self, fingerprint: u64) -> usize {
        let mut slot_index = self.first_slot(fingerprint);
        while self.slots[slot_index].fingerprint != fingerprint
            && self.slots[slot_index].fingerprint != 0
        {
            slot_index = self.next_slot(slot_index);
        }
        slot_index
    }

    /// Returns the first slot to probe.
    #[inline]
    fn first_slot(&self, fingerprint: u64) -> usize {
        (fingerprint >> 32) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn next_slot(&self, slot_index: usize) -> usize {
        (slot_index + 1) & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        let slots = vec![Slot::default(); 2 * self.slots.len()];
        for slot in std::mem::replace(&mut self.slots, slots) {
            if slot.fingerprint != 0 {
                let slot_index = self.slot_index(slot.fingerprint);
                self.slots[slot_index] = slot;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_many_words_of_any_length() {
        let mut table = WordTable::default();
        let word = |number: u32| "word".repeat(1 + number as usize % 4) + &number.to_string();
        let get = |table: &WordTable<u32>, number| {
            let text = format!("({})", word(number));
            table.get(&text, 1, text.len() - 1)
        };
        for number in 0..5_000 {
            assert_eq!(get(&table, number), None);
            table.insert(&word(number), number);
        }
        table.insert(&word(7), 8);
        assert_eq!(get(&table, 7), Some(8));
        assert!((8..5_000).all(|number| get(&table, number) == Some(number)));
    }
}
