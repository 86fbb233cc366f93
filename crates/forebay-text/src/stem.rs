//! English stemming: "connections" and "connected" match "connect".
//!
//! M. F. Porter's algorithm of 1980, step by step as he numbered them. A rule removes or replaces a suffix if what
//! precedes it is long enough; `measure` counts its vowel-consonant sequences.
//!
//! Hand-written because stored indexes hold these stems, which the available crates (Porter 2) do not reproduce, and
//! because it runs for every indexed word: `cargo xtask bench --only index`.

use std::borrow::Cow;

/// Lengths of words that are stemmed.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=64;

/// The stem of a lower-case word; anything but ASCII letters is returned unchanged.
pub fn stem(word: &str) -> Cow<'_, str> {
    if !has_stem(word) {
        return word.into();
    }
    let mut stem = word.to_owned();
    cut(&mut stem);
    stem.into()
}

/// Replaces a lower-case word by its stem.
pub fn cut(word: &mut String) {
    if !has_stem(word) {
        return;
    }
    let mut stem = Stem { letters: std::mem::take(word).into_bytes() };
    stem.plurals();
    stem.past_and_progressive();
    stem.final_y();
    stem.replace_first(&DOUBLE_SUFFIXES);
    stem.replace_first(&SUFFIXES);
    stem.last_suffix();
    stem.final_e();
    // The rules only touch ASCII letters.
    *word = String::from_utf8(stem.letters).unwrap_or_default();
}

fn has_stem(word: &str) -> bool {
    LENGTHS.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

// Longest suffixes first: the first match applies.

static DOUBLE_SUFFIXES: [Rule; 21] = rules([
    ("ational", "ate"),
    ("ization", "ize"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("entli", "ent"),
    ("ousli", "ous"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("alli", "al"),
    ("ator", "ate"),
    ("logi", "log"),
    ("bli", "ble"),
    ("eli", "e"),
]);

static SUFFIXES: [Rule; 7] = rules([
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
]);

static LAST_SUFFIXES: [Rule; 19] = rules([
    ("ement", ""),
    ("ance", ""),
    ("ence", ""),
    ("able", ""),
    ("ible", ""),
    ("ment", ""),
    ("ant", ""),
    ("ent", ""),
    ("ion", ""),
    ("ism", ""),
    ("ate", ""),
    ("iti", ""),
    ("ous", ""),
    ("ive", ""),
    ("ize", ""),
    ("al", ""),
    ("er", ""),
    ("ic", ""),
    ("ou", ""),
]);

/// A suffix and its replacement.
struct Rule {
    suffix: &'static str,
    /// The suffix packed into an integer, last letter lowest, for a single comparison.
    letters: u64,
    /// Mask of the bytes the suffix occupies.
    mask: u64,
    replacement: &'static str,
}

const fn rules<const COUNT: usize>(texts: [(&'static str, &'static str); COUNT]) -> [Rule; COUNT] {
    let mut rules = [const { Rule { suffix: "", letters: 0, mask: 0, replacement: "" } }; COUNT];
    let mut number = 0;
    while number < COUNT {
        let (suffix, replacement) = texts[number];
        let (letters, mask) = (last_letters(suffix.as_bytes()), (1 << (8 * suffix.len())) - 1);
        rules[number] = Rule { suffix, letters, mask, replacement };
        number += 1;
    }
    rules
}

/// The last eight letters, or fewer, packed into an integer.
const fn last_letters(letters: &[u8]) -> u64 {
    if let Some(eight) = letters.last_chunk() {
        return u64::from_be_bytes(*eight);
    }
    let (mut number, mut at) = (0, 0);
    while at < letters.len() {
        number = number << 8 | letters[at] as u64;
        at += 1;
    }
    number
}

struct Stem {
    letters: Vec<u8>,
}

impl Stem {
    /// Step 1a.
    fn plurals(&mut self) {
        if !self.ends_with("s") {
            return;
        }
        if self.ends_with("sses") || self.ends_with("ies") {
            self.shorten(2);
        } else if !self.ends_with("ss") {
            self.shorten(1);
        }
    }

    /// Step 1b.
    fn past_and_progressive(&mut self) {
        if self.ends_with("eed") {
            if measure(self.before("eed")) > 0 {
                self.shorten(1);
            }
            return;
        }
        for suffix in ["ed", "ing"] {
            if self.ends_with(suffix) {
                if has_vowel(self.before(suffix)) {
                    self.shorten(suffix.len());
                    self.repair();
                }
                return;
            }
        }
    }

    /// Repairs what step 1b leaves: `hopp` becomes `hop`, `conflat` becomes `conflate`.
    fn repair(&mut self) {
        if ["at", "bl", "iz"].iter().any(|end| self.ends_with(end)) {
            self.letters.push(b'e');
        } else if ends_double(&self.letters)
            && !self.letters.ends_with(b"l")
            && !self.letters.ends_with(b"s")
            && !self.letters.ends_with(b"z")
        {
            self.shorten(1);
        } else if measure(&self.letters) == 1 && ends_short(&self.letters) {
            self.letters.push(b'e');
        }
    }

    /// Step 1c.
    fn final_y(&mut self) {
        if self.ends_with("y") && has_vowel(self.before("y")) {
            self.shorten(1);
            self.letters.push(b'i');
        }
    }

    /// Steps 2 and 3.
    fn replace_first(&mut self, rules: &[Rule]) {
        let Some(rule) = self.first_match(rules) else { return };
        if measure(self.before(rule.suffix)) > 0 {
            self.shorten(rule.suffix.len());
            self.letters.extend_from_slice(rule.replacement.as_bytes());
        }
    }

    /// Step 4.
    fn last_suffix(&mut self) {
        let Some(Rule { suffix, .. }) = self.first_match(&LAST_SUFFIXES) else { return };
        let before = self.before(suffix);
        let follows = *suffix != "ion" || before.ends_with(b"s") || before.ends_with(b"t");
        if follows && measure(before) > 1 {
            self.shorten(suffix.len());
        }
    }

    fn first_match<'a>(&self, rules: &'a [Rule]) -> Option<&'a Rule> {
        let own = last_letters(&self.letters);
        let is_part = |rule: &Rule| rule.suffix.len() < self.letters.len();
        rules.iter().find(|rule| own & rule.mask == rule.letters && is_part(rule))
    }

    /// Step 5.
    fn final_e(&mut self) {
        if self.ends_with("e") {
            let before = self.before("e");
            let measure = measure(before);
            if measure > 1 || measure == 1 && !ends_short(before) {
                self.shorten(1);
            }
        }
        if self.ends_with("ll") && measure(&self.letters) > 1 {
            self.shorten(1);
        }
    }

    /// Whether the word has this proper suffix.
    #[inline]
    fn ends_with(&self, suffix: &str) -> bool {
        self.letters.len() > suffix.len() && self.letters.ends_with(suffix.as_bytes())
    }

    fn before(&self, suffix: &str) -> &[u8] {
        &self.letters[..self.letters.len() - suffix.len()]
    }

    fn shorten(&mut self, by: usize) {
        self.letters.truncate(self.letters.len() - by);
    }
}

/// `a`, `e`, `i`, `o`, `u`.
fn is_plain_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')
}

