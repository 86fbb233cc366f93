//! Splits streamed bytes into clean lines.

use memchr::memchr;

use crate::terminal;

/// One line of the raw text, without terminal noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Line number in the raw text, from 1.
    pub(crate) number: u64,
    pub(crate) text: &'a str,
    /// Raw bytes at the end of the line that were dropped because it was too long.
    pub(crate) cut: u64,
    /// True if a `\n` ends the line.
    pub(crate) has_newline: bool,
}

impl Line<'_> {
    /// Appends the line with its newline.
    pub(crate) fn append_to(&self, text: &mut String) {
        text.push_str(self.text);
        if self.has_newline {
            text.push('\n');
        }
    }
}

impl Line<'_> {
    /// Strips the timestamp that CI services prepend to each line.
    pub(crate) fn without_timestamp(self) -> Self {
        let bytes = self.text.as_bytes();
        let job = job_prefix_len(bytes);
        let ci_timestamp_len = ci_timestamp_len(&bytes[job..]);
        let start = if ci_timestamp_len == 0 { 0 } else { job + ci_timestamp_len };
        Self { text: &self.text[start..], ..self }
    }
}

/// Returns the length of `job<tab>step<tab>`, which `gh run view --log` writes before the
/// timestamp.
fn job_prefix_len(line: &[u8]) -> usize {
    const MAX_PREFIX_BYTES: usize = 200;
    let start = &line[..line.len().min(MAX_PREFIX_BYTES)];
    let Some(job) = memchr(b'\t', start) else { return 0 };
    let Some(step) = memchr(b'\t', &start[job + 1..]) else { return 0 };
    let length = job + step + 2;
    // The log of a job starts with a byte order mark.
    if line[length..].starts_with("\u{feff}".as_bytes()) { length + 3 } else { length }
}

/// Returns the length of `2024-05-01T12:00:00.1234567Z `; only CI services write seven decimals.
fn ci_timestamp_len(line: &[u8]) -> usize {
    const TIMESTAMP_BYTES: usize = 28;
    let is_stamp = line.len() >= TIMESTAMP_BYTES
        && line[TIMESTAMP_BYTES - 1] == b'Z'
        && line[10] == b'T'
        && line[19] == b'.'
        && line[..4].iter().chain(&line[20..27]).all(u8::is_ascii_digit);
    match line.get(TIMESTAMP_BYTES) {
        Some(b' ') if is_stamp => TIMESTAMP_BYTES + 1,
        None if is_stamp => TIMESTAMP_BYTES,
        _ => 0,
    }
}

/// Splits pushed bytes into lines and emits each as soon as it is complete.
///
/// A carriage return starts a new *state* of the line, as on a terminal. The last visible state
/// becomes the line, so a progress bar is reduced to its last state and the `\r` of `\r\n` has no
/// effect. Remains of a longer earlier state behind a shorter later one are dropped, because no
/// program intends them.
#[derive(Debug)]
pub(crate) struct LineReader {
    /// Maximum bytes buffered per state.
    max_bytes: usize,
    number: u64,
    /// True if bytes of an unfinished line were pushed.
    is_open: bool,
    raw: Vec<u8>,
    cut: u64,
    visible: Option<State>,
}

#[derive(Debug)]
struct State {
    text: String,
    cut: u64,
}

impl State {
    fn is_visible(&self) -> bool {
        self.cut > 0 || !self.text.trim().is_empty()
    }
}

impl LineReader {
    /// Buffers at most `max_bytes` bytes of a line.
    pub(crate) fn with_max_bytes(max_bytes: usize) -> Self {
        Self { max_bytes, number: 0, is_open: false, raw: Vec::new(), cut: 0, visible: None }
    }

    /// Returns the number of lines emitted so far.
    pub(crate) fn count(&self) -> u64 {
        self.number
    }

