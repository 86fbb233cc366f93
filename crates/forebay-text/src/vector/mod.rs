//! Quantized vectors: one signed byte a dimension.

mod dot;
mod matrix;

pub use matrix::{QueryVector, VectorMatrix};

/// Cosine similarity.
pub fn similarity(a: &[u8], b: &[u8]) -> f32 {
    let norms = norm(a) * norm(b);
    if norms > 0.0 { scalar_product(a, b) as f32 / norms } else { 0.0 }
}

pub fn norm(a: &[u8]) -> f32 {
    (scalar_product(a, a) as f32).sqrt()
}

/// Quantizes a vector to signed bytes, scaled by its largest component; returns false and writes nothing for a zero vector.
pub fn quantize(vector: &[f32], bytes: &mut [u8]) -> bool {
    // Non-negative floats sort like their bits, and integer maxima vectorize.
    let largest = vector.iter().fold(0, |largest, number| number.abs().to_bits().max(largest));
    let largest = f32::from_bits(largest);
    let scale = 127.0 / largest;
    // For denormal components the scale overflows.
    if largest <= 0.0 || !scale.is_finite() {
        return false;
    }
    for (byte, number) in bytes.iter_mut().zip(vector) {
        *byte = round_to_byte(number * scale);
    }
    true
}

/// Rounds a number of magnitude at most 127 to a signed byte.
#[inline]
fn round_to_byte(number: f32) -> u8 {
    // Adding 1.5 * 2^23 leaves no mantissa bits for a fraction, so the sum is rounded and its low bits are the result.
    const ROUNDING: f32 = (3 << 22) as f32;
    (number + ROUNDING).to_bits() as u8
}

/// Dot product over the common dimensions.
fn scalar_product(a: &[u8], b: &[u8]) -> i32 {
    let product = |(a, b): (&u8, &u8)| i32::from(a.cast_signed()) * i32::from(b.cast_signed());
    a.iter().zip(b).map(product).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantization_preserves_proportions() {
        let mut bytes = [0; 3];
        assert!(quantize(&[0.5, -1.0, 0.003], &mut bytes));
        assert_eq!(bytes.map(u8::cast_signed), [64, -127, 0]);
        assert!(!quantize(&[0.0; 3], &mut bytes) && !quantize(&[1e-40; 3], &mut bytes));
    }

    #[test]
    fn similarity_ignores_magnitude() {
        let bytes = |numbers: [i8; 2]| numbers.map(i8::cast_unsigned);
        assert!((similarity(&bytes([3, 4]), &bytes([30, 40])) - 1.0).abs() < 1e-6);
        assert!((similarity(&bytes([3, 4]), &bytes([-3, -4])) + 1.0).abs() < 1e-6);
        assert!(similarity(&bytes([1, 0]), &bytes([0, 1])).abs() < 1e-6);
        assert!(similarity(&[0, 0], &[1, 1]).abs() < 1e-6);
    }
}
