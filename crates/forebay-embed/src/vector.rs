//! A meaning: a direction in 256 dimensions, a byte each.

use crate::table::WIDTH;

/// Bytes of a vector.
pub const BYTES: usize = WIDTH;

/// A direction. Its length does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector(Box<[u8; WIDTH]>);

impl Vector {
    /// The direction of `sum` in bytes, the largest component first to fit; none if it has no direction.
    pub(crate) fn of_direction(sum: &[f32; WIDTH]) -> Option<Self> {
        let mut bytes = [0; WIDTH];
        forebay_text::vector::quantize(sum, &mut bytes).then(|| Self(Box::new(bytes)))
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0[..]
    }

    pub fn into_bytes(self) -> Vec<u8> {
        (self.0 as Box<[u8]>).into_vec()
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(Box::new(bytes.try_into().ok()?)))
    }

    /// How near two directions are: 1 for the same, 0 for unrelated ones.
    pub fn nearness(&self, other: &Self) -> f32 {
        forebay_text::vector::similarity(self.as_bytes(), other.as_bytes())
    }

    #[cfg(test)]
    pub(crate) fn components(&self) -> impl Iterator<Item = f32> + '_ {
        let length = forebay_text::vector::norm(self.as_bytes());
        self.0.iter().map(move |byte| f32::from(byte.cast_signed()) / length)
    }
}
