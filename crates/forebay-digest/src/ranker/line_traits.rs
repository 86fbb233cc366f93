//! What one line says by itself, before its surroundings are known.

use std::hash::{BuildHasher as _, Hasher};

use foldhash::fast::FixedState;

use super::keywords::Classes;
use super::normal_line::{Colors, NormalLine};

/// Only this many bytes of a text are searched for words and split into tokens.
const MAX_SEARCHED_BYTES: usize = 240;

const MAX_TOKENS: u8 = 48;

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
    pub(super) fn read(raw: &[u8], buffers: &mut Buffers) -> Self {
        let NormalLine { text, indent, colors } = NormalLine::parse(raw, &mut buffers.text);
        let searched = &text[..text.len().min(MAX_SEARCHED_BYTES)];
        let (prefix, first_token) = prefix_hashes(searched, indent);
        Self {
            indent,
            colors,
            len: text.len() as u32,
            tokens: count_tokens(searched),
            classes: Classes::find(searched),
            template: hash(template(text, &mut buffers.template)),
            prefix,
            first_token,
            announces_command: COMMAND_MARKS.iter().any(|mark| text.starts_with(mark)),
        }
    }

    pub(super) fn is_blank(self) -> bool {
        self.len == 0
    }
}

/// Memory that is used for one line after another.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    text: Vec<u8>,
    template: Vec<u8>,
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

/// Returns the number of tokens, up to a bound.
fn count_tokens(text: &[u8]) -> u8 {
    // The sum of a searched text does not wrap.
    let is_start = |(before, byte): (&u8, &u8)| u8::from(starts_token(*before, *byte));
    let pairs = text.iter().zip(text.get(1..).unwrap_or_default());
    let later_starts = pairs.map(is_start).fold(0, u8::wrapping_add);
    (u8::from(!text.is_empty()) + later_starts).min(MAX_TOKENS)
}

/// Returns true if a token starts with a byte that follows this one.
#[expect(clippy::needless_bitwise_bool, reason = "the compiler vectorizes loops without branches")]
fn starts_token(before: u8, byte: u8) -> bool {
    let continues = byte.is_ascii_lowercase() & before.is_ascii_alphabetic()
        | byte.is_ascii_uppercase() & before.is_ascii_uppercase()
        | byte.is_ascii_digit() & before.is_ascii_digit()
        | !byte.is_ascii() & !before.is_ascii();
    (byte != b' ') & !continues
}

/// Returns the hashes of the first tokens with the indentation, and of the first token.
fn prefix_hashes(text: &[u8], indent: u8) -> (u32, u32) {
    let mut hasher = FixedState::default().build_hasher();
    let mut first_token = 0;
    for (index, token) in Tokens(text).take(PREFIX_TOKENS).enumerate() {
        write_lowercase(token, &mut hasher);
        if index == 0 {
            first_token = hasher.finish() as u32;
        }
    }
    hasher.write_u8(indent.min(MAX_PREFIX_INDENT));
    (hasher.finish() as u32, first_token)
}

fn write_lowercase(token: &[u8], hasher: &mut impl Hasher) {
    let mut lowercase = [0; 16];
    for piece in token.chunks(lowercase.len()) {
        let lowercase = &mut lowercase[..piece.len()];
        lowercase.copy_from_slice(piece);
        lowercase.make_ascii_lowercase();
        hasher.write(lowercase);
    }
}

/// Writes the text with each number as `0` to the buffer.
fn template<'a>(text: &[u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
    buffer.resize(buffer.len().max(text.len()), 0);
    let (mut len, mut after_digit) = (0, false);
    for byte in text {
        let is_digit = byte.is_ascii_digit();
        // Without branches, which numbers make hard to predict: the next byte overwrites a further digit.
        buffer[len] = if is_digit { b'0' } else { *byte };
        len += usize::from(!(is_digit & after_digit));
        after_digit = is_digit;
    }
    &buffer[..len]
}

fn hash(bytes: &[u8]) -> u32 {
    let mut hasher = FixedState::default().build_hasher();
    hasher.write(bytes);
    hasher.finish() as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tokens_are_words_numbers_and_single_characters() {
        let tokens: Vec<_> = Tokens("HTTPServer v1.22 ÄB: ok".as_bytes()).collect();
        let expect: [&[u8]; 9] =
            [b"HTTPServer", b"v", b"0", b".", b"0", "Ä".as_bytes(), b"B", b":", b"ok"];
        assert_eq!(tokens, expect);
    }

    proptest! {
        #[test]
        fn tokens_are_counted_as_they_are_split(raw in "[ -~\u{e9}]{0,60}") {
            let mut buffer = Vec::new();
            let text = NormalLine::parse(raw.as_bytes(), &mut buffer).text;
            let count = Tokens(text).count().min(usize::from(MAX_TOKENS));
            prop_assert_eq!(usize::from(count_tokens(text)), count, "{:?}", raw);
        }
    }

    #[test]
    fn numbers_do_not_distinguish_templates() {
        let [one, other, third] = ["took 12 s at 3", "  took 9 s at 300", "took x s at 3"]
            .map(|raw| LineTraits::read(raw.as_bytes(), &mut Buffers::default()));
        assert_eq!(one.template, other.template);
        assert_ne!(one.template, third.template);
        assert_ne!(one.prefix, other.prefix, "the indentation differs");
        assert_eq!(one.first_token, third.first_token);
    }
}
