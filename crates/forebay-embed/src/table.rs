//! The rows of the model, where they lie in the binary.
//!
//! The file is a `safetensors`: eight bytes with the length of a JSON header, the header, then
//! `scales` (a 16-bit float a row) and `embeddings` (a row of bytes each).

use half::f16;

pub(crate) const WIDTH: usize = 256;
const ROWS: usize = 47_558;

static MODEL: &[u8] = include_bytes!("../model/model.safetensors");

/// Adds a row of the table to `sum`.
pub(crate) fn add_row(row: u32, sum: &mut [f32; WIDTH]) {
    let Some((numbers, scale)) = row_of(row as usize) else { return };
    for (sum, number) in sum.iter_mut().zip(numbers) {
        *sum += f32::from(number.cast_signed()) * scale;
    }
}

fn row_of(row: usize) -> Option<(&'static [u8], f32)> {
    let data = MODEL.get(data_start()..)?;
    let (scales, numbers) = data.split_at_checked(ROWS * 2)?;
    let scale = scales.get(2 * row..2 * row + 2)?.try_into().ok()?;
    Some((numbers.get(row * WIDTH..(row + 1) * WIDTH)?, f16::from_le_bytes(scale).to_f32()))
}

fn data_start() -> usize {
    let length = MODEL.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    8 + length as usize
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_file_is_laid_out_as_it_is_read() {
        let header: Value = serde_json::from_slice(&MODEL[8..data_start()]).unwrap();
        let tensor =
            |name: &str| (header[name]["shape"].clone(), header[name]["data_offsets"].clone());
        let rows = ROWS as u64;
        assert_eq!(header["embeddings"]["dtype"], "I8");
        assert_eq!(tensor("embeddings"), ([rows, 256].into(), [rows * 2, rows * 258].into()));
        assert_eq!(header["scales"]["dtype"], "F16");
        assert_eq!(tensor("scales"), ([rows].into(), [0, rows * 2].into()));
        assert_eq!(MODEL.len() as u64, data_start() as u64 + rows * 258);
    }
}
