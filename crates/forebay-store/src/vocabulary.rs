//! Which words of a store are candidates for typo correction and completion.

use std::ops::RangeInclusive;

use forebay_text::subwords::is_unspaced;

/// Lengths of words worth correcting: shorter ones are ambiguous, longer ones are identifiers.
pub const WORD_LENGTHS: RangeInclusive<usize> = 3..=30;
/// Maximum number of suggestions for an unknown word.
pub const MAX_SIMILAR: usize = 12;
/// Digits that a word may end with: `sha256`, `utf8`.
const MAX_TRAILING_DIGITS: usize = 4;

/// Returns whether this is a word people type: letters and a few trailing digits, no ids or
/// numbers.
pub fn is_word(run: &str) -> bool {
    let letters = run.trim_end_matches(|c: char| c.is_ascii_digit());
    if run.len() - letters.len() > MAX_TRAILING_DIGITS {
        return false;
    }
    if letters.is_ascii() {
        return WORD_LENGTHS.contains(&letters.len())
            && letters.bytes().all(|letter| letter.is_ascii_alphabetic());
    }
    WORD_LENGTHS.contains(&letters.chars().count())
        && letters.chars().all(|c| c.is_alphabetic() && !is_unspaced(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_numbers_are_no_words() {
        for word in ["parser", "sha256", "utf8", "Übergröße", "PATH"] {
            assert!(is_word(word), "{word}");
        }
        for run in ["ab", "9f3a7c21", "12345", "a1b2c3", "日本語", "x".repeat(31).as_str(), "🦀"]
        {
            assert!(!is_word(run), "{run}");
        }
    }
}
