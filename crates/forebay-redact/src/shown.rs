//! What a terminal shows of a text: without escape sequences, NUL bytes and struck-out characters.
//!
//! A colour in the middle of a secret, or the second byte of UTF-16, hides it from patterns that read bytes. So a text is
//! scanned as it is and as it shows, and what is found in either is replaced.

use std::ops::Range;

use super::secret_span::SecretSpan;

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
const BACKSPACE: u8 = 0x08;
const NUL: u8 = 0;

/// The bytes that show, each with its offset in the text.
pub(super) struct Shown {
    pub(super) bytes: Vec<u8>,
    offsets: Vec<usize>,
}

impl Shown {
    /// `None` if the text shows as it is, which most does.
    pub(super) fn from_text(text: &[u8]) -> Option<Self> {
        let first = memchr::memchr3(ESCAPE, NUL, BACKSPACE, text)?;
        let mut shown =
            Self { bytes: Vec::with_capacity(text.len()), offsets: Vec::with_capacity(text.len()) };
        shown.append(text, 0..first);
        let mut at = first;
        while at < text.len() {
            match text[at] {
                ESCAPE => at += sequence_length(&text[at..]),
                NUL => at += 1,
                BACKSPACE => {
                    shown.strike_out();
                    at += 1;
                }
                _ => {
                    let next = memchr::memchr3(ESCAPE, NUL, BACKSPACE, &text[at..]);
                    let end = next.map_or(text.len(), |length| at + length);
                    shown.append(text, at..end);
                    at = end;
                }
            }
        }
        Some(shown)
    }

    /// The spans of the text that show as `secrets`.
    pub(super) fn all_in_text(
        &self,
        secrets: Vec<SecretSpan>,
    ) -> impl Iterator<Item = SecretSpan> + use<'_> {
        secrets.into_iter().map(|secret| SecretSpan { span: self.in_text(&secret.span), ..secret })
    }

    /// The range of the text that shows as `range`.
    fn in_text(&self, range: &Range<usize>) -> Range<usize> {
        let last = range.end.saturating_sub(1).max(range.start);
        self.offsets[range.start]..self.offsets[last] + 1
    }

    /// How many bytes show before an offset of the text.
    pub(super) fn before(&self, offset: usize) -> usize {
        self.offsets.partition_point(|kept| *kept < offset)
    }

    fn append(&mut self, text: &[u8], range: Range<usize>) {
        self.bytes.extend_from_slice(&text[range.clone()]);
        self.offsets.extend(range);
    }

    fn strike_out(&mut self) {
        if self.bytes.last().is_some_and(|last| *last != b'\n') {
            self.bytes.pop();
            self.offsets.pop();
        }
    }
}

/// The length of the escape sequence at the start of `text`; never beyond its line.
fn sequence_length(text: &[u8]) -> usize {
    let rest = &text[1..];
    let length = match rest.first() {
        None | Some(b'\n') => 0,
        Some(b'[') => {
            let body = rest[1..].iter().position(|byte| !(0x20..0x40).contains(byte));
            match body {
                Some(end) if rest[1 + end] == b'\n' => 1 + end,
                Some(end) => end + 2,
                None => rest.len(),
            }
        }
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let end = rest.iter().position(|byte| [BELL, ESCAPE, b'\n'].contains(byte));
            match end {
                Some(end) if rest[end] == BELL => end + 1,
                Some(end) if rest[end] == ESCAPE && rest.get(end + 1) == Some(&b'\\') => end + 2,
                Some(end) => end,
                None => rest.len(),
            }
        }
        Some(_) => 1,
    };
    1 + length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &[u8]) -> String {
        Shown::from_text(text).map_or_else(
            || String::from_utf8_lossy(text).into_owned(),
            |shown| String::from_utf8_lossy(&shown.bytes).into_owned(),
        )
    }

    #[test]
    fn hidden_bytes_are_left_out() {
        assert_eq!(shown(b"a\x1b[1;31mb\x1b[0m\x1b[Kc"), "abc");
        assert_eq!(shown(b"a\x1b]0;title\x07b\x1b]8;;x\x1b\\c"), "abc");
        assert_eq!(shown(b"k\0e\0y\0\n\0"), "key\n");
        assert_eq!(shown(b"a\x08ab\x08b"), "ab");
        assert_eq!(shown(b"a\x1b[31\nb\x1b"), "a\nb");
        assert!(Shown::from_text(b"plain").is_none());
    }

    #[test]
    fn ranges_map_back_to_the_text() {
        let shown = Shown::from_text(b"a\x1b[1mbc\x1b[0md").unwrap();
        assert_eq!(shown.in_text(&(1..3)), 5..7);
        assert_eq!(shown.in_text(&(0..4)), 0..12);
        assert_eq!((shown.before(0), shown.before(5), shown.before(12)), (0, 1, 4));
    }
}
