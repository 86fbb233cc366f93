//! Decodes and encodes files, preserving encoding, byte order mark and line endings.

use std::ops::Range;

use similar::{ChangeTag, TextDiff};

/// A text with what is needed to encode it byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceText {
    /// With line endings normalized to line feeds.
    pub(crate) text: String,
    pub(crate) format: TextFormat,
    /// Offsets in `text` of line feeds that follow a carriage return in the file.
    returns: Vec<usize>,
}

/// The encoding and line endings of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TextFormat {
    pub(crate) encoding: Encoding,
    has_mark: bool,
    /// Whether most lines end with a carriage return and a line feed.
    pub(crate) has_crlf: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Encoding {
    #[default]
    Utf8,
    Utf16Little,
    Utf16Big,
    Latin1,
}

/// A character that the encoding cannot represent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} cannot represent {character:?}", encoding.name())]
pub(crate) struct UnencodableChar {
    encoding: Encoding,
    character: char,
}

const BOM: char = '\u{feff}';
/// Bytes searched for a NUL, which text does not contain.
const SNIFFED_BYTES: usize = 8_192;

impl SourceText {
    /// Decodes bytes, or returns None if they are not text.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (encoding, decode_bytes) = decode_bytes(bytes)?;
        let has_mark = decode_bytes.starts_with(BOM);
        let raw = decode_bytes.strip_prefix(BOM).unwrap_or(&decode_bytes);
        let (text, returns) = strip_carriage_returns(raw);
        let breaks = text.matches('\n').count();
        let has_crlf = returns.len() * 2 > breaks;
        Some(Self { text, format: TextFormat { encoding, has_mark, has_crlf }, returns })
    }

    /// Returns the bytes of the file with these ranges replaced, which must be sorted and disjoint. Everything
    /// else stays as it is, byte for byte.
    pub(crate) fn replace_ranges(
        &self,
        ranges: &[Range<usize>],
        new: &str,
    ) -> Result<Vec<u8>, UnencodableChar> {
        let new = self.format.without_bom(new).replace("\r\n", "\n");
        let mut raw = String::with_capacity(self.text.len() + new.len());
        let mut at = 0;
        for range in ranges {
            self.push_raw(at..range.start, &mut raw);
            self.push_replacement(range.clone(), &new, &mut raw);
            at = range.end;
        }
        self.push_raw(at..self.text.len(), &mut raw);
        self.format.encode(&raw)
    }

    /// Returns the bytes of the file with a new text; unchanged lines keep their line endings.
    pub(crate) fn replace_all(&self, new: &str) -> Result<Vec<u8>, UnencodableChar> {
        let whole = 0..self.text.len();
        self.replace_ranges(std::slice::from_ref(&whole), new)
    }

    /// Appends the replacement of a range: unchanged lines keep their line endings, new ones get the prevailing
    /// ending.
    fn push_replacement(&self, range: Range<usize>, new: &str, raw: &mut String) {
        let are_alike = self.returns.is_empty() || self.format.has_crlf && self.has_only_crlf();
        if are_alike {
            return raw.push_str(&self.format.with_line_endings(new));
        }
        let mut at = range.start;
        for change in TextDiff::from_lines(&self.text[range], new).iter_all_changes() {
            let line = change.value();
            match change.tag() {
                ChangeTag::Equal => self.push_raw(at..at + line.len(), raw),
                ChangeTag::Insert => raw.push_str(&self.format.with_line_endings(line)),
                ChangeTag::Delete => {}
            }
            if change.tag() != ChangeTag::Insert {
                at += line.len();
            }
        }
    }

    fn has_only_crlf(&self) -> bool {
        self.returns.len() == self.text.matches('\n').count()
    }

    /// Returns the text with the file's line endings and byte order mark.
    pub(crate) fn to_raw(&self) -> String {
        let mut raw = String::with_capacity(self.text.len() + self.returns.len());
        if self.format.has_mark && self.format.encoding == Encoding::Utf8 {
            raw.push(BOM);
        }
        self.push_raw(0..self.text.len(), &mut raw);
        raw
    }

    /// Appends a range of the text as it is in the file.
    fn push_raw(&self, range: Range<usize>, raw: &mut String) {
        let first = self.returns.partition_point(|offset| *offset < range.start);
        let mut at = range.start;
        for line_feed in self.returns[first..].iter().take_while(|offset| **offset < range.end) {
            raw.push_str(&self.text[at..*line_feed]);
            raw.push('\r');
            at = *line_feed;
        }
        raw.push_str(&self.text[at..range.end]);
    }
}

