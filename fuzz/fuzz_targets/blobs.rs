//! A part of a blob survives a round trip, and decoding any bytes as a part fails or yields the stated length.
#![no_main]

use forebay_store::blob::part::{BlobPart, decompress};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u32, &[u8])| {
    let (length, bytes) = input;
    let part = BlobPart::compress(bytes, 0, 1).unwrap();
    assert_eq!(decompress(&part.data, bytes.len()).unwrap(), bytes);
    let length = length as usize % (1 << 20);
    if let Ok(decoded) = decompress(bytes, length) {
        assert_eq!(decoded.len(), length);
    }
});
