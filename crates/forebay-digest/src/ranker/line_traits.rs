//! What one line says by itself, before its surroundings are known.

use std::hash::{BuildHasher as _, Hasher};

use foldhash::fast::FixedState;

use super::keywords::{Classes, Finder};
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
        let Scanned { tokens, classes, template } = scan(text, &mut buffers.template);
        Self {
            indent,
            colors,
            len: text.len() as u32,
            tokens,
            classes,
            template: hash(template),
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

/// What one pass over a text finds: how many tokens its start has, up to a bound, the classes that the words there decide,
/// and the whole text with each number as `0`.
struct Scanned<'a> {
    tokens: u8,
    classes: Classes,
    template: &'a [u8],
}

/// Scans a text in one pass without branches on its bytes; the template is written to the buffer.
fn scan<'a>(text: &[u8], buffer: &'a mut Vec<u8>) -> Scanned<'a> {
    buffer.resize(buffer.len().max(text.len()), 0);
    let (searched, rest) = text.split_at(text.len().min(MAX_SEARCHED_BYTES));
    let mut template = Template { text: buffer, len: 0, after_digit: false };
    let (mut finder, mut tokens, mut before) = (Finder::default(), 0_usize, Kind::Blank);
    for byte in searched {
        finder.push(*byte);
        let kind = KINDS[usize::from(*byte)];
        tokens = tokens.wrapping_add(usize::from(STARTS_TOKEN[before as usize][kind as usize]));
        before = kind;
        template.push(*byte);
    }
    for byte in rest {
        template.push(*byte);
    }
    let Template { text: buffer, len, .. } = template;
    Scanned {
        tokens: tokens.min(usize::from(MAX_TOKENS)) as u8,
        classes: finder.finish(),
        template: &buffer[..len],
    }
}

/// What a byte is as a part of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Lower,
    Upper,
    Digit,
    NonAscii,
    /// A token by itself.
    Other,
}

impl Kind {
    const ALL: [Self; 6] =
        [Self::Blank, Self::Lower, Self::Upper, Self::Digit, Self::NonAscii, Self::Other];

    const fn of_byte(byte: u8) -> Self {
        match byte {
            b' ' => Self::Blank,
            b'a'..=b'z' => Self::Lower,
            b'A'..=b'Z' => Self::Upper,
            b'0'..=b'9' => Self::Digit,
            0x80.. => Self::NonAscii,
            _ => Self::Other,
        }
    }

    /// Returns true if a token starts with a byte of this kind after one of another.
    const fn starts_token_after(self, before: Self) -> bool {
        !matches!(
            (before, self),
            (_, Self::Blank)
                | (Self::Lower | Self::Upper, Self::Lower)
                | (Self::Upper, Self::Upper)
                | (Self::Digit, Self::Digit)
                | (Self::NonAscii, Self::NonAscii)
        )
    }
}

static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Other; 256];
    let mut byte = 0;
    while byte < kinds.len() {
        kinds[byte] = Kind::of_byte(byte as u8);
        byte += 1;
    }
    kinds
};

/// For each kind of a byte whether each kind starts a token after it.
static STARTS_TOKEN: [[bool; Kind::ALL.len()]; Kind::ALL.len()] = {
    let mut starts = [[false; Kind::ALL.len()]; Kind::ALL.len()];
    let mut pair = 0;
    while pair < starts.len() * starts.len() {
        let (before, kind) = (Kind::ALL[pair / starts.len()], Kind::ALL[pair % starts.len()]);
        starts[before as usize][kind as usize] = kind.starts_token_after(before);
        pair += 1;
    }
    starts
};

/// A text with each number as `0`, being written.
struct Template<'a> {
    /// Not shorter than the text.
    text: &'a mut [u8],
    len: usize,
    after_digit: bool,
}

impl Template<'_> {
    #[inline]
    fn push(&mut self, byte: u8) {
        let is_digit = byte.is_ascii_digit();
        // Without branches, which numbers make hard to predict: the next byte overwrites a further digit.
        self.text[self.len] = if is_digit { b'0' } else { byte };
        self.len = self.len.wrapping_add(usize::from(!(is_digit & self.after_digit)));
        self.after_digit = is_digit;
    }
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
            let mut template = Vec::new();
            let found = scan(text, &mut template).tokens;
            prop_assert_eq!(usize::from(found), count, "{:?}", raw);
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