/// `y` is a vowel after a consonant.
fn is_vowel(letters: &[u8], at: usize) -> bool {
    is_plain_vowel(letters[at]) || letters[at] == b'y' && at > 0 && !is_vowel(letters, at - 1)
}

/// Whether there is a vowel; `y` counts anywhere but at the start.
fn has_vowel(letters: &[u8]) -> bool {
    let counts = |(at, letter): (usize, &u8)| is_plain_vowel(*letter) || *letter == b'y' && at > 0;
    letters.iter().enumerate().any(counts)
}

/// Porter's measure: the number of vowel-consonant sequences.
fn measure(letters: &[u8]) -> usize {
    let (mut times, mut after_vowel) = (0, false);
    for (at, letter) in letters.iter().enumerate() {
        // Like `is_vowel`, with the previous letter known.
        let is_vowel = is_plain_vowel(*letter) || *letter == b'y' && at > 0 && !after_vowel;
        times += usize::from(after_vowel && !is_vowel);
        after_vowel = is_vowel;
    }
    times
}

fn ends_double(letters: &[u8]) -> bool {
    let [.., one, last] = letters else { return false };
    one == last && !is_plain_vowel(*last)
}

/// Ends consonant, vowel, consonant, the last not `w`, `x` or `y`: `hop`.
fn ends_short(letters: &[u8]) -> bool {
    let Some(last) = letters.len().checked_sub(1).filter(|last| *last >= 2) else { return false };
    !is_vowel(letters, last - 2)
        && is_vowel(letters, last - 1)
        && !is_vowel(letters, last)
        && !matches!(letters[last], b'w' | b'x' | b'y')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(words: &str, expect: &str) {
        let stems: Vec<Cow<'_, str>> = words.split(' ').map(stem).collect();
        assert_eq!(stems.join(" "), expect);
    }

    #[test]
    fn inflections_share_a_stem() {
        check(
            "connect connected connecting connection connections",
            "connect connect connect connect connect",
        );
        check(
            "caresses ponies cats agreed plastered motoring",
            "caress poni cat agre plaster motor",
        );
        check("conflated hopping falling filing happy sky", "conflat hop fall file happi sky");
        check("relational conditional digitizer generalization", "relat condit digit gener");
        check("triplicate hopefulness adjustment controlling", "triplic hope adjust control");
    }

    #[test]
    fn longest_suffixes_come_first() {
        for rules in [&DOUBLE_SUFFIXES[..], &SUFFIXES, &LAST_SUFFIXES] {
            assert!(rules.is_sorted_by_key(|rule| std::cmp::Reverse(rule.suffix.len())));
        }
    }

    #[test]
    fn leaves_other_words_unchanged() {
        check("go sha256 größe 日本 Caps", "go sha256 größe 日本 Caps");
    }

    proptest! {
        #[test]
        fn every_word_has_a_stem(word in "[a-z]{0,70}") {
            prop_assert!(stem(&word).len() <= word.len() + 1);
        }
    }
}
