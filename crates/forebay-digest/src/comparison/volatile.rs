//! Parts of a line that differ between two runs although nothing changed.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Stands in place of a volatile part.
const MASK: &str = "\u{1}";

/// Shorter runs of hexadecimal digits are words or numbers.
const MIN_HASH_BYTES: usize = 7;

/// Replaces times, durations, addresses, temporary paths, hashes and thread ids.
pub(super) fn mask(line: &str) -> Cow<'_, str> {
    static VOLATILE: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"(?-u:\b)[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?",
            r"|(?-u:\b)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?",
            r"|(?-u:\b)(?:[0-9]+h ?)?(?:[0-9]+m ?)?[0-9]+(?:[.,][0-9]+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|minutes?)(?-u:\b)",
            r"|(?-u:\b)0x[0-9a-fA-F]{4,}(?-u:\b)",
            r#"|(?:/tmp|/var/tmp|/var/folders|/private/var/folders|/dev/shm)/[^\s:'")\],]+"#,
            r"|(?-u:\b)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?-u:\b)",
            r"|(?-u:\b)[0-9a-f]{7,64}(?-u:\b)",
            r"|(?:thread '[^']*' |ThreadId|pid[ =:]|PID[ =:])\(?[0-9]+\)?",
        ))
    });
    // Every volatile part has a digit or is a path.
    if !line.bytes().any(|byte| byte.is_ascii_digit() || byte == b'/') {
        return Cow::Borrowed(line);
    }
    VOLATILE.replace_all(line, |found: &Captures<'_>| {
        let part = &found[0];
        if is_hexadecimal(part) && !is_hash(part) { part.to_owned() } else { MASK.to_owned() }
    })
}

fn is_hexadecimal(part: &str) -> bool {
    part.len() >= MIN_HASH_BYTES && part.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A number has no letters, and a word such as `defaced` no digits.
fn is_hash(part: &str) -> bool {
    part.bytes().any(|byte| byte.is_ascii_digit())
        && part.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[expect(clippy::expect_used, reason = "the pattern is a constant, and a test uses it")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_what_differs_between_runs_of_the_same() {
        for (one, two) in [
            ("1 passed in 3.14s", "1 passed in 12.01s"),
            ("took 1m 3s", "took 2m 40s"),
            ("Finished in 0.5 seconds", "Finished in 11 seconds"),
            ("2026-11-18T05:32:42Z start", "2026-11-19T15:02:00Z start"),
            ("[05:32:42] go", "[05:33:01] go"),
            ("at 0x7ffe3a10", "at 0x55d01c2e44a0"),
            ("wrote /tmp/.tmpAb12/out.txt: 3", "wrote /tmp/.tmpZz9/out.txt: 3"),
            ("HEAD is 1f0ac2e9", "HEAD is a77de01b"),
            ("thread 'main' (24328) panicked", "thread 'main' (771) panicked"),
        ] {
            assert_eq!(mask(one), mask(two), "{one}");
        }
    }

    #[test]
    fn keeps_what_tells_something() {
        for (one, two) in [
            ("3 passed", "4 passed"),
            ("src/a.rs:10:5", "src/a.rs:11:5"),
            ("defaced", "effaced"),
            ("1234567 rows", "7654321 rows"),
            ("exit 1", "exit 2"),
            ("version 1.2.3", "version 1.2.4"),
        ] {
            assert_ne!(mask(one), mask(two), "{one}");
        }
    }
}
