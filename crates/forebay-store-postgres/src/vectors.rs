//! Vectors of signed bytes on their way to and from the server, which keeps them as half-precision numbers.

use std::error::Error;
use std::fmt::Write;

use ::postgres::types::{FromSql, Type};

use super::connection::{STATEMENT_SECONDS, Work};
use super::error::Fault;
use forebay_store::vector_index::{MAX_VECTORS, exceeds_max_vectors};

/// The built-in model's vectors have this length.
pub(super) const INDEXED_DIMENSIONS: usize = 256;

/// By this the server knows who has the index made.
const LOCK: &str = "hashtext('forebay.meaning_near')";

/// Has the server make an index over meanings where the project has too many to compare, unless it has one or somebody
/// has it made. That takes minutes, and nobody who writes waits for it.
pub(super) fn index_if_too_many(work: &mut Work<'_>) -> Result<(), Fault> {
    let row = work.one(
        "SELECT count(*) FROM (SELECT FROM meaning WHERE workspace = $1 AND project = $2 LIMIT $3) AS bounded",
        &[&(MAX_VECTORS + 1)],
    )?;
    if !exceeds_max_vectors(row.try_get(0)?) {
        return Ok(());
    }
    let alone = format!("SELECT pg_try_advisory_lock({LOCK}) WHERE $1::integer + $2::integer > 0");
    if !work.one(&alone, &[])?.try_get::<_, bool>(0)? {
        return Ok(());
    }
    let made = make_index(work);
    work.batch(&format!("SELECT pg_advisory_unlock({LOCK})"))?;
    work.batch(&format!("SET statement_timeout = '{STATEMENT_SECONDS}s'"))?;
    made
}

fn make_index(work: &mut Work<'_>) -> Result<(), Fault> {
    let row = work.one(
        "SELECT (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('meaning_near'))
         WHERE $1::integer + $2::integer > 0",
        &[],
    )?;
    if row.try_get::<_, Option<bool>>(0)? == Some(true) {
        return Ok(());
    }
    work.batch("SET statement_timeout = 0")?;
    // One that was not finished is of no use.
    work.batch("DROP INDEX CONCURRENTLY IF EXISTS meaning_near")?;
    work.batch(&format!(
        "CREATE INDEX CONCURRENTLY meaning_near ON meaning
             USING hnsw ((vector::halfvec({INDEXED_DIMENSIONS})) halfvec_cosine_ops)
             WITH (m = 10, ef_construction = 40) WHERE vector_dims(vector) = {INDEXED_DIMENSIONS}"
    ))
}

/// A vector as the server reads it: `[1,-2]`.
pub(super) fn vector(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4 + 2);
    for (index, byte) in bytes.iter().enumerate() {
        let sign = if index == 0 { '[' } else { ',' };
        let _ = write!(text, "{sign}{}", byte.cast_signed());
    }
    text.push(']');
    text
}

/// A vector as the server sends it.
#[derive(Debug)]
pub(super) struct Vector(pub(super) Vec<u8>);

impl<'a> FromSql<'a> for Vector {
    /// How many numbers, two bytes that tell nothing, and the numbers.
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let (numbers, rest) = raw.as_chunks::<2>();
        match numbers {
            [count, _, numbers @ ..]
                if rest.is_empty() && numbers.len() == usize::from(u16::from_be_bytes(*count)) =>
            {
                Ok(Self(numbers.iter().map(|half| byte(u16::from_be_bytes(*half))).collect()))
            }
            _ => Err("a vector is cut off".into()),
        }
    }

    fn accepts(kind: &Type) -> bool {
        kind.name() == "halfvec"
    }
}

/// A half-precision number as a signed byte: a sign, five bits of exponent, ten bits after the point.
fn byte(half: u16) -> u8 {
    let (exponent, fraction) = (u32::from(half >> 10) & 31, u32::from(half) & 1023);
    // Without its leading bit the number is below 1.
    let size = match exponent {
        0..15 => 0,
        15..=22 => (1024 + fraction) >> (25 - exponent),
        _ => 127,
    };
    let size = size as i32;
    let number = if half >> 15 == 0 { size.min(127) } else { (-size).max(-128) };
    (number as i8).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let halves =
            [(0, 0x0000), (1, 0x3c00), (-1, 0xbc00), (2, 0x4000), (3, 0x4200), (100, 0x5640)];
        for (number, half) in halves {
            assert_eq!(byte(half).cast_signed(), number, "{half:#x}");
        }
        let ends = [(127, 0x57f0), (-127, 0xd7f0), (-128, 0xd800), (127, 0x7c00)];
        for (number, half) in ends {
            assert_eq!(byte(half).cast_signed(), number, "{half:#x}");
        }
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let read = |raw: &[u8]| Vector::from_sql(&Type::BYTEA, raw).map(|vector| vector.0).ok();
        assert_eq!(read(&[0, 1, 0, 0, 0x3c, 0]), Some(vec![1]));
        for raw in
            [&[] as &[u8], &[0], &[0, 1], &[0, 1, 0, 0], &[0, 1, 0, 0, 0x3c], &[0, 0, 0, 0, 1, 1]]
        {
            assert_eq!(read(raw), None);
        }
    }
}
