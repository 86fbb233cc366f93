//! Plain text, split at line ends and blank lines as it streams.

use super::{Chunk, MAX_BYTES, TARGET_BYTES};

/// Size from which a blank line closes a chunk.
const PARAGRAPH_BYTES: usize = 800;

/// Splits a byte stream into chunks; concatenated, they are the stream.
#[derive(Debug)]
pub struct Chunker {
    start: u64,
    first_line: u64,
    /// Line number of the next byte.
    line: u64,
    pending: Vec<u8>,
}

impl Default for Chunker {
    fn default() -> Self {
        Self::starting_at(0, 1)
    }
}

impl Chunker {
    /// Continues in a text whose earlier part is already chunked.
    pub fn starting_at(start: u64, line: u64) -> Self {
        Self { start, first_line: line, line, pending: Vec::new() }
    }

    /// Offset and line of the first byte not in a chunk yet.
    pub fn position(&self) -> (u64, u64) {
        (self.start, self.first_line)
    }

    /// Consumes bytes and passes each complete chunk to `emit`.
    pub fn push(&mut self, mut bytes: &[u8], emit: &mut impl FnMut(Chunk)) {
        while !bytes.is_empty() {
            let (line, complete) = match memchr::memchr(b'\n', bytes) {
                Some(at) => (&bytes[..=at], true),
                None => (bytes, false),
            };
            bytes = &bytes[line.len()..];
            self.push_piece(line, complete, emit);
        }
    }

    /// Emits the last chunk.
    pub fn finish(mut self, emit: &mut impl FnMut(Chunk)) {
        self.close(emit);
    }

    fn push_piece(&mut self, mut piece: &[u8], complete: bool, emit: &mut impl FnMut(Chunk)) {
        while self.pending.len() + piece.len() > MAX_BYTES {
            let room = char_boundary(piece, MAX_BYTES - self.pending.len());
            if room == 0 {
                self.close(emit);
                continue;
            }
            self.pending.extend_from_slice(&piece[..room]);
            piece = &piece[room..];
            self.close(emit);
        }
        self.pending.extend_from_slice(piece);
        if complete {
            self.line += 1;
            let blank = piece.iter().all(u8::is_ascii_whitespace);
            let enough = if blank { PARAGRAPH_BYTES } else { TARGET_BYTES };
            if self.pending.len() >= enough {
                self.close(emit);
            }
        }
    }

    fn close(&mut self, emit: &mut impl FnMut(Chunk)) {
        let bytes = std::mem::take(&mut self.pending);
        if bytes.is_empty() {
            return;
        }
        let ends_line = bytes.ends_with(b"\n");
        let last_line = if ends_line { self.line - 1 } else { self.line };
        let chunk = Chunk { start: self.start, lines: (self.first_line, last_line), bytes };
        self.start += chunk.bytes.len() as u64;
        self.first_line = self.line;
        emit(chunk);
    }
}

/// The last offset at or before `at` that does not split a UTF-8 character.
fn char_boundary(bytes: &[u8], at: usize) -> usize {
    let continues = |index: usize| bytes.get(index).is_some_and(|byte| byte & 0xC0 == 0x80);
    (at.saturating_sub(3)..=at).rev().find(|index| !continues(*index)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chunks(pieces: &[&[u8]]) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        let mut chunker = Chunker::default();
        for piece in pieces {
            chunker.push(piece, &mut |chunk| chunks.push(chunk));
        }
        chunker.finish(&mut |chunk| chunks.push(chunk));
        chunks
    }

    #[test]
    fn a_short_text_is_one_chunk() {
        let chunks = chunks(&[b"one\ntwo\n"]);
        assert_eq!(chunks.len(), 1);
        assert_eq!(chunks[0].lines, (1, 2));
    }

    #[test]
    fn splits_long_lines_between_characters() {
        let text = "ä".repeat(MAX_BYTES);
        let chunks = chunks(&[text.as_bytes()]);
        assert!(chunks.len() > 1);
        for chunk in chunks {
            assert!(std::str::from_utf8(&chunk.bytes).is_ok());
            assert_eq!(chunk.lines, (1, 1));
        }
    }

    proptest! {
        #[test]
        fn chunks_concatenate_to_the_stream(
            pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3_000), 0..8),
            lines in prop::collection::vec("[a-zäß ]{0,200}\n", 0..60),
        ) {
            let mut all = pieces;
            all.push(lines.concat().into_bytes());
            let slices: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
            let whole: Vec<u8> = all.concat();
            let mut expected_start = 0;
            let mut joined = Vec::new();
            for chunk in chunks(&slices) {
                prop_assert!(!chunk.bytes.is_empty() && chunk.bytes.len() <= MAX_BYTES);
                prop_assert_eq!(chunk.start, expected_start);
                let before = whole[..expected_start as usize].split(|b| *b == b'\n').count() - 1;
                prop_assert_eq!(chunk.lines.0, before as u64 + 1);
                expected_start += chunk.bytes.len() as u64;
                joined.extend_from_slice(&chunk.bytes);
            }
            prop_assert_eq!(joined, whole);
        }
    }
}
