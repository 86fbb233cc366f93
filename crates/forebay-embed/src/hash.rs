//! Where pieces of words are looked for; `build.rs` puts them there, and so it reads this file as well.

/// Places for pieces: more than twice as many as there are, so that few stand in each other's way.
pub(crate) const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 17;
/// The bytes by whose hash it is known how long the pieces are that begin with them.
pub(crate) const OPENING: usize = 4;
pub(crate) const OPENING_BITS: u32 = 15;

/// The hash of some bytes, which the bytes after them are added to.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    pub(crate) const fn and(self, byte: u8) -> Self {
        Self((self.0 ^ byte as u64).wrapping_mul(0x0100_0000_01b3))
    }

    pub(crate) fn place(self) -> usize {
        (self.spread() >> (u64::BITS - PLACE_BITS)) as usize
    }

    /// What tells pieces from all else that shares a place with them. It has so many bits that no other bytes have the
    /// same by chance, and the piece itself, which would be far away in memory, need not be compared.
    pub(crate) fn check(self) -> u64 {
        self.spread() & u64::MAX >> u16::BITS
    }

    /// Where it stands how long the pieces are that begin with these bytes.
    pub(crate) fn opening(self) -> usize {
        (self.spread() >> (u64::BITS - OPENING_BITS)) as usize
    }

    fn spread(self) -> u64 {
        let folded = self.0 ^ self.0 >> 32;
        let spread = folded.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        spread ^ spread >> 32
    }
}

/// The place after another.
pub(crate) fn next(place: usize) -> usize {
    (place + 1) % PLACES
}