impl TextFormat {
    /// Encodes a whole new text in this format.
    pub(crate) fn encode_text(self, text: &str) -> Result<Vec<u8>, UnencodableChar> {
        self.encode(&self.with_line_endings(self.without_bom(text)))
    }

    /// Strips a byte order mark, so that it is not doubled.
    fn without_bom(self, text: &str) -> &str {
        text.strip_prefix(BOM).filter(|_| self.has_mark).unwrap_or(text)
    }

    fn with_line_endings(self, text: &str) -> String {
        let plain = text.replace("\r\n", "\n");
        if self.has_crlf { plain.replace('\n', "\r\n") } else { plain }
    }

    fn encode(self, raw: &str) -> Result<Vec<u8>, UnencodableChar> {
        let mark = if self.has_mark { "\u{feff}" } else { "" };
        let characters = mark.chars().chain(raw.chars());
        let wide = |bytes: fn(u16) -> [u8; 2]| {
            let mut pair = [0; 2];
            let mut all = Vec::with_capacity(raw.len() * 2);
            for character in mark.chars().chain(raw.chars()) {
                all.extend(character.encode_utf16(&mut pair).iter().flat_map(|unit| bytes(*unit)));
            }
            all
        };
        match self.encoding {
            Encoding::Utf8 => Ok([mark.as_bytes(), raw.as_bytes()].concat()),
            Encoding::Utf16Little => Ok(wide(u16::to_le_bytes)),
            Encoding::Utf16Big => Ok(wide(u16::to_be_bytes)),
            Encoding::Latin1 => characters
                .map(|character| {
                    let unwritable = UnencodableChar { encoding: self.encoding, character };
                    u8::try_from(u32::from(character)).map_err(|_| unwritable)
                })
                .collect(),
        }
    }

    /// Returns what differs from UTF-8 with line feeds, e.g. `UTF-16, CRLF`.
    pub(crate) fn remark(self) -> Option<String> {
        let encoding = (self.encoding != Encoding::Utf8).then(|| self.encoding.name());
        let line_ends = self.has_crlf.then_some("CRLF");
        let remarks: Vec<&str> = encoding.into_iter().chain(line_ends).collect();
        (!remarks.is_empty()).then(|| remarks.join(", "))
    }
}

impl Encoding {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Little | Self::Utf16Big => "UTF-16",
            Self::Latin1 => "Latin-1",
        }
    }
}

fn decode_bytes(bytes: &[u8]) -> Option<(Encoding, String)> {
    if bytes.starts_with(&[0xff, 0xfe]) {
        return Some((Encoding::Utf16Little, utf16(bytes, u16::from_le_bytes)?));
    }
    if bytes.starts_with(&[0xfe, 0xff]) {
        return Some((Encoding::Utf16Big, utf16(bytes, u16::from_be_bytes)?));
    }
    if bytes[..bytes.len().min(SNIFFED_BYTES)].contains(&0) {
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some((Encoding::Utf8, text.to_owned())),
        // Latin-1 maps every byte to a character, so any file can be written back.
        Err(_) if is_likely_text(bytes) => {
            Some((Encoding::Latin1, bytes.iter().map(|byte| char::from(*byte)).collect()))
        }
        Err(_) => None,
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    rest.is_empty().then(|| String::from_utf16(&units).ok()).flatten()
}

/// Whether bytes look like text in some 8-bit encoding: few control characters.
fn is_likely_text(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c);
    bytes.iter().filter(is_control).count() * 100 <= bytes.len()
}

