//! WordPiece tokenization: greedy longest-match-first lookup in the vocabulary.

use forebay_text::prefetch;

use crate::vocab_hash::{self, PREFIX_BYTES, RollingHash, SLOTS};

/// Longer words are truncated, as they were when the model was trained.
const MAX_WORD_CHARS: usize = 40;
const MAX_TOKEN_BYTES: usize = Lengths::BITS as usize;
/// Prefix of the tokens that continue a word.
const CONTINUATION: &[u8; 2] = b"##";

// Built by `build.rs`.
static TOKEN_SLOTS: CacheAligned<{ size_of::<u64>() * SLOTS }> =
    CacheAligned(*include_bytes!(concat!(env!("OUT_DIR"), "/token_slots")));
static TOKEN_LENGTHS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/token_lengths"));

/// Bytes aligned so that no slot crosses a cache line.
#[repr(align(64))]
struct CacheAligned<const BYTES: usize>([u8; BYTES]);

/// Appends the rows of a word's tokens to `rows`; appends nothing if the vocabulary does not cover the word.
pub(crate) fn tokenize(word: &str, rows: &mut Vec<u16>) {
    let (mut rest, before) = (truncated(word).as_bytes(), rows.len());
    while !rest.is_empty() {
        let is_first = rows.len() == before;
        let token =
            if is_first { longest_token(b"", rest) } else { longest_token(CONTINUATION, rest) };
        let Some((row, length)) = token else {
            rows.truncate(before);
            return;
        };
        rows.push(row);
        rest = &rest[length..];
    }
}

fn truncated(word: &str) -> &str {
    if word.len() <= MAX_WORD_CHARS {
        return word;
    }
    let end = word.char_indices().nth(MAX_WORD_CHARS).map_or(word.len(), |(end, _)| end);
    &word[..end]
}

/// Finds the longest token that `text` starts with; returns its row and its length without the marker.
fn longest_token<const MARKER: usize>(marker: &[u8; MARKER], text: &[u8]) -> Option<(u16, usize)> {
    let mut hashes = [RollingHash::EMPTY; MAX_TOKEN_BYTES];
    let mut hash = marker.iter().copied().fold(RollingHash::EMPTY, RollingHash::push);
    for (byte, prefix) in text.iter().zip(&mut hashes) {
        hash = hash.push(*byte);
        *prefix = hash;
    }
    // Most words are a single token: prefetch its slot while the lengths are loaded.
    prefetch::fetch(&slots()[hash.slot()]);
    let mut lengths = lengths_up_to(text.len());
    if text.len() >= PREFIX_BYTES {
        lengths &= lengths_for_prefix(hashes[PREFIX_BYTES - 1]);
    }
    while lengths > 0 {
        let length = max_length(lengths);
        if let Some(row) = find_row(hashes[length - 1]) {
            return Some((row, length));
        }
        lengths ^= 1 << (length - 1);
    }
    None
}

/// A set of token lengths: a bit per length, the lowest for 1.
type Lengths = u32;

fn lengths_up_to(length: usize) -> Lengths {
    let excluded = MAX_TOKEN_BYTES.saturating_sub(length) as u32;
    Lengths::MAX.checked_shr(excluded).unwrap_or_default()
}

fn max_length(lengths: Lengths) -> usize {
    (Lengths::BITS - lengths.leading_zeros()) as usize
}

/// Returns the lengths of the tokens whose prefix has this hash.
fn lengths_for_prefix(prefix: RollingHash) -> Lengths {
    let (lengths, _) = TOKEN_LENGTHS.as_chunks();
    // The table does not have tokens that are shorter than the prefix.
    Lengths::from_le_bytes(lengths[prefix.prefix_slot()]) | lengths_up_to(PREFIX_BYTES - 1)
}

/// Finds the row of the token with this hash, which covers its marker.
fn find_row(hash: RollingHash) -> Option<u16> {
    let slots = slots();
    let mut slot = hash.slot();
    loop {
        let packed = u64::from_le_bytes(slots[slot]);
        let row = (packed as u16).checked_sub(1)?;
        if packed >> u16::BITS == hash.fingerprint() {
            return Some(row);
        }
        slot = vocab_hash::next_slot(slot);
    }
}

fn slots() -> &'static [[u8; size_of::<u64>()]] {
    TOKEN_SLOTS.0.as_chunks().0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_token_of_the_vocabulary() {
        for (text, row) in include_str!("../model/vocab.txt").lines().zip(0..) {
            let (found, token) = match text.strip_prefix("##").filter(|token| !token.is_empty()) {
                Some(token) => (longest_token(CONTINUATION, token.as_bytes()), token),
                None => (longest_token(b"", text.as_bytes()), text),
            };
            assert_eq!(found, Some((row, token.len())), "{text}");
        }
    }

    #[test]
    fn prefers_the_longest_token() {
        let tokens = |word: &str| {
            let mut rows = Vec::new();
            tokenize(word, &mut rows);
            let text = |row: u16| include_str!("../model/vocab.txt").lines().nth(row.into());
            rows.into_iter().map(|row| text(row).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(tokens("parser"), ["parser"]);
        assert_eq!(tokens(""), [""; 0]);
        assert_eq!(tokens("\u{1f980}"), [""; 0]);
    }
}
