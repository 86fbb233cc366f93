//! Values derived from file contents: compressed, with LRU eviction.

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
        let value = zstd::stream::encode_all(derived.value.as_slice(), COMPRESSION_LEVEL).ok()?;
        Some(CompressedValue { key: derived.key, value })
    };
    values.iter().filter_map(compress).collect()
}

/// Returns None if the value is damaged; the caller recomputes it.
pub fn decompress(value: &[u8]) -> Option<Vec<u8>> {
    zstd::stream::decode_all(value).ok()
}
