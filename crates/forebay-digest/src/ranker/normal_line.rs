//! The text of a raw line as the features see it: without colours, time stamp and repeated blanks.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;

use super::{terminal_codes, timestamp};

/// A tab counts as this many blanks of indentation.
const TAB_WIDTH: usize = 8;

const MAX_INDENT: usize = 63;

/// Colours that a line switches on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Colors(u8);

impl Colors {
    pub(super) fn has_red(self) -> bool {
        self.0 & 1 != 0
    }

    /// Yellow, green and bold, one bit each.
    pub(super) fn others(self) -> i16 {
        i16::from(self.0 >> 1)
    }

    /// Reads every `[...m`, with or without the escape character before it.
    fn read(raw: &[u8]) -> Self {
        const MAX_PARAMETER_BYTES: usize = 12;
        let mut colors = 0;
        let mut rest = raw;
        while let Some(open) = memchr(b'[', rest) {
            rest = &rest[open + 1..];
            let is_parameter = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
            let len = rest.iter().take(MAX_PARAMETER_BYTES + 1).take_while(is_parameter).count();
            if (1..=MAX_PARAMETER_BYTES).contains(&len) && rest.get(len) == Some(&b'm') {
                let codes = rest[..len].split(|byte| *byte == b';');
                colors |= codes.map(color_bit).fold(0, std::ops::BitOr::bitor);
            }
        }
        Self(colors)
    }
}

fn color_bit(code: &[u8]) -> u8 {
    match code {
        b"31" | b"91" | b"9" | b"41" => 1,
        b"33" | b"93" => 2,
        b"32" | b"92" => 4,
        b"1" => 8,
        _ => 0,
    }
}

/// A line as the features see it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NormalLine<'a> {
    /// Without indentation; each run of blanks is one blank.
    pub(super) text: &'a [u8],
    pub(super) indent: u8,
    pub(super) colors: Colors,
}

impl<'a> NormalLine<'a> {
    /// Writes the text to the buffer if it is no part of the raw line.
    pub(super) fn parse(raw: &'a [u8], buffer: &'a mut Vec<u8>) -> Self {
        // Most lines have neither colours nor other codes, which a bracket would start.
        let has_bracket = memchr(b'[', raw).is_some();
        let colors = if has_bracket { Colors::read(raw) } else { Colors::default() };
        match terminal_codes::remove(raw, has_bracket) {
            Cow::Borrowed(line) => {
                let (text, indent) = text_and_indent(line);
                let text =
                    if has_single_blanks(text) { text } else { write_single_blanks(text, buffer) };
                Self { text, indent, colors }
            }
            Cow::Owned(line) => {
                let (text, indent) = text_and_indent(&line);
                Self { text: write_single_blanks(text, buffer), indent, colors }
            }
        }
    }
}

/// Splits a line without terminal codes and time stamp into its text and the width of its indentation.
fn text_and_indent(line: &[u8]) -> (&[u8], u8) {
    let line = &line[timestamp::leading_len(line)..];
    let blanks = line.iter().take_while(|byte| is_blank(**byte)).count();
    let (indentation, text) = line.split_at(blanks);
    let tabs = memchr::memchr_iter(b'\t', indentation).count();
    let width = (blanks + (TAB_WIDTH - 1) * tabs).min(MAX_INDENT);
    (text.trim_ascii_end(), width as u8)
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Returns true if each run of blanks is one blank; the text ends with none.
fn has_single_blanks(text: &[u8]) -> bool {
    static TWO: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("  "));
    memchr(b'\t', text).is_none() && TWO.find(text).is_none()
}

fn write_single_blanks<'a>(text: &[u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
    buffer.resize(buffer.len().max(text.len()), 0);
    let (mut len, mut after_blank) = (0, false);
    for byte in text {
        let is_blank = is_blank(*byte);
        // The next byte overwrites a further blank.
        buffer[len] = if is_blank { b' ' } else { *byte };
        len += usize::from(!(is_blank & after_blank));
        after_blank = is_blank;
    }
    &buffer[..len]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, text: &str, indent: u8) {
        let mut buffer = Vec::new();
        let line = NormalLine::parse(raw.as_bytes(), &mut buffer);
        assert_eq!(
            (String::from_utf8_lossy(line.text), line.indent),
            (text.into(), indent),
            "{raw:?}"
        );
    }

    #[test]
    fn colours_time_stamps_and_repeated_blanks_go() {
        check("\u{1b}[31m  a  b \u{1b}[0m", "a b", 2);
        check("[0K$ make", "$ make", 0);
        check("\u{1b}]0;title\u{7}\tx", "x", 8);
        check("2024-05-01T12:00:00.1234567Z   at f", "at f", 2);
        check("[12:00:01] go", "go", 0);
        check("build\tstep one\t2024-05-01T12:00:00Z x", "x", 0);
        check("at 12:00:01", "at 12:00:01", 0);
        check("  ", "", 2);
    }

    #[test]
    fn colours_are_read_from_the_raw_line() {
        assert!(Colors::read(b"\x1b[1;31mred").has_red());
        assert_eq!(Colors::read(b"\x1b[1;31mred").others(), 4);
        assert_eq!(Colors::read(b"[INFO] [32m").others(), 2);
        assert_eq!(Colors::read(b"list[31] [1;1;1;1;1;1;31m"), Colors(0));
    }
}
