//! Conversion of signed-byte vectors from and to `halfvec`, and their index.

use std::error::Error;
use std::fmt::Write;

use ::postgres::types::{FromSql, Type};

use super::connection::{STATEMENT_TIMEOUT_SECONDS, ScopedConn};
use super::error::PgError;
use forebay_store::vector_index::{MAX_VECTORS, exceeds_max_vectors};

/// Dimension of the built-in model's vectors.
pub(super) const INDEXED_DIMENSIONS: usize = 256;

/// Advisory lock held while the vector index is built.
const LOCK: &str = "hashtext('forebay.meaning_near')";

/// Builds the vector index if the project has too many embeddings for exhaustive comparison, unless it exists or is
/// being built. Takes minutes, concurrently with writes.
pub(super) fn build_index_if_large(conn: &mut ScopedConn<'_>) -> Result<(), PgError> {
    let row = conn.one(
        "SELECT count(*) FROM (SELECT FROM meaning WHERE workspace = $1 AND project = $2 LIMIT $3) AS bounded",
        &[&(MAX_VECTORS + 1)],
    )?;
    if !exceeds_max_vectors(row.try_get(0)?) {
        return Ok(());
    }
    let try_lock =
        format!("SELECT pg_try_advisory_lock({LOCK}) WHERE $1::integer + $2::integer > 0");
    if !conn.one(&try_lock, &[])?.try_get::<_, bool>(0)? {
        return Ok(());
    }
    let built = build_index(conn);
    conn.batch(&format!("SELECT pg_advisory_unlock({LOCK})"))?;
    conn.batch(&format!("SET statement_timeout = '{STATEMENT_TIMEOUT_SECONDS}s'"))?;
    built
}

fn build_index(conn: &mut ScopedConn<'_>) -> Result<(), PgError> {
    let row = conn.one(
        "SELECT (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('meaning_near'))
         WHERE $1::integer + $2::integer > 0",
        &[],
    )?;
    if row.try_get::<_, Option<bool>>(0)? == Some(true) {
        return Ok(());
    }
    conn.batch("SET statement_timeout = 0")?;
    // An unfinished build leaves an invalid index.
    conn.batch("DROP INDEX CONCURRENTLY IF EXISTS meaning_near")?;
    conn.batch(&format!(
        "CREATE INDEX CONCURRENTLY meaning_near ON meaning
             USING hnsw ((vector::halfvec({INDEXED_DIMENSIONS})) halfvec_cosine_ops)
             WITH (m = 10, ef_construction = 40) WHERE vector_dims(vector) = {INDEXED_DIMENSIONS}"
    ))
}

/// Formats a vector as text: `[1,-2]`.
pub(super) fn vector(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4 + 2);
    for (index, byte) in bytes.iter().enumerate() {
        let sign = if index == 0 { '[' } else { ',' };
        let _ = write!(text, "{sign}{}", byte.cast_signed());
    }
    text.push(']');
    text
}

/// A `halfvec` in binary format.
#[derive(Debug)]
pub(super) struct Vector(pub(super) Vec<u8>);

impl<'a> FromSql<'a> for Vector {
    /// Parses the dimension, two unused bytes, and the numbers.
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let (numbers, rest) = raw.as_chunks::<2>();
        match numbers {
            [count, _, numbers @ ..]
                if rest.is_empty() && numbers.len() == usize::from(u16::from_be_bytes(*count)) =>
            {
                Ok(Self(numbers.iter().map(|half| byte(u16::from_be_bytes(*half))).collect()))
            }
            _ => Err("truncated halfvec".into()),
        }
    }

    fn accepts(kind: &Type) -> bool {
        kind.name() == "halfvec"
    }
}

/// Converts a half-precision number (sign, 5-bit exponent, 10-bit fraction) to a signed byte.
fn byte(half: u16) -> u8 {
    let (exponent, fraction) = (u32::from(half >> 10) & 31, u32::from(half) & 1023);
    // Numbers below 1 round to zero.
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
    fn every_byte_round_trips() {
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
    fn rejects_truncated_halfvec() {
        let read = |raw: &[u8]| Vector::from_sql(&Type::BYTEA, raw).map(|vector| vector.0).ok();
        assert_eq!(read(&[0, 1, 0, 0, 0x3c, 0]), Some(vec![1]));
        for raw in
            [&[] as &[u8], &[0], &[0, 1], &[0, 1, 0, 0], &[0, 1, 0, 0, 0x3c], &[0, 0, 0, 0, 1, 1]]
        {
            assert_eq!(read(raw), None);
        }
    }
}
