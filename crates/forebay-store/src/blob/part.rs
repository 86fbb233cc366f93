//! Compression of a blob's parts: each has [`PART_BYTES`] and is an independent zstd frame, so that a line in the
//! middle of a large blob is read without decompressing the rest. The engines store the parts as rows.
//!
//! A frame carries a checksum of its text. Every part but the first also repeats its position in a skippable frame,
//! because a damaged row may have the right text in the wrong place. Parts of stores that were written before that
//! have neither; only the content's hash covers these.

use std::cell::RefCell;
use std::io;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, compress_bound};

/// Raw bytes per part: small enough to read a chunk cheaply, large enough to compress well.
pub const PART_BYTES: usize = 32 * 1024;
/// Negative levels skip entropy coding of literals, which would take 50% longer and save 25%.
const COMPRESSION_LEVEL: i32 = -1;
/// Minimum match length; 5 would take 12% longer and save 5%.
const MIN_MATCH: u32 = 6;
/// Set in the descriptor of a zstd frame, after its magic number, if the frame has a checksum.
pub(crate) const CHECKSUM_FLAG: u8 = 0b100;
/// Header of the skippable frame that repeats the position: zstd's first magic number for such frames, and the size.
const POSITION_HEADER: [u8; 8] = [0x50, 0x2A, 0x4D, 0x18, 16, 0, 0, 0];
/// The header, the start and the line.
const POSITION_BYTES: usize = 24;

thread_local! {
    // The codecs' tables are larger than most texts, so each thread allocates them once.
    static COMPRESSOR: RefCell<Option<PartCompressor>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// A compressed part, ready to be written.
pub struct BlobPart {
    /// Offset of its first byte in the blob.
    pub start: u64,
    /// Line number of its first byte, counted from 1.
    pub line: u64,
    /// Uncompressed size.
    pub bytes: u64,
    pub data: Vec<u8>,
}

impl BlobPart {
    pub fn compress(raw: &[u8], start: u64, line: u64) -> io::Result<Self> {
        let mut data = compress(raw)?;
        if start > 0 {
            data.extend(position_frame(start, line));
        }
        Ok(Self { start, line, bytes: raw.len() as u64, data })
    }
}

/// A part as an engine stored it.
#[derive(Debug, Clone, Copy)]
pub struct StoredPart<'row> {
    pub start: u64,
    pub line: u64,
    pub bytes: u64,
    pub data: &'row [u8],
}

impl StoredPart<'_> {
    /// Decompresses the part; None if it is damaged.
    pub fn decode(&self) -> Option<Vec<u8>> {
        // A damaged size must not allocate more than a part has.
        let bytes = usize::try_from(self.bytes).ok().filter(|bytes| *bytes <= PART_BYTES)?;
        let raw = decompress(self.data, bytes).ok()?;
        (raw.len() == bytes && self.is_in_place()).then_some(raw)
    }

    /// Whether the row's position is the one that was written.
    fn is_in_place(&self) -> bool {
        if self.start == 0 {
            return self.line == 1;
        }
        let split = self.data.len().saturating_sub(POSITION_BYTES);
        let has_checksum = self.data.get(4).is_some_and(|flags| flags & CHECKSUM_FLAG != 0);
        !has_checksum || self.data[split..] == position_frame(self.start, self.line)
    }
}

fn position_frame(start: u64, line: u64) -> [u8; POSITION_BYTES] {
    let mut frame = [0; POSITION_BYTES];
    frame[..8].copy_from_slice(&POSITION_HEADER);
    frame[8..16].copy_from_slice(&start.to_le_bytes());
    frame[16..].copy_from_slice(&line.to_le_bytes());
    frame
}

fn decompress(data: &[u8], bytes: usize) -> io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|decompressor| {
        if decompressor.is_none() {
            *decompressor = Some(Decompressor::new()?);
        }
        match decompressor {
            Some(decompressor) => decompressor.decompress(data, bytes),
            None => zstd::bulk::decompress(data, bytes),
        }
    })
}

fn compress(raw: &[u8]) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|compressor| match compressor {
        Some(compressor) => compressor.compress(raw),
        None => compressor.insert(PartCompressor::new()?).compress(raw),
    })
}

/// A compressor with a reused output buffer.
struct PartCompressor {
    compressor: Compressor<'static>,
    buffer: Vec<u8>,
}

impl PartCompressor {
    fn new() -> io::Result<Self> {
        let mut compressor = Compressor::new(COMPRESSION_LEVEL)?;
        compressor.set_parameter(CParameter::MinMatch(MIN_MATCH))?;
        compressor.set_parameter(CParameter::ChecksumFlag(true))?;
        Ok(Self { compressor, buffer: Vec::new() })
    }

    fn compress(&mut self, raw: &[u8]) -> io::Result<Vec<u8>> {
        let bound = compress_bound(raw.len());
        if self.buffer.len() < bound {
            self.buffer.resize(bound, 0);
        }
        let bytes = self.compressor.compress_to_buffer(raw, &mut self.buffer[..])?;
        Ok(self.buffer[..bytes].to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(part: &BlobPart) -> StoredPart<'_> {
        StoredPart { start: part.start, line: part.line, bytes: part.bytes, data: &part.data }
    }

    #[test]
    fn a_part_is_decoded_only_if_nothing_was_changed() {
        let raw = b"one line of a log\nanother line of a log\n".repeat(20);
        for start in [0, PART_BYTES as u64] {
            let line = 1 + start;
            let part = BlobPart::compress(&raw, start, line).unwrap();
            assert_eq!(stored(&part).decode().as_deref(), Some(&*raw));
            for bit in 0..part.data.len() * 8 {
                let mut data = part.data.clone();
                data[bit / 8] ^= 1 << (bit % 8);
                let read = StoredPart { data: &data, ..stored(&part) }.decode();
                assert!(read.is_none_or(|read| read == raw), "bit {bit} of the part at {start}");
            }
            assert!(StoredPart { start: start ^ 64, ..stored(&part) }.decode().is_none());
            assert!(StoredPart { line: line + 1, ..stored(&part) }.decode().is_none());
            for bytes in [0, 1, part.bytes - 1, part.bytes + 1, u64::MAX] {
                assert!(StoredPart { bytes, ..stored(&part) }.decode().is_none());
            }
        }
    }

    #[test]
    fn a_part_of_an_older_store_is_decoded() {
        let data = zstd::bulk::compress(b"old", COMPRESSION_LEVEL).unwrap();
        let part = StoredPart { start: PART_BYTES as u64, line: 9, bytes: 3, data: &data };
        assert_eq!(part.decode().as_deref(), Some(&b"old"[..]));
    }
}
