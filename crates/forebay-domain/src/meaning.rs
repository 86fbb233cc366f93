//! What a text means, as a direction in many dimensions: a signed byte each.

/// How nearly two directions are the same: 1 for the same, 0 for unrelated ones.
pub fn nearness(a: &[u8], b: &[u8]) -> f32 {
    let lengths = length(a) * length(b);
    if lengths > 0.0 { dot(a, b) as f32 / lengths } else { 0.0 }
}

pub fn length(a: &[u8]) -> f32 {
    (dot(a, a) as f32).sqrt()
}

/// The sum of the products; what is beyond the shorter one does not count.
pub fn dot(a: &[u8], b: &[u8]) -> i32 {
    let product = |(a, b): (&u8, &u8)| i32::from(a.cast_signed()) * i32::from(b.cast_signed());
    a.iter().zip(b).map(product).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_compared_whatever_their_length() {
        let bytes = |numbers: [i8; 2]| numbers.map(i8::cast_unsigned);
        assert!((nearness(&bytes([3, 4]), &bytes([30, 40])) - 1.0).abs() < 1e-6);
        assert!((nearness(&bytes([3, 4]), &bytes([-3, -4])) + 1.0).abs() < 1e-6);
        assert!(nearness(&bytes([1, 0]), &bytes([0, 1])).abs() < 1e-6);
        assert!(nearness(&[0, 0], &[1, 1]).abs() < 1e-6);
    }
}
