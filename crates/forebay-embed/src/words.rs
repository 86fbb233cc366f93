//! A text as words: `parseHTTPResponse` is `parse http response`, accents and case do not count.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Hands each word to `take`, in order, until it answers `false`.
pub(crate) fn each(text: &str, take: &mut impl FnMut(&str) -> bool) {
    let bytes = text.as_bytes();
    let mut word = String::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if !byte.is_ascii() {
            let Some(character) = text[at..].chars().next() else { break };
            at += character.len_utf8();
            if character.is_alphanumeric() {
                push(&mut word, character);
            } else if !is_combining_mark(character) && !flush(&mut word, take) {
                return;
            }
            continue;
        }
        // Nearly all of most texts is taken here, a run at a time.
        let end = end_of_run(bytes, at);
        let begins_word = at > 0 && is_boundary(bytes[at - 1], byte, bytes.get(at + 1));
        if (begins_word || end == at) && !flush(&mut word, take) {
            return;
        }
        word.push_str(&text[at..end]);
        word.make_ascii_lowercase();
        at = end.max(at + 1);
    }
    flush(&mut word, take);
}

/// Where the letters and digits from `start` on end that belong to one word.
fn end_of_run(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = bytes.get(at).filter(|byte| byte.is_ascii_alphanumeric()) {
        if at > start && is_boundary(bytes[at - 1], *byte, bytes.get(at + 1)) {
            break;
        }
        at += 1;
    }
    at
}

/// Whether a new word begins with `character` although no blank stands before it: `aB`, `9B`, `A|Bc`.
fn is_boundary(before: u8, byte: u8, after: Option<&u8>) -> bool {
    if !byte.is_ascii_uppercase() {
        return false;
    }
    let follows_small = before.is_ascii_lowercase() || before.is_ascii_digit();
    let ends_capitals = before.is_ascii_uppercase() && after.is_some_and(u8::is_ascii_lowercase);
    follows_small || ends_capitals
}

/// Adds a letter beyond ASCII, in lower case and without its accents.
fn push(word: &mut String, character: char) {
    let lowered = character.to_lowercase();
    word.extend(lowered.nfd().filter(|part| !is_combining_mark(*part) && part.is_alphanumeric()));
}

fn flush(word: &mut String, take: &mut impl FnMut(&str) -> bool) -> bool {
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
