//! Passages joined are the text, whatever it is and however it arrives.
#![no_main]

use forebay_text::chunk::{Chunker, MAX_BYTES};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|pieces: Vec<&[u8]>| {
    let mut joined = Vec::new();
    let mut take = |passage: forebay_text::chunk::Chunk| {
        assert!(!passage.bytes.is_empty() && passage.bytes.len() <= MAX_BYTES);
        assert_eq!(passage.start, joined.len() as u64);
        joined.extend_from_slice(&passage.bytes);
    };
    let mut chunker = Chunker::default();
    for piece in &pieces {
        chunker.push(piece, &mut take);
    }
    chunker.finish(&mut take);
    assert_eq!(joined, pieces.concat());
});
