//! Normalizes words to terms: lower case, without accents, stemmed.

use forebay_text::words::push_lower;
use forebay_text::{stem, subwords, tokenize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longer terms are truncated, in documents and in queries.
const MAX_TERM_BYTES: usize = 64;

/// Passes the offsets of each token of a text (letters, digits and emoji) to `visit`, in order.
#[inline]
pub(super) fn each_token(text: &str, mut visit: impl FnMut(usize, usize)) {
    tokenize::each(text, is_token_char, |start, end| {
        visit(start, end);
        true
    });
}

fn is_token_char(c: char) -> bool {
    c.is_alphanumeric() || subwords::is_emoji(c) || is_combining_mark(c)
}

/// Passes the terms of one token to `visit`: usually one, or those between its emoji.
pub(super) fn each_term(token: &str, term: &mut String, mut visit: impl FnMut(&str)) {
    if token.is_ascii() {
        term.clear();
        push_lower(term, token);
        normalize(term);
        return visit(term);
    }
    for word in token.split(subwords::is_emoji) {
        let lowered = word.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
        term.clear();
        // Recomposes what NFD decomposed besides accents, such as Hangul.
        term.extend(lowered.nfc());
        normalize(term);
        if !term.is_empty() {
            visit(term);
        }
    }
}

/// Returns the terms of a text, in order.
pub(super) fn terms_of(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut buffer = String::new();
    each_token(text, |start, end| {
        each_term(&text[start..end], &mut buffer, |term| terms.push(term.to_owned()));
    });
    terms
}

/// Stems and truncates a word in lower case.
fn normalize(word: &mut String) {
    stem::cut(word);
    word.truncate(word.floor_char_boundary(MAX_TERM_BYTES));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, terms: &[&str]) {
        assert_eq!(terms_of(text), terms, "{text}");
    }

    #[test]
    fn normalizes_words_to_stems() {
        check("Parsing the_HTTP-responses!", &["pars", "the", "http", "respons"]);
        check("Crème brûlée, e\u{301}tudes", &["creme", "brule", "etud"]);
        check("日本語 한국어 Straße", &["日本語", "한국어", "straße"]);
        check("done🦀rust 🦀", &["done", "rust"]);
        check("", &[]);
    }

    proptest! {
        #[test]
        fn any_text_yields_valid_terms(text in any::<String>()) {
            prop_assert!(terms_of(&text).iter().all(|term| !term.is_empty() && term.len() <= MAX_TERM_BYTES));
        }
    }
}
