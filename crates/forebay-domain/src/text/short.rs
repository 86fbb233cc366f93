//! Short words as numbers: quick to compare, and quick to look up.

/// Bytes of the longest word that is short.
pub const LONGEST: usize = 15;
/// What tells a capital letter from a small one; digits have it as well.
const SMALL_BITS: u128 = u128::from_ne_bytes([0x20; 16]);
const LENGTH_SHIFT: u32 = 8 * LONGEST as u32;

/// What kind of character a byte is, or that it is none of ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Other,
    Small,
    Digit,
    Capital,
    Foreign,
}

static KINDS: [Kind; 256] = kinds();

const fn kinds() -> [Kind; 256] {
    let mut kinds = [Kind::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => Kind::Small,
            b'0'..=b'9' => Kind::Digit,
            b'A'..=b'Z' => Kind::Capital,
            0x80.. => Kind::Foreign,
            _ => Kind::Other,
        };
        byte += 1;
    }
    kinds
}

#[inline]
pub fn kind(byte: u8) -> Kind {
    KINDS[usize::from(byte)]
}

/// Hands out where the runs of ASCII letters and digits, and of foreign characters that belong to them, begin and
/// end.
#[inline]
pub fn each_place(text: &str, belongs: impl Fn(char) -> bool, mut take: impl FnMut(usize, usize)) {
    let mut start = 0;
    while start < text.len() {
        let end = end_of_run(text, start, &belongs);
        if end > start {
            take(start, end);
        }
        // What ends a run is no part of one.
        start = text.ceil_char_boundary(end + 1);
    }
}

#[inline]
fn end_of_run(text: &str, start: usize, belongs: impl Fn(char) -> bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    loop {
        at += plain(&bytes[at..]);
        match bytes.get(at) {
            Some(0x80..) => match text[at..].chars().next().filter(|c| belongs(*c)) {
                Some(c) => at += c.len_utf8(),
                None => return at,
            },
            _ => return at,
        }
    }
}

/// How many ASCII letters and digits a text begins with.
#[inline]
fn plain(bytes: &[u8]) -> usize {
    let is_other = |byte: &u8| matches!(kind(*byte), Kind::Other | Kind::Foreign);
    bytes.iter().position(is_other).unwrap_or(bytes.len())
}

/// The bytes from `start` to `end` as a number; none where they are too many.
#[inline]
pub fn key(text: &[u8], start: usize, end: usize) -> Option<u128> {
    let length = end - start;
    if length > LONGEST {
        return None;
    }
    let word = match text[start..].first_chunk() {
        Some(window) => u128::from_le_bytes(*window) & mask(length),
        None => near_the_end(&text[start..end]),
    };
    Some(word | (length as u128) << LENGTH_SHIFT)
}

fn near_the_end(word: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[..word.len()].copy_from_slice(word);
    u128::from_le_bytes(bytes)
}

fn mask(length: usize) -> u128 {
    (1 << (8 * length)) - 1
}

/// The same word of letters and digits in lower case.
#[inline]
pub fn lower(key: u128) -> u128 {
    key | SMALL_BITS & mask((key >> LENGTH_SHIFT) as usize)
}

/// The word again: its bytes, and how many of them count.
pub fn bytes(key: u128) -> ([u8; 16], usize) {
    (key.to_le_bytes(), (key >> LENGTH_SHIFT) as usize)
}

/// A number for tables: its highest bits differ from word to word.
#[inline]
pub fn spread(key: u128) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let folded = (key as u64).wrapping_mul(FACTOR) ^ (key >> 64) as u64;
    folded.wrapping_mul(FACTOR)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_word_is_known_by_its_number(text in "[a-zA-Z0-9 ]{0,40}", start in 0_usize..40, length in 0_usize..20) {
            let start = start.min(text.len());
            let end = (start + length).min(text.len());
            let word = &text[start..end];
            let Some(key) = key(text.as_bytes(), start, end) else {
                prop_assert!(word.len() > LONGEST);
                return Ok(());
            };
            let (own, count) = bytes(key);
            prop_assert_eq!(&own[..count], word.as_bytes());
            prop_assert_eq!(Some(key), super::key(word.as_bytes(), 0, word.len()));
            if !word.contains(' ') {
                let (own, count) = bytes(lower(key));
                let lowered = word.to_lowercase();
                prop_assert_eq!(&own[..count], lowered.as_bytes());
            }
        }
    }
}
