//! Archives: one zstd frame with a checksum, written and read as a stream.

use std::io::{self, BufReader, Read, Write};

const COMPRESSION_LEVEL: i32 = 6;
/// Upper bound on the memory a reader may need: two to this power bytes.
const MAX_WINDOW_LOG: u32 = 27;
/// The zstd magic number.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Returns whether the bytes start with the zstd magic number.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Compresses what is written into it.
pub struct ArchiveWriter<W: Write>(zstd::Encoder<'static, W>);

impl<W: Write> ArchiveWriter<W> {
    pub fn new(out: W) -> io::Result<Self> {
        let mut encoder = zstd::Encoder::new(out, COMPRESSION_LEVEL)?;
        encoder.include_checksum(true)?;
        Ok(Self(encoder))
    }

    /// Ends the frame; without this call the archive is truncated.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

impl<W: Write> Write for ArchiveWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns a reader of the decompressed bytes of an archive.
pub fn read_archive(archive: impl Read) -> io::Result<impl Read> {
    let mut decoder = zstd::Decoder::with_buffer(BufReader::new(archive))?;
    decoder.window_log_max(MAX_WINDOW_LOG)?;
    Ok(decoder.single_frame())
}
