//! Query words: normalization, stop words, language names.

use super::tokenize;

/// Words too common in queries to carry meaning; sorted.
pub const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "her", "his", "how",
    "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "s", "she",
    "should", "so", "t", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "to", "was", "we", "were", "what", "when", "where", "which", "who", "why", "will", "with",
    "would", "you", "your",
];

/// The words of a text: runs of letters and digits in lower case.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// Calls `visit` with the start of each word and the word in lower case, reusing one buffer.
pub fn each(text: &str, mut visit: impl FnMut(usize, &str)) {
    let mut lower = String::new();
    tokenize::each(text, char::is_alphanumeric, |start, end| {
        lower.clear();
        push_lower(&mut lower, &text[start..end]);
        visit(start, &lower);
        true
    });
}

/// Appends a word in lower case.
pub fn push_lower(text: &mut String, word: &str) {
    if word.is_ascii() {
        let start = text.len();
        text.push_str(word);
        text[start..].make_ascii_lowercase();
    } else {
        text.push_str(&word.to_lowercase());
    }
}

/// Sets the mark of each wanted word that occurs in a text; `matches` compares a word of the text with a wanted one.
pub fn mark(
    text: &str,
    wanted: &[String],
    matches: impl Fn(&str, &str) -> bool,
    marks: &mut [bool],
) {
    if wanted.is_empty() {
        return;
    }
    each(text, |_, word| {
        for (mark, wanted) in marks.iter_mut().zip(wanted) {
            *mark = *mark || matches(word, wanted);
        }
    });
}

/// The words of a query without stop words, each once; all of them if nothing else is left.
pub fn significant(query: &str, max: usize) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in words(query) {
        if !all.contains(&word) && all.len() < max {
            all.push(word);
        }
    }
    let significant: Vec<String> = all
        .iter()
        .filter(|word| STOP_WORDS.binary_search(&word.as_str()).is_err())
        .cloned()
        .collect();
    if significant.is_empty() { all } else { significant }
}

/// Programming languages as queries name them; sorted.
const LANGUAGES: &[&str] =
    &["c++", "golang", "java", "javascript", "python", "python3", "ruby", "rust", "typescript"];

/// Drops the name of a programming language from a query that says more: within a project it distinguishes nothing, but
/// its rarity in the index would outweigh the other words.
pub fn without_languages(query: &str) -> String {
    let rest: Vec<&str> = query.split_whitespace().filter(|word| !is_language(word)).collect();
    let rest = rest.join(" ");
    if significant(&rest, 3).len() < 2 { query.to_owned() } else { rest }
}

/// Whether a word names a programming language.
pub fn is_language(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '+').to_lowercase();
    LANGUAGES.binary_search(&bare.as_str()).is_ok()
}

/// Whether two words share a prefix long enough to be inflections of one word.
///
/// Approximates the index's stem comparison when an answer names matched words.
pub fn share_prefix(word: &str, wanted: &str) -> bool {
    let stem = super::cut::prefix(wanted, wanted.len().max(5) - 2);
    word == wanted || (stem.len() > 2 && word.starts_with(stem))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn drops_stop_words_unless_nothing_is_left() {
        assert_eq!(
            significant("How do I parse the HTTP response?", 20),
            ["parse", "http", "response"]
        );
        assert_eq!(significant("to be or not", 20), ["not"]);
        assert_eq!(significant("what is it", 20), ["what", "is", "it"]);
        assert_eq!(significant("", 20), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn buffered_words_match_the_iterator(text in "[a-zA-Z0-9 ._日本🦀äÄẞ-]{0,40}") {
            let mut all = Vec::new();
            each(&text, |_, word| all.push(word.to_owned()));
            prop_assert_eq!(all, words(&text).collect::<Vec<_>>());
        }
    }

    #[test]
    fn matches_inflections() {
        assert!(
            share_prefix("parsing", "parser")
                && share_prefix("error", "errors")
                && share_prefix("ok", "ok")
        );
        assert!(!share_prefix("par", "parser") && !share_prefix("okay", "ok"));
    }

    #[test]
    fn drops_the_language_when_more_is_asked() {
        assert_eq!(without_languages("python check file is readonly"), "check file is readonly");
        assert_eq!(without_languages("install Python"), "install Python");
        assert_eq!(without_languages("which rust, edition fits?"), "which edition fits?");
    }

    #[test]
    fn lists_are_sorted() {
        assert!(STOP_WORDS.is_sorted() && LANGUAGES.is_sorted());
    }
}
