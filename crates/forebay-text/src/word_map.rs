//! Maps of words, with a hash that is quick, and good enough for words that nobody chose to do harm.
//!
//! A map that somebody fills with words of one hash becomes slow, never wrong; so those who have one bound it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub type WordMap<Value> = HashMap<Box<str>, Value, BuildHasherDefault<WordHasher>>;

#[derive(Debug, Default)]
pub struct WordHasher(u64);

impl WordHasher {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

    fn mix(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(Self::SPREAD);
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            self.mix(u64::from_le_bytes(*eight));
        }
        let last = rest.iter().fold(rest.len() as u64, |last, byte| last << 8 | u64::from(*byte));
        self.mix(last);
    }

    fn write_u8(&mut self, _end: u8) {
        // The end of a text: its length is mixed in already.
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