fn strip_carriage_returns(raw: &str) -> (String, Vec<usize>) {
    let mut text = String::with_capacity(raw.len());
    let mut returns = Vec::new();
    for part in raw.split_inclusive("\r\n") {
        match part.strip_suffix("\r\n") {
            Some(line) => {
                text.push_str(line);
                returns.push(text.len());
                text.push('\n');
            }
            None => text.push_str(part),
        }
    }
    (text, returns)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(range: &Range<usize>) -> &[Range<usize>] {
        std::slice::from_ref(range)
    }

    fn round_trip(bytes: &[u8]) -> Option<Vec<u8>> {
        SourceText::decode(bytes).map(|source| source.replace_ranges(&[], "").unwrap())
    }

    #[test]
    fn reports_encoding_and_line_endings() {
        let remark = |bytes: &[u8]| SourceText::decode(bytes).unwrap().format.remark();
        assert_eq!(remark("schön\n".as_bytes()), None);
        assert_eq!(remark(b"a\r\nb\r\n").unwrap(), "CRLF");
        assert_eq!(remark(b"sch\xf6n\r\n").unwrap(), "Latin-1, CRLF");
        assert_eq!(remark(b"\xff\xfea\0\n\0").unwrap(), "UTF-16");
        assert_eq!(SourceText::decode(b"\x7fELF\0\0"), None);
        assert_eq!(SourceText::decode(b"\x89PNG\x1a\x01\x02\x03\xff\xfe"), None);
    }

    #[test]
    fn changes_only_replaced_ranges() {
        let source = SourceText::decode(b"\xef\xbb\xbfone\r\ntwo\nthree\r\nfour\r\n").unwrap();
        assert_eq!(source.text, "one\ntwo\nthree\nfour\n");
        let bytes = source.replace_ranges(one(&(4..7)), "2\n2").unwrap();
        assert_eq!(bytes, b"\xef\xbb\xbfone\r\n2\r\n2\nthree\r\nfour\r\n");
        let bytes = source.replace_ranges(one(&(0..14)), "one\ntwo\nTHREE\n").unwrap();
        assert_eq!(bytes, b"\xef\xbb\xbfone\r\ntwo\nTHREE\r\nfour\r\n");
        let bytes = source.replace_ranges(&[3..4, 13..14], "").unwrap();
        assert_eq!(bytes, b"\xef\xbb\xbfonetwo\nthreefour\r\n");
    }

    #[test]
    fn does_not_double_the_byte_order_mark() {
        let format = SourceText::decode(b"\xef\xbb\xbfone\n").unwrap().format;
        assert_eq!(format.encode_text("\u{feff}two\n").unwrap(), b"\xef\xbb\xbftwo\n");
        assert_eq!(
            TextFormat::default().encode_text("\u{feff}two\n").unwrap(),
            b"\xef\xbb\xbftwo\n"
        );
    }

    #[test]
    fn names_the_unencodable_character() {
        let source = SourceText::decode(b"sch\xf6n").unwrap();
        let error = source.replace_ranges(one(&(0..1)), "→").unwrap_err();
        assert_eq!(error.to_string(), "Latin-1 cannot represent '→'");
    }

    proptest! {
        #[test]
        fn round_trips_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(round_trip(&bytes).is_none_or(|back| back == bytes));
        }

        #[test]
        fn round_trips_text_in_all_encodings(text in "[a-zäß→\r\n\t ]{0,80}", mark: bool) {
            let text = if mark { format!("\u{feff}{text}") } else { text };
            prop_assert_eq!(round_trip(text.as_bytes()).unwrap(), text.as_bytes());
            let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
            prop_assert_eq!(round_trip(&wide).unwrap(), wide);
        }

        #[test]
        fn replacement_equals_string_replacement(text in "[ab\r\n]{0,40}", from in 0_usize..40, length in 0_usize..9, new in "[xy\n]{0,6}") {
            let source = SourceText::decode(text.as_bytes()).unwrap();
            let start = from.min(source.text.len());
            let end = (start + length).min(source.text.len());
            let expected = format!("{}{new}{}", &source.text[..start], &source.text[end..]);
            let bytes = source.replace_ranges(one(&(start..end)), &new).unwrap();
            let again = SourceText::decode(&bytes).unwrap();
            // A lone carriage return may become adjacent to a line feed when the text between is removed.
            prop_assert_eq!(again.text.replace('\r', ""), expected.replace('\r', ""));
        }
    }
}
