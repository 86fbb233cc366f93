//! Pre-tokenization: splits camel case, lower-cases and strips accents.
//!
//! `parseHTTPResponse` becomes `parse`, `http`, `response`.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Returns whether a non-ASCII character is part of a word.
pub(crate) fn is_word_char(character: char) -> bool {
    character.is_alphanumeric() || is_combining_mark(character)
}

/// Calls `visit` with each subword, in order and in lower case; `buffer` is scratch space.
pub(crate) fn for_each_subword(word: &str, buffer: &mut String, mut visit: impl FnMut(&str)) {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return visit(word);
    }
    buffer.clear();
    for (at, character) in word.char_indices() {
        if is_subword_boundary(word.as_bytes(), at) {
            visit(buffer);
            buffer.clear();
        }
        if character.is_ascii() {
            buffer.push(character.to_ascii_lowercase());
        } else {
            push_unaccented(buffer, character);
        }
    }
    if !buffer.is_empty() {
        visit(buffer);
    }
}

/// Returns whether a subword starts at `at` within a word: `aB`, `9B`, `A|Bc`.
fn is_subword_boundary(bytes: &[u8], at: usize) -> bool {
    if at == 0 || !bytes[at].is_ascii_uppercase() {
        return false;
    }
    match bytes[at - 1] {
        b'a'..=b'z' | b'0'..=b'9' => true,
        b'A'..=b'Z' => bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase),
        _ => false,
    }
}

/// Appends a non-ASCII character in lower case and without accents.
fn push_unaccented(out: &mut String, character: char) {
    let lowered = character.to_lowercase();
    out.extend(lowered.nfd().filter(|part| !is_combining_mark(*part) && part.is_alphanumeric()));
}

#[cfg(test)]
mod tests {
    use forebay_text::tokenize;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut words = Vec::new();
        tokenize::each(text, is_word_char, |start, end| {
            let word = &text[start..end];
            for_each_subword(word, &mut String::new(), |subword| words.push(subword.to_owned()));
            true
        });
        assert_eq!(words, expected, "{text}");
    }

    #[test]
    fn splits_words_and_camel_case() {
        check("parseHTTPResponse(x9Y)", &["parse", "http", "response", "x9", "y"]);
        check("raw_output at 512KB", &["raw", "output", "at", "512", "kb"]);
        check("Crème brûlée", &["creme", "brulee"]);
        check("e\u{301}tude", &["etude"]);
        check("日本語 text", &["日本語", "text"]);
        check("naïveApproach Überall x’s", &["naive", "approach", "uberall", "x", "s"]);
        check(
            "aVeryLongIdentifierOfManyWordsInternationalization",
            &["a", "very", "long", "identifier", "of", "many", "words", "internationalization"],
        );
        check("--", &[]);
        check("\u{301}", &[]);
    }
}
