//! What a question asks for: words, and what is said beside them.
//!
//! `"exact phrase"`, `-word`, `source:`, `path:`, `kind:`, `before:` and `after:` narrow a search; everything
//! else is words. There is no wrong question: what cannot be read as one of these is text.

use std::time::Duration;

use crate::time::{self, days};
use crate::{EntryKind, NoteKind, Timestamp};
use forebay_text::subwords;
use forebay_text::words::{STOP_WORDS, words};

/// A question as the search understands it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// All that ranks: the words as they were written, phrases included.
    pub text: String,
    /// Each must stand in a passage as it is.
    pub phrases: Vec<String>,
    /// None of these words may.
    pub without: Vec<String>,
    /// Globs over the source; all must match.
    pub sources: Vec<String>,
    /// Any of these kinds.
    pub kinds: Vec<EntryKind>,
    pub notes: Vec<NoteKind>,
    pub after: Option<Timestamp>,
    pub before: Option<Timestamp>,
}

/// A shorter word after a `-` is an option of a command, not a wish.
const SHORTEST_UNWANTED: usize = 3;

/// A longer run is no word: encoded data, a line without blanks.
const LONGEST_WORD: usize = 200;

impl Question {
    /// Reads a question asked at `now`.
    pub fn read(text: &str, now: Timestamp) -> Self {
        let mut question = Self::default();
        for piece in pieces(text) {
            question.take(piece, now);
        }
        if question.text.trim().is_empty() && !question.has_filters() {
            // Nothing but unwanted words: they were meant as words.
            question = Self { text: text.to_owned(), ..Self::default() };
        }
        question
    }

