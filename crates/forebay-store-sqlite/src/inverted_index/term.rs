//! What the index knows a word by: lower case, without accents, cut to its stem.

use forebay_text::words::push_lower;
use forebay_text::{stem, subwords, tokenize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The rest of a longer run is no word; whoever asks for it cuts it alike.
const LONGEST: usize = 64;

/// Hands out the runs of letters, digits and emoji of a text, in order, by where they stand.
#[inline]
pub(super) fn each_run(text: &str, mut take: impl FnMut(usize, usize)) {
    tokenize::each(text, belongs, |start, end| {
        take(start, end);
        true
    });
}

fn belongs(c: char) -> bool {
    c.is_alphanumeric() || subwords::is_emoji(c) || is_combining_mark(c)
}

/// Hands out the terms of one run: it alone, or what stands between its emoji; `term` is room for one of them.
pub(super) fn each_of_run(run: &str, term: &mut String, mut take: impl FnMut(&str)) {
    if run.is_ascii() {
        term.clear();
        push_lower(term, run);
        cut(term);
        return take(term);
    }
    for word in run.split(subwords::is_emoji) {
        let lowered = word.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
        term.clear();
        // What was taken apart and has no accents is put together again: Hangul.
        term.extend(lowered.nfc());
        cut(term);
        if !term.is_empty() {
            take(term);
        }
    }
}

/// The terms of a text, in order.
pub(super) fn of_text(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut room = String::new();
    each_run(text, |start, end| {
        each_of_run(&text[start..end], &mut room, |term| terms.push(term.to_owned()));
    });
    terms
}

/// Cuts a word in lower case to its stem.
fn cut(word: &mut String) {
    stem::cut(word);
    word.truncate(word.floor_char_boundary(LONGEST));
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
