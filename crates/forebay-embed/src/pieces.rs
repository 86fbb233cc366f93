//! A word as pieces of the vocabulary: the longest that fits first, then what continues it.

use std::sync::LazyLock;

use fst::Map;
use fst::raw::Output;

/// Longer words are cut, as the model's were.
const LONGEST_WORD: usize = 40;
const CONTINUATION: &[u8] = b"##";

/// Made by `build.rs`; looking at its header is all that happens when it is first used.
static VOCABULARY: LazyLock<Option<Map<&'static [u8]>>> = LazyLock::new(|| {
    Map::new(&include_bytes!(concat!(env!("OUT_DIR"), "/vocabulary.fst"))[..]).ok()
});

/// Adds the rows of a word's pieces to `rows`; none for a word that they do not cover.
pub(crate) fn of(word: &str, rows: &mut Vec<u32>) {
    let Some(vocabulary) = VOCABULARY.as_ref() else { return };
    let end = word.char_indices().nth(LONGEST_WORD).map_or(word.len(), |(end, _)| end);
    let (mut rest, before) = (&word.as_bytes()[..end], rows.len());
    while !rest.is_empty() {
        let prefix = if rows.len() == before { &b""[..] } else { CONTINUATION };
        let Some((row, length)) = longest(vocabulary, prefix, rest) else {
            rows.truncate(before);
            return;
        };
        rows.push(row);
        rest = &rest[length..];
    }
}

/// The longest piece that `text` begins with, in one walk, and its length.
fn longest(vocabulary: &Map<&[u8]>, prefix: &[u8], text: &[u8]) -> Option<(u32, usize)> {
    let map = vocabulary.as_fst();
    let (mut node, mut output) = (map.root(), Output::zero());
    let mut found = None;
    for (at, byte) in prefix.iter().chain(text).enumerate() {
        let Some(index) = node.find_input(*byte) else { break };
        let transition = node.transition(index);
        output = output.cat(transition.out);
        node = map.node(transition.addr);
        if node.is_final() && at >= prefix.len() {
            let row = output.cat(node.final_output()).value() as u32;
            found = Some((row, at + 1 - prefix.len()));
        }
    }
    found
}
