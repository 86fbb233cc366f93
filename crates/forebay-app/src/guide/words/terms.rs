//! The terms of a sentence in any language, for comparing two of them.

use std::collections::{BTreeMap, BTreeSet};

/// Characters of a word that are compared: enough to match inflections.
const STEM_CHARS: usize = 6;

/// Frequent words that say nothing of their own, in lower case.
const COMMON: &[&str] = &[
    // English
    "the", "a", "an", "and", "or", "of", "to", "in", "on", "at", "for", "with", "from", "by", "as",
    "is", "are", "was", "were", "be", "it", "its", "this", "that", "these", "those", "i", "you",
    "we", "he", "she", "they", "them", "my", "your", "our", "me", "us", "do", "does", "did",
    "done", "have", "has", "had", "can", "could", "will", "would", "should", "so", "if", "then",
    "than", "there", "here", "please", "just", "also", "only", "not", "no", "yes", "ok", "now",
    "all", "any", "use", "make", "set", "go", "get", "let", "it's", "don't", "but", "one", "out",
    "up", "after", "before", // German
    "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "und",
    "oder", "ist", "sind", "war", "im", "am", "auf", "aus", "bei", "mit", "nach", "von", "zu",
    "zum", "zur", "für", "es", "sie", "er", "wir", "ihr", "ich", "du", "nicht", "kein", "keine",
    "bitte", "nur", "auch", "noch", "jetzt", "soll", "sollen", "wird", "werden", "hat", "haben",
    "wenn", "dann", "aber", "als", "wie", "da", "doch", // Spanish
    "el", "la", "los", "las", "un", "una", "y", "o", "de", "del", "al", "en", "con", "por", "para",
    "que", "es", "son", "se", "lo", "le", "su", "sus", "mi", "tu", "sí", "ya", "pero", "como",
    "más", "no", "favor",
];

/// What a sentence is about.
#[derive(Debug, Default)]
pub(super) struct Terms {
    /// Words without common ones, and pairs of characters of unspaced scripts.
    pub(super) words: BTreeSet<String>,
    /// Numbers and other values with digits, each with what follows it: a unit, or nothing.
    pub(super) values: BTreeMap<String, String>,
    names: BTreeSet<String>,
}

impl Terms {
    pub(super) fn new(text: &str) -> Self {
        let mut terms = Self { names: names(text), ..Self::default() };
        let mut last_value: Option<String> = None;
        for token in tokens(text) {
            let value = if token.has_digit { None } else { last_value.take() };
            if let Some(value) = value.filter(|_| !COMMON.contains(&token.text.as_str())) {
                let chars = if token.is_unspaced { 1 } else { STEM_CHARS };
                terms.values.insert(value, token.text.chars().take(chars).collect());
            }
            if token.has_digit {
                let (value, unit) = split_unit(&token.text);
                let unit = terms.values.entry(value.to_owned()).or_insert_with(|| unit.to_owned());
                // A name like `p95` has no unit.
                let takes_unit = unit.is_empty() && value.starts_with(|c: char| c.is_ascii_digit());
                last_value = takes_unit.then(|| value.to_owned());
            } else if token.is_unspaced {
                terms.words.extend(pairs(&token.text));
            } else if token.text != "%" && !COMMON.contains(&token.text.as_str()) {
                terms.words.insert(stem(&token.text));
            }
        }
        terms
    }

    /// Whether two sentences name things, but none in common.
    pub(super) fn has_other_names(&self, other: &Self) -> bool {
        !self.names.is_empty() && !other.names.is_empty() && self.names.is_disjoint(&other.names)
    }

    /// Returns the words that two sentences share.
    pub(super) fn shared(&self, other: &Self) -> usize {
        self.words.intersection(&other.words).count()
    }
}

struct Token {
    text: String,
    has_digit: bool,
    is_unspaced: bool,
}

