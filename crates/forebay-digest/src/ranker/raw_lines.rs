//! Splits raw bytes into lines, each with its number on the screen.
//!
//! Unlike `crate::lines`, a lone carriage return ends a line too: the states of a progress bar are lines, as in the
//! logs that the trees were trained on.

use memchr::memchr2;

/// Bytes kept of one line; what follows is only counted.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// One line, with its escape sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawLine<'a> {
    /// Number of the line on the screen, from 1; the states of an overwritten line share it.
    pub(super) number: u64,
    /// Its bytes without the line end, cut after a bound.
    pub(super) bytes: &'a [u8],
    /// Length before the cut.
    pub(super) len: u64,
}

/// Splits pushed bytes at `\n`, `\r\n` and `\r`; chunk boundaries do not affect the result.
#[derive(Debug)]
pub(super) struct LineSplitter {
    number: u64,
    /// The start of a line whose end has not arrived.
    partial: Vec<u8>,
    partial_len: u64,
    after_carriage_return: bool,
}

impl Default for LineSplitter {
    fn default() -> Self {
        Self { number: 1, partial: Vec::new(), partial_len: 0, after_carriage_return: false }
    }
}

impl LineSplitter {
    pub(super) fn push(&mut self, mut raw: &[u8], sink: &mut impl FnMut(RawLine<'_>)) {
        while let Some(end) = memchr2(b'\n', b'\r', raw) {
            let (line, is_newline) = (&raw[..end], raw[end] == b'\n');
            raw = &raw[end + 1..];
            let ends_pair = is_newline && self.after_carriage_return && line.is_empty();
            if !(ends_pair && self.partial_len == 0) {
                self.emit(line, sink);
            }
            self.after_carriage_return = !is_newline;
            self.number += u64::from(is_newline);
        }
        if !raw.is_empty() {
            self.after_carriage_return = false;
            self.hold(raw);
        }
    }

    /// Emits the last line if no line end followed it.
    pub(super) fn finish(&mut self, sink: &mut impl FnMut(RawLine<'_>)) {
        if self.partial_len > 0 {
            self.emit(&[], sink);
        }
    }

    fn emit(&mut self, end: &[u8], sink: &mut impl FnMut(RawLine<'_>)) {
        if self.partial_len == 0 {
            let bytes = &end[..end.len().min(MAX_LINE_BYTES)];
            return sink(RawLine { number: self.number, bytes, len: end.len() as u64 });
        }
        self.hold(end);
        sink(RawLine { number: self.number, bytes: &self.partial, len: self.partial_len });
        self.partial.clear();
        self.partial_len = 0;
    }

    fn hold(&mut self, bytes: &[u8]) {
        let kept = bytes.len().min(MAX_LINE_BYTES - self.partial.len());
        self.partial.extend_from_slice(&bytes[..kept]);
        self.partial_len += bytes.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(chunks: &[&str], expect: &[(u64, &str)]) {
        let mut lines = Vec::new();
        let mut splitter = LineSplitter::default();
        let mut keep = |line: RawLine<'_>| {
            lines.push((line.number, String::from_utf8_lossy(line.bytes).into_owned()));
        };
        for chunk in chunks {
            splitter.push(chunk.as_bytes(), &mut keep);
        }
        splitter.finish(&mut keep);
        let lines: Vec<_> = lines.iter().map(|(number, text)| (*number, text.as_str())).collect();
        assert_eq!(lines, expect, "{chunks:?}");
    }

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        check(&[""], &[]);
        check(&["a\n\nb"], &[(1, "a"), (2, ""), (3, "b")]);
        check(&["a\r\nb\r\n"], &[(1, "a"), (2, "b")]);
        check(&["10%\r20%\rdone\n"], &[(1, "10%"), (1, "20%"), (1, "done")]);
        check(&["a\r\r\nb"], &[(1, "a"), (1, ""), (2, "b")]);
        check(&["\n\r\n"], &[(1, ""), (2, "")]);
    }

    #[test]
    fn chunk_boundaries_do_not_matter() {
        check(&["a\r", "\nb", "c\n"], &[(1, "a"), (2, "bc")]);
        check(&["a\r", "", "\n", "\n"], &[(1, "a"), (2, "")]);
        check(&["a\r", "b\n"], &[(1, "a"), (1, "b")]);
    }

    #[test]
    fn a_long_line_is_cut_and_its_length_counted() {
        let mut lens = Vec::new();
        let mut splitter = LineSplitter::default();
        let mut keep = |line: RawLine<'_>| lens.push((line.bytes.len(), line.len));
        splitter.push(&vec![b'x'; MAX_LINE_BYTES], &mut keep);
        splitter.push(b"yz\n", &mut keep);
        assert_eq!(lens, [(MAX_LINE_BYTES, MAX_LINE_BYTES as u64 + 2)]);
    }
}
