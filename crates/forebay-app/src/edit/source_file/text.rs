//! Bytes as text and back: encoding, byte order mark and line ends stay as they are.

use std::ops::Range;

use similar::{ChangeTag, TextDiff};

/// A text with what is needed to write it back as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceText {
    /// Lines end with a line feed, whatever they end with in the file.
    pub(crate) text: String,
    pub(crate) form: Form,
    /// Offsets of line feeds, in `text`, that follow a carriage return in the file.
    returns: Vec<usize>,
}

/// How a text is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Form {
    pub(crate) encoding: Encoding,
    has_mark: bool,
    /// Most lines end with a carriage return and a line feed.
    pub(crate) has_returns: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Encoding {
    #[default]
    Utf8,
    Utf16Little,
    Utf16Big,
    Latin1,
}

/// A character that an encoding does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} has no character {character:?}", encoding.name())]
pub(crate) struct Unwritable {
    encoding: Encoding,
    character: char,
}

const MARK: char = '\u{feff}';
/// Bytes that are looked at for a NUL, which text does not have.
const LOOKED_AT: usize = 8_192;

impl SourceText {
    /// The text of these bytes; nothing if they are none.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (encoding, decoded) = decoded(bytes)?;
        let has_mark = decoded.starts_with(MARK);
        let raw = decoded.strip_prefix(MARK).unwrap_or(&decoded);
        let (text, returns) = without_returns(raw);
        let breaks = text.matches('\n').count();
        let has_returns = returns.len() * 2 > breaks;
        Some(Self { text, form: Form { encoding, has_mark, has_returns }, returns })
    }

    /// The bytes of the file once these ranges of the text are replaced; they must be in order and
    /// apart. What is not replaced stays as it is, byte for byte.
    pub(crate) fn replaced(
        &self,
        ranges: &[Range<usize>],
        new: &str,
    ) -> Result<Vec<u8>, Unwritable> {
        let new = self.form.without_mark(new).replace("\r\n", "\n");
        let mut raw = String::with_capacity(self.text.len() + new.len());
        let mut at = 0;
        for range in ranges {
            self.push_raw(at..range.start, &mut raw);
            self.push_changed(range.clone(), &new, &mut raw);
            at = range.end;
        }
        self.push_raw(at..self.text.len(), &mut raw);
        self.form.encode(&raw)
    }

    /// The bytes of the file once all of its text is another; lines that stay keep their line ends.
    pub(crate) fn replaced_by(&self, new: &str) -> Result<Vec<u8>, Unwritable> {
        let whole = 0..self.text.len();
        self.replaced(std::slice::from_ref(&whole), new)
    }

    /// Appends what a stretch of the text becomes: lines that stay keep their line ends, the others get those that
    /// most have.
    fn push_changed(&self, range: Range<usize>, new: &str, raw: &mut String) {
        let are_alike = self.returns.is_empty() || self.form.has_returns && self.all_have_returns();
        if are_alike {
            return raw.push_str(&self.form.with_line_ends(new));
        }
        let mut at = range.start;
        for change in TextDiff::from_lines(&self.text[range], new).iter_all_changes() {
            let line = change.value();
            match change.tag() {
                ChangeTag::Equal => self.push_raw(at..at + line.len(), raw),
                ChangeTag::Insert => raw.push_str(&self.form.with_line_ends(line)),
                ChangeTag::Delete => {}
            }
            if change.tag() != ChangeTag::Insert {
                at += line.len();
            }
        }
    }

    fn all_have_returns(&self) -> bool {
        self.returns.len() == self.text.matches('\n').count()
    }

    /// The text with the line ends and the mark that the file has.
    pub(crate) fn as_in_file(&self) -> String {
        let mut raw = String::with_capacity(self.text.len() + self.returns.len());
        if self.form.has_mark && self.form.encoding == Encoding::Utf8 {
            raw.push(MARK);
        }
        self.push_raw(0..self.text.len(), &mut raw);
        raw
    }

    /// Appends a stretch of the text as it is in the file.
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

impl Form {
    /// The bytes of a whole new text in this form.
    pub(crate) fn written(self, text: &str) -> Result<Vec<u8>, Unwritable> {
        self.encode(&self.with_line_ends(self.without_mark(text)))
    }

    /// A text that was read with its mark does not get another.
    fn without_mark(self, text: &str) -> &str {
        text.strip_prefix(MARK).filter(|_| self.has_mark).unwrap_or(text)
    }

    fn with_line_ends(self, text: &str) -> String {
        let plain = text.replace("\r\n", "\n");
        if self.has_returns { plain.replace('\n', "\r\n") } else { plain }
    }

