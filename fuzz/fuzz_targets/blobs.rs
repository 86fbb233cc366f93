//! A part of a blob survives a round trip, and decoding any bytes as a part fails or yields the stated length.
#![no_main]

use forebay_store::blob::part::{BlobPart, PART_BYTES, StoredPart};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u64, u64, u64, &[u8])| {
    let (start, line, length, bytes) = input;
    let line = if start == 0 { 1 } else { line };
    let raw = &bytes[..bytes.len().min(PART_BYTES)];
    let part = BlobPart::compress(raw, start, line).unwrap();
    let stored = StoredPart { start, line, bytes: part.bytes, data: &part.data };
    assert_eq!(stored.decode().as_deref(), Some(raw));
    let any = StoredPart { start, line, bytes: length % (2 * PART_BYTES as u64), data: bytes };
    if let Some(decoded) = any.decode() {
        assert_eq!(decoded.len() as u64, any.bytes);
    }
});
