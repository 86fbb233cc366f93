//! A literal and the bounded part of its line that a row may inspect.

use std::ops::Range;

/// Bytes before a literal that a row sees.
pub(super) const LOOKBEHIND: usize = 128;
/// Bytes after a literal that a row sees; a longer secret is cut there.
pub(super) const LOOKAHEAD: usize = 16 * 1024;
/// Maximum distance from a literal to the start of its secret.
pub(super) const MAX_GAP: usize = 4 * 1024;

/// Receives the range of a secret within the window.
pub(super) type Report<'a> = &'a mut dyn FnMut(Range<usize>);

/// A literal within its line.
pub(super) struct MatchContext<'a> {
    window: &'a [u8],
    literal: Range<usize>,
    /// Offset of the window in the text.
    offset: usize,
}

impl<'a> MatchContext<'a> {
    /// The window around `literal` in `text`.
    pub(super) fn around(text: &'a [u8], literal: &Range<usize>) -> Self {
        let from = literal.start.saturating_sub(LOOKBEHIND);
        let to = text.len().min(literal.end.saturating_add(LOOKAHEAD));
        let first =
            memchr::memrchr(b'\n', &text[from..literal.start]).map_or(from, |at| from + at + 1);
        let end = memchr::memchr(b'\n', &text[literal.end..to]).map_or(to, |at| literal.end + at);
        Self {
            window: &text[first..end],
            literal: literal.start - first..literal.end - first,
            offset: first,
        }
    }

    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    pub(super) fn before(&self) -> &'a [u8] {
        &self.window[..self.literal.start]
    }

    pub(super) fn literal(&self) -> &'a [u8] {
        &self.window[self.literal.clone()]
    }

    pub(super) fn after(&self) -> &'a [u8] {
        &self.window[self.literal.end..]
    }

    /// The window from the start of the literal.
    pub(super) fn at_literal(&self) -> &'a [u8] {
        &self.window[self.literal.start..]
    }

    /// Converts a range of [`Self::after`] to a range of the window.
    pub(super) fn range_after(&self, range: Range<usize>) -> Range<usize> {
        self.literal.end + range.start..self.literal.end + range.end
    }

    /// Converts a range of [`Self::at_literal`] to a range of the window.
    pub(super) fn range_at_literal(&self, range: Range<usize>) -> Range<usize> {
        self.literal.start + range.start..self.literal.start + range.end
    }

    /// A part of the window.
    pub(super) fn window(&self, range: Range<usize>) -> &'a [u8] {
        &self.window[range]
    }

    /// Whether the window reaches back to the start of the line.
    pub(super) fn includes_line_start(&self) -> bool {
        self.literal.start < LOOKBEHIND
    }

    pub(super) fn starts_word(&self) -> bool {
        starts_word(self.before())
    }
}

/// Whether a word can start after `before`, also after an escape sequence that ends in a letter.
pub(super) fn starts_word(before: &[u8]) -> bool {
    match before {
        [.., last] if !last.is_ascii_alphanumeric() && *last != b'_' => true,
        [] | [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', first, second] => first.is_ascii_hexdigit() && second.is_ascii_hexdigit(),
        [.., b'm'] => ends_with_ansi_colour(before),
        _ => false,
    }
}

/// Whether `before` ends with an ANSI colour sequence such as `ESC [ 1 ; 32 m`.
fn ends_with_ansi_colour(before: &[u8]) -> bool {
    let codes = before[..before.len() - 1]
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
        .count();
    before[..before.len() - 1 - codes].ends_with(b"\x1b[")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_start_after_separators_and_escapes() {
        for before in ["", " ", "=", "\"", "\\n", "%3D", "\x1b[32m", "\x1b[m", "-"] {
            assert!(starts_word(before.as_bytes()), "{before:?}");
        }
        for before in ["a", "7", "_", "nn", "3D", "[32m"] {
            assert!(!starts_word(before.as_bytes()), "{before:?}");
        }
    }

    #[test]
    fn window_is_limited_to_the_line() {
        let text = b"first\nsecond key=1\nthird";
        let context = MatchContext::around(text, &(13..16));
        assert_eq!(context.before(), b"second ");
        assert_eq!(context.literal(), b"key");
        assert_eq!(context.after(), b"=1");
    }
}
