//! Compression of a blob's parts: each has [`PART_BYTES`] and is an independent zstd frame, so that a line in the
//! middle of a large blob is read without decompressing the rest. The engines store the parts as rows.

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
        Ok(Self { start, line, bytes: raw.len() as u64, data: compress(raw)? })
    }
}

/// Decompresses a part of `bytes` raw bytes.
pub fn decompress(data: &[u8], bytes: usize) -> io::Result<Vec<u8>> {
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
