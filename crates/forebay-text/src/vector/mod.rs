//! What a text means, as a direction in many dimensions: a signed byte each.

mod dot;
mod matrix;

pub use matrix::{Aim, Directions};

/// How nearly two directions are the same: 1 for the same, 0 for unrelated ones.
pub fn nearness(a: &[u8], b: &[u8]) -> f32 {
    let lengths = length(a) * length(b);
    if lengths > 0.0 { scalar_product(a, b) as f32 / lengths } else { 0.0 }
}

pub fn length(a: &[u8]) -> f32 {
    (scalar_product(a, a) as f32).sqrt()
}

/// Writes a direction in bytes, the largest component first to fit; false, and nothing written, if it has none.
pub fn write_bytes(direction: &[f32], bytes: &mut [u8]) -> bool {
    // Numbers that are not below zero sort as their bits do, and those are compared many at once.
    let largest = direction.iter().fold(0, |largest, number| number.abs().to_bits().max(largest));
    let largest = f32::from_bits(largest);
    let scale = 127.0 / largest;
    // Of numbers next to nothing the scale is beyond all numbers.
    if largest <= 0.0 || !scale.is_finite() {
        return false;
    }
    for (byte, number) in bytes.iter_mut().zip(direction) {
        *byte = nearest_byte(number * scale);
    }
    true
}

/// The whole number nearest to one of at most 127, as a signed byte.
#[inline]
fn nearest_byte(number: f32) -> u8 {
    // Beside so large a number no fraction has a place: the sum is rounded, and its lowest bits are the result.
    const LARGE: f32 = (3 << 22) as f32;
    (number + LARGE).to_bits() as u8
}

/// The sum of the products; what is beyond the shorter one does not count.
fn scalar_product(a: &[u8], b: &[u8]) -> i32 {
    let product = |(a, b): (&u8, &u8)| i32::from(a.cast_signed()) * i32::from(b.cast_signed());
    a.iter().zip(b).map(product).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_in_bytes_points_where_it_pointed() {
        let mut bytes = [0; 3];
        assert!(write_bytes(&[0.5, -1.0, 0.003], &mut bytes));
        assert_eq!(bytes.map(u8::cast_signed), [64, -127, 0]);
        assert!(!write_bytes(&[0.0; 3], &mut bytes) && !write_bytes(&[1e-40; 3], &mut bytes));
    }

    #[test]
    fn directions_are_compared_whatever_their_length() {
        let bytes = |numbers: [i8; 2]| numbers.map(i8::cast_unsigned);
        assert!((nearness(&bytes([3, 4]), &bytes([30, 40])) - 1.0).abs() < 1e-6);
        assert!((nearness(&bytes([3, 4]), &bytes([-3, -4])) + 1.0).abs() < 1e-6);
        assert!(nearness(&bytes([1, 0]), &bytes([0, 1])).abs() < 1e-6);
        assert!(nearness(&[0, 0], &[1, 1]).abs() < 1e-6);
    }
}
