//! The rows of the model, where they lie in the binary.
//!
//! The file is a `safetensors`: eight bytes with the length of a JSON header, the header, then
//! `scales` (a 16-bit float a row) and `embeddings` (a row of bytes each).

use half::f16;

pub(crate) const WIDTH: usize = 256;
const ROWS: usize = 47_558;
const COLUMNS: usize = 64;
/// Places to find a row again; twice as many as a text has pieces.
const PLACES: usize = 1_024;

static MODEL: &[u8] = include_bytes!("../model/model.safetensors");

/// The sum of rows, each as often as it is named.
pub(crate) fn sum(rows: &[u32]) -> [f32; WIDTH] {
    // A row that comes twice is read once: half of the words of a text are repeated.
    let mut places = [0_u16; PLACES];
    let mut weighed: Vec<(&[u8; WIDTH], f32)> = Vec::with_capacity(rows.len());
    let mut first: Vec<(u32, f32)> = Vec::with_capacity(rows.len());
    for row in rows {
        let mut place = row.wrapping_mul(0x9e37_79b9) as usize >> (u32::BITS - PLACES.ilog2());
        while places[place] > 0 && first[places[place] as usize - 1].0 != *row {
            place = (place + 1) % PLACES;
        }
        if places[place] > 0 {
            let at = places[place] as usize - 1;
            weighed[at].1 += first[at].1;
        } else if let Some((numbers, scale)) = row_of(*row as usize) {
            first.push((*row, scale));
            weighed.push((numbers, scale));
            places[place] = first.len() as u16;
        }
    }
    let mut sum = [0.0; WIDTH];
    add_up(&weighed, &mut sum);
    sum
}

/// Adds rows up in the widest registers that the processor has; the sums are the same in any.
fn add_up(rows: &[(&[u8; WIDTH], f32)], sum: &mut [f32; WIDTH]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the processor was asked")]
        unsafe {
            return add_up_wide(rows, sum);
        }
    }
    add_up_plain(rows, sum);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_up_wide(rows: &[(&[u8; WIDTH], f32)], sum: &mut [f32; WIDTH]) {
    add_up_plain(rows, sum);
}

/// A few columns at a time, so that their sums stay in registers.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is made for the registers of its caller")]
#[allow(clippy::needless_range_loop, reason = "an adapter of iterators is a function of its own")]
fn add_up_plain(rows: &[(&[u8; WIDTH], f32)], sum: &mut [f32; WIDTH]) {
    let (columns, _) = sum.as_chunks_mut::<COLUMNS>();
    for (number, columns) in columns.iter_mut().enumerate() {
        let mut own = [0.0; COLUMNS];
        for (row, weight) in rows {
            let (parts, _) = row.as_chunks::<COLUMNS>();
            let part = &parts[number];
            for at in 0..COLUMNS {
                own[at] += f32::from(part[at].cast_signed()) * weight;
            }
        }
        *columns = own;
    }
}

fn row_of(row: usize) -> Option<(&'static [u8; WIDTH], f32)> {
    let data = MODEL.get(data_start()..)?;
    let (scales, numbers) = data.split_at_checked(ROWS * 2)?;
    let scale = scales.get(2 * row..2 * row + 2)?.try_into().ok()?;
    Some((numbers.get(row * WIDTH..)?.first_chunk()?, f16::from_le_bytes(scale).to_f32()))
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
