//! Concatenated chunks equal the text, for any text and any split of the input.
#![no_main]

use forebay_text::chunk::{Chunk, Chunker, MAX_BYTES};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|pieces: Vec<&[u8]>| {
    let mut joined = Vec::new();
    let mut append = |chunk: Chunk| {
        assert!(!chunk.bytes.is_empty() && chunk.bytes.len() <= MAX_BYTES);
        assert_eq!(chunk.start, joined.len() as u64);
        joined.extend_from_slice(&chunk.bytes);
    };
    let mut chunker = Chunker::default();
    for piece in &pieces {
        chunker.push(piece, &mut append);
    }
    chunker.finish(&mut append);
    assert_eq!(joined, pieces.concat());
});
