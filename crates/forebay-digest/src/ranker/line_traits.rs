//! What one line says by itself, before its surroundings are known.

use super::keywords::Classes;
use super::normal_line::{Colors, NormalLine};

/// Only this many bytes of a text are searched for words and split into tokens.
const MAX_SEARCHED_BYTES: usize = 240;

const MAX_TOKENS: usize = 48;

/// Number of tokens in the prefix of a line.
const PREFIX_TOKENS: usize = 3;

/// Deeper indentation does not distinguish prefixes.
const MAX_PREFIX_INDENT: u8 = 8;

/// How CI services announce a command. Not among them are marks that also start lines of diffs: `+ `.
const COMMAND_MARKS: &[&[u8]] = &[
    b"$ ",
    b"travis_fold:start",
    b"##[group]",
    b"##[section]",
    b"##[command]",
    b"::group::",
    b"section_start:",
];

/// What one line says by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineTraits {
    pub(super) indent: u8,
    pub(super) colors: Colors,
    /// Length of the text in bytes.
    pub(super) len: u32,
    pub(super) tokens: u8,
    pub(super) classes: Classes,
    /// Hash of the text with each number as `0`.
    pub(super) template: u32,
    /// Hash of the first tokens and the indentation.
    pub(super) prefix: u32,
    /// Hash of the first token.
    pub(super) first_token: u32,
    /// A CI service or a shell announces a command.
    pub(super) announces_command: bool,
}

impl LineTraits {
    pub(super) fn read(raw: &[u8]) -> Self {
        let NormalLine { text, indent, colors } = NormalLine::parse(raw);
        let searched = &text[..text.len().min(MAX_SEARCHED_BYTES)];
        let (prefix, first_token) = prefix_hashes(searched, indent);
        Self {
            indent,
            colors,
            len: text.len() as u32,
            tokens: Tokens(searched).take(MAX_TOKENS).count() as u8,
            classes: Classes::find(searched),
            template: template(&text),
            prefix,
            first_token,
            announces_command: COMMAND_MARKS.iter().any(|mark| text.starts_with(mark)),
        }
    }

    pub(super) fn is_blank(self) -> bool {
        self.len == 0
    }
}

/// Splits a text into words, numbers and other characters.
struct Tokens<'a>(&'a [u8]);

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.0 = self.0.trim_ascii_start();
        let len = token_len(self.0)?;
        let (token, rest) = self.0.split_at(len);
        self.0 = rest;
        Some(if token[0].is_ascii_digit() { b"0" } else { token })
    }
}

/// Returns the length of the token that the text starts with.
fn token_len(text: &[u8]) -> Option<usize> {
    let run = |from: usize, is_one: fn(&u8) -> bool| {
        text[from..].iter().take_while(|byte| is_one(byte)).count()
    };
    Some(match text.first()? {
        b'A'..=b'Z' => {
            let upper = run(0, u8::is_ascii_uppercase);
            upper + run(upper, u8::is_ascii_lowercase)
        }
        b'a'..=b'z' => run(0, u8::is_ascii_lowercase),
        b'0'..=b'9' => run(0, u8::is_ascii_digit),
        0x80.. => run(0, |byte| !byte.is_ascii()),
        _ => 1,
    })
}

/// Returns the hashes of the first tokens with the indentation, and of the first token.
fn prefix_hashes(text: &[u8], indent: u8) -> (u32, u32) {
    let mut prefix = Vec::with_capacity(64);
    let mut first_token = 0;
    for (index, token) in Tokens(text).take(PREFIX_TOKENS).enumerate() {
        if index > 0 {
            prefix.push(b' ');
        }
        prefix.extend(token.iter().map(u8::to_ascii_lowercase));
        if index == 0 {
            first_token = crc32fast::hash(&prefix);
        }
    }
    prefix.extend([b'|', b'0' + indent.min(MAX_PREFIX_INDENT)]);
    (crc32fast::hash(&prefix), first_token)
}

fn template(text: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    let mut rest = text;
    while let Some(start) = rest.iter().position(u8::is_ascii_digit) {
        hasher.update(&rest[..start]);
        hasher.update(b"0");
        let digits = rest[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest = &rest[start + digits..];
    }
    hasher.update(rest);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_words_numbers_and_single_characters() {
        let tokens: Vec<_> = Tokens("HTTPServer v1.22 ÄB: ok".as_bytes()).collect();
        let expect: [&[u8]; 9] =
            [b"HTTPServer", b"v", b"0", b".", b"0", "Ä".as_bytes(), b"B", b":", b"ok"];
        assert_eq!(tokens, expect);
    }

    #[test]
    fn numbers_do_not_distinguish_templates() {
        let [one, other, third] = ["took 12 s at 3", "  took 9 s at 300", "took x s at 3"]
            .map(|raw| LineTraits::read(raw.as_bytes()));
        assert_eq!(one.template, other.template);
        assert_ne!(one.template, third.template);
        assert_ne!(one.prefix, other.prefix, "the indentation differs");
        assert_eq!(one.first_token, third.first_token);
    }
}
