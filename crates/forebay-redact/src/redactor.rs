//! The redactor: bytes in any pieces in, the same bytes without their secrets out.

use std::borrow::Cow;
use std::sync::Arc;

use super::found::{self, Found};
use super::key_blocks::KeyBlocks;
use super::redactions::Redactions;
use super::scanner::Scanner;
use super::spot::{BACK, LEAD, REACH};

/// What is looked at in one go.
const BLOCK: usize = 256 * 1024;
/// An unfinished line that is longer is handed out as far as it is certain.
const LONG_LINE: usize = 4 * REACH;
/// What stays of a long line as context for the rest of it.
const CONTEXT: usize = 2 * BACK + LEAD;

/// Replaces secrets in pushed bytes by `[redacted:<kind>]`; how they are split makes no difference.
///
/// Whole lines pass at once. Of an unfinished line, at most some 300 KiB are held back.
#[derive(Debug, Clone)]
pub struct Redactor {
    scanner: Arc<Scanner>,
    keys: KeyBlocks,
    /// The unfinished line.
    held: Vec<u8>,
    /// How much of `held` was handed out already.
    given: usize,
    /// Whether `held` lacks the beginning of its line.
    headless: bool,
    redactions: Redactions,
}

impl Default for Redactor {
    /// Knows the secrets that have a shape.
    fn default() -> Self {
        Self::using(Scanner::of_shapes())
    }
}

impl Redactor {
    /// Knows also the values of those variables whose names say that they are secret.
    pub fn with_values<N, V>(variables: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: AsRef<str>,
        V: AsRef<str>,
    {
        Self::using(Scanner::with_values(variables))
    }

    /// One that knows the same and has seen nothing yet.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self::using(Arc::clone(&self.scanner))
    }

    pub(super) fn using(scanner: Arc<Scanner>) -> Self {
        Self {
            scanner,
            keys: KeyBlocks::default(),
            held: Vec::new(),
            given: 0,
            headless: false,
            redactions: Redactions::default(),
        }
    }

    /// Takes bytes and hands on what is certain.
    pub fn push(&mut self, bytes: &[u8], out: &mut impl FnMut(&[u8])) {
        for block in bytes.chunks(BLOCK) {
            self.push_block(block, out);
        }
    }

    /// Hands out what is held back of an unfinished line, unless a secret may have begun in it.
    ///
    /// For who mixes several streams and wants to keep the order in which they were written.
    pub fn settle(&mut self, out: &mut impl FnMut(&[u8])) {
        if self.keys.is_outside() && !self.scanner.may_have_begun(&self.held) {
            hand_on(&self.held[self.given..], out);
            self.given = self.held.len();
        }
    }

    /// Hands out the rest and tells what was replaced.
    pub fn finish(mut self, out: &mut impl FnMut(&[u8])) -> Redactions {
        self.end_held_line(out);
        self.redactions
    }

    /// The whole of a text that is at hand. Nearly all have no secret, and are not copied: that begins with the first
    /// piece which is not what stands there.
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
            self.relieve(out);
        }
    }

    fn whole_lines(&mut self, lines: &[u8], out: &mut impl FnMut(&[u8])) {
        let mut found = self.scanner.scan(lines, 0, lines.len());
        self.keys.follow(lines, &mut found);
        self.write(lines, 0..lines.len(), &found::merged(found), out);
    }

    /// The held line has come to its end.
    fn end_held_line(&mut self, out: &mut impl FnMut(&[u8])) {
        let line = std::mem::take(&mut self.held);
        let mut found = self.scanner.scan(&line, self.first_literal(), line.len());
        if std::mem::take(&mut self.headless) {
            self.keys.meet_long_line();
        } else {
            self.keys.follow(&line, &mut found);
        }
        let given = std::mem::take(&mut self.given);
        self.write(&line, given..line.len(), &found::merged(found), out);
    }

    /// Hands out that part of a long line which nothing behind it can change.
    fn relieve(&mut self, out: &mut impl FnMut(&[u8])) {
        let mut line = std::mem::take(&mut self.held);
        let decided = line.len() - REACH;
        let found = found::merged(self.scanner.scan(&line, self.first_literal(), decided));
        let limit = decided - BACK;
        let mut end = certain_end(&found, limit).max(self.given);
        if line.len() - end > LONG_LINE {
            // Secrets that overlap without end are cut, so that memory stays bounded.
            end = limit;
        }
        self.write(&line, self.given..end, &found, out);
        let forget = end.saturating_sub(CONTEXT);
        line.drain(..forget);
        self.headless |= forget > 0;
        self.given = end - forget;
        self.held = line;
    }

    /// Literals before this lack the context to be judged, and were judged before.
    fn first_literal(&self) -> usize {
        if self.headless { BACK } else { 0 }
    }

    /// Hands out a range of `text`, with what was found in it replaced.
    fn write(
        &mut self,
        text: &[u8],
        range: std::ops::Range<usize>,
        found: &[Found],
        out: &mut impl FnMut(&[u8]),
    ) {
        let mut at = range.start;
        for secret in found.iter().filter(|secret| secret.span.end > range.start) {
            if secret.span.start >= range.end {
                break;
            }
            hand_on(&text[at..secret.span.start.max(at)], out);
            out(format!("[redacted:{}]", secret.kind).as_bytes());
            if secret.counts {
                self.redactions.count(secret.kind);
            }
            at = secret.span.end.min(range.end);
        }
        hand_on(&text[at..range.end], out);
    }
}

/// The last place up to `limit` that lies in no secret.
fn certain_end(found: &[Found], limit: usize) -> usize {
    let across = found.iter().find(|secret| secret.span.start < limit && limit < secret.span.end);
    across.map_or(limit, |secret| secret.span.start)
}

fn hand_on(bytes: &[u8], out: &mut impl FnMut(&[u8])) {
    if !bytes.is_empty() {
        out(bytes);
    }
}
