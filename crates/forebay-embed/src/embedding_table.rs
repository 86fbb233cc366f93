//! The embedding table: a quantized row per token, read in place from the binary.
//!
//! The model is a `safetensors` file: eight bytes with the length of a JSON header, the header, then `scales`
//! (an `f16` per row) and `embeddings` (an `i8` row per token).
//!
//! `cargo xtask bench --only index` measures it.

use forebay_text::prefetch;

use crate::token_counter::TokenCount;

/// Components of a vector.
pub const DIMENSIONS: usize = 256;
/// Rows of the table; fits into a `u16`.
pub(crate) const ROWS: usize = 47_558;
/// Bytes of a cache line, and columns that are summed at a time.
const CACHE_LINE: usize = 64;
const FILE: &[u8; 12_270_236] = include_bytes!("../model/model.safetensors");
static MODEL: AlignedModel = AlignedModel { padding: [0; AlignedModel::PADDING], file: *FILE };

/// The model file, padded so that each row starts at a cache line.
#[repr(C, align(64))]
struct AlignedModel {
    padding: [u8; Self::PADDING],
    file: [u8; FILE.len()],
}

impl AlignedModel {
    const PADDING: usize = CACHE_LINE - (DATA_START + 2 * ROWS) % CACHE_LINE;
}

/// A row and the factor of its components.
pub(crate) type WeightedRow = (&'static [u8; DIMENSIONS], f32);

/// Replaces the contents of `weighted` by the rows of the tokens, each weighted by its scale and count.
pub(crate) fn weigh_rows(counts: &[TokenCount], weighted: &mut Vec<WeightedRow>) {
    weighted.clear();
    let Some((scales, rows)) = tensors() else { return };
    weighted.extend(counts.iter().map(|TokenCount { row, count }| {
        let row = usize::from(*row);
        // Rows are scattered over the table; prefetching overlaps their cache misses.
        rows[row].as_chunks::<CACHE_LINE>().0.iter().for_each(prefetch::fetch);
        // A scale has eleven significant bits, so the product is exact.
        (&rows[row], f16_to_f32(scales[row]) * f32::from(*count))
    }));
}

/// Returns the weighted sum of rows.
pub(crate) fn sum_rows(rows: &[WeightedRow]) -> [f32; DIMENSIONS] {
    let mut sum = [0.0; DIMENSIONS];
    add_rows(rows, &mut sum);
    sum
}

/// Sums rows with the widest available vector registers; the result does not depend on their width.
fn add_rows(rows: &[WeightedRow], sum: &mut [f32; DIMENSIONS]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        #[expect(unsafe_code, reason = "guarded by `is_x86_feature_detected!`")]
        unsafe {
            return add_rows_avx512(rows, sum);
        }
    } else if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "guarded by `is_x86_feature_detected!`")]
        unsafe {
            return add_rows_avx2(rows, sum);
        }
    }
    add_rows_in_chunks(rows, sum);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn add_rows_avx512(rows: &[WeightedRow], sum: &mut [f32; DIMENSIONS]) {
    add_rows_in_chunks(rows, sum);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_rows_avx2(rows: &[WeightedRow], sum: &mut [f32; DIMENSIONS]) {
    add_rows_in_chunks(rows, sum);
}

/// Sums a cache line of columns at a time, so that the sums stay in registers.
#[inline(always)]
#[allow(clippy::inline_always, reason = "compiled for the target features of its caller")]
#[allow(
    clippy::needless_range_loop,
    reason = "iterator adapters are not inlined into the target feature"
)]
fn add_rows_in_chunks(rows: &[WeightedRow], sum: &mut [f32; DIMENSIONS]) {
    let (columns, _) = sum.as_chunks_mut::<CACHE_LINE>();
    for (index, columns) in columns.iter_mut().enumerate() {
        let mut partial = [0.0; CACHE_LINE];
        for (row, weight) in rows {
            let (chunks, _) = row.as_chunks::<CACHE_LINE>();
            let chunk = &chunks[index];
            for at in 0..CACHE_LINE {
                partial[at] += f32::from(chunk[at].cast_signed()) * weight;
            }
        }
        *columns = partial;
    }
}

type Tensors = (&'static [[u8; 2]], &'static [[u8; DIMENSIONS]]);

/// Returns the scales and the rows.
fn tensors() -> Option<Tensors> {
    let (scales, rows) = MODEL.file.get(DATA_START..)?.split_at_checked(2 * ROWS)?;
    Some((scales.as_chunks().0, rows.as_chunks().0))
}

/// Converts a non-negative, finite `f16`.
fn f16_to_f32(bytes: [u8; 2]) -> f32 {
    // Both formats store the exponent above the fraction; only the exponent bias differs.
    const REBIAS: f32 = f32::from_bits((127 + 127 - 15) << 23);
    f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 13) * REBIAS
}

/// Offset of the tensors, after the header and its length.
const DATA_START: usize = match FILE.first_chunk() {
    Some(length) => length.len() + u64::from_le_bytes(*length) as usize,
    None => 0,
};

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn converts_f16_scales() {
        for (bits, number) in [
            (0, 0.0),
            (0x0001, 2.0_f32.powi(-24)),
            (0x3555, 0.333_251_95),
            (0x3c00, 1.0),
            (0x7bff, 65_504.0),
        ] {
            assert_eq!(
                f16_to_f32(u16::to_le_bytes(bits)).to_bits(),
                f32::to_bits(number),
                "{bits:x}"
            );
        }
        let (scales, _) = tensors().unwrap();
        assert!(scales.iter().all(|bytes| u16::from_le_bytes(*bytes) <= 0x7bff));
    }

    #[test]
    fn model_file_has_the_expected_layout() {
        let header: Value = serde_json::from_slice(&FILE[8..DATA_START]).unwrap();
        let tensor =
            |name: &str| (header[name]["shape"].clone(), header[name]["data_offsets"].clone());
        let rows = ROWS as u64;
        assert_eq!(header["embeddings"]["dtype"], "I8");
        assert_eq!(tensor("embeddings"), ([rows, 256].into(), [rows * 2, rows * 258].into()));
        assert_eq!(header["scales"]["dtype"], "F16");
        assert_eq!(tensor("scales"), ([rows].into(), [0, rows * 2].into()));
        assert_eq!(FILE.len() as u64, DATA_START as u64 + rows * 258);
        assert_eq!(tensors().unwrap().1.as_ptr().addr() % CACHE_LINE, 0);
    }
}
