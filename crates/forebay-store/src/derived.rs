//! Values derived from file contents: compressed, with LRU eviction.

use std::io::{self, Write as _};

use crate::blob::part::CHECKSUM_FLAG;
use crate::working_set::{DerivedKey, DerivedValue};

/// Fast: values are read again soon.
const COMPRESSION_LEVEL: i32 = 1;
/// The time of use is updated only if it lags this many uses behind, so that most reads write
/// nothing.
pub const USE_UPDATE_INTERVAL: i64 = 256;

/// A value ready to be written.
pub struct CompressedValue {
    pub key: DerivedKey,
    pub value: Vec<u8>,
}

/// Compresses values outside of any transaction; skips those that fail, since they can be
/// recomputed.
pub fn compress(values: &[DerivedValue]) -> Vec<CompressedValue> {
    let compress = |derived: &DerivedValue| {
        let value = compress_checked(&derived.value).ok()?;
        Some(CompressedValue { key: derived.key, value })
    };
    values.iter().filter_map(compress).collect()
}

fn compress_checked(value: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), COMPRESSION_LEVEL)?;
    encoder.include_checksum(true)?;
    encoder.write_all(value)?;
    encoder.finish()
}

/// Returns None if the value is damaged or has no checksum; the caller recomputes it.
pub fn decompress(value: &[u8]) -> Option<Vec<u8>> {
    let has_checksum = value.get(4).is_some_and(|descriptor| descriptor & CHECKSUM_FLAG != 0);
    if has_checksum { zstd::stream::decode_all(value).ok() } else { None }
}
