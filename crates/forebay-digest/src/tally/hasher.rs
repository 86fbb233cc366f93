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
        let rest = words
            .remainder()
            .iter()
            .fold(bytes.len() as u64, |rest, byte| rest << 8 | u64::from(*byte));
        self.mix(rest);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
