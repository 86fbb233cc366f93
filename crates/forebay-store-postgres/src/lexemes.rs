//! A passage as the server's full text index takes it.
//!
//! Words are cut, folded and stemmed here, as the other engine's index does it, and written with the project in
//! front: `17:connect`. The server finds which passages have a word; how often it stands there is told by
//! further lexemes of the same word: `17+connect` for two or three times, `17*connect` for more, `17~connect`
//! where it stands around the passage. So ranking needs no passage to be read.

use std::collections::BTreeMap;
use std::fmt::Write;

use forebay_store::NewChunk;
use forebay_text::stem::stem;
use forebay_text::{cut, subwords};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A longer word is known by its beginning.
const WORD_BYTES: usize = 200;
/// The server counts no further.
const LAST_POSITION: usize = 16_383;
const MOST_POSITIONS: usize = 255;
/// A phrase never reaches from the title into the body.
const GAP: usize = 8;
/// A match in the title tells more than one in the body.
const TITLE_WEIGHT: f64 = 2.0;

/// How a word stands in a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Standing {
    There,
    Often,
    Mostly,
    Around,
}

impl Standing {
    const ALL: [Self; 4] = [Self::There, Self::Often, Self::Mostly, Self::Around];

    const fn sign(self) -> char {
        match self {
            Self::There => ':',
            Self::Often => '+',
            Self::Mostly => '*',
            Self::Around => '~',
        }
    }

    /// How often the word stands there, about.
    pub(super) const fn times(self) -> f64 {
        match self {
            Self::There | Self::Around => 1.0,
            Self::Often => 2.4,
            Self::Mostly => 6.0,
        }
    }

    /// How a word stands that counts this much; one that stands there once needs no further word.
    fn beyond_once(weight: f64) -> Option<Self> {
        if weight >= 4.0 {
            Some(Self::Mostly)
        } else if weight >= 2.0 {
            Some(Self::Often)
        } else {
            None
        }
    }
}

/// A passage's words, ready to be written.
#[derive(Debug)]
pub(super) struct Lexemes {
    pub(super) vector: String,
    pub(super) length: i32,
    pub(super) around_length: i32,
}

#[derive(Default)]
struct Places {
    title: usize,
    body: usize,
    positions: Vec<(usize, char)>,
}

impl Lexemes {
    pub(super) fn of(chunk: &NewChunk, project: i32) -> Self {
        let mut words: BTreeMap<String, Places> = BTreeMap::new();
        let mut position = 0;
        for (text, weight) in [(&chunk.title, 'A'), (&chunk.text, 'B')] {
            each_stem(text, |stem| {
                position += 1;
                let places = words.entry(stem).or_default();
                *(if weight == 'A' { &mut places.title } else { &mut places.body }) += 1;
                if places.positions.len() < MOST_POSITIONS && position <= LAST_POSITION {
                    places.positions.push((position, weight));
                }
            });
            position += GAP;
        }
        let length = words.values().map(|places| places.title + places.body).sum::<usize>() as i32;
        let mut vector = String::new();
        for (word, places) in &words {
            write_word(&mut vector, project, word, places);
        }
        let around_length = write_around(&mut vector, project, &chunk.context);
        Self { vector, length, around_length }
    }
}

fn write_word(vector: &mut String, project: i32, word: &str, places: &Places) {
    vector.push_str(&lexeme(project, Standing::There, word));
    for (index, (position, weight)) in places.positions.iter().enumerate() {
        let sign = if index == 0 { ':' } else { ',' };
        let _ = write!(vector, "{sign}{position}{weight}");
    }
    vector.push(' ');
    let weight = TITLE_WEIGHT * places.title as f64 + places.body as f64;
    if let Some(standing) = Standing::beyond_once(weight) {
        vector.push_str(&lexeme(project, standing, word));
        vector.push(' ');
    }
}

fn write_around(vector: &mut String, project: i32, around: &str) -> i32 {
    let mut length = 0;
    let mut seen = std::collections::BTreeSet::new();
    each_word(around, |word| {
        length += 1;
        seen.insert(stem(word).into_owned());
    });
    for word in seen {
        vector.push_str(&lexeme(project, Standing::Around, &word));
        vector.push(' ');
    }
    length
}

