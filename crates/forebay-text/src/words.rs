//! Words of a question, as the search and the digest's intent understand them.

use super::runs;

/// Words that stand in nearly every question and tell nothing.
pub const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "her", "his", "how",
    "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "s", "she",
    "should", "so", "t", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "to", "was", "we", "were", "what", "when", "where", "which", "who", "why", "will", "with",
    "would", "you", "your",
];

/// The words of a text: runs of letters and digits, lower case.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// Hands the same out one after the other, without a text of its own for each.
fn each(text: &str, mut take: impl FnMut(&str)) {
    let mut lower = String::new();
    runs::each(text, char::is_alphanumeric, |start, end| {
        lower.clear();
        push_lower(&mut lower, &text[start..end]);
        take(&lower);
        true
    });
}

/// Adds a word in lower case to a text.
pub fn push_lower(text: &mut String, word: &str) {
    if word.is_ascii() {
        let start = text.len();
        text.push_str(word);
        text[start..].make_ascii_lowercase();
    } else {
        text.push_str(&word.to_lowercase());
    }
}

/// Marks those of the wanted words that stand in a text; `stands` compares a word of the text with a wanted one.
pub fn mark(
    text: &str,
    wanted: &[String],
    stands: impl Fn(&str, &str) -> bool,
    marks: &mut [bool],
) {
    if wanted.is_empty() {
        return;
    }
    each(text, |word| {
        for (mark, wanted) in marks.iter_mut().zip(wanted) {
            *mark = *mark || stands(word, wanted);
        }
    });
}

/// The words of a question that carry it, each once; all of them when all are common.
pub fn telling(question: &str, at_most: usize) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in words(question) {
        if !all.contains(&word) && all.len() < at_most {
            all.push(word);
        }
    }
    let telling: Vec<String> = all
        .iter()
        .filter(|word| STOP_WORDS.binary_search(&word.as_str()).is_err())
        .cloned()
        .collect();
    if telling.is_empty() { all } else { telling }
}

/// Programming languages, as questions name them.
const LANGUAGES: &[&str] =
    &["c++", "golang", "java", "javascript", "python", "python3", "ruby", "rust", "typescript"];

/// A question without the language it asks about, when more is said: in a project that word tells next
/// to nothing, and in the index it is rare enough to outweigh all others.
pub fn without_languages(question: &str) -> String {
    let rest: Vec<&str> = question.split_whitespace().filter(|word| !is_language(word)).collect();
    let rest = rest.join(" ");
    if telling(&rest, 3).len() < 2 { question.to_owned() } else { rest }
}

/// Whether a word names a programming language.
pub fn is_language(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '+').to_lowercase();
    LANGUAGES.binary_search(&bare.as_str()).is_ok()
}

/// Whether two words are forms of one another, judged by their beginnings.
///
/// The index compares stems; this names the same words in an answer without a stemmer.
pub fn alike(word: &str, wanted: &str) -> bool {
    let stem = super::cut::prefix(wanted, wanted.len().max(5) - 2);
    word == wanted || (stem.len() > 2 && word.starts_with(stem))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn common_words_go_unless_nothing_else_is_there() {
        assert_eq!(telling("How do I parse the HTTP response?", 20), ["parse", "http", "response"]);
        assert_eq!(telling("to be or not", 20), ["not"]);
        assert_eq!(telling("what is it", 20), ["what", "is", "it"]);
        assert_eq!(telling("", 20), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn words_are_the_same_one_after_the_other(text in "[a-zA-Z0-9 ._日本🦀äÄẞ-]{0,40}") {
            let mut all = Vec::new();
            each(&text, |word| all.push(word.to_owned()));
            prop_assert_eq!(all, words(&text).collect::<Vec<_>>());
        }
    }

    #[test]
    fn forms_of_a_word_are_alike() {
        assert!(alike("parsing", "parser") && alike("error", "errors") && alike("ok", "ok"));
        assert!(!alike("par", "parser") && !alike("okay", "ok"));
    }

    #[test]
    fn a_language_is_dropped_when_more_is_asked() {
        assert_eq!(without_languages("python check file is readonly"), "check file is readonly");
        assert_eq!(without_languages("install Python"), "install Python");
        assert_eq!(without_languages("which rust, edition fits?"), "which edition fits?");
    }

    #[test]
    fn the_lists_are_sorted() {
        assert!(STOP_WORDS.is_sorted() && LANGUAGES.is_sorted());
    }
}