/// Splits into lowercase words, values, and runs of unspaced scripts.
fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut is_open = false;
    for c in text.to_lowercase().chars() {
        let is_unspaced = is_unspaced(c);
        // A point or a colon within a value belongs to it, and so does a hyphen within a name.
        let is_inner = matches!(c, '.' | ':' | '_' | '-' | '/') && is_open;
        if c == '%' {
            found.push(Token { text: c.to_string(), has_digit: false, is_unspaced: false });
            is_open = false;
            continue;
        }
        if !c.is_alphanumeric() && !is_inner {
            is_open = false;
            continue;
        }
        let continues = is_open && found.last().is_some_and(|last| last.is_unspaced == is_unspaced);
        if continues && let Some(last) = found.last_mut() {
            last.text.push(c);
            last.has_digit |= c.is_ascii_digit();
        } else if c.is_alphanumeric() {
            let has_digit = c.is_ascii_digit();
            found.push(Token { text: c.to_string(), has_digit, is_unspaced });
        }
        is_open = true;
    }
    for token in &mut found {
        let bare = token.text.trim_end_matches(['.', ':', '_', '-', '/']).len();
        token.text.truncate(bare);
    }
    found.retain(|token| !token.text.is_empty());
    found
}

/// Whether a character belongs to a script that writes words without blanks.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x0e00..=0x0e7f)
}

/// Splits a value like `25m` into number and unit.
fn split_unit(value: &str) -> (&str, &str) {
    let number = value.trim_end_matches(|c: char| c.is_alphabetic());
    let is_number = number.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ':'));
    if is_number && !number.is_empty() { value.split_at(number.len()) } else { (value, "") }
}

fn stem(word: &str) -> String {
    word.chars().take(STEM_CHARS).collect()
}

/// Returns the terms of a run without blanks: pairs of neighbouring characters, or a single one between
/// Hiragana, which are grammar.
fn pairs(text: &str) -> Vec<String> {
    let is_grammar = |c: char| matches!(u32::from(c), 0x3040..=0x309f);
    let mut found = Vec::new();
    for part in text.split(is_grammar).filter(|part| !part.is_empty()) {
        let chars: Vec<char> = part.chars().collect();
        match chars.as_slice() {
            [one] => found.push(one.to_string()),
            all => found.extend(all.windows(2).map(|pair| pair.iter().collect::<String>())),
        }
    }
    found
}

/// Whether a word looks like the name of a thing: a path, an identifier, a file.
pub(super) fn is_name(word: &str) -> bool {
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
    inner.contains(['_', '/', '.', ':', '`'])
        || inner.chars().skip(1).any(char::is_uppercase) && inner.chars().any(char::is_lowercase)
}

/// Returns the names in a sentence; among unspaced characters, words of another script are names.
fn names(text: &str) -> BTreeSet<String> {
    let is_mixed = text.contains(is_unspaced);
    text.split(|c: char| {
        c.is_whitespace() || is_unspaced(c) || matches!(c, '、' | '。' | ',' | ';')
    })
    .filter(|word| is_name(word) || is_mixed && word.starts_with(|c: char| c.is_ascii_alphabetic()))
    .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_units_in_any_script() {
        let values = |text: &str| Terms::new(text).values.into_iter().collect::<Vec<_>>();
        let pair = |value: &str, unit: &str| (value.to_owned(), unit.to_owned());
        assert_eq!(values("Leases live for 60 seconds."), [pair("60", "second")]);
        assert_eq!(values("締め日は20日です"), [pair("20", "日")]);
        assert_eq!(values("at 14:30"), [pair("14:30", "")]);
        assert_eq!(values("limit 25m"), [pair("25", "m")]);
        assert_eq!(values("says 12 %"), [pair("12", "%")]);
        assert_eq!(values("the p95 of v1.2"), [pair("p95", ""), pair("v1.2", "")]);
    }

    #[test]
    fn inflections_share_a_term() {
        let shared = |one: &str, other: &str| Terms::new(one).shared(&Terms::new(other));
        assert_eq!(shared("keine Migrationen ausführen", "Migrationen darfst du ausführen"), 2);
        assert_eq!(shared("不要改数据库", "可以改数据库了"), 3);
        assert!(shared("締め日は", "締め日を") > 0);
        assert_eq!(shared("use tabs", "write the docs"), 0);
    }
}
