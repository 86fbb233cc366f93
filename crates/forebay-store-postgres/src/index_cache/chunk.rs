//! Rows of chunks: terms and embedding as the server sends them.

use std::error::Error;

use ::postgres::Row;
use ::postgres::types::{FromSql, Type};

use forebay_store::document::DocumentId;

use super::super::error::PgError;
use super::super::vectors::Vector;

/// What ranking needs to know of a chunk besides its words.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct ChunkAttributes {
    pub(in super::super) is_code: bool,
    pub(in super::super) document: DocumentId,
}

impl ChunkAttributes {
    pub(in super::super) const COLUMNS: &'static str = "chunk.code, chunk.entry, chunk.key";

    /// Reads the columns, of which the first is at `first`.
    pub(in super::super) fn read(row: &Row, first: usize) -> Result<Self, PgError> {
        let document = DocumentId::new(row.try_get(first + 1)?, row.try_get(first + 2)?);
        Ok(Self { is_code: row.try_get(first)?, document })
    }
}

/// A chunk as read from a row.
pub(super) struct ChunkRow<'row> {
    pub(super) id: i64,
    pub(super) length: i32,
    pub(super) around_length: i32,
    pub(super) attributes: ChunkAttributes,
    pub(super) words: TsVector<'row>,
    pub(super) embedding: Option<Vector>,
}

impl<'row> ChunkRow<'row> {
    /// The columns of a chunk, with the model's name as `$3` and the dimension of its vectors as `$4`. Embeddings are
    /// looked up one by one: the planner underestimates their number and would scan them all.
    pub(super) const COLUMNS: &'static str = "
        chunk.id, chunk.length, chunk.around_length, chunk.words,
        (SELECT vector FROM meaning
         WHERE meaning.workspace = $1 AND meaning.project = $2 AND meaning.chunk = chunk.id
             AND meaning.model = (SELECT id FROM model WHERE name = $3)
             AND vector_dims(meaning.vector) = $4),
        chunk.code, chunk.entry, chunk.key";
    /// How many columns these are.
    pub(super) const COLUMN_COUNT: usize = 8;

    /// Reads the columns, which are the first of a row.
    pub(super) fn read(row: &'row Row) -> Result<Self, PgError> {
        Ok(Self {
            id: row.try_get(0)?,
            length: row.try_get(1)?,
            around_length: row.try_get(2)?,
            words: row.try_get(3)?,
            embedding: row.try_get(4)?,
            attributes: ChunkAttributes::read(row, 5)?,
        })
    }
}

/// A `tsvector` in binary format: the number of lexemes, then each with a NUL and its positions.
#[derive(Debug, Clone, Copy)]
pub(super) struct TsVector<'row>(&'row [u8]);

impl<'row> TsVector<'row> {
    pub(super) fn lexemes(self) -> impl Iterator<Item = &'row str> {
        let mut rest = self.0.get(4..).unwrap_or_default();
        std::iter::from_fn(move || {
            let (lexeme, after) = take_lexeme(rest)?;
            rest = after;
            Some(lexeme)
        })
    }
}

/// Splits off the first lexeme and its positions.
fn take_lexeme(raw: &[u8]) -> Option<(&str, &[u8])> {
    let end = memchr::memchr(0, raw)?;
    let positions = raw.get(end + 1..end + 3)?;
    let positions = usize::from(u16::from_be_bytes([positions[0], positions[1]]));
    let after = raw.get(end + 3 + 2 * positions..)?;
    Some((std::str::from_utf8(&raw[..end]).ok()?, after))
}

impl<'row> FromSql<'row> for TsVector<'row> {
    fn from_sql(_: &Type, raw: &'row [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let count = raw.first_chunk().map_or(0, |count| u32::from_be_bytes(*count));
        let words = Self(raw);
        if words.lexemes().count() == count as usize {
            Ok(words)
        } else {
            Err("truncated tsvector".into())
        }
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::TS_VECTOR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &[u8]) -> Option<Vec<&str>> {
        Some(TsVector::from_sql(&Type::TS_VECTOR, raw).ok()?.lexemes().collect())
    }

    #[test]
    fn reads_lexemes_and_skips_positions() {
        assert_eq!(read(b"\0\0\0\0"), Some(vec![]));
        let two = b"\0\0\0\x027:ab\0\0\x02\0\x01\0\x027+ab\0\0\0";
        assert_eq!(read(two), Some(vec!["7:ab", "7+ab"]));
    }

    #[test]
    fn rejects_truncated_tsvector() {
        let whole = b"\0\0\0\x017:ab\0\0\x01\0\x01";
        for length in 4..whole.len() {
            assert_eq!(read(&whole[..length]), None, "{length}");
        }
        assert_eq!(read(whole), Some(vec!["7:ab"]));
    }
}
