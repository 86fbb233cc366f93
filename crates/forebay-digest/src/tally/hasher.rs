//! A fast hash for counting: the same on every machine, and not meant to resist an attacker, because
//! what is counted is bounded.

use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type Fast = BuildHasherDefault<Mixer>;

/// Mixes eight bytes at a time.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Mixer(u64);

const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;

impl Mixer {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(PRIME).rotate_left(29);
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.mix(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        }
        self.mix(bytes.len() as u64 ^ short(words.remainder()).rotate_left(8));
    }

    /// What std writes beside the bytes of a text or a list tells where they end, and so does their
    /// length, which is mixed in with them.
    fn write_u8(&mut self, byte: u8) {
        self.0 ^= u64::from(byte);
    }

    fn write_usize(&mut self, length: usize) {
        self.0 ^= length as u64;
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

/// Fewer than eight bytes as one word, without a loop.
fn short(bytes: &[u8]) -> u64 {
    let word = |at: usize| {
        bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map(u32::from_le_bytes)
    };
    match bytes {
        [] => 0,
        // Both halves overlap where there are fewer than eight.
        [_, _, _, _, ..] => {
            let (first, last) = (word(0).unwrap_or(0), word(bytes.len() - 4).unwrap_or(0));
            u64::from(first) | u64::from(last) << 32
        }
        [first, .., last] => {
            let middle = bytes[bytes.len() / 2];
            u64::from(*first) | u64::from(middle) << 8 | u64::from(*last) << 16
        }
        [only] => u64::from(*only),
    }
}