    fn encode(self, raw: &str) -> Result<Vec<u8>, Unwritable> {
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
                    let unwritable = Unwritable { encoding: self.encoding, character };
                    u8::try_from(u32::from(character)).map_err(|_| unwritable)
                })
                .collect(),
        }
    }

    /// What a reader must know before writing to the file: `UTF-16, CRLF`.
    pub(crate) fn remark(self) -> Option<String> {
        let encoding = (self.encoding != Encoding::Utf8).then(|| self.encoding.name());
        let line_ends = self.has_returns.then_some("CRLF");
        let told: Vec<&str> = encoding.into_iter().chain(line_ends).collect();
        (!told.is_empty()).then(|| told.join(", "))
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

fn decoded(bytes: &[u8]) -> Option<(Encoding, String)> {
    if bytes.starts_with(&[0xff, 0xfe]) {
        return Some((Encoding::Utf16Little, utf16(bytes, u16::from_le_bytes)?));
    }
    if bytes.starts_with(&[0xfe, 0xff]) {
        return Some((Encoding::Utf16Big, utf16(bytes, u16::from_be_bytes)?));
    }
    if bytes[..bytes.len().min(LOOKED_AT)].contains(&0) {
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some((Encoding::Utf8, text.to_owned())),
        // Each byte is a character, so it can be written back whatever it was.
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

/// Text of some other encoding has hardly any control characters.
fn is_likely_text(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c);
    bytes.iter().filter(is_control).count() * 100 <= bytes.len()
}

fn without_returns(raw: &str) -> (String, Vec<usize>) {
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

    fn written_back(bytes: &[u8]) -> Option<Vec<u8>> {
        SourceText::decode(bytes).map(|source| source.replaced(&[], "").unwrap())
    }

    #[test]
    fn encodings_and_line_ends_are_told() {
        let remark = |bytes: &[u8]| SourceText::decode(bytes).unwrap().form.remark();
        assert_eq!(remark("schön\n".as_bytes()), None);
        assert_eq!(remark(b"a\r\nb\r\n").unwrap(), "CRLF");
        assert_eq!(remark(b"sch\xf6n\r\n").unwrap(), "Latin-1, CRLF");
        assert_eq!(remark(b"\xff\xfea\0\n\0").unwrap(), "UTF-16");
        assert_eq!(SourceText::decode(b"\x7fELF\0\0"), None);
        assert_eq!(SourceText::decode(b"\x89PNG\x1a\x01\x02\x03\xff\xfe"), None);
    }

    #[test]
    fn only_what_is_replaced_changes() {
        let source = SourceText::decode(b"\xef\xbb\xbfone\r\ntwo\nthree\r\nfour\r\n").unwrap();
        assert_eq!(source.text, "one\ntwo\nthree\nfour\n");
        let bytes = source.replaced(one(&(4..7)), "2\n2").unwrap();
        assert_eq!(bytes, b"\xef\xbb\xbfone\r\n2\r\n2\nthree\r\nfour\r\n");
        let bytes = source.replaced(one(&(0..14)), "one\ntwo\nTHREE\n").unwrap();
        assert_eq!(bytes, b"\xef\xbb\xbfone\r\ntwo\nTHREE\r\nfour\r\n");
        let bytes = source.replaced(&[3..4, 13..14], "").unwrap();
        assert_eq!(bytes, b"\xef\xbb\xbfonetwo\nthreefour\r\n");
    }

    #[test]
    fn a_mark_is_not_doubled() {
        let form = SourceText::decode(b"\xef\xbb\xbfone\n").unwrap().form;
        assert_eq!(form.written("\u{feff}two\n").unwrap(), b"\xef\xbb\xbftwo\n");
        assert_eq!(Form::default().written("\u{feff}two\n").unwrap(), b"\xef\xbb\xbftwo\n");
    }

    #[test]
    fn a_character_that_cannot_be_written_is_named() {
        let source = SourceText::decode(b"sch\xf6n").unwrap();
        let error = source.replaced(one(&(0..1)), "→").unwrap_err();
        assert_eq!(error.to_string(), "Latin-1 has no character '→'");
    }

    proptest! {
        #[test]
        fn what_is_read_is_written_back(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(written_back(&bytes).is_none_or(|back| back == bytes));
        }

        #[test]
        fn text_is_read_and_written_back(text in "[a-zäß→\r\n\t ]{0,80}", mark: bool) {
            let text = if mark { format!("\u{feff}{text}") } else { text };
            prop_assert_eq!(written_back(text.as_bytes()).unwrap(), text.as_bytes());
            let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
            prop_assert_eq!(written_back(&wide).unwrap(), wide);
        }

        #[test]
        fn replacing_gives_the_text_one_reads(text in "[ab\r\n]{0,40}", from in 0_usize..40, length in 0_usize..9, new in "[xy\n]{0,6}") {
            let source = SourceText::decode(text.as_bytes()).unwrap();
            let start = from.min(source.text.len());
            let end = (start + length).min(source.text.len());
            let expected = format!("{}{new}{}", &source.text[..start], &source.text[end..]);
            let bytes = source.replaced(one(&(start..end)), &new).unwrap();
            let again = SourceText::decode(&bytes).unwrap();
            // A return that stood alone may meet a line feed where something between was taken out.
            prop_assert_eq!(again.text.replace('\r', ""), expected.replace('\r', ""));
        }
    }
}
