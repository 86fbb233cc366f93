//! What the index knows a word by: lower case, without accents, cut to its stem.

use std::borrow::Cow;

use forebay_domain::text::inner;
use forebay_domain::text::short::{self, Kind};
use forebay_domain::text::stem::stem;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The rest of a longer run is no word; whoever asks for it cuts it alike.
const LONGEST: usize = 64;

/// Hands out the runs of letters, digits and emoji of a text, in order, by where they stand.
pub(super) fn each_run(text: &str, mut take: impl FnMut(usize, usize)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end = end_of_run(text, at);
        if end > at {
            take(at, end);
        }
        // What ends a run is no part of one.
        at = end + bytes.get(end).map_or(1, |byte| width(*byte));
    }
}

/// Bytes of the character that begins with this one.
fn width(byte: u8) -> usize {
    match byte {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

#[inline]
fn end_of_run(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match short::kind(*byte) {
            Kind::Small | Kind::Digit | Kind::Capital => at += 1,
            Kind::Other => break,
            Kind::Foreign => {
                let Some(character) = text[at..].chars().next().filter(|c| belongs(*c)) else {
                    break;
                };
                at += character.len_utf8();
            }
        }
    }
    at
}

fn belongs(c: char) -> bool {
    c.is_alphanumeric() || inner::is_emoji(c) || is_combining_mark(c)
}

/// The terms of one run: it alone, or what stands between its emoji.
pub(super) fn of_run(run: &str) -> Vec<String> {
    if run.is_ascii() {
        return vec![of_word(run)];
    }
    let words = run.split(inner::is_emoji).map(of_word);
    words.filter(|word| !word.is_empty()).collect()
}

/// The terms of a text, in order.
pub(super) fn of_text(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    each_run(text, |start, end| terms.extend(of_run(&text[start..end])));
    terms
}

fn of_word(word: &str) -> String {
    let mut term = if word.is_ascii() {
        word.to_ascii_lowercase()
    } else {
        let lowered = word.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
        // What was taken apart and has no accents is put together again: Hangul.
        lowered.nfc().collect()
    };
    if let Cow::Owned(stem) = stem(&term) {
        term = stem;
    }
    term.truncate(term.floor_char_boundary(LONGEST));
    term
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, terms: &[&str]) {
        assert_eq!(of_text(text), terms, "{text}");
    }

    #[test]
    fn words_are_known_by_their_stems() {
        check("Parsing the_HTTP-responses!", &["pars", "the", "http", "respons"]);
        check("Crème brûlée, e\u{301}tudes", &["creme", "brule", "etud"]);
        check("日本語 한국어 Straße", &["日本語", "한국어", "straße"]);
        check("done🦀rust 🦀", &["done", "rust"]);
        check("", &[]);
    }

    proptest! {
        #[test]
        fn any_text_has_terms(text in any::<String>()) {
            prop_assert!(of_text(&text).iter().all(|term| !term.is_empty() && term.len() <= LONGEST));
        }
    }
}
