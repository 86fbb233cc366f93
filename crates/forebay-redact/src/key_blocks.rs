//! Private keys that cover several lines: state is kept from line to line, never bytes.
//!
//! The lines that open and close a key stay, so that a reader sees what was there. Only lines that look
//! like a key are replaced: text that merely mentions the opening line loses nothing behind it.

use std::ops::Range;

use super::class::BASE64;
use super::found::Found;
use super::spot::REACH;

pub(super) const KIND: &str = "private-key";
pub(super) const OPENING: &[u8] = b"-----BEGIN ";
pub(super) const CLOSING: &[u8] = b"-----END ";

/// A line of a key is at least this long, but for the last one.
const FULL_LINE: usize = 16;
/// A log or a diff may put so much in front of a key's line.
const PREFIX: usize = 48;

/// How far a text is within a private key.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum KeyBlocks {
    #[default]
    Outside,
    /// The opening line was seen; headers and an empty line may follow.
    Opened,
    /// Lines of the key, behind a prefix of this length.
    Inside { prefix: usize },
    /// A shorter line was seen, which must have been the last; a checksum may follow.
    Ending { prefix: usize },
}

impl KeyBlocks {
    pub(super) fn is_outside(self) -> bool {
        matches!(self, Self::Outside)
    }

    /// A line too long for a key ends it.
    pub(super) fn meet_long_line(&mut self) {
        *self = Self::Outside;
    }

    /// Adds the lines of keys in `text`, which begins with a line.
    pub(super) fn follow(&mut self, text: &[u8], found: &mut Vec<Found>) {
        let mut at = 0;
        while at < text.len() {
            if self.is_outside() {
                let Some(opening) = memchr::memmem::find(&text[at..], OPENING) else { return };
                let before = &text[at..at + opening];
                at += memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
            }
            let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |count| at + count);
            self.meet(&text[at..end], at, found);
            at = end + 1;
        }
    }

    fn meet(&mut self, line: &[u8], at: usize, found: &mut Vec<Found>) {
        let counts = matches!(self, Self::Opened);
        let (next, secret) = self.next(line);
        *self = next;
        if let Some(span) = secret {
            let span = at + span.start..at + span.end;
            found.push(Found { span, kind: KIND, rank: 0, counts });
        }
    }

    /// The state behind `line`, and the part of the line that must not be seen.
    fn next(self, line: &[u8]) -> (Self, Option<Range<usize>>) {
        if line.len() > REACH {
            return (Self::Outside, None);
        }
        if opens(line) {
            return (Self::Opened, None);
        }
        if matches!(self, Self::Opened) && is_header(line) {
            return (self, None);
        }
        let Some(body) = body(line) else { return (Self::Outside, None) };
        let prefix = body.start;
        match self {
            Self::Opened | Self::Inside { .. } if body.len() >= FULL_LINE => {
                (Self::Inside { prefix }, Some(body))
            }
            Self::Inside { prefix: usual } if prefix == usual => {
                (Self::Ending { prefix }, Some(body))
            }
            Self::Ending { prefix: usual } if prefix == usual && line[prefix] == b'=' => {
                (self, Some(body))
            }
            _ => (Self::Outside, None),
        }
    }
}

/// Whether a line ends with the opening of a private key.
fn opens(line: &[u8]) -> bool {
    let Some(at) = memchr::memmem::rfind(line, OPENING) else { return false };
    opening(&line[at..]).is_some_and(|length| without_trailer(&line[at + length..]).is_empty())
}

/// The length of the opening that `text` begins with, when it is that of a private key.
pub(super) fn opening(text: &[u8]) -> Option<usize> {
    const LABEL: usize = 60;
    let label = &text[OPENING.len()..text.len().min(OPENING.len() + LABEL)];
    let end = memchr::memmem::find(label, b"-----")?;
    let private =
        label[..end].ends_with(b"PRIVATE KEY") || label[..end].ends_with(b"PRIVATE KEY BLOCK");
    private.then_some(OPENING.len() + end + b"-----".len())
}

/// Where the base64 of a key's line stands, behind whatever a log or a diff put before it.
fn body(line: &[u8]) -> Option<Range<usize>> {
    let line = without_trailer(line);
    let length = BASE64.run_back(line);
    let prefix = line.len() - length;
    (length > 0 && prefix <= PREFIX).then_some(prefix..line.len())
}

/// `Proc-Type: 4,ENCRYPTED` and the like, or nothing.
fn is_header(line: &[u8]) -> bool {
    const NAMES: &[&[u8]] =
        &[b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:", b"Hash:", b"Charset:"];
    let line = without_trailer(line).trim_ascii_start();
    line.is_empty() || NAMES.iter().any(|name| memchr::memmem::find(line, name).is_some())
}

/// The line without what code and JSON put behind a line of a key: `\n" +`, `",`.
fn without_trailer(mut line: &[u8]) -> &[u8] {
    const PAIRS: &[&[u8]] = &[b"\\n", b"\\r", b" +", b" ."];
    const SINGLES: &[u8] = b"\"'`,;\\|> \t\r";
    while let Some((last, rest)) = line.split_last() {
        let pair = PAIRS.iter().find_map(|pair| line.strip_suffix(*pair));
        line = match pair {
            Some(rest) => rest,
            None if SINGLES.contains(last) => rest,
            None => break,
        };
    }
    line
}
