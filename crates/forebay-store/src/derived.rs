//! Values derived from file contents: compressed, and evicted by least recent use.

use crate::working_set::{DerivedKey, DerivedValue};

/// Made to be read again soon, so quickly packed.
const COMPRESSION_LEVEL: i32 = 1;
/// A use is written down when so many newer ones are: reading stays reading, nearly always.
pub const USES_APART: i64 = 256;

/// Something made, ready to be written.
pub struct CompressedValue {
    pub key: DerivedKey,
    pub value: Vec<u8>,
}

/// Packs outside of any transaction. What cannot be packed is not kept: it can be made again.
pub fn packed(made: &[DerivedValue]) -> Vec<CompressedValue> {
    let pack = |derived: &DerivedValue| {
        let value = zstd::stream::encode_all(derived.value.as_slice(), COMPRESSION_LEVEL).ok()?;
        Some(CompressedValue { key: derived.key, value })
    };
    made.iter().filter_map(pack).collect()
}

/// What cannot be unpacked is made again.
pub fn unpacked(value: &[u8]) -> Option<Vec<u8>> {
    zstd::stream::decode_all(value).ok()
}
