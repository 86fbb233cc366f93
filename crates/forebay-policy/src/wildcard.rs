//! Wildcards: one matcher for command texts, tool names, path segments and parameter values.
//!
//! The matched text may contain parts that are unknown before it runs, marked by characters that occur in no text.
//! [`UnknownParts::Closed`] asks whether every value of them matches, [`UnknownParts::Open`] whether any does.

/// Marks unknown text: the value of a variable or substitution.
pub(crate) const HOLE: char = '\u{10FFFF}';
/// Marks an unquoted `*` of the shell.
pub(crate) const GLOB_MANY: char = '\u{10FFFE}';
/// Marks an unquoted `?` or `[...]` of the shell.
pub(crate) const GLOB_ONE: char = '\u{10FFFD}';

/// Whether a text has parts that are only known at run time.
pub(crate) fn has_marks(text: &str) -> bool {
    text.contains(is_mark)
}

pub(crate) fn is_mark(character: char) -> bool {
    matches!(character, HOLE | GLOB_MANY | GLOB_ONE)
}

/// How unknown parts of a text are interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownParts {
    /// Must match for every value: only a wildcard covers them.
    Closed,
    /// Matches for some value.
    Open,
}

/// A compiled pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wildcard {
    tokens: Vec<Token>,
    /// The literals between the stars, for patterns of only literals and stars (nearly all).
    texts: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Literal(char),
    One,
    Many,
    /// Members are ranges; `negated` inverts the class.
    Class {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
}

impl Wildcard {
    /// Only `*` is special; `\*` and `\\` are literal.
    pub(crate) fn from_text(pattern: &str) -> Self {
        Self::compile(pattern, |character, _| (character == '*').then_some(Token::Many))
    }

    /// `*`, `?` and `[...]` as in gitignore, within one path segment.
    pub(crate) fn from_segment(pattern: &str) -> Self {
        Self::compile(pattern, |character, rest| match character {
            '*' => Some(Token::Many),
            '?' => Some(Token::One),
            '[' => class(rest),
            _ => None,
        })
    }

    fn compile(
        pattern: &str,
        special: impl Fn(char, &mut std::str::Chars<'_>) -> Option<Token>,
    ) -> Self {
        let mut tokens = Vec::with_capacity(pattern.len());
        let mut rest = pattern.chars();
        while let Some(character) = rest.next() {
            let token = match character {
                '\\' => Token::Literal(rest.next().unwrap_or('\\')),
                _ => special(character, &mut rest).unwrap_or(Token::Literal(character)),
            };
            if !(token == Token::Many && tokens.last() == Some(&Token::Many)) {
                tokens.push(token);
            }
        }
        Self::from_tokens(tokens)
    }

    fn from_tokens(tokens: Vec<Token>) -> Self {
        let texts = tokens.split(|token| *token == Token::Many).map(Token::literal_text).collect();
        Self { tokens, texts }
    }

    /// The same pattern for a case-insensitive file system.
    pub(crate) fn ignoring_case(&self) -> Self {
        Self::from_tokens(self.tokens.iter().map(Token::lowered).collect())
    }

    /// Appends a space and anything, for patterns whose last word ends there.
    pub(crate) fn followed_by_anything(&self) -> Self {
        let tail = [Token::Literal(' '), Token::Many];
        Self::from_tokens(self.tokens.iter().cloned().chain(tail).collect())
    }

    pub(crate) fn has_wildcards(&self) -> bool {
        self.tokens.iter().any(|token| !matches!(token, Token::Literal(_)))
    }

    /// The one text it matches, if it has no wildcards.
    pub(crate) fn literal(&self) -> Option<&str> {
        match self.texts.as_deref() {
            Some([text]) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn matches_everything(&self) -> bool {
        self.tokens == [Token::Many]
    }

    /// Matches a text.
    pub(crate) fn matches(&self, text: &str, reading: UnknownParts) -> bool {
        match &self.texts {
            // Literals never contain marks, so only stars cover them.
            Some(texts) if reading == UnknownParts::Closed || !has_marks(text) => {
                contains_in_order(texts, text)
            }
            _ => self.shares_literal_prefix(text) && self.covers(text, reading),
        }
    }

    /// Cheap rejection: compares the literal prefix.
    fn shares_literal_prefix(&self, text: &str) -> bool {
        let mut pairs = self.tokens.iter().zip(text.chars());
        let differing = pairs.find(|(token, character)| match token {
            Token::Literal(literal) => literal != character,
            _ => true,
        });
        differing.is_none_or(|(token, character)| {
            is_mark(character) || !matches!(token, Token::Literal(_))
        })
    }

    /// One pass over the text; `reached[i]` is whether the first `i` tokens cover the text so far.
    fn covers(&self, text: &str, reading: UnknownParts) -> bool {
        let mut reached = vec![false; self.tokens.len() + 1];
        reached[0] = true;
        self.skip_empty(&mut reached);
        for character in text.chars() {
            if reading == UnknownParts::Open && matches!(character, HOLE | GLOB_MANY) {
                self.fill_from_first(&mut reached);
            } else {
                self.step(&mut reached, character, reading);
            }
            self.skip_empty(&mut reached);
            if !reached.contains(&true) {
                return false;
            }
        }
        reached[self.tokens.len()]
    }

    /// An unknown part matches any number of tokens.
    fn fill_from_first(&self, reached: &mut [bool]) {
        if let Some(first) = reached.iter().position(|&is| is) {
            reached[first..].fill(true);
        }
    }

    fn step(&self, reached: &mut [bool], character: char, reading: UnknownParts) {
        for index in (0..self.tokens.len()).rev() {
            let token = &self.tokens[index];
            let passes = reached[index] && token.takes(character, reading);
            let stays = reached[index + 1] && *token == Token::Many;
            reached[index + 1] = passes || stays;
        }
        reached[0] = false;
    }

    fn skip_empty(&self, reached: &mut [bool]) {
        for (index, token) in self.tokens.iter().enumerate() {
            if reached[index] && *token == Token::Many {
                reached[index + 1] = true;
            }
        }
    }
}

/// Whether the literals occur in order, the first at the start and the last at the end.
fn contains_in_order(texts: &[String], text: &str) -> bool {
    let [first, between @ .., last] = texts else {
        return texts.first().is_some_and(|only| only == text);
    };
    // Most rules and commands differ in the first character.
    if !first.is_empty() && first.as_bytes().first() != text.as_bytes().first() {
        return false;
    }
    let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
    if !rest.ends_with(last.as_str()) {
        return false;
    }
    rest = &rest[..rest.len() - last.len()];
    between.iter().all(|part| {
        let found = rest.find(part.as_str());
        rest = found.map_or("", |at| &rest[at + part.len()..]);
        found.is_some()
    })
}

impl Token {
    fn literal_text(tokens: &[Self]) -> Option<String> {
        let literal = |token: &Self| match token {
            Self::Literal(character) => Some(*character),
            _ => None,
        };
        tokens.iter().map(literal).collect()
    }

    fn takes(&self, character: char, reading: UnknownParts) -> bool {
        match self {
            Self::Many | Self::One => true,
            _ if is_mark(character) => reading == UnknownParts::Open,
            Self::Literal(literal) => *literal == character,
            Self::Class { ranges, negated } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&character)) != *negated
            }
        }
    }

