//! Archives as bytes: one zstd stream, written and read piece by piece.

use std::io::{self, BufReader, Read, Write};

const LEVEL: i32 = 6;
/// What reading one may take in memory is at most two to this power.
const MOST_WINDOW: u32 = 27;
/// How every archive begins.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Whether bytes begin like an archive.
pub fn begins_like_one(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Packs what is written into it.
pub struct Packer<W: Write>(zstd::Encoder<'static, W>);

impl<W: Write> Packer<W> {
    pub fn new(out: W) -> io::Result<Self> {
        let mut encoder = zstd::Encoder::new(out, LEVEL)?;
        encoder.include_checksum(true)?;
        Ok(Self(encoder))
    }

    /// Ends the stream; without it the archive is cut off.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

impl<W: Write> Write for Packer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The unpacked bytes of an archive.
pub fn unpack(packed: impl Read) -> io::Result<impl Read> {
    let mut decoder = zstd::Decoder::with_buffer(BufReader::new(packed))?;
    decoder.window_log_max(MOST_WINDOW)?;
    Ok(decoder.single_frame())
}
