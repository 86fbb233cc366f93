//! Encodes a chunk as a `tsvector` for the server's full-text index.
//!
//! Words are tokenized, folded and stemmed here, exactly as in the SQLite engine, and prefixed with the project:
//! `17:connect`. Term frequency is encoded in further lexemes of the same word: `17+connect` for two or three
//! occurrences, `17*connect` for more, `17~connect` for the chunk's context. So ranking does not read the chunks.

use std::collections::BTreeMap;
use std::fmt::Write;

use forebay_store::NewChunk;
use forebay_text::stem::stem;
use forebay_text::{cut, subwords};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longer words are truncated.
const MAX_WORD_BYTES: usize = 200;
/// PostgreSQL's limits on positions and on positions per lexeme.
const MAX_POSITION: usize = 16_383;
const MAX_POSITIONS: usize = 255;
/// Keeps phrases from matching across title and body.
const FIELD_GAP: usize = 8;
/// A match in the title weighs more than one in the body.
const TITLE_WEIGHT: f64 = 2.0;

/// How a word occurs in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Occurrence {
    Present,
    Repeated,
    Frequent,
    Context,
}

impl Occurrence {
    const ALL: [Self; 4] = [Self::Present, Self::Repeated, Self::Frequent, Self::Context];

    const fn sign(self) -> char {
        match self {
            Self::Present => ':',
            Self::Repeated => '+',
            Self::Frequent => '*',
            Self::Context => '~',
        }
    }

    /// Returns the approximate number of occurrences.
    pub(super) const fn frequency(self) -> f64 {
        match self {
            Self::Present | Self::Context => 1.0,
            Self::Repeated => 2.4,
            Self::Frequent => 6.0,
        }
    }

    /// Returns the class of a word with this weight; None for a single occurrence, which needs no further lexeme.
    fn for_weight(weight: f64) -> Option<Self> {
        if weight >= 4.0 {
            Some(Self::Frequent)
        } else if weight >= 2.0 {
            Some(Self::Repeated)
        } else {
            None
        }
    }
}

/// The `tsvector` of a chunk in text format, and its lengths in words.
#[derive(Debug)]
pub(super) struct Lexemes {
    pub(super) vector: String,
    pub(super) length: i32,
    pub(super) around_length: i32,
}

#[derive(Default)]
struct Positions {
    title: usize,
    body: usize,
    list: Vec<(usize, char)>,
}

impl Lexemes {
    pub(super) fn new(chunk: &NewChunk, project: i32) -> Self {
        let mut words: BTreeMap<String, Positions> = BTreeMap::new();
        let mut position = 0;
        for (text, weight) in [(&chunk.title, 'A'), (&chunk.text, 'B')] {
            each_stem(text, |stem| {
                position += 1;
                let positions = words.entry(stem).or_default();
                *(if weight == 'A' { &mut positions.title } else { &mut positions.body }) += 1;
                if positions.list.len() < MAX_POSITIONS && position <= MAX_POSITION {
                    positions.list.push((position, weight));
                }
            });
            position += FIELD_GAP;
        }
        let length =
            words.values().map(|positions| positions.title + positions.body).sum::<usize>() as i32;
        let mut vector = String::new();
        for (word, positions) in &words {
            write_word(&mut vector, project, word, positions);
        }
        let around_length = write_context(&mut vector, project, &chunk.context);
        Self { vector, length, around_length }
    }
}

fn write_word(vector: &mut String, project: i32, word: &str, positions: &Positions) {
    vector.push_str(&lexeme(project, Occurrence::Present, word));
    for (index, (position, weight)) in positions.list.iter().enumerate() {
        let sign = if index == 0 { ':' } else { ',' };
        let _ = write!(vector, "{sign}{position}{weight}");
    }
    vector.push(' ');
    let weight = TITLE_WEIGHT * positions.title as f64 + positions.body as f64;
    if let Some(occurrence) = Occurrence::for_weight(weight) {
        vector.push_str(&lexeme(project, occurrence, word));
        vector.push(' ');
    }
}

fn write_context(vector: &mut String, project: i32, context: &str) -> i32 {
    let mut length = 0;
    let mut seen = std::collections::BTreeSet::new();
    each_word(context, |word| {
        length += 1;
        seen.insert(stem(word).into_owned());
    });
    for word in seen {
        vector.push_str(&lexeme(project, Occurrence::Context, &word));
        vector.push(' ');
    }
    length
}

/// Formats a project's lexeme for vectors and queries; quoted, so that nothing in it is an operator.
pub(super) fn lexeme(project: i32, occurrence: Occurrence, stem: &str) -> String {
    format!("'{project}{}{}'", occurrence.sign(), truncate(stem))
}

