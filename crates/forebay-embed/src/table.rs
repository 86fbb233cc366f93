//! The rows of the model, where they lie in the binary.
//!
//! The file is a `safetensors`: eight bytes with the length of a JSON header, the header, then
//! `scales` (a 16-bit float a row) and `embeddings` (a row of bytes each).

use forebay_text::prefetch;

use crate::tally::Counted;

pub(crate) const WIDTH: usize = 256;
/// A number of 16 bits names a row.
pub(crate) const ROWS: usize = 47_558;
/// Bytes that the processor fetches at once; so many columns are added up at a time.
const LINE: usize = 64;
const FILE: &[u8; 12_270_236] = include_bytes!("../model/model.safetensors");
static MODEL: Model = Model { before: [0; Model::BEFORE], file: *FILE };

/// The file, so placed that each row lies in no more lines than it fills.
#[repr(C, align(64))]
struct Model {
    before: [u8; Self::BEFORE],
    file: [u8; FILE.len()],
}

impl Model {
    const BEFORE: usize = LINE - (DATA_START + 2 * ROWS) % LINE;
}

/// A row and what each of its numbers is multiplied with.
pub(crate) type Weighed = (&'static [u8; WIDTH], f32);

/// Rows, each as often as it is counted, in place of what is in `weighed`.
pub(crate) fn weigh(counted: &[Counted], weighed: &mut Vec<Weighed>) {
    weighed.clear();
    let Some((scales, rows)) = tensors() else { return };
    weighed.extend(counted.iter().map(|Counted { row, times }| {
        let row = usize::from(*row);
        // Rows lie all over the table; of none that is waited for the next would be on its way.
        rows[row].as_chunks::<LINE>().0.iter().for_each(prefetch::fetch);
        // A scale has eleven bits, so the product is exact.
        (&rows[row], scale(scales[row]) * f32::from(*times))
    }));
}

/// The sum of rows.
pub(crate) fn sum(rows: &[Weighed]) -> [f32; WIDTH] {
    let mut sum = [0.0; WIDTH];
    add_up(rows, &mut sum);
    sum
}

/// Adds rows up in the widest registers that the processor has; the sums are the same in any.
fn add_up(rows: &[Weighed], sum: &mut [f32; WIDTH]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        #[expect(unsafe_code, reason = "the processor was asked")]
        unsafe {
            return add_up_widest(rows, sum);
        }
    } else if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the processor was asked")]
        unsafe {
            return add_up_wide(rows, sum);
        }
    }
    add_up_plain(rows, sum);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn add_up_widest(rows: &[Weighed], sum: &mut [f32; WIDTH]) {
    add_up_plain(rows, sum);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_up_wide(rows: &[Weighed], sum: &mut [f32; WIDTH]) {
    add_up_plain(rows, sum);
}

/// A few columns at a time, so that their sums stay in registers.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is made for the registers of its caller")]
#[allow(clippy::needless_range_loop, reason = "an adapter of iterators is a function of its own")]
fn add_up_plain(rows: &[Weighed], sum: &mut [f32; WIDTH]) {
    let (columns, _) = sum.as_chunks_mut::<LINE>();
    for (number, columns) in columns.iter_mut().enumerate() {
        let mut own = [0.0; LINE];
        for (row, weight) in rows {
            let (parts, _) = row.as_chunks::<LINE>();
            let part = &parts[number];
            for at in 0..LINE {
                own[at] += f32::from(part[at].cast_signed()) * weight;
            }
        }
        *columns = own;
    }
}

type Tensors = (&'static [[u8; 2]], &'static [[u8; WIDTH]]);

/// The scales, and the rows they belong to.
fn tensors() -> Option<Tensors> {
    let (scales, rows) = MODEL.file.get(DATA_START..)?.split_at_checked(2 * ROWS)?;
    Some((scales.as_chunks().0, rows.as_chunks().0))
}

/// A number of 16 bits that is not below zero.
fn scale(bytes: [u8; 2]) -> f32 {
    // Both formats have the exponent before the fraction; its zero is another.
    const ZERO: f32 = f32::from_bits((127 + 127 - 15) << 23);
    f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 13) * ZERO
}

/// Where the tensors start: after the header and its length.
const DATA_START: usize = match FILE.first_chunk() {
    Some(length) => length.len() + u64::from_le_bytes(*length) as usize,
    None => 0,
};

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn scales_are_read_as_they_are_written() {
        for (bits, number) in [
            (0, 0.0),
            (0x0001, 2.0_f32.powi(-24)),
            (0x3555, 0.333_251_95),
            (0x3c00, 1.0),
            (0x7bff, 65_504.0),
        ] {
            assert_eq!(scale(u16::to_le_bytes(bits)).to_bits(), f32::to_bits(number), "{bits:x}");
        }
        let (scales, _) = tensors().unwrap();
        assert!(scales.iter().all(|bytes| u16::from_le_bytes(*bytes) <= 0x7bff));
    }

    #[test]
    fn the_file_is_laid_out_as_it_is_read() {
        let header: Value = serde_json::from_slice(&FILE[8..DATA_START]).unwrap();
        let tensor =
            |name: &str| (header[name]["shape"].clone(), header[name]["data_offsets"].clone());
        let rows = ROWS as u64;
        assert_eq!(header["embeddings"]["dtype"], "I8");
        assert_eq!(tensor("embeddings"), ([rows, 256].into(), [rows * 2, rows * 258].into()));
        assert_eq!(header["scales"]["dtype"], "F16");
        assert_eq!(tensor("scales"), ([rows].into(), [0, rows * 2].into()));
        assert_eq!(FILE.len() as u64, DATA_START as u64 + rows * 258);
        assert_eq!(tensors().unwrap().1.as_ptr().addr() % LINE, 0);
    }
}
