//! A word as pieces of the vocabulary: the longest that fits first, then what continues it.

use forebay_text::prefetch;

use crate::hash::{self, Hash, OPENING};

/// Longer words are cut, as the model's were.
const LONGEST_WORD: usize = 40;
/// No piece has more bytes.
const LONGEST_PIECE: usize = Lengths::BITS as usize;
/// What pieces begin with that continue a word.
const CONTINUATION: &[u8; 2] = b"##";

// Made by `build.rs`; nothing happens when they are first used.
static PLACES: Lined<{ size_of::<u64>() * hash::PLACES }> =
    Lined(*include_bytes!(concat!(env!("OUT_DIR"), "/places")));
static LENGTHS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/lengths"));

/// Bytes so placed that no number among them lies in two lines of the processor's memory.
#[repr(align(64))]
struct Lined<const BYTES: usize>([u8; BYTES]);

/// Adds the rows of a word's pieces to `rows`; none for a word that they do not cover.
pub(crate) fn of(word: &str, rows: &mut Vec<u16>) {
    let (mut rest, before) = (cut(word).as_bytes(), rows.len());
    while !rest.is_empty() {
        let is_first = rows.len() == before;
        let found = if is_first { longest(b"", rest) } else { longest(CONTINUATION, rest) };
        let Some((row, length)) = found else {
            rows.truncate(before);
            return;
        };
        rows.push(row);
        rest = &rest[length..];
    }
}

fn cut(word: &str) -> &str {
    if word.len() <= LONGEST_WORD {
        return word;
    }
    let end = word.char_indices().nth(LONGEST_WORD).map_or(word.len(), |(end, _)| end);
    &word[..end]
}

/// The longest piece that `text` begins with, and its length.
fn longest<const MARK: usize>(mark: &[u8; MARK], text: &[u8]) -> Option<(u16, usize)> {
    let mut hashes = [Hash::EMPTY; LONGEST_PIECE];
    let mut hash = mark.iter().copied().fold(Hash::EMPTY, Hash::and);
    for (byte, known) in text.iter().zip(&mut hashes) {
        hash = hash.and(*byte);
        *known = hash;
    }
    // Most words are a piece as a whole; it comes while the lengths are waited for.
    prefetch::fetch(&places()[hash.place()]);
    let mut lengths = up_to(text.len());
    if text.len() >= OPENING {
        lengths &= lengths_of(hashes[OPENING - 1]);
    }
    while lengths > 0 {
        let length = longest_of(lengths);
        if let Some(row) = find(hashes[length - 1]) {
            return Some((row, length));
        }
        lengths ^= 1 << (length - 1);
    }
    None
}

/// Lengths that a piece may have: a bit each, the lowest for 1.
type Lengths = u32;

fn up_to(length: usize) -> Lengths {
    let beyond = LONGEST_PIECE.saturating_sub(length) as u32;
    Lengths::MAX.checked_shr(beyond).unwrap_or_default()
}

fn longest_of(lengths: Lengths) -> usize {
    (Lengths::BITS - lengths.leading_zeros()) as usize
}

/// The lengths of pieces that begin with an opening of this hash.
fn lengths_of(opening: Hash) -> Lengths {
    let (lengths, _) = LENGTHS.as_chunks();
    // Pieces too short to have an opening are not among them.
    Lengths::from_le_bytes(lengths[opening.opening()]) | up_to(OPENING - 1)
}

/// The row of the piece that has this hash together with its mark.
fn find(hash: Hash) -> Option<u16> {
    let places = places();
    let mut place = hash.place();
    loop {
        let there = u64::from_le_bytes(places[place]);
        let row = (there as u16).checked_sub(1)?;
        if there >> u16::BITS == hash.check() {
            return Some(row);
        }
        place = hash::next(place);
    }
}

fn places() -> &'static [[u8; size_of::<u64>()]] {
    PLACES.0.as_chunks().0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_found() {
        for (text, row) in include_str!("../model/vocab.txt").lines().zip(0..) {
            let (found, piece) = match text.strip_prefix("##").filter(|piece| !piece.is_empty()) {
                Some(piece) => (longest(CONTINUATION, piece.as_bytes()), piece),
                None => (longest(b"", text.as_bytes()), text),
            };
            assert_eq!(found, Some((row, piece.len())), "{text}");
        }
    }

    #[test]
    fn the_longest_piece_that_fits_comes_first() {
        let cut = |word: &str| {
            let mut rows = Vec::new();
            of(word, &mut rows);
            let text = |row: u16| include_str!("../model/vocab.txt").lines().nth(row.into());
            rows.into_iter().map(|row| text(row).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(cut("parser"), ["parser"]);
        assert_eq!(cut(""), [""; 0]);
        assert_eq!(cut("\u{1f980}"), [""; 0]);
    }
}
