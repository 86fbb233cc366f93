//! LEB128 variable-length integers: seven bits per byte, low bits first; the high bit marks all
//! bytes but the last.

#[inline]
pub(super) fn write(bytes: &mut Vec<u8>, number: u64) {
    if number < 0x80 {
        return bytes.push(number as u8);
    }
    write_long(bytes, number);
}

fn write_long(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads an integer; None if the bytes end within it.
#[inline]
pub(super) fn read(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first()?;
    if *first < 0x80 {
        *bytes = rest;
        return Some(u64::from(*first));
    }
    read_long(bytes)
}

fn read_long(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (index, byte) in bytes.iter().enumerate().take(9) {
        number |= u64::from(byte & 0x7f) << (7 * index);
        if *byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Some(number);
        }
    }
    None
}

/// Reads a length-prefixed slice.
#[inline]
pub(super) fn read_slice<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = read(bytes)? as usize;
    let (slice, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(slice)
}

pub(super) fn write_slice(bytes: &mut Vec<u8>, slice: &[u8]) {
    write(bytes, slice.len() as u64);
    bytes.extend_from_slice(slice);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn reads_what_was_written(numbers in prop::collection::vec(0_u64..1 << 62, 0..50)) {
            let mut bytes = Vec::new();
            for number in &numbers {
                write(&mut bytes, *number);
            }
            let mut rest = &bytes[..];
            for number in numbers {
                prop_assert_eq!(read(&mut rest), Some(number));
            }
            prop_assert_eq!(read(&mut rest), None);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in any::<Vec<u8>>()) {
            let mut rest = &bytes[..];
            while read_slice(&mut rest).is_some() {}
        }
    }
}
