//! Hashes of vocabulary tokens; `build.rs` includes this file to build the tables that `wordpiece` reads.
//!
//! A rolling FNV-1a hash yields the hash of every prefix of a word in one pass, and the finished table is part of
//! the binary, so that nothing is built at startup. A general hash map offers neither; measure changes with
//! `cargo xtask bench --only index`.

/// Slots of the token table: more than twice the number of tokens, so that probe sequences stay short.
pub(crate) const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 17;
/// Bytes of a word's prefix that select the possible token lengths.
pub(crate) const PREFIX_BYTES: usize = 4;
pub(crate) const PREFIX_SLOT_BITS: u32 = 15;

/// A rolling FNV-1a hash.
#[derive(Clone, Copy)]
pub(crate) struct RollingHash(u64);

impl RollingHash {
    pub(crate) const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    /// Appends a byte.
    pub(crate) const fn push(self, byte: u8) -> Self {
        Self((self.0 ^ byte as u64).wrapping_mul(0x0100_0000_01b3))
    }

    /// The slot of the token table where probing starts.
    pub(crate) fn slot(self) -> usize {
        (self.mixed() >> (u64::BITS - SLOT_BITS)) as usize
    }

    /// Identifies a token in its slot without its text, which would cost a cache miss to compare.
    ///
    /// 48 bits make an accidental match practically impossible.
    pub(crate) fn fingerprint(self) -> u64 {
        self.mixed() & u64::MAX >> u16::BITS
    }

    /// The slot of the length table, for the hash of a prefix.
    pub(crate) fn prefix_slot(self) -> usize {
        (self.mixed() >> (u64::BITS - PREFIX_SLOT_BITS)) as usize
    }

    fn mixed(self) -> u64 {
        let folded = self.0 ^ self.0 >> 32;
        let mixed = folded.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 32
    }
}

/// The next slot of a linear probe.
pub(crate) fn next_slot(slot: usize) -> usize {
    (slot + 1) % SLOTS
}
