//! A run of letters as words: `parseHTTPResponse` is `parse http response`, accents and case do not count.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Whether a character beyond ASCII is part of a run.
pub(crate) fn belongs(character: char) -> bool {
    character.is_alphanumeric() || is_combining_mark(character)
}

/// Hands each word of a run to `take`, in order and in lower case; `word` is room for one of them.
pub(crate) fn each(run: &str, word: &mut String, mut take: impl FnMut(&str)) {
    if run.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return take(run);
    }
    word.clear();
    for (at, character) in run.char_indices() {
        if begins_word(run.as_bytes(), at) {
            take(word);
            word.clear();
        }
        if character.is_ascii() {
            word.push(character.to_ascii_lowercase());
        } else {
            push_plain(word, character);
        }
    }
    if !word.is_empty() {
        take(word);
    }
}

/// Whether a new word begins although no blank stands before it: `aB`, `9B`, `A|Bc`.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    if at == 0 || !bytes[at].is_ascii_uppercase() {
        return false;
    }
    match bytes[at - 1] {
        b'a'..=b'z' | b'0'..=b'9' => true,
        b'A'..=b'Z' => bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase),
        _ => false,
    }
}

/// Adds a letter beyond ASCII, in lower case and without its accents.
fn push_plain(word: &mut String, character: char) {
    let lowered = character.to_lowercase();
    word.extend(lowered.nfd().filter(|part| !is_combining_mark(*part) && part.is_alphanumeric()));
}

#[cfg(test)]
mod tests {
    use forebay_text::tokenize;

    use super::*;

    #[track_caller]
    fn check(text: &str, words: &[&str]) {
        let mut found = Vec::new();
        tokenize::each(text, belongs, |start, end| {
            each(&text[start..end], &mut String::new(), |word| found.push(word.to_owned()));
            true
        });
        assert_eq!(found, words, "{text}");
    }

    #[test]
    fn words_are_split_as_people_read_them() {
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