/// A word of a project as it is written in vectors and queries; in quotes, for nothing in it is an operator.
pub(super) fn lexeme(project: i32, standing: Standing, stem: &str) -> String {
    format!("'{project}{}{}'", standing.sign(), known(stem))
}

/// A lexeme as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Written<'a> {
    pub(super) standing: Standing,
    pub(super) stem: &'a str,
}

/// Reads a word as it stands in a vector, where it begins with the project's number.
pub(super) fn written<'a>(lexeme: &'a str, project: &str) -> Option<Written<'a>> {
    let rest = lexeme.strip_prefix(project)?;
    let of_sign = |standing: &Standing| rest.starts_with(standing.sign());
    let standing = *Standing::ALL.iter().find(|standing| of_sign(standing))?;
    Some(Written { standing, stem: &rest[1..] })
}

/// A stem as far as it is written.
pub(super) fn known(stem: &str) -> &str {
    cut::prefix(stem, WORD_BYTES)
}

/// The query for passages that have these words side by side.
pub(super) fn phrase(project: i32, text: &str) -> Option<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(lexeme(project, Standing::There, &stem(word))));
    (!words.is_empty()).then(|| words.join(" <-> "))
}

/// The query for passages with a word that begins so.
pub(super) fn beginning(project: i32, text: &str) -> Option<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(format!("{}:*", lexeme(project, Standing::There, word))));
    (!words.is_empty()).then(|| words.join(" & "))
}

/// The stems of a text and of the words inside its words.
fn each_stem(text: &str, mut take: impl FnMut(String)) {
    let mut take = |word: &str| take(stem(word).into_owned());
    each_word(text, &mut take);
    each_word(&subwords::subwords(text), &mut take);
}

/// The stems of what is asked for: most often one.
pub(super) fn stems(text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    each_word(text, |word| stems.push(stem(word).into_owned()));
    stems
}

/// The words of a text, as they are before their stems are taken.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(word.to_owned()));
    words
}

/// Runs of letters and digits in lower case, without what stands above and below letters.
fn each_word(text: &str, mut take: impl FnMut(&str)) {
    let mut word = String::new();
    let mut letter = |c: Option<char>| match c {
        Some(c) if is_combining_mark(c) => {}
        Some(c) if c.is_alphanumeric() => word.extend(c.to_lowercase()),
        _ => {
            if !word.is_empty() {
                take(&word);
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

    fn chunk(title: &str, text: &str, around: &str) -> NewChunk {
        NewChunk {
            start: 0,
            bytes: 0,
            lines: (1, 1),
            title: title.to_owned(),
            text: text.to_owned(),
            key: None,
            created: None,
            context: around.to_owned(),
            embedding: None,
            is_code: false,
        }
    }

    #[test]
    fn words_are_written_with_their_project_places_and_weight() {
        let lexemes = Lexemes::of(&chunk("Café", "running runs, parseHTTP", "before"), 7);
        assert_eq!(
            lexemes.vector.trim_end(),
            "'7:cafe':1A '7+cafe' '7:http':14B '7:pars':13B '7:parsehttp':12B '7:run':10B,11B \
             '7+run' '7~befor'"
        );
        assert_eq!((lexemes.length, lexemes.around_length), (6, 1));
    }

    #[test]
    fn a_written_word_is_read_back() {
        for standing in Standing::ALL {
            let lexeme = lexeme(12, standing, "connect");
            let read = written(lexeme.trim_matches('\''), "12");
            assert_eq!(read, Some(Written { standing, stem: "connect" }));
        }
        assert_eq!(written("12:connect", "1"), None);
        assert_eq!(written("12", "12"), None);
    }

    #[test]
    fn nothing_in_a_query_is_an_operator() {
        assert_eq!(
            phrase(3, "it's \"so\" & !x").as_deref(),
            Some("'3:it' <-> '3:s' <-> '3:so' <-> '3:x'")
        );
        assert_eq!(phrase(3, "'\\ &|!<->:*"), None);
        assert_eq!(beginning(3, "exa").as_deref(), Some("'3:exa':*"));
    }

    proptest! {
        #[test]
        fn any_text_has_a_vector(title in any::<String>(), text in any::<String>()) {
            let lexemes = Lexemes::of(&chunk(&title, &text, &title), 1);
            prop_assert!(!lexemes.vector.contains(['\0', '\\']));
        }
    }
}
