//! Query syntax: words and filters.
//!
//! `"exact phrase"`, `-word`, `source:`, `path:`, `kind:`, `before:` and `after:` narrow a search; everything else is
//! words. Parsing never fails: what is no valid filter is text.

use std::time::Duration;

use crate::time::{days, start_of_day};
use crate::{EntryKind, NoteKind, Timestamp};
use forebay_text::subwords;
use forebay_text::words::{STOP_WORDS, words};

/// A parsed search query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The text to rank by: words as written, phrases included.
    pub text: String,
    /// Phrases that a chunk must contain verbatim.
    pub phrases: Vec<String>,
    /// Words that a chunk must not contain.
    pub without: Vec<String>,
    /// Globs over the source, all of which must match.
    pub sources: Vec<String>,
    /// Entry kinds, any of which may match.
    pub kinds: Vec<EntryKind>,
    pub notes: Vec<NoteKind>,
    pub after: Option<Timestamp>,
    pub before: Option<Timestamp>,
}

/// Minimum length of an excluded word; a shorter one after `-` is a command option.
const MIN_EXCLUDED_CHARS: usize = 3;

/// Maximum length of a word; longer runs are encoded data.
const MAX_WORD_BYTES: usize = 200;

impl Query {
    /// Parses a query issued at `now`.
    pub fn parse(text: &str, now: Timestamp) -> Self {
        let mut query = Self::default();
        for token in tokens(text) {
            query.add(token, now);
        }
        if query.text.trim().is_empty() && !query.has_filters() {
            // Only exclusions: treat them as words.
            query = Self { text: text.to_owned(), ..Self::default() };
        }
        query
    }

