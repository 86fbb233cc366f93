//! Random choices that a seed repeats.

use std::cell::Cell;

pub(super) struct Random {
    key: [u8; 32],
    drawn: Cell<u64>,
}

impl Random {
    pub(super) fn new(seed: u64, purpose: &str) -> Self {
        let key =
            blake3::derive_key("forebay xtask faults", format!("{seed} {purpose}").as_bytes());
        Self { key, drawn: Cell::new(0) }
    }

    /// A number below `end`.
    pub(super) fn below(&self, end: u64) -> u64 {
        let number = self.drawn.get();
        self.drawn.set(number + 1);
        let hash = blake3::keyed_hash(&self.key, &number.to_le_bytes());
        let (first, _) = hash.as_bytes().split_first_chunk().unwrap_or((&[0; 8], &[]));
        u64::from_le_bytes(*first) % end.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_its_numbers() {
        let draw = |seed| {
            let random = Random::new(seed, "kill");
            (0..20).map(|_| random.below(1_000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert!(draw(1).iter().all(|number| *number < 1_000));
    }
}
