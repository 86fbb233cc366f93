//! Outputs with numbers and characters that no tool prints: their digests are incomplete at worst.
//!
//! A panic loses the output of a run, so each recorded output is digested with some of its numbers as large as they can
//! be, and some of its letters and digits replaced by other characters.

#![allow(clippy::unwrap_used, reason = "an unreadable sample fails the test")]

#[allow(dead_code, reason = "used by other tests")]
mod samples;

use std::panic::catch_unwind;

use forebay_digest::{Budget, Hint, compare, digest, statements};
use samples::Sample;

/// Numbers at which sums, differences and conversions overflow.
const NUMBERS: &[&str] = &[
    "18446744073709551615",
    "18446744073709551614",
    "9223372036854775808",
    "99999999999999999999999",
    "4294967295",
    "0",
];

/// Characters of two to four bytes, and a byte of none.
const CHARACTERS: &[&[u8]] = &["é".as_bytes(), "日".as_bytes(), "🦀".as_bytes(), b"\xff"];

/// How many of a thousand numbers and characters are replaced.
const RATES: &[(u64, u64)] = &[(500, 0), (100, 0), (20, 5), (0, 100), (0, 20), (0, 3)];

#[test]
fn no_recorded_output_with_hostile_values_panics() {
    let samples: Vec<Sample> = samples::all().into_iter().chain(samples::complete()).collect();
    let panicking: Vec<&str> = samples
        .iter()
        .filter(|sample| catch_unwind(|| digest_variants(sample)).is_err())
        .map(|sample| sample.name.as_str())
        .collect();
    assert!(panicking.is_empty(), "{panicking:?}");
}

#[test]
fn a_total_that_is_too_large_is_not_stated() {
    let largest = u64::MAX;
    let cases = [
        ("ls -l", format!("-rw-r--r-- 1 ann staff {largest} Jan 10 10:00 "), "", " bytes)"),
        ("git diff --numstat", format!("{largest}\t{largest}\tsrc/"), ".rs", ", +"),
        ("rg -c word", "src/".to_owned(), ".rs:18446744073709551615", "total"),
        (
            "cat access.log",
            "10.0.0.7 - - [15/Nov/2026:06:00:51 +0000] \"GET /".to_owned(),
            " HTTP/1.1\" 200 18446744073709551615",
            "in total",
        ),
    ];
    for (command, start, end, total) in cases {
        let text: String = (0..60).map(|number| format!("{start}{number}{end}\n")).collect();
        let hint = Hint { command: Some(command), ..Hint::default() };
        let stated = statements(text.as_bytes(), hint);
        assert!(stated.iter().all(|statement| !statement.contains(total)), "{stated:?}");
    }
}

#[test]
fn the_largest_number_and_a_cut_time_do_not_panic() {
    let result = "ok 2 - parses a line that is as long as most of the others\n".repeat(60);
    let record = "id   | 1\nname | Ann Lee of the second floor\n-[ RECORD 2 ]---\n".repeat(60);
    let request =
        "10.0.0.7 - - [15/Nov/2026:06:39:51 +0000] \"GET /a HTTP/1.1\" 200 5\n".repeat(60);
    let cut_request = request.replacen("06:39:51", "06:3é9:51", 1);
    for text in [
        format!("1..60\nok 18446744073709551615 - a\n{result}"),
        format!("1..18446744073709551615\n1..18446744073709551615\n{result}"),
        format!("-[ RECORD 18446744073709551615 ]---\n{record}"),
        cut_request.clone(),
        format!("{request}{cut_request}"),
    ] {
        digest(text.as_bytes(), Hint::default(), None, Budget::exactly(300));
    }
}

fn digest_variants(sample: &Sample) {
    let hint = Hint { command: Some(&sample.card.command), ..Hint::default() };
    let seed = sample.name.bytes().fold(0, |seed, byte| seed * 31 % 1_000_003 + u64::from(byte));
    let mut random = Random(seed);
    for (numbers, characters) in RATES {
        let raw = hostile(&sample.raw, *numbers, *characters, &mut random);
        digest(&raw, hint, Some("error in test"), Budget::exactly(300));
        compare(&sample.raw, &raw, hint);
    }
}

/// Replaces this many of a thousand numbers, and letters and digits.
fn hostile(raw: &[u8], numbers: u64, characters: u64, random: &mut Random) -> Vec<u8> {
    let is_same_kind = |one: &u8, other: &u8| one.is_ascii_digit() && other.is_ascii_digit();
    let mut hostile = Vec::with_capacity(raw.len() * 2);
    for piece in raw.chunk_by(is_same_kind) {
        if piece[0].is_ascii_digit() && random.below(1_000) < numbers {
            hostile.extend_from_slice(random.choose(NUMBERS).as_bytes());
        } else {
            for byte in piece {
                let is_replaced = byte.is_ascii_alphanumeric() && random.below(1_000) < characters;
                hostile.extend_from_slice(if is_replaced {
                    random.choose(CHARACTERS)
                } else {
                    std::slice::from_ref(byte)
                });
            }
        }
    }
    hostile
}

/// A generator of which the same seed always gives the same numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    fn choose<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}
