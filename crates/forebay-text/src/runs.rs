//! Runs: the stretches of letters and digits that words are made of, found sixty-four bytes at a time.
//!
//! Whoever indexes a text walks it more than once, and most of its bytes are ASCII. So a block of bytes becomes
//! a number with a bit for each of them that belongs to a run, and runs begin and end where the bits change.
//! Only characters beyond ASCII are looked at one by one.

/// Bytes in a block: as many as a number has bits.
const BLOCK: usize = u64::BITS as usize;

/// Hands out where runs begin and end, in order, until `take` answers `false`. Letters and digits of ASCII
/// belong to a run, and those of the other characters that `belongs` says.
#[inline]
pub fn each(text: &str, belongs: impl Fn(char) -> bool, take: impl FnMut(usize, usize) -> bool) {
    walk(text, belongs, |_| Cuts { before: 0, after: 0 }, take);
}

/// Hands out where words begin and end: runs of letters and digits, of which `camelCase` is two.
#[inline]
pub fn each_word(text: &str, mut take: impl FnMut(usize, usize)) {
    let cuts = |block: &[u8; BLOCK]| Cuts {
        before: bits(block, |byte| byte.is_ascii_uppercase()),
        after: bits(block, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
    };
    walk(text, char::is_alphanumeric, cuts, |start, end| {
        take(start, end);
        true
    });
}

/// Where a run is cut: before one of these bytes, where it comes after one of those.
struct Cuts {
    before: u64,
    after: u64,
}

#[inline]
fn walk(
    text: &str,
    belongs: impl Fn(char) -> bool,
    cuts: impl Fn(&[u8; BLOCK]) -> Cuts,
    mut take: impl FnMut(usize, usize) -> bool,
) {
    let (blocks, rest) = text.as_bytes().as_chunks::<BLOCK>();
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    // The run that is not at its end yet, and what a character of the last block fills of this one.
    let (mut open, mut spilled) = (None, 0);
    // Whether the last byte of the last block is one after which a run may be cut.
    let mut may_be_cut = 0;
    for (number, block) in blocks.iter().chain([&last]).enumerate() {
        let offset = number * BLOCK;
        let mut inside = letters_and_digits(block);
        if !block.is_ascii() {
            let wide = belonging(text, offset, foreign(block), &belongs);
            inside |= wide as u64 | spilled;
            spilled = (wide >> BLOCK) as u64;
        }
        let shifted = inside << 1 | u64::from(open.is_some());
        let Cuts { before, after } = cuts(block);
        let cut = before & (after << 1 | may_be_cut);
        may_be_cut = after >> (BLOCK - 1);
        let (mut starts, mut ends) = (inside & !shifted | cut, shifted & !inside | cut);
        let next = |bits: &mut u64| {
            let at = offset + bits.trailing_zeros() as usize;
            *bits &= *bits - 1;
            at
        };
        while ends > 0 {
            let start = open.take().unwrap_or_else(|| next(&mut starts));
            if !take(start, next(&mut ends)) {
                return;
            }
        }
        if starts > 0 {
            open = Some(next(&mut starts));
        }
    }
}

#[inline]
fn letters_and_digits(block: &[u8; BLOCK]) -> u64 {
    bits(block, |byte| byte.is_ascii_alphanumeric())
}

/// The bytes of characters beyond ASCII.
fn foreign(block: &[u8; BLOCK]) -> u64 {
    bits(block, |byte| !byte.is_ascii())
}

/// A bit for each byte of a block that is of some kind.
#[inline]
fn bits(block: &[u8; BLOCK], is: impl Fn(u8) -> bool) -> u64 {
    // A loop of comparisons alone, so that many bytes are compared at once.
    let mut flags = [0; BLOCK];
    for (flag, byte) in flags.iter_mut().zip(block) {
        *flag = if is(*byte) { u8::MAX } else { 0 };
    }
    gathered(&flags)
}

/// The highest bit of each byte.
#[cfg(target_arch = "x86_64")]
#[inline]
fn gathered(flags: &[u8; BLOCK]) -> u64 {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8};
    let (lanes, _) = flags.as_chunks::<{ size_of::<__m128i>() }>();
    let mut bits = 0;
    for (number, lane) in lanes.iter().enumerate() {
        #[expect(
            unsafe_code,
            reason = "every such processor can, and as many bytes are there as are read"
        )]
        let row = unsafe { _mm_movemask_epi8(_mm_loadu_si128(lane.as_ptr().cast())) };
        bits |= u64::from(row.cast_unsigned()) << (number * lane.len());
    }
    bits
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn gathered(flags: &[u8; BLOCK]) -> u64 {
    // Moves the lowest bit of each byte to a place of its own in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    const LOWEST: u64 = 0x0101_0101_0101_0101;
    let (lanes, _) = flags.as_chunks::<{ size_of::<u64>() }>();
    let mut bits = 0;
    for (number, lane) in lanes.iter().enumerate() {
        let row = (u64::from_le_bytes(*lane) & LOWEST).wrapping_mul(GATHER) >> (BLOCK - lane.len());
        bits |= row << (number * lane.len());
    }
    bits
}

