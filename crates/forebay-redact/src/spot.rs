//! A spot: the place of a literal, and as much of its line as a row may look at.

use std::ops::Range;

/// How far before a literal a row sees.
pub(super) const BACK: usize = 128;
/// How far behind a literal a row sees; a longer secret is cut there.
pub(super) const REACH: usize = 16 * 1024;
/// How far behind its literal a secret may begin.
pub(super) const LEAD: usize = 4 * 1024;

/// Takes where a secret stands, counted from the beginning of what the spot shows.
pub(super) type Take<'a> = &'a mut dyn FnMut(Range<usize>);

/// A literal in its line.
pub(super) struct Spot<'a> {
    shown: &'a [u8],
    literal: Range<usize>,
    /// Where `shown` begins in the text.
    offset: usize,
}

impl<'a> Spot<'a> {
    /// What can be seen around `literal`, which stands in `text`.
    pub(super) fn around(text: &'a [u8], literal: &Range<usize>) -> Self {
        let from = literal.start.saturating_sub(BACK);
        let to = text.len().min(literal.end.saturating_add(REACH));
        let first =
            memchr::memrchr(b'\n', &text[from..literal.start]).map_or(from, |at| from + at + 1);
        let end = memchr::memchr(b'\n', &text[literal.end..to]).map_or(to, |at| literal.end + at);
        Self {
            shown: &text[first..end],
            literal: literal.start - first..literal.end - first,
            offset: first,
        }
    }

    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    pub(super) fn before(&self) -> &'a [u8] {
        &self.shown[..self.literal.start]
    }

    pub(super) fn literal(&self) -> &'a [u8] {
        &self.shown[self.literal.clone()]
    }

    pub(super) fn after(&self) -> &'a [u8] {
        &self.shown[self.literal.end..]
    }

    /// From the literal on.
    pub(super) fn literal_on(&self) -> &'a [u8] {
        &self.shown[self.literal.start..]
    }

    /// A range of [`Self::after`] as a range of what is shown.
    pub(super) fn range_after(&self, range: Range<usize>) -> Range<usize> {
        self.literal.end + range.start..self.literal.end + range.end
    }

    /// A range of [`Self::literal_on`] as a range of what is shown.
    pub(super) fn range_literal_on(&self, range: Range<usize>) -> Range<usize> {
        self.literal.start + range.start..self.literal.start + range.end
    }

    /// A range of what is shown, as it is.
    pub(super) fn shown(&self, range: Range<usize>) -> &'a [u8] {
        &self.shown[range]
    }

    /// Whether everything before the literal up to the beginning of the line is shown.
    pub(super) fn shows_line_start(&self) -> bool {
        self.literal.start < BACK
    }

    pub(super) fn starts_word(&self) -> bool {
        starts_word(self.before())
    }
}

/// Whether a word can begin behind `before`: also behind an escape that ends in a letter.
pub(super) fn starts_word(before: &[u8]) -> bool {
    match before {
        [.., last] if !last.is_ascii_alphanumeric() && *last != b'_' => true,
        [] | [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', first, second] => first.is_ascii_hexdigit() && second.is_ascii_hexdigit(),
        [.., b'm'] => ends_with_colour(before),
        _ => false,
    }
}

/// Whether `before` ends with a terminal's colour sequence, as in `ESC [ 1 ; 32 m`.
fn ends_with_colour(before: &[u8]) -> bool {
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
    fn words_begin_behind_separators_and_escapes() {
        for before in ["", " ", "=", "\"", "\\n", "%3D", "\x1b[32m", "\x1b[m", "-"] {
            assert!(starts_word(before.as_bytes()), "{before:?}");
        }
        for before in ["a", "7", "_", "nn", "3D", "[32m"] {
            assert!(!starts_word(before.as_bytes()), "{before:?}");
        }
    }

    #[test]
    fn a_spot_shows_its_own_line_only() {
        let text = b"first\nsecond key=1\nthird";
        let spot = Spot::around(text, &(13..16));
        assert_eq!(spot.before(), b"second ");
        assert_eq!(spot.literal(), b"key");
        assert_eq!(spot.after(), b"=1");
    }
}
