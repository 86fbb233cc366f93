//! A table from words to what is known of them. Nearly all words are short, and those are found by a number.

use forebay_text::packed_word::WordHashes;
use forebay_text::word_map::WordMap;

/// Places before the first short word comes; always a power of two.
const FEWEST: usize = 1 << 10;

pub(super) struct Table<Value> {
    /// Open addressing: a word stands at its place, or at the next that was free.
    slots: Vec<Slot<Value>>,
    count: usize,
    checks: WordHashes,
    long: WordMap<Value>,
}

/// A short word by its check, which is 0 where there is none. No slot lies in two lines of the processor's memory.
#[derive(Clone, Copy, Default)]
#[repr(align(16))]
struct Slot<Value> {
    check: u64,
    value: Value,
}

impl<Value: Copy + Default> Default for Table<Value> {
    fn default() -> Self {
        let slots = vec![Slot::default(); FEWEST];
        Self { slots, count: 0, checks: WordHashes::default(), long: WordMap::default() }
    }
}

impl<Value: Copy + Default> Table<Value> {
    /// What is known of the word that stands in a text from `start` to `end`.
    #[inline]
    pub(super) fn get(&self, text: &str, start: usize, end: usize) -> Option<Value> {
        let Some(check) = self.checks.hash(text.as_bytes(), start, end) else {
            return self.long.get(&text[start..end]).copied();
        };
        let mut place = self.home(check);
        loop {
            let slot = self.slots[place];
            if slot.check == check {
                return Some(slot.value);
            }
            if slot.check == 0 {
                return None;
            }
            place = self.next(place);
        }
    }

    pub(super) fn insert(&mut self, word: &str, value: Value) {
        let Some(check) = self.checks.hash(word.as_bytes(), 0, word.len()) else {
            self.long.insert(word.into(), value);
            return;
        };
        if 2 * self.count >= self.slots.len() {
            self.grow();
        }
        let place = self.place(check);
        self.count += usize::from(self.slots[place].check != check);
        self.slots[place] = Slot { check, value };
    }

    /// Where a short word stands, or would stand.
    fn place(&self, check: u64) -> usize {
        let mut place = self.home(check);
        while self.slots[place].check != check && self.slots[place].check != 0 {
            place = self.next(place);
        }
        place
    }

    /// Where a short word stands if no other does.
    #[inline]
    fn home(&self, check: u64) -> usize {
        (check >> 32) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn next(&self, place: usize) -> usize {
        (place + 1) & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        let slots = vec![Slot::default(); 2 * self.slots.len()];
        for slot in std::mem::replace(&mut self.slots, slots) {
            if slot.check != 0 {
                let place = self.place(slot.check);
                self.slots[place] = slot;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_however_many_and_long_they_are() {
        let mut table = Table::default();
        let word = |number: u32| "word".repeat(1 + number as usize % 4) + &number.to_string();
        let get = |table: &Table<u32>, number| {
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
