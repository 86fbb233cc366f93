//! The redactor: a byte stream in, the same stream without secrets out.

use std::borrow::Cow;
use std::sync::Arc;

use super::key_blocks::KeyBlocks;
use super::match_context::{LOOKAHEAD, LOOKBEHIND, MAX_GAP};
use super::redactions::Redactions;
use super::scanner::Scanner;
use super::secret_span::{self, SecretSpan};
use super::shown::Shown;

/// Bytes scanned at once.
const BLOCK: usize = 256 * 1024;
/// Length from which an incomplete line is emitted as far as it is decided.
const LONG_LINE: usize = 4 * LOOKAHEAD;
/// Bytes of a long line kept as context for its rest.
const CONTEXT: usize = 2 * LOOKBEHIND + MAX_GAP;

/// Replaces secrets in a byte stream by `[redacted:<kind>]`, independent of how the stream is split.
///
/// Complete lines pass at once. At most about 300 KiB of an incomplete line are buffered.
#[derive(Debug, Clone)]
pub struct Redactor {
    scanner: Arc<Scanner>,
    keys: KeyBlocks,
    /// The same for the text as a terminal shows it.
    shown_keys: KeyBlocks,
    /// The incomplete line.
    held: Vec<u8>,
    /// Bytes of `held` already emitted.
    given: usize,
    /// Whether `held` lacks the start of its line.
    headless: bool,
    redactions: Redactions,
}

impl Default for Redactor {
    /// Recognizes secrets by shape.
    fn default() -> Self {
        Self::using(Scanner::builtin())
    }
}

impl Redactor {
    /// Also recognizes the values of environment variables with secret names.
    pub fn with_values<N, V>(variables: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: AsRef<str>,
        V: AsRef<str>,
    {
        Self::using(Scanner::with_values(variables))
    }

    /// A redactor with the same patterns and no state.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self::using(Arc::clone(&self.scanner))
    }

    pub(super) fn using(scanner: Arc<Scanner>) -> Self {
        Self {
            scanner,
            keys: KeyBlocks::default(),
            shown_keys: KeyBlocks::default(),
            held: Vec::new(),
            given: 0,
            headless: false,
            redactions: Redactions::default(),
        }
    }

    /// Consumes bytes and emits what is decided.
    pub fn push(&mut self, bytes: &[u8], out: &mut impl FnMut(&[u8])) {
        for block in bytes.chunks(BLOCK) {
            self.push_block(block, out);
        }
    }

    /// Emits the buffered part of an incomplete line, unless a secret may have started in it.
    ///
    /// Callers that interleave streams use it to keep the order of writes.
    pub fn flush_decided(&mut self, out: &mut impl FnMut(&[u8])) {
        let is_outside_keys = self.keys.is_outside() && self.shown_keys.is_outside();
        if is_outside_keys && !self.may_have_begun() {
            emit(&self.held[self.given..], out);
            self.given = self.held.len();
        }
    }

    /// Emits the rest and returns what was replaced.
    pub fn finish(mut self, out: &mut impl FnMut(&[u8])) -> Redactions {
        self.end_held_line(out);
        self.redactions
    }

