//! A text as words: `parseHTTPResponse` is `parse http response`, accents and case do not count.

use forebay_domain::text::short::{self, Kind};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word in lower case.
pub(crate) enum Word<'a> {
    /// As its number; nearly all words are short.
    Short(u128),
    Long(&'a str),
}

impl Word<'_> {
    /// Hands out the text of it.
    pub(crate) fn with_text<T>(&self, take: impl FnOnce(&str) -> T) -> T {
        match self {
            Self::Short(key) => {
                let (bytes, length) = short::bytes(*key);
                take(str::from_utf8(&bytes[..length]).unwrap_or_default())
            }
            Self::Long(text) => take(text),
        }
    }
}

/// Hands each word to `take`, in order, until it answers `false`.
pub(crate) fn each(text: &str, take: &mut impl FnMut(Word<'_>) -> bool) {
    let bytes = text.as_bytes();
    // A word that is long or has letters beyond ASCII, as far as it was read.
    let mut pending = String::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match short::kind(byte) {
            Kind::Other => {
                at += 1;
                if !flush(&mut pending, take) {
                    return;
                }
            }
            Kind::Foreign => {
                let Some(character) = text[at..].chars().next() else { break };
                at += character.len_utf8();
                if character.is_alphanumeric() {
                    push(&mut pending, character);
                } else if !is_combining_mark(character) && !flush(&mut pending, take) {
                    return;
                }
            }
            Kind::Small | Kind::Digit | Kind::Capital => {
                if at > 0 && is_boundary(bytes, at) && !flush(&mut pending, take) {
                    return;
                }
                let end = end_of_run(bytes, at);
                let goes_on = bytes.get(end).is_some_and(|byte| !byte.is_ascii());
                match short::key(bytes, at, end).filter(|_| pending.is_empty() && !goes_on) {
                    Some(key) if !take(Word::Short(short::lower(key))) => return,
                    Some(_) => {}
                    None => pending.extend(text[at..end].chars().map(|c| c.to_ascii_lowercase())),
                }
                at = end;
            }
        }
    }
    flush(&mut pending, take);
}

/// Where the letters and digits from `start` on end that belong to one word.
fn end_of_run(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match short::kind(*byte) {
            Kind::Small | Kind::Digit => {}
            Kind::Capital if !is_boundary(bytes, at) => {}
            _ => break,
        }
        at += 1;
    }
    at
}

/// Whether a new word begins at a letter although no blank stands before it: `aB`, `9B`, `A|Bc`.
fn is_boundary(bytes: &[u8], at: usize) -> bool {
    if short::kind(bytes[at]) != Kind::Capital {
        return false;
    }
    match short::kind(bytes[at - 1]) {
        Kind::Small | Kind::Digit => true,
        Kind::Capital => bytes.get(at + 1).is_some_and(|after| short::kind(*after) == Kind::Small),
        Kind::Other | Kind::Foreign => false,
    }
}

/// Adds a letter beyond ASCII, in lower case and without its accents.
fn push(word: &mut String, character: char) {
    let lowered = character.to_lowercase();
    word.extend(lowered.nfd().filter(|part| !is_combining_mark(*part) && part.is_alphanumeric()));
}

fn flush(word: &mut String, take: &mut impl FnMut(Word<'_>) -> bool) -> bool {
    if word.is_empty() {
        return true;
    }
    let goes_on = take(Word::Long(word));
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
            found.push(word.with_text(str::to_owned));
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
