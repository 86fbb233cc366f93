//! PEM private keys across lines. Only a state is carried from line to line, no bytes.
//!
//! The BEGIN and END lines stay, so a reader sees what was there. Only lines that look like key material are replaced:
//! text that merely mentions the BEGIN line loses nothing.

use std::ops::Range;

use super::class::BASE64;
use super::match_context::LOOKAHEAD;
use super::secret_span::SecretSpan;

pub(super) const KIND: &str = "private-key";
pub(super) const OPENING: &[u8] = b"-----BEGIN ";
pub(super) const CLOSING: &[u8] = b"-----END ";

/// Minimum length of a line of key material except the last.
const FULL_LINE: usize = 16;
/// Maximum length of a log or diff prefix before a line of a key.
const PREFIX: usize = 48;

/// Position relative to a private key.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum KeyBlocks {
    #[default]
    Outside,
    /// After the BEGIN line; headers and an empty line may follow.
    Opened,
    /// In key material, after a prefix of this length.
    Inside { prefix: usize },
    /// After a shorter line, the last; a checksum may follow.
    Ending { prefix: usize },
}

impl KeyBlocks {
    pub(super) fn is_outside(self) -> bool {
        matches!(self, Self::Outside)
    }

    /// A line too long for key material ends the key.
    pub(super) fn meet_long_line(&mut self) {
        *self = Self::Outside;
    }

    /// Adds the spans of key material in `text`, which starts at a line.
    pub(super) fn follow(&mut self, text: &[u8], found: &mut Vec<SecretSpan>) {
        let mut at = 0;
        while at < text.len() {
            if self.is_outside() {
                let Some(opening) = memchr::memmem::find(&text[at..], OPENING) else { return };
                let before = &text[at..at + opening];
                at += memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
            }
            let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |count| at + count);
            self.visit_line(&text[at..end], at, found);
            at = end + 1;
        }
    }

    fn visit_line(&mut self, line: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
        let counts = matches!(self, Self::Opened);
        let (next, secret) = self.next(line);
        *self = next;
        if let Some(span) = secret {
            let span = at + span.start..at + span.end;
            found.push(SecretSpan { span, kind: KIND, rank: 0, counts });
        }
    }

    /// The state after `line`, and the part of the line to redact.
    fn next(self, line: &[u8]) -> (Self, Option<Range<usize>>) {
        if line.len() > LOOKAHEAD {
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

/// Whether a line ends with the BEGIN marker of a private key.
fn opens(line: &[u8]) -> bool {
    let Some(at) = memchr::memmem::rfind(line, OPENING) else { return false };
    opening(&line[at..]).is_some_and(|length| without_trailer(&line[at + length..]).is_empty())
}

/// Length of the BEGIN marker at the start of `text`, if it is one of a private key.
pub(super) fn opening(text: &[u8]) -> Option<usize> {
    const LABEL: usize = 60;
    let label = &text[OPENING.len()..text.len().min(OPENING.len() + LABEL)];
    let end = memchr::memmem::find(label, b"-----")?;
    let private =
        label[..end].ends_with(b"PRIVATE KEY") || label[..end].ends_with(b"PRIVATE KEY BLOCK");
    private.then_some(OPENING.len() + end + b"-----".len())
}

/// Range of the base64 in a line, after a log or diff prefix.
fn body(line: &[u8]) -> Option<Range<usize>> {
    let line = without_trailer(line);
    let length = BASE64.run_back(line);
    let prefix = line.len() - length;
    (length > 0 && prefix <= PREFIX).then_some(prefix..line.len())
}

/// `Proc-Type: 4,ENCRYPTED` and other PEM headers, or an empty line.
fn is_header(line: &[u8]) -> bool {
    const NAMES: &[&[u8]] =
        &[b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:", b"Hash:", b"Charset:"];
    let line = without_trailer(line).trim_ascii_start();
    line.is_empty() || NAMES.iter().any(|name| memchr::memmem::find(line, name).is_some())
}

/// Strips what code and JSON append to a line of a key: `\n" +`, `",`.
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