    pub(crate) fn push(&mut self, raw: &[u8], sink: &mut impl FnMut(Line<'_>)) {
        let mut rest = raw;
        while let Some(end) = memchr(b'\n', rest) {
            self.end_line(&rest[..end], sink);
            rest = &rest[end + 1..];
        }
        self.buffer(rest);
    }

    /// Emits the last line if no `\n` ended it.
    pub(crate) fn finish(&mut self, sink: &mut impl FnMut(Line<'_>)) {
        if self.is_open {
            self.emit(false, sink);
        }
    }

    fn end_line(&mut self, last: &[u8], sink: &mut impl FnMut(Line<'_>)) {
        // Fast path: most lines arrive complete and clean, and are emitted without a copy.
        let whole = last.strip_suffix(b"\r").unwrap_or(last);
        if !self.is_open
            && whole.len() <= self.max_bytes
            && let Some(text) = terminal::already_clean(whole)
        {
            self.number += 1;
            sink(Line { number: self.number, text, cut: 0, has_newline: true });
            return;
        }
        self.buffer(last);
        self.emit(true, sink);
    }

    fn buffer(&mut self, bytes: &[u8]) {
        self.is_open |= !bytes.is_empty();
        let mut states = bytes.split(|byte| *byte == b'\r');
        self.extend(states.next().unwrap_or_default());
        for state in states {
            self.finish_state();
            self.extend(state);
        }
    }

    fn extend(&mut self, bytes: &[u8]) {
        let fitting = self.max_bytes.saturating_sub(self.raw.len()).min(bytes.len());
        self.raw.extend_from_slice(&bytes[..fitting]);
        self.cut += (bytes.len() - fitting) as u64;
    }

    fn finish_state(&mut self) {
        let state = self.take_state();
        if state.is_visible() || self.visible.is_none() {
            self.visible = Some(state);
        }
    }

    fn take_state(&mut self) -> State {
        let cut = std::mem::take(&mut self.cut);
        let mut text = terminal::strip(&self.raw);
        if cut > 0 && text.ends_with('\u{fffd}') {
            // The cut split a character.
            text.pop();
        }
        self.raw.clear();
        State { text, cut }
    }

    fn emit(&mut self, has_newline: bool, sink: &mut impl FnMut(Line<'_>)) {
        self.finish_state();
        self.is_open = false;
        self.number += 1;
        if let Some(State { text, cut }) = self.visible.take() {
            sink(Line { number: self.number, text: &text, cut, has_newline });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, expect: &[(&str, u64)]) {
        let mut lines = Vec::new();
        let mut reader = LineReader::with_max_bytes(12);
        let mut max_bytes = |line: Line<'_>| lines.push((line.text.to_owned(), line.cut));
        reader.push(raw.as_bytes(), &mut max_bytes);
        reader.finish(&mut max_bytes);
        let lines: Vec<_> = lines.iter().map(|(text, cut)| (text.as_str(), *cut)).collect();
        assert_eq!(lines, expect, "{raw:?}");
    }

    #[test]
    fn splits_lines_at_newlines_and_at_the_end() {
        check("", &[]);
        check("a", &[("a", 0)]);
        check("a\n\nb\n", &[("a", 0), ("", 0), ("b", 0)]);
    }

    #[test]
    fn keeps_the_last_visible_state_of_a_line() {
        check("10%\r50%\rdone\n", &[("done", 0)]);
        check("a\r\n  \r\nb\r\r\n", &[("a", 0), ("  ", 0), ("b", 0)]);
        check("100%\r    \r\u{1b}[K\nnext", &[("100%", 0), ("next", 0)]);
        check("\r\n", &[("", 0)]);
    }

    #[test]
    fn truncates_long_lines_and_counts_the_cut_bytes() {
        check("0123456789abcdef\n", &[("0123456789ab", 4)]);
        check("0123456789aäb\n", &[("0123456789a", 2)]);
        check("0123456789abcdef\rshort\n", &[("short", 0)]);
    }
}
