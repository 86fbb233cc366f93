//! Reads stored text line by line in bounded memory, from one stream or both.

use std::cmp::Ordering;

use forebay_domain::{Entry, Reference, Spans, Stream};
use forebay_store::{Store, StoreError};

/// Longer lines are passed on in pieces.
pub(crate) const MAX_PIECE_BYTES: usize = 64 * 1024;

/// A line, or a piece of a line longer than [`MAX_PIECE_BYTES`].
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub(crate) number: u64,
    /// Where the piece starts within its line.
    pub(crate) offset: u64,
    /// Without its newline.
    pub(crate) bytes: &'a [u8],
}

impl Line<'_> {
    /// Returns the part at or after a position.
    fn from(self, position: Position) -> Option<Self> {
        let skipped = match self.number.cmp(&position.line) {
            Ordering::Less => return None,
            Ordering::Greater => 0,
            Ordering::Equal => position.offset.saturating_sub(self.offset) as usize,
        };
        let bytes = self.bytes.get(skipped..).filter(|rest| !rest.is_empty() || skipped == 0)?;
        Some(Self { offset: self.offset + skipped as u64, bytes, ..self })
    }
}

/// A position in a text: a line, and a byte offset into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: u64,
    pub(crate) offset: u64,
}

impl Position {
    pub(crate) const START: Self = Self { line: 1, offset: 0 };
}

/// Calls `take` with each line from a position on until it returns `false`.
pub(crate) fn lines(
    store: &dyn Store,
    reference: Reference,
    from: Position,
    take: &mut dyn FnMut(Line<'_>) -> bool,
) -> Result<(), StoreError> {
    let start = store.line_start(reference, from.line)? + from.offset;
    let mut splitter = Splitter::new(from);
    let mut wanted = true;
    store.read(reference, start, &mut |piece| {
        wanted = splitter.push(piece, take);
        wanted
    })?;
    if wanted {
        splitter.finish(take);
    }
    Ok(())
}

/// Like [`lines`], for the bytes of one stream; lines are numbered within it.
pub(crate) fn lines_of_stream(
    store: &dyn Store,
    entry: &Entry,
    spans: &Spans,
    stream: Stream,
    from: Position,
    take: &mut dyn FnMut(Line<'_>) -> bool,
) -> Result<(), StoreError> {
    let mut splitter = Splitter::new(Position::START);
    let mut filter = StreamFilter::new(spans, stream);
    let mut wanted = true;
    let mut after = |line: Line<'_>| line.from(from).is_none_or(&mut *take);
    store.read(entry.reference, 0, &mut |piece| {
        wanted = filter.pieces(piece, &mut |kept| splitter.push(kept, &mut after));
        wanted
    })?;
    if wanted {
        splitter.finish(&mut after);
    }
    Ok(())
}

/// Passes on only the bytes of one stream.
struct StreamFilter {
    spans: Vec<(Stream, u64)>,
    at: usize,
    used: u64,
    wanted: Stream,
}

impl StreamFilter {
    fn new(spans: &Spans, wanted: Stream) -> Self {
        Self { spans: spans.iter().collect(), at: 0, used: 0, wanted }
    }

    fn pieces(&mut self, mut bytes: &[u8], take: &mut dyn FnMut(&[u8]) -> bool) -> bool {
        while !bytes.is_empty() {
            let Some((stream, length)) = self.spans.get(self.at).copied() else { return true };
            let count = bytes.len().min((length - self.used) as usize);
            if stream == self.wanted && !take(&bytes[..count]) {
                return false;
            }
            bytes = &bytes[count..];
            self.used += count as u64;
            if self.used == length {
                (self.at, self.used) = (self.at + 1, 0);
            }
        }
        true
    }
}

/// Splits bytes that arrive in pieces into lines.
struct Splitter {
    number: u64,
    offset: u64,
    pending: Vec<u8>,
}

impl Splitter {
    fn new(position: Position) -> Self {
        Self { number: position.line, offset: position.offset, pending: Vec::new() }
    }

    fn push(&mut self, bytes: &[u8], take: &mut dyn FnMut(Line<'_>) -> bool) -> bool {
        bytes.split_inclusive(|byte| *byte == b'\n').all(|part| self.push_part(part, take))
    }

    fn push_part(&mut self, mut part: &[u8], take: &mut dyn FnMut(Line<'_>) -> bool) -> bool {
        let ends = part.ends_with(b"\n");
        if ends {
            part = &part[..part.len() - 1];
        }
        while self.pending.len() + part.len() > MAX_PIECE_BYTES {
            let room = MAX_PIECE_BYTES - self.pending.len();
            self.pending.extend_from_slice(&part[..room]);
            part = &part[room..];
            if !self.emit(false, take) {
                return false;
            }
        }
        self.pending.extend_from_slice(part);
        !ends || self.emit(true, take)
    }

    fn emit(&mut self, ends: bool, take: &mut dyn FnMut(Line<'_>) -> bool) -> bool {
        let line = Line { number: self.number, offset: self.offset, bytes: &self.pending };
        let go_on = take(line);
        if ends {
            (self.number, self.offset) = (self.number + 1, 0);
        } else {
            self.offset += self.pending.len() as u64;
        }
        self.pending.clear();
        go_on
    }

    fn finish(mut self, take: &mut dyn FnMut(Line<'_>) -> bool) {
        if !self.pending.is_empty() {
            self.emit(true, take);
        }
    }
}
