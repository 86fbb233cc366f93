//! Numbers in as few bytes as they need: seven bits a byte, the last byte without its highest bit.

#[inline]
pub(super) fn put(bytes: &mut Vec<u8>, number: u64) {
    if number < 0x80 {
        return bytes.push(number as u8);
    }
    put_long(bytes, number);
}

fn put_long(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front; none where no whole one is left.
#[inline]
pub(super) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first()?;
    if *first < 0x80 {
        *bytes = rest;
        return Some(u64::from(*first));
    }
    take_long(bytes)
}

fn take_long(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (place, byte) in bytes.iter().enumerate().take(9) {
        number |= u64::from(byte & 0x7f) << (7 * place);
        if *byte < 0x80 {
            *bytes = &bytes[place + 1..];
            return Some(number);
        }
    }
    None
}

/// Takes so many bytes off the front as the number before them says.
#[inline]
pub(super) fn take_slice<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take(bytes)? as usize;
    let (slice, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(slice)
}

pub(super) fn put_slice(bytes: &mut Vec<u8>, slice: &[u8]) {
    put(bytes, slice.len() as u64);
    bytes.extend_from_slice(slice);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_put_is_taken(numbers in prop::collection::vec(0_u64..1 << 62, 0..50)) {
            let mut bytes = Vec::new();
            for number in &numbers {
                put(&mut bytes, *number);
            }
            let mut left = &bytes[..];
            for number in numbers {
                prop_assert_eq!(take(&mut left), Some(number));
            }
            prop_assert_eq!(take(&mut left), None);
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in any::<Vec<u8>>()) {
            let mut left = &bytes[..];
            while take_slice(&mut left).is_some() {}
        }
    }
}