/// The bits of characters that belong to a run; the last may reach into the next block.
#[cold]
fn belonging(text: &str, offset: usize, mut foreign: u64, belongs: impl Fn(char) -> bool) -> u128 {
    let mut bits = 0;
    while foreign > 0 {
        let at = foreign.trailing_zeros() as usize;
        foreign &= foreign - 1;
        // Other bytes than the first of a character are met here as well.
        let character = text.get(offset + at..).and_then(|rest| rest.chars().next());
        if let Some(character) = character.filter(|c| belongs(*c)) {
            bits |= ((1 << character.len_utf8()) - 1) << at;
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut runs = Vec::new();
        each(text, char::is_alphanumeric, |start, end| {
            runs.push(&text[start..end]);
            true
        });
        runs
    }

    #[test]
    fn runs_end_where_no_letter_stands() {
        assert_eq!(
            found("parse_HTTP(x9), größer@日本語!"),
            ["parse", "HTTP", "x9", "größer", "日本語"]
        );
        assert_eq!(found(""), [""; 0]);
        assert_eq!(found(&"x".repeat(BLOCK)), ["x".repeat(BLOCK)]);
    }

    fn found_words(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        each_word(text, |start, end| words.push(&text[start..end]));
        words
    }

    /// The same word by word, letter by letter.
    fn plain_words(text: &str) -> Vec<&str> {
        let is_cut = |before: char, c: char| {
            c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit())
        };
        let mut words = Vec::new();
        for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
            let mut start = 0;
            let places = run.char_indices().zip(run.char_indices().skip(1));
            for ((_, before), (at, c)) in places {
                if is_cut(before, c) {
                    words.push(&run[start..at]);
                    start = at;
                }
            }
            words.push(&run[start..]);
        }
        words
    }

    #[test]
    fn words_end_where_a_capital_begins_another() {
        assert_eq!(
            found_words("parseHTTPResponse port22Server éHTTP überHTTP x"),
            ["parse", "HTTPResponse", "port22", "Server", "éHTTP", "über", "HTTP", "x"]
        );
    }

    #[test]
    fn whoever_has_enough_stops() {
        let mut seen = 0;
        each(
            "one two three",
            |_| false,
            |_, _| {
                seen += 1;
                seen < 2
            },
        );
        assert_eq!(seen, 2);
    }

    proptest! {
        #[test]
        fn runs_are_those_of_a_plain_walk(text in "([ -~]{0,80}|[a-zé日🦀 ]{0,80}|\\PC{0,40}){0,4}") {
            let plain: Vec<&str> =
                text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()).collect();
            prop_assert_eq!(found(&text), plain);
        }

        #[test]
        fn words_are_those_of_a_plain_walk(text in "([ -~]{0,80}|[a-bA-B é日]{0,90}|\\PC{0,40}){0,4}") {
            prop_assert_eq!(found_words(&text), plain_words(&text));
        }
    }
}
