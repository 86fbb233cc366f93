//! Case-insensitive multi-literal search in one pass.
//!
//! Each literal is indexed by three of its bytes, its key. The six keys of an eight-byte word are looked up
//! independently, without the data dependency of automaton steps: twice as fast as an Aho-Corasick automaton over these
//! literals, and built in a tenth of the time (`cargo xtask bench --only redact`).

/// Bytes of a key; no literal is shorter.
pub(super) const KEY_BYTES: usize = 3;
/// Keys in a word of eight bytes.
const KEYS: usize = 8 - KEY_BYTES + 1;
/// Folds ASCII case; some other bytes collide, which the full comparison resolves.
const FOLD: u64 = 0x2020_2020_2020_2020;
/// Small enough for the L1 cache.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 15;
/// Frequent bytes, the most frequent first.
const COMMON: &[u8] = b" etaoinsrlcdpu=/:-";

/// The literals to search for, identified by index.
pub(super) struct Literals {
    texts: Vec<String>,
    /// Bloom-style filter over `keys`.
    slots: Box<[u8; SLOTS]>,
    /// Sorted.
    keys: Vec<Key>,
}

/// Three bytes of a literal and their offset in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    bytes: u32,
    offset: usize,
    number: usize,
}

impl Literals {
    #[expect(clippy::large_stack_arrays, reason = "it is made where it stays")]
    pub(super) fn new(texts: Vec<String>) -> Self {
        let mut keys: Vec<Key> = texts
            .iter()
            .enumerate()
            .filter_map(|(number, text)| rarest_key(number, text.as_bytes()))
            .collect();
        keys.sort_unstable();
        let mut slots = Box::new([0; SLOTS]);
        for key in &keys {
            slots[slot(key.bytes)] = 1;
        }
        Self { texts, slots, keys }
    }

    pub(super) fn text(&self, number: usize) -> &[u8] {
        self.texts[number].as_bytes()
    }

    /// Reports where literals start in `text`, until `go_on` returns `false`.
    pub(super) fn find(&self, text: &[u8], go_on: &mut impl FnMut(usize, usize) -> bool) {
        let mut at = 0;
        while at < text.len() {
            let word = word(&text[at..]);
            if self.may_contain_key(word) && !self.report_word(word, text, at, go_on) {
                return;
            }
            at += KEYS;
        }
    }

    fn may_contain_key(&self, word: u64) -> bool {
        let known = |index| self.slots[slot(key(word, index))];
        // Unrolled: a loop would branch after each key.
        known(0) | known(1) | known(2) | known(3) | known(4) | known(5) != 0
    }

    /// Whether `text` contains any literal.
    pub(super) fn stand_in(&self, text: &[u8]) -> bool {
        let mut found = false;
        self.find(text, &mut |_, _| {
            found = true;
            false
        });
        found
    }

    /// Reports the literals whose keys occur in the word at `at`.
    #[cold]
    fn report_word(
        &self,
        word: u64,
        text: &[u8],
        at: usize,
        go_on: &mut impl FnMut(usize, usize) -> bool,
    ) -> bool {
        let keys = (0..KEYS).map(|index| (at + index, key(word, index)));
        keys.filter(|(_, key)| self.slots[slot(*key)] != 0).all(|(at, key)| {
            self.keys_for(key).iter().all(|known| {
                let start = at.checked_sub(known.offset);
                let start = start.filter(|start| self.matches_at(text, *start, known.number));
                start.is_none_or(|start| go_on(start, known.number))
            })
        })
    }

    fn keys_for(&self, bytes: u32) -> &[Key] {
        let first = self.keys.partition_point(|key| key.bytes < bytes);
        let count = self.keys[first..].iter().take_while(|key| key.bytes == bytes).count();
        &self.keys[first..first + count]
    }

    fn matches_at(&self, text: &[u8], start: usize, number: usize) -> bool {
        let literal = self.text(number);
        text[start..].get(..literal.len()).is_some_and(|there| there.eq_ignore_ascii_case(literal))
    }
}

/// The key of a literal that is rarest in ordinary text.
fn rarest_key(number: usize, literal: &[u8]) -> Option<Key> {
    let commonness = |byte: &u8| {
        COMMON.iter().position(|common| common == byte).map_or(0, |index| COMMON.len() - index)
    };
    let offset = (0..(literal.len() + 1).checked_sub(KEY_BYTES)?).min_by_key(|offset| {
        literal[*offset..offset + KEY_BYTES].iter().map(commonness).sum::<usize>()
    })?;
    Some(Key { bytes: key(word(&literal[offset..]), 0), offset, number })
}

/// The first eight bytes case-folded, zero-padded.
fn word(text: &[u8]) -> u64 {
    let bytes = text.first_chunk().copied().unwrap_or_else(|| {
        let mut padded = [0; 8];
        padded[..text.len()].copy_from_slice(text);
        padded
    });
    u64::from_le_bytes(bytes) | FOLD
}

/// The three bytes at `index` of a word.
fn key(word: u64, index: usize) -> u32 {
    (word >> (8 * index)) as u32 & 0x00ff_ffff
}

fn slot(key: u32) -> usize {
    // Knuth's multiplicative hash: the upper bits depend on the whole key.
    (key.wrapping_mul(2_654_435_761) >> (u32::BITS - SLOT_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(literals: &Literals, text: &[u8]) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        literals.find(text, &mut |start, number| {
            found.push((start, number));
            true
        });
        found.sort_unstable();
        found
    }

    proptest! {
        #[test]
        fn finds_every_occurrence(texts in prop::collection::vec("[abA_:]{3,5}", 1..8), text in "[abAB_:]{0,60}") {
            let literals = Literals::new(texts.clone());
            let mut expect = Vec::new();
            for (number, literal) in texts.iter().enumerate() {
                let at = |start: &usize| text.as_bytes()[*start..start + literal.len()].eq_ignore_ascii_case(literal.as_bytes());
                expect.extend((0..(text.len() + 1).saturating_sub(literal.len())).filter(at).map(|start| (start, number)));
            }
            expect.sort_unstable();
            prop_assert_eq!(literals.stand_in(text.as_bytes()), !expect.is_empty());
            prop_assert_eq!(found(&literals, text.as_bytes()), expect);
        }
    }
}
