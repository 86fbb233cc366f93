//! Decodes the bytes of files and pages, detecting the encoding.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Bytes inspected to distinguish text from binary data.
const HEAD_BYTES: usize = 8 * 1024;

/// Decodes bytes, or returns None if they are not text.
///
/// `label` returns the declared character set, if any. A byte order mark overrides the label, and so does
/// valid UTF-8, so `label` is rarely called.
pub(crate) fn text(bytes: &[u8], label: impl FnOnce() -> Option<String>) -> Option<Cow<'_, str>> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    if let Some(encoding) = marked.filter(|encoding| *encoding != UTF_8) {
        return Some(encoding.decode(bytes).0);
    }
    if let Some(encoding) = utf16_without_mark(bytes) {
        return Some(encoding.decode(bytes).0);
    }
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    if memchr::memchr(0, head).is_some() || has_many_controls(head) {
        return None;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some(Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text)));
    }
    let labelled = label().and_then(|label| Encoding::for_label(label.as_bytes()));
    let encoding =
        labelled.filter(|encoding| *encoding != UTF_8).unwrap_or_else(|| guess_encoding(bytes));
    Some(encoding.decode(bytes).0)
}

/// Guesses the encoding: UTF-8 if only a few bytes are invalid, otherwise Windows-1252.
fn guess_encoding(bytes: &[u8]) -> &'static Encoding {
    let lossy = String::from_utf8_lossy(bytes);
    let faults = lossy.matches('\u{fffd}').count();
    let letters = lossy.chars().filter(|c| !c.is_ascii() && *c != '\u{fffd}').count();
    if letters > faults { UTF_8 } else { WINDOWS_1252 }
}

/// UTF-16 of western text has a zero in every other byte.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES) & !1];
    let pairs = head.len() / 2;
    if pairs < 8 || memchr::memchr(0, head).is_none() {
        return None;
    }
    let zeros =
        |offset: usize| head.iter().skip(offset).step_by(2).filter(|byte| **byte == 0).count();
    let (high_first, low_first) = (zeros(0), zeros(1));
    match (
        high_first * 10 >= pairs * 9 && low_first == 0,
        low_first * 10 >= pairs * 9 && high_first == 0,
    ) {
        (true, _) => Some(UTF_16BE),
        (_, true) => Some(UTF_16LE),
        _ => None,
    }
}

fn has_many_controls(head: &[u8]) -> bool {
    const COUNTED: usize = 128;
    let is_control =
        |byte: &u8| *byte < 0x20 && !matches!(*byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b | 0x08);
    // Blocks small enough for a u8 counter let the compiler vectorize the comparison.
    let some = |bytes: &[u8]| bytes.iter().map(|byte| u8::from(is_control(byte))).sum::<u8>();
    let controls: usize = head.chunks(COUNTED).map(|bytes| usize::from(some(bytes))).sum();
    controls * 20 > head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled<'a>(bytes: &'a [u8], label: Option<&str>) -> Option<Cow<'a, str>> {
        text(bytes, || label.map(str::to_owned))
    }

    #[test]
    fn detects_encodings() {
        let utf16: Vec<u8> = "größer als".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = [&[0xff, 0xfe], utf16.as_slice()].concat();
        assert_eq!(labelled(&marked, None).as_deref(), Some("größer als"));
        let plain: Vec<u8> = "plain words here".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(labelled(&plain, None).as_deref(), Some("plain words here"));
        assert_eq!(labelled("\u{feff}größer".as_bytes(), None).as_deref(), Some("größer"));
        assert_eq!(labelled(b"gr\xf6\xdfer", None).as_deref(), Some("größer"));
        assert_eq!(labelled(b"\x93\xfa\x96{", Some("shift_jis")).as_deref(), Some("日本"));
        assert_eq!(labelled("größer".as_bytes(), Some("iso-8859-1")).as_deref(), Some("größer"));
        assert_eq!(
            labelled("größer ä ü\u{fffd}".as_bytes().split_last().unwrap().1, None).as_deref(),
            Some("größer ä ü\u{fffd}")
        );
    }

    #[test]
    fn rejects_binary_data() {
        assert_eq!(labelled(b"\x7fELF\0\0\0\x01", None), None);
        assert_eq!(labelled(&[1, 2, 3, 4, 5, 6, 7, 200, 201], None), None);
        assert_eq!(labelled(b"", None).as_deref(), Some(""));
    }
}