    /// The significant index terms of the query, each once.
    pub fn words(&self, max: usize) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for run in subwords::runs(&self.text) {
            for word in subwords::query_terms(run) {
                if all.len() < max && word.len() <= MAX_WORD_BYTES && !all.contains(&word) {
                    all.push(word);
                }
            }
        }
        let is_common = |word: &String| STOP_WORDS.binary_search(&word.as_str()).is_ok();
        let significant: Vec<String> =
            all.iter().filter(|word| !is_common(word)).cloned().collect();
        if significant.is_empty() { all } else { significant }
    }

    /// Whether it has filters beside its words.
    pub fn has_filters(&self) -> bool {
        let lists = [self.sources.is_empty(), self.kinds.is_empty(), self.notes.is_empty()];
        lists.contains(&false) || self.after.is_some() || self.before.is_some()
    }

    fn add(&mut self, token: Token<'_>, now: Timestamp) {
        match token {
            Token::Phrase(phrase) => {
                self.phrases.push(phrase.to_owned());
                self.add_text(phrase);
            }
            Token::Word(word) => {
                if !self.parse_exclusion(word) && !self.parse_filter(word, now) {
                    self.add_text(word);
                }
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }

    fn parse_exclusion(&mut self, word: &str) -> bool {
        let Some(excluded) = word.strip_prefix('-') else { return false };
        let is_one_word = excluded.chars().all(char::is_alphanumeric);
        let counts = is_one_word && excluded.chars().count() >= MIN_EXCLUDED_CHARS;
        if counts {
            self.without.push(excluded.to_lowercase());
        }
        counts
    }

    /// Parses `name:value` if it is a known filter with a valid value.
    fn parse_filter(&mut self, word: &str, now: Timestamp) -> bool {
        let Some((name, value)) = word.split_once(':') else { return false };
        let value = value.trim_matches('"');
        if value.is_empty() {
            return false;
        }
        match name.to_ascii_lowercase().as_str() {
            "source" => self.sources.push(glob(value)),
            "path" => self.sources.push(format!("*{}*", value.trim_matches('*'))),
            "kind" => return self.parse_kind(value),
            "after" | "since" => return set_time(&mut self.after, value, now),
            "before" | "until" => return set_time(&mut self.before, value, now),
            _ => return false,
        }
        true
    }

    fn parse_kind(&mut self, value: &str) -> bool {
        let value = value.to_lowercase();
        if let Some(kind) = EntryKind::parse(&value) {
            self.kinds.push(kind);
        } else if let Some(note) = NoteKind::parse(&value) {
            self.notes.push(note);
        } else {
            return false;
        }
        true
    }
}

/// A source given as a glob, or as part of its name.
fn glob(value: &str) -> String {
    if value.contains(['*', '?', '[']) { value.to_owned() } else { format!("*{value}*") }
}

fn set_time(time: &mut Option<Timestamp>, value: &str, now: Timestamp) -> bool {
    let read = parse_time(value, now);
    if read.is_some() {
        *time = read;
    }
    read.is_some()
}

/// A date (`2026`, `2026-08`, `2026-08-21`) or an age (`2d`, `90min`).
pub fn parse_time(value: &str, now: Timestamp) -> Option<Timestamp> {
    parse_date(value).or_else(|| parse_age(value).map(|age| now.minus(age)))
}

fn parse_date(value: &str) -> Option<Timestamp> {
    let mut parts = value.splitn(3, '-');
    let year = parts.next().filter(|year| year.len() == 4)?.parse().ok()?;
    let mut next = || parts.next().map_or(Some(1), |part| part.parse::<u32>().ok());
    start_of_day(year, next()?, next()?)
}

fn parse_age(value: &str) -> Option<Duration> {
    let digits = value.find(|c: char| !c.is_ascii_digit())?;
    let count: u64 = value[..digits].parse().ok().filter(|count| *count < 100_000)?;
    let minutes = |count: u64| Duration::from_secs(count * 60);
    Some(match value[digits..].to_ascii_lowercase().as_str() {
        "m" | "min" => minutes(count),
        "h" => minutes(count * 60),
        "d" => days(count),
        "w" => days(count * 7),
        "mo" => days(count * 30),
        "y" => days(count * 365),
        _ => return None,
    })
}

enum Token<'a> {
    Word(&'a str),
    Phrase(&'a str),
}

/// Splits at whitespace, keeping quoted phrases together.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (token, length) = phrase(rest).unwrap_or_else(|| word(rest));
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    tokens
}

fn phrase(rest: &str) -> Option<(Token<'_>, usize)> {
    let quoted = rest.strip_prefix('"')?;
    let end = quoted.find('"')?;
    let phrase = &quoted[..end];
    words(phrase).next()?;
    Some((Token::Phrase(phrase), end + 2))
}

/// Up to the next whitespace; the value of a filter may be quoted.
fn word(rest: &str) -> (Token<'_>, usize) {
    let plain = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let quoted = rest[..plain].find(":\"").and_then(|colon| {
        let value = colon + 2;
        rest[value..].find('"').map(|end| value + end + 1)
    });
    // A quote with text right behind it closes no value: `a:"b "c`.
    let closes = |end: &usize| rest[*end..].chars().next().is_none_or(char::is_whitespace);
    let length = quoted.filter(|end| *end > plain).filter(closes).unwrap_or(plain);
    (Token::Word(&rest[..length]), length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn read(text: &str) -> Query {
        Query::parse(text, NOW)
    }

    #[test]
    fn parses_phrases_and_exclusions() {
        let query = read("retry \"exponential backoff\" policy -http");
        assert_eq!(query.text, "retry exponential backoff policy");
        assert_eq!(query.phrases, ["exponential backoff"]);
        assert_eq!(query.without, ["http"]);
        assert_eq!(query.words(9), ["retry", "exponential", "backoff", "policy"]);
    }

    #[test]
    fn invalid_filters_are_text() {
        for text in [
            "NEAR(a, 2) AND OR NOT",
            "\"never closed",
            "col:umn std::fs http://x.y kind:nonsense after:lunch source: \"\" \"…\"",
            "cargo test -p x --all -- a-b - 'it' *",
        ] {
            let query = read(text);
            assert_eq!(query.text.split_whitespace().collect::<String>(), text.replace(' ', ""));
            assert_eq!(Query { text: String::new(), ..query }, Query::default());
        }
    }

    #[test]
    fn exclusions_alone_are_words() {
        assert_eq!(read("-http").words(9), ["http"]);
        assert!(read("-http").without.is_empty());
    }

    #[test]
    fn parses_filters() {
        let query = read("kind:note kind:Decision source:docs/* path:src source:\"a b\" cache");
        assert_eq!((query.kinds, query.notes), (vec![EntryKind::Note], vec![NoteKind::Decision]));
        assert_eq!(query.sources, ["docs/*", "*src*", "*a b*"]);
        assert_eq!(query.text, "cache");
    }

    #[test]
    fn parses_dates_and_ages() {
        const DAY: i64 = 86_400_000;
        for (value, expect) in [
            ("2d", NOW.0 - 2 * DAY),
            ("36h", NOW.0 - 3 * DAY / 2),
            ("1w", NOW.0 - 7 * DAY),
            ("1970-01-02", DAY),
            ("1972-03", 790 * DAY),
            ("2026", 1_767_225_600_000),
        ] {
            assert_eq!(parse_time(value, NOW), Some(Timestamp(expect)), "{value}");
            assert_eq!(read(&format!("x after:{value}")).after, Some(Timestamp(expect)));
        }
        for value in
            ["", "d", "2", "2x", "2026-13", "2026-02-30", "26-01-01", "2026-01-01T00", "-2d"]
        {
            assert_eq!(parse_time(value, NOW), None, "{value}");
        }
    }

    proptest! {
        #[test]
        fn accepts_any_query(text in any::<String>()) {
            let query = read(&text);
            prop_assert!(query.words(64).len() <= 64);
            prop_assert!(query.text.len() <= text.len());
        }

        #[test]
        fn keeps_every_word(text in "[a-z\": -]{0,40}") {
            let query = read(&text);
            let kept = [query.text.clone(), query.without.join(" "), query.sources.join(" ")];
            let kept: Vec<String> = words(&kept.join(" ")).collect();
            for word in words(&text) {
                let is_name = ["source", "path"].contains(&word.as_str());
                prop_assert!(is_name || kept.contains(&word), "{word}");
            }
        }
    }
}
