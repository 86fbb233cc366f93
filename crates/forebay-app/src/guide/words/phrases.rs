//! Looks up words and phrases of a list in a sentence.

use std::collections::HashSet;

use super::terms::is_unspaced;

/// A list of words and phrases in lower case, which is read once.
pub(super) struct PhraseList {
    words: HashSet<&'static str>,
    /// Phrases of several words, each with a blank on both sides.
    phrases: Vec<String>,
    /// Parts of scripts without blanks, which may stand anywhere.
    unspaced: Vec<&'static str>,
}

impl PhraseList {
    /// Reads a list that is separated by commas.
    pub(super) fn new(list: &'static str) -> Self {
        let mut found = Self { words: HashSet::new(), phrases: Vec::new(), unspaced: Vec::new() };
        for phrase in list.split(", ") {
            if phrase.starts_with(is_unspaced) {
                found.unspaced.push(phrase);
            } else if phrase.contains(' ') {
                found.phrases.push(format!(" {phrase} "));
            } else {
                found.words.insert(phrase);
            }
        }
        found
    }

    /// Whether a word is in the list.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.words.contains(word) || self.unspaced.contains(&word)
    }

    pub(super) fn occurs_in(&self, text: &Words) -> bool {
        text.iter().any(|word| self.words.contains(word))
            || self.phrases.iter().any(|phrase| text.spaced.contains(phrase))
            || text.has_unspaced && self.unspaced.iter().any(|part| text.spaced.contains(part))
    }

    /// Whether words, which begin with a blank, start with one of the list.
    pub(super) fn starts(&self, words: &str) -> bool {
        let bare = words.trim_start();
        let first = bare.split(' ').next().unwrap_or_default();
        self.words.contains(first)
            || self.phrases.iter().any(|phrase| words.starts_with(phrase))
            || self.unspaced.iter().any(|part| bare.starts_with(part))
    }

    /// Whether a text ends with one of the list.
    pub(super) fn ends(&self, text: &Words) -> bool {
        let bare = text.spaced.trim_end();
        let last = bare.rsplit(' ').next().unwrap_or_default();
        self.words.contains(last)
            || self.phrases.iter().any(|phrase| text.spaced.ends_with(phrase))
            || self.unspaced.iter().any(|part| bare.ends_with(part))
    }
}

/// The words of a text in lower case.
pub(super) struct Words {
    /// Each with a blank on both sides.
    spaced: String,
    has_unspaced: bool,
}

impl Words {
    pub(super) fn new(text: &str) -> Self {
        let mut spaced = String::with_capacity(text.len() + 2);
        spaced.push(' ');
        let mut has_unspaced = false;
        for c in text.chars() {
            if c.is_alphanumeric() {
                has_unspaced |= is_unspaced(c);
                spaced.extend(c.to_lowercase());
            } else if matches!(c, '\'' | '’') {
                spaced.push('\'');
            } else if !spaced.ends_with(' ') {
                spaced.push(' ');
            }
        }
        if !spaced.ends_with(' ') {
            spaced.push(' ');
        }
        Self { spaced, has_unspaced }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.spaced.split(' ').filter(|word| !word.is_empty())
    }

    /// Returns the words, with a blank on both sides, from the first that is not to be skipped.
    pub(super) fn without_first(&self, is_skipped: impl Fn(&str) -> bool) -> &str {
        let mut rest = self.spaced.as_str();
        while let Some((word, after)) = rest[1..].split_once(' ')
            && is_skipped(word)
            && !after.is_empty()
        {
            rest = &rest[word.len() + 1..];
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_phrases_are_found_whole() {
        let list = PhraseList::new("no, from now on, 不要");
        let found = |text: &str| list.occurs_in(&Words::new(text));
        assert!(found("No!") && found("so, from now on: tabs") && found("请不要改"));
        assert!(!found("now") && !found("from now only") && !found(""));
        let starts = |text: &str| list.starts(Words::new(text).without_first(|word| word == "ok"));
        assert!(
            starts("ok, no") && starts("From now on") && starts("不要改") && !starts("ok nothing")
        );
        assert!(!starts("") && !starts("ok"));
        assert!(list.ends(&Words::new("he says no")) && !list.ends(&Words::new("no way")));
    }
}