/// A lexeme of a project, parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ParsedLexeme<'a> {
    pub(super) occurrence: Occurrence,
    pub(super) stem: &'a str,
}

/// Parses a lexeme of a vector; returns None if it belongs to another project.
pub(super) fn parse_lexeme<'a>(lexeme: &'a str, project: &str) -> Option<ParsedLexeme<'a>> {
    let rest = lexeme.strip_prefix(project)?;
    let has_sign = |occurrence: &Occurrence| rest.starts_with(occurrence.sign());
    let occurrence = *Occurrence::ALL.iter().find(|occurrence| has_sign(occurrence))?;
    Some(ParsedLexeme { occurrence, stem: &rest[1..] })
}

/// Truncates a stem to the length that is stored.
pub(super) fn truncate(stem: &str) -> &str {
    cut::prefix(stem, MAX_WORD_BYTES)
}

/// Returns the query for chunks with these words as a phrase.
pub(super) fn phrase(project: i32, text: &str) -> Option<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(lexeme(project, Occurrence::Present, &stem(word))));
    (!words.is_empty()).then(|| words.join(" <-> "))
}

/// Returns the query for chunks with a word that has this prefix.
pub(super) fn prefix(project: i32, text: &str) -> Option<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(format!("{}:*", lexeme(project, Occurrence::Present, word))));
    (!words.is_empty()).then(|| words.join(" & "))
}

/// Calls `visit` with the stems of a text and of its subwords.
fn each_stem(text: &str, mut visit: impl FnMut(String)) {
    let mut visit = |word: &str| visit(stem(word).into_owned());
    each_word(text, &mut visit);
    each_word(&subwords::subwords(text), &mut visit);
}

/// Returns the stems of a query word: usually one.
pub(super) fn stems(text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    each_word(text, |word| stems.push(stem(word).into_owned()));
    stems
}

/// Returns the words of a text, before stemming.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(word.to_owned()));
    words
}

/// Calls `visit` with each run of letters and digits, in lower case and without diacritics.
fn each_word(text: &str, mut visit: impl FnMut(&str)) {
    let mut word = String::new();
    let mut letter = |c: Option<char>| match c {
        Some(c) if is_combining_mark(c) => {}
        Some(c) if c.is_alphanumeric() => word.extend(c.to_lowercase()),
        _ => {
            if !word.is_empty() {
                visit(&word);
                word.clear();
            }
        }
    };
    for c in text.chars() {
        if c.is_ascii() {
            letter(Some(c));
        } else {
            c.nfd().for_each(|c| letter(Some(c)));
        }
    }
    letter(None);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chunk(title: &str, text: &str, context: &str) -> NewChunk {
        NewChunk {
            start: 0,
            bytes: 0,
            lines: (1, 1),
            title: title.to_owned(),
            text: text.to_owned(),
            key: None,
            created: None,
            context: context.to_owned(),
            embedding: None,
            is_code: false,
        }
    }

    #[test]
    fn writes_words_with_project_positions_and_weight() {
        let lexemes = Lexemes::new(&chunk("Café", "running runs, parseHTTP", "before"), 7);
        assert_eq!(
            lexemes.vector.trim_end(),
            "'7:cafe':1A '7+cafe' '7:http':14B '7:pars':13B '7:parsehttp':12B '7:run':10B,11B \
             '7+run' '7~befor'"
        );
        assert_eq!((lexemes.length, lexemes.around_length), (6, 1));
    }

    #[test]
    fn lexemes_round_trip() {
        for occurrence in Occurrence::ALL {
            let lexeme = lexeme(12, occurrence, "connect");
            let read = parse_lexeme(lexeme.trim_matches('\''), "12");
            assert_eq!(read, Some(ParsedLexeme { occurrence, stem: "connect" }));
        }
        assert_eq!(parse_lexeme("12:connect", "1"), None);
        assert_eq!(parse_lexeme("12", "12"), None);
    }

    #[test]
    fn queries_quote_operators() {
        assert_eq!(
            phrase(3, "it's \"so\" & !x").as_deref(),
            Some("'3:it' <-> '3:s' <-> '3:so' <-> '3:x'")
        );
        assert_eq!(phrase(3, "'\\ &|!<->:*"), None);
        assert_eq!(prefix(3, "exa").as_deref(), Some("'3:exa':*"));
    }

    proptest! {
        #[test]
        fn encodes_any_text(title in any::<String>(), text in any::<String>()) {
            let lexemes = Lexemes::new(&chunk(&title, &text, &title), 1);
            prop_assert!(!lexemes.vector.contains(['\0', '\\']));
        }
    }
}