    fn lowered(&self) -> Self {
        match self {
            Self::Literal(literal) => Self::Literal(lower(*literal)),
            other => other.clone(),
        }
    }
}

fn lower(character: char) -> char {
    character.to_lowercase().next().unwrap_or(character)
}

/// Parses a class after `[`; None if it is not closed.
fn class(rest: &mut std::str::Chars<'_>) -> Option<Token> {
    let (inner, after) = closed_class(rest.as_str())?;
    *rest = after.chars();
    let negated = inner.starts_with(['!', '^']);
    let members: Vec<char> = inner.trim_start_matches(['!', '^']).chars().collect();
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < members.len() {
        let is_range = at + 2 < members.len() && members[at + 1] == '-';
        let last = if is_range { members[at + 2] } else { members[at] };
        ranges.push((members[at], last));
        at += if is_range { 3 } else { 1 };
    }
    Some(Token::Class { ranges, negated })
}

fn closed_class(text: &str) -> Option<(&str, &str)> {
    let start = text.find(|c| c != '!' && c != '^')?;
    // A leading `]` is a member.
    let skip = start + text[start..].chars().next().map_or(0, char::len_utf8);
    let end = skip + text.get(skip..)?.find(']')?;
    Some((&text[..end], &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn text(pattern: &str, text: &str, expect: bool) {
        let wildcard = Wildcard::from_text(pattern);
        assert_eq!(wildcard.matches(text, UnknownParts::Closed), expect, "{pattern} / {text}");
    }

    #[track_caller]
    fn segment(pattern: &str, text: &str, expect: bool) {
        let wildcard = Wildcard::from_segment(pattern);
        assert_eq!(wildcard.matches(text, UnknownParts::Closed), expect, "{pattern} / {text}");
    }

    #[test]
    fn stars_match_anything() {
        text("git *", "git push", true);
        text("git *", "git", false);
        text("*", "", true);
        text("a*b*c", "a-b-b-c", true);
        text("a*b*c", "a-c-b", false);
        text("a\\*", "a*", true);
        text("a\\*", "ab", false);
    }

    #[test]
    fn segments_support_classes_and_question_marks() {
        segment(".env*", ".env.local", true);
        segment("?.pem", "a.pem", true);
        segment("?.pem", "ab.pem", false);
        segment("[a-c].txt", "b.txt", true);
        segment("[!a-c].txt", "b.txt", false);
        segment("[", "[", true);
        segment("[]]", "]", true);
    }

    #[test]
    fn unknown_parts_match_openly_or_only_under_a_star() {
        let sudo = Wildcard::from_text("sudo *");
        let spelled = format!("su{HOLE} ls");
        assert!(!sudo.matches(&spelled, UnknownParts::Closed));
        assert!(sudo.matches(&spelled, UnknownParts::Open));
        assert!(sudo.matches(&format!("sudo {HOLE}"), UnknownParts::Closed));
        assert!(sudo.matches(&format!("s{GLOB_ONE}do x"), UnknownParts::Open));
        assert!(!sudo.matches(&format!("s{GLOB_ONE} x"), UnknownParts::Open));
    }
}
