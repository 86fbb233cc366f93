//! An embedding vector: 256 components, quantized to a byte each.

use crate::embedding_table::DIMENSIONS;

/// An embedding. Only its direction matters, not its length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector(Box<[u8; DIMENSIONS]>);

impl Vector {
    /// Quantizes `sum`, scaled to its largest component; returns `None` for a zero vector.
    pub(crate) fn quantize(sum: &[f32; DIMENSIONS]) -> Option<Self> {
        let mut bytes = [0; DIMENSIONS];
        forebay_text::vector::quantize(sum, &mut bytes).then(|| Self(Box::new(bytes)))
    }

    pub(crate) fn row(&self) -> &[u8; DIMENSIONS] {
        &self.0
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

    /// Returns the cosine similarity: 1 for the same direction, 0 for unrelated ones.
    pub fn cosine_similarity(&self, other: &Self) -> f32 {
        forebay_text::vector::similarity(self.as_bytes(), other.as_bytes())
    }

    #[cfg(test)]
    pub(crate) fn components(&self) -> impl Iterator<Item = f32> + '_ {
        let length = forebay_text::vector::norm(self.as_bytes());
        self.0.iter().map(move |byte| f32::from(byte.cast_signed()) / length)
    }
}
