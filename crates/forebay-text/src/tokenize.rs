//! Tokenizing: runs of letters and digits, found 64 bytes at a time.
//!
//! Indexing walks a text more than once, and most bytes are ASCII. A block of bytes becomes a bit mask of those that
//! belong to a run; runs start and end where bits change. Only non-ASCII characters are classified one by one.
//! Hand-written for speed: `cargo xtask bench --only index`.

/// Bytes in a block, one bit each.
const BLOCK: usize = u64::BITS as usize;

/// Calls `visit` with the byte range of each run, in order, until it returns `false`. ASCII letters and digits belong to
/// a run; `belongs` decides about other characters.
#[inline]
pub fn each(text: &str, belongs: impl Fn(char) -> bool, visit: impl FnMut(usize, usize) -> bool) {
    walk(text, belongs, |_| WordBoundaries { before: 0, after: 0 }, visit);
}

/// Calls `visit` with the byte range of each word; a run like `camelCase` is two words.
#[inline]
pub fn each_word(text: &str, mut visit: impl FnMut(usize, usize)) {
    let cuts = |block: &[u8; BLOCK]| WordBoundaries {
        before: bits(block, |byte| byte.is_ascii_uppercase()),
        after: bits(block, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
    };
    walk(text, char::is_alphanumeric, cuts, |start, end| {
        visit(start, end);
        true
    });
}

/// Word boundaries inside a run: between an `after` byte and a `before` byte.
struct WordBoundaries {
    before: u64,
    after: u64,
}

#[inline]
fn walk(
    text: &str,
    belongs: impl Fn(char) -> bool,
    cuts: impl Fn(&[u8; BLOCK]) -> WordBoundaries,
    mut visit: impl FnMut(usize, usize) -> bool,
) {
    let (blocks, rest) = text.as_bytes().as_chunks::<BLOCK>();
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    // Start of the unfinished run, and bits that a character of the previous block occupies in this one.
    let (mut open, mut spilled) = (None, 0);
    // Whether the last byte of the previous block allows a word boundary after it.
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
        let WordBoundaries { before, after } = cuts(block);
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
            if !visit(start, next(&mut ends)) {
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

/// Bits of the non-ASCII bytes.
fn foreign(block: &[u8; BLOCK]) -> u64 {
    bits(block, |byte| !byte.is_ascii())
}

/// A bit for each byte that satisfies the predicate.
#[inline]
fn bits(block: &[u8; BLOCK], is: impl Fn(u8) -> bool) -> u64 {
    // Comparisons only, so that the compiler vectorizes the loop.
    let mut flags = [0; BLOCK];
    for (flag, byte) in flags.iter_mut().zip(block) {
        *flag = if is(*byte) { u8::MAX } else { 0 };
    }
    movemask(&flags)
}

/// Packs the highest bit of each byte into one word.
#[cfg(target_arch = "x86_64")]
#[inline]
fn movemask(flags: &[u8; BLOCK]) -> u64 {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8};
    let (lanes, _) = flags.as_chunks::<{ size_of::<__m128i>() }>();
    let mut bits = 0;
    for (number, lane) in lanes.iter().enumerate() {
        #[expect(unsafe_code, reason = "SSE2 is part of x86-64, and the lane is 16 bytes long")]
        let row = unsafe { _mm_movemask_epi8(_mm_loadu_si128(lane.as_ptr().cast())) };
        bits |= u64::from(row.cast_unsigned()) << (number * lane.len());
    }
    bits
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn movemask(flags: &[u8; BLOCK]) -> u64 {
    // Multiplication moves the lowest bit of each byte to its own position in the highest byte.
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

/// Bits of non-ASCII characters that belong to a run; the last may extend into the next block.
#[cold]
fn belonging(text: &str, offset: usize, mut foreign: u64, belongs: impl Fn(char) -> bool) -> u128 {
    let mut bits = 0;
    while foreign > 0 {
        let at = foreign.trailing_zeros() as usize;
        foreign &= foreign - 1;
        // Continuation bytes are visited as well; `get` rejects them.
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
    fn runs_end_at_non_letters() {
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

    /// Naive reference implementation.
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
    fn words_end_before_an_inner_capital() {
        assert_eq!(
            found_words("parseHTTPResponse port22Server éHTTP überHTTP x"),
            ["parse", "HTTPResponse", "port22", "Server", "éHTTP", "über", "HTTP", "x"]
        );
    }

    #[test]
    fn stops_when_the_visitor_returns_false() {
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
        fn runs_match_the_naive_scan(text in "([ -~]{0,80}|[a-zé日🦀 ]{0,80}|\\PC{0,40}){0,4}") {
            let plain: Vec<&str> =
                text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()).collect();
            prop_assert_eq!(found(&text), plain);
        }

        #[test]
        fn words_match_the_naive_scan(text in "([ -~]{0,80}|[a-bA-B é日]{0,90}|\\PC{0,40}){0,4}") {
            prop_assert_eq!(found_words(&text), plain_words(&text));
        }
    }
}