    /// Redacts a complete text. A text without secrets is not copied: copying starts at the first difference.
    pub fn redact<'a>(&self, bytes: &'a [u8]) -> (Cow<'a, [u8]>, Redactions) {
        let mut redactor = self.fresh();
        let mut clean = Cow::Borrowed(&bytes[..0]);
        let mut take = |piece: &[u8]| match &mut clean {
            Cow::Borrowed(same) if bytes[same.len()..].starts_with(piece) => {
                *same = &bytes[..same.len() + piece.len()];
            }
            other => other.to_mut().extend_from_slice(piece),
        };
        redactor.push(bytes, &mut take);
        let redactions = redactor.finish(&mut take);
        (clean, redactions)
    }

    fn push_block(&mut self, block: &[u8], out: &mut impl FnMut(&[u8])) {
        let mut rest = block;
        if !self.held.is_empty()
            && let Some(at) = memchr::memchr(b'\n', rest)
        {
            self.held.extend_from_slice(&rest[..=at]);
            self.end_held_line(out);
            rest = &rest[at + 1..];
        }
        if let (true, Some(at)) = (self.held.is_empty(), memchr::memrchr(b'\n', rest)) {
            self.whole_lines(&rest[..=at], out);
            rest = &rest[at + 1..];
        }
        self.held.extend_from_slice(rest);
        if self.held.len() > LONG_LINE {
            self.emit_decided(out);
        }
    }

    fn whole_lines(&mut self, lines: &[u8], out: &mut impl FnMut(&[u8])) {
        let shown = Shown::from_text(lines);
        let mut found = self.scan(lines, shown.as_ref(), 0, lines.len());
        self.follow_keys(lines, shown.as_ref(), &mut found);
        self.write(lines, 0..lines.len(), &secret_span::merged(found), out);
    }

    /// Completes the buffered line.
    fn end_held_line(&mut self, out: &mut impl FnMut(&[u8])) {
        let line = std::mem::take(&mut self.held);
        let shown = Shown::from_text(&line);
        let mut found = self.scan(&line, shown.as_ref(), self.first_literal(), line.len());
        if std::mem::take(&mut self.headless) {
            self.keys.meet_long_line();
            self.shown_keys.meet_long_line();
        } else {
            self.follow_keys(&line, shown.as_ref(), &mut found);
        }
        let given = std::mem::take(&mut self.given);
        self.write(&line, given..line.len(), &secret_span::merged(found), out);
    }

    /// Emits the part of a long line that later bytes cannot affect.
    fn emit_decided(&mut self, out: &mut impl FnMut(&[u8])) {
        let mut line = std::mem::take(&mut self.held);
        let decided = line.len() - LOOKAHEAD;
        let shown = Shown::from_text(&line);
        let found = self.scan(&line, shown.as_ref(), self.first_literal(), decided);
        let found = secret_span::merged(found);
        let limit = decided - LOOKBEHIND;
        let mut end = certain_end(&found, limit).max(self.given);
        if line.len() - end > LONG_LINE {
            // An unbounded chain of overlapping secrets is cut, so that memory stays bounded.
            end = limit;
        }
        self.write(&line, self.given..end, &found, out);
        let forget = end.saturating_sub(CONTEXT);
        line.drain(..forget);
        self.headless |= forget > 0;
        self.given = end - forget;
        self.held = line;
    }

    /// The secrets of a text, as it is and as a terminal shows it.
    fn scan(
        &self,
        text: &[u8],
        shown: Option<&Shown>,
        first: usize,
        last: usize,
    ) -> Vec<SecretSpan> {
        let mut found = self.scanner.scan(text, first, last);
        if let Some(shown) = shown {
            let (first, last) = (shown.before(first), shown.before(last));
            found.extend(shown.all_in_text(self.scanner.scan(&shown.bytes, first, last)));
        }
        found
    }

    /// Adds the lines of private keys, which may be shown in another block than they begin in.
    fn follow_keys(&mut self, text: &[u8], shown: Option<&Shown>, found: &mut Vec<SecretSpan>) {
        self.keys.follow(text, found);
        let Some(shown) = shown else { return self.shown_keys.follow(text, found) };
        let mut hidden = Vec::new();
        self.shown_keys.follow(&shown.bytes, &mut hidden);
        found.extend(shown.all_in_text(hidden));
    }

    fn may_have_begun(&self) -> bool {
        self.scanner.may_have_begun(&self.held)
            || Shown::from_text(&self.held)
                .is_some_and(|shown| self.scanner.may_have_begun(&shown.bytes))
    }

    /// Literals before this offset lack context and were already handled.
    fn first_literal(&self) -> usize {
        if self.headless { LOOKBEHIND } else { 0 }
    }

    /// Emits a range of `text` with the secrets replaced.
    fn write(
        &mut self,
        text: &[u8],
        range: std::ops::Range<usize>,
        found: &[SecretSpan],
        out: &mut impl FnMut(&[u8]),
    ) {
        let mut at = range.start;
        for secret in found.iter().filter(|secret| secret.span.end > range.start) {
            if secret.span.start >= range.end {
                break;
            }
            emit(&text[at..secret.span.start.max(at)], out);
            out(format!("[redacted:{}]", secret.kind).as_bytes());
            if secret.counts {
                self.redactions.count(secret.kind);
            }
            at = secret.span.end.min(range.end);
        }
        emit(&text[at..range.end], out);
    }
}

/// The last offset up to `limit` that is outside every secret.
fn certain_end(found: &[SecretSpan], limit: usize) -> usize {
    let across = found.iter().find(|secret| secret.span.start < limit && limit < secret.span.end);
    across.map_or(limit, |secret| secret.span.start)
}

fn emit(bytes: &[u8], out: &mut impl FnMut(&[u8])) {
    if !bytes.is_empty() {
        out(bytes);
    }
}
