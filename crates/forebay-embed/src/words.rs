//! A text as words: `parseHTTPResponse` is `parse http response`, accents and case do not count.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Hands each word to `take`, in order, until it answers `false`.
pub(crate) fn each(text: &str, take: &mut dyn FnMut(&str) -> bool) {
    let mut word = String::new();
    let mut characters = text.chars().peekable();
    let mut before = None;
    while let Some(character) = characters.next() {
        let breaks = before.is_some_and(|before| is_boundary(before, character, characters.peek()));
        if breaks && !flush(&mut word, take) {
            return;
        }
        if character.is_alphanumeric() {
            push(&mut word, character);
        } else if !is_combining_mark(character) && !flush(&mut word, take) {
            return;
        }
        before = Some(character);
    }
    flush(&mut word, take);
}

/// Whether a new word begins with `character` although no blank stands before it: `aB`, `9B`, `A|Bc`.
fn is_boundary(before: char, character: char, after: Option<&char>) -> bool {
    if !character.is_ascii_uppercase() {
        return false;
    }
    let follows_small = before.is_ascii_lowercase() || before.is_ascii_digit();
    let ends_capitals = before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase);
    follows_small || ends_capitals
}

fn push(word: &mut String, character: char) {
    if character.is_ascii() {
        word.push(character.to_ascii_lowercase());
    } else {
        let lowered = character.to_lowercase();
        word.extend(
            lowered.nfd().filter(|part| !is_combining_mark(*part) && part.is_alphanumeric()),
        );
    }
}

fn flush(word: &mut String, take: &mut dyn FnMut(&str) -> bool) -> bool {
    let goes_on = word.is_empty() || take(word);
    word.clear();
    goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, words: &[&str]) {
        let mut found = Vec::new();
        each(text, &mut |word| {
            found.push(word.to_owned());
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
        check("--", &[]);
    }

    #[test]
    fn whoever_has_enough_stops() {
        let mut seen = 0;
        each("one two three", &mut |_| {
            seen += 1;
            seen < 2
        });
        assert_eq!(seen, 2);
    }
}