    /// The words that carry it, as the index knows them, each once.
    pub fn words(&self, at_most: usize) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for run in subwords::runs(&self.text) {
            for word in subwords::query_terms(run) {
                if all.len() < at_most && word.len() <= LONGEST_WORD && !all.contains(&word) {
                    all.push(word);
                }
            }
        }
        let is_common = |word: &String| STOP_WORDS.binary_search(&word.as_str()).is_ok();
        let telling: Vec<String> = all.iter().filter(|word| !is_common(word)).cloned().collect();
        if telling.is_empty() { all } else { telling }
    }

    /// Whether it narrows what is searched, beside its words.
    pub fn has_filters(&self) -> bool {
        let lists = [self.sources.is_empty(), self.kinds.is_empty(), self.notes.is_empty()];
        lists.contains(&false) || self.after.is_some() || self.before.is_some()
    }

    fn take(&mut self, piece: Piece<'_>, now: Timestamp) {
        match piece {
            Piece::Phrase(phrase) => {
                self.phrases.push(phrase.to_owned());
                self.add_text(phrase);
            }
            Piece::Word(word) => {
                if !self.take_unwanted(word) && !self.take_filter(word, now) {
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

    fn take_unwanted(&mut self, word: &str) -> bool {
        let Some(unwanted) = word.strip_prefix('-') else { return false };
        let is_one_word = unwanted.chars().all(char::is_alphanumeric);
        let counts = is_one_word && unwanted.chars().count() >= SHORTEST_UNWANTED;
        if counts {
            self.without.push(unwanted.to_lowercase());
        }
        counts
    }

    /// Takes `name:value` where it is one of the filters and its value makes sense.
    fn take_filter(&mut self, word: &str, now: Timestamp) -> bool {
        let Some((name, value)) = word.split_once(':') else { return false };
        let value = value.trim_matches('"');
        if value.is_empty() {
            return false;
        }
        match name.to_ascii_lowercase().as_str() {
            "source" => self.sources.push(glob(value)),
            "path" => self.sources.push(format!("*{}*", value.trim_matches('*'))),
            "kind" => return self.take_kind(value),
            "after" | "since" => return set_moment(&mut self.after, value, now),
            "before" | "until" => return set_moment(&mut self.before, value, now),
            _ => return false,
        }
        true
    }

    fn take_kind(&mut self, value: &str) -> bool {
        let value = value.to_lowercase();
        if let Some(kind) = EntryKind::from_word(&value) {
            self.kinds.push(kind);
        } else if let Some(note) = NoteKind::from_word(&value) {
            self.notes.push(note);
        } else {
            return false;
        }
        true
    }
}

/// A source is named whole, by a glob, or by a part of its name.
fn glob(value: &str) -> String {
    if value.contains(['*', '?', '[']) { value.to_owned() } else { format!("*{value}*") }
}

fn set_moment(moment: &mut Option<Timestamp>, value: &str, now: Timestamp) -> bool {
    let read = read_moment(value, now);
    if read.is_some() {
        *moment = read;
    }
    read.is_some()
}

/// A date (`2026`, `2026-08`, `2026-08-21`) or an age (`2d`, `90min`).
pub fn read_moment(value: &str, now: Timestamp) -> Option<Timestamp> {
    read_date(value).or_else(|| read_age(value).map(|age| now.minus(age)))
}

fn read_date(value: &str) -> Option<Timestamp> {
    let mut parts = value.splitn(3, '-');
    let year = parts.next().filter(|year| year.len() == 4)?.parse().ok()?;
    let mut next = || parts.next().map_or(Some(1), |part| part.parse::<u32>().ok());
    time::start_of_day(year, next()?, next()?)
}

fn read_age(value: &str) -> Option<Duration> {
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

enum Piece<'a> {
    Word(&'a str),
    Phrase(&'a str),
}

/// Words between blanks, and what stands between two quotes of which the first begins a word.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (piece, length) = phrase(rest).unwrap_or_else(|| word(rest));
        pieces.push(piece);
        rest = rest[length..].trim_start();
    }
    pieces
}

fn phrase(rest: &str) -> Option<(Piece<'_>, usize)> {
    let quoted = rest.strip_prefix('"')?;
    let end = quoted.find('"')?;
    let phrase = &quoted[..end];
    words(phrase).next()?;
    Some((Piece::Phrase(phrase), end + 2))
}

/// Up to the next blank; the value of a filter may be quoted and have blanks.
fn word(rest: &str) -> (Piece<'_>, usize) {
    let plain = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let quoted = rest[..plain].find(":\"").and_then(|colon| {
        let value = colon + 2;
        rest[value..].find('"').map(|end| value + end + 1)
    });
    let length = quoted.filter(|end| *end > plain).unwrap_or(plain);
    (Piece::Word(&rest[..length]), length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn read(text: &str) -> Question {
        Question::read(text, NOW)
    }

    #[test]
    fn phrases_and_unwanted_words_are_told_from_words() {
        let question = read("retry \"exponential backoff\" policy -http");
        assert_eq!(question.text, "retry exponential backoff policy");
        assert_eq!(question.phrases, ["exponential backoff"]);
        assert_eq!(question.without, ["http"]);
        assert_eq!(question.words(9), ["retry", "exponential", "backoff", "policy"]);
    }

    #[test]
    fn what_is_no_filter_is_text() {
        for text in [
            "NEAR(a, 2) AND OR NOT",
            "\"never closed",
            "col:umn std::fs http://x.y kind:nonsense after:lunch source: \"\" \"…\"",
            "cargo test -p x --all -- a-b - 'it' *",
        ] {
            let question = read(text);
            assert_eq!(question.text.split_whitespace().collect::<String>(), text.replace(' ', ""));
            assert_eq!(Question { text: String::new(), ..question }, Question::default());
        }
    }

    #[test]
    fn unwanted_words_alone_are_words() {
        assert_eq!(read("-http").words(9), ["http"]);
        assert!(read("-http").without.is_empty());
    }

    #[test]
    fn filters_are_read() {
        let question = read("kind:note kind:Decision source:docs/* path:src source:\"a b\" cache");
        assert_eq!(
            (question.kinds, question.notes),
            (vec![EntryKind::Note], vec![NoteKind::Decision])
        );
        assert_eq!(question.sources, ["docs/*", "*src*", "*a b*"]);
        assert_eq!(question.text, "cache");
    }

    #[test]
    fn moments_are_dates_or_ages() {
        const DAY: i64 = 86_400_000;
        for (value, expect) in [
            ("2d", NOW.0 - 2 * DAY),
            ("36h", NOW.0 - 3 * DAY / 2),
            ("1w", NOW.0 - 7 * DAY),
            ("1970-01-02", DAY),
            ("1972-03", 790 * DAY),
            ("2026", 1_767_225_600_000),
        ] {
            assert_eq!(read_moment(value, NOW), Some(Timestamp(expect)), "{value}");
            assert_eq!(read(&format!("x after:{value}")).after, Some(Timestamp(expect)));
        }
        for value in
            ["", "d", "2", "2x", "2026-13", "2026-02-30", "26-01-01", "2026-01-01T00", "-2d"]
        {
            assert_eq!(read_moment(value, NOW), None, "{value}");
        }
    }

    proptest! {
        #[test]
        fn every_question_is_read(text in any::<String>()) {
            let question = read(&text);
            prop_assert!(question.words(64).len() <= 64);
            prop_assert!(question.text.len() <= text.len());
        }

        #[test]
        fn no_word_is_lost(text in "[a-z\": -]{0,40}") {
            let question = read(&text);
            let kept = [question.text.clone(), question.without.join(" "), question.sources.join(" ")];
            let kept: Vec<String> = words(&kept.join(" ")).collect();
            for word in words(&text) {
                let is_name = ["source", "path"].contains(&word.as_str());
                prop_assert!(is_name || kept.contains(&word), "{word}");
            }
        }
    }
}
