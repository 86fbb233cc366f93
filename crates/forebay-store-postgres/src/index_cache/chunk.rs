//! A passage as the server tells of it: its words, and what it means.

use std::error::Error;

use ::postgres::Row;
use ::postgres::types::{FromSql, Type};

use super::super::error::Fault;
use super::super::vectors::Vector;

/// A passage, as a row tells of it.
pub(super) struct Passage<'row> {
    pub(super) id: i64,
    pub(super) length: i32,
    pub(super) around_length: i32,
    pub(super) is_code: bool,
    pub(super) words: Words<'row>,
    pub(super) meaning: Option<Vector>,
}

impl<'row> Passage<'row> {
    /// The columns that a passage is read from, with the model's name as `$3` and the width of its vectors as `$4`.
    /// Meanings are looked up one by one: the server expects few of that width, and would rather read them all.
    pub(super) const COLUMNS: &'static str = "
        passage.id, passage.length, passage.around_length, passage.code, passage.words,
        (SELECT vector FROM meaning
         WHERE meaning.workspace = $1 AND meaning.project = $2 AND meaning.chunk = passage.id
             AND meaning.model = (SELECT id FROM model WHERE name = $3)
             AND vector_dims(meaning.vector) = $4)";

    /// Reads those columns, which are the first of a row.
    pub(super) fn read(row: &'row Row) -> Result<Self, Fault> {
        Ok(Self {
            id: row.try_get(0)?,
            length: row.try_get(1)?,
            around_length: row.try_get(2)?,
            is_code: row.try_get(3)?,
            words: row.try_get(4)?,
            meaning: row.try_get(5)?,
        })
    }
}

/// The words of a passage as the server sends them: how many they are, then each with an end and its places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'row>(&'row [u8]);

impl<'row> Words<'row> {
    pub(super) fn lexemes(self) -> impl Iterator<Item = &'row str> {
        let mut rest = self.0.get(4..).unwrap_or_default();
        std::iter::from_fn(move || {
            let (lexeme, after) = take_lexeme(rest)?;
            rest = after;
            Some(lexeme)
        })
    }
}

/// The first word, and what follows its places.
fn take_lexeme(raw: &[u8]) -> Option<(&str, &[u8])> {
    let end = memchr::memchr(0, raw)?;
    let places = raw.get(end + 1..end + 3)?;
    let places = usize::from(u16::from_be_bytes([places[0], places[1]]));
    let after = raw.get(end + 3 + 2 * places..)?;
    Some((std::str::from_utf8(&raw[..end]).ok()?, after))
}

impl<'row> FromSql<'row> for Words<'row> {
    fn from_sql(_: &Type, raw: &'row [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let count = raw.first_chunk().map_or(0, |count| u32::from_be_bytes(*count));
        let words = Self(raw);
        if words.lexemes().count() == count as usize {
            Ok(words)
        } else {
            Err("a list of words is cut off".into())
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
        Some(Words::from_sql(&Type::TS_VECTOR, raw).ok()?.lexemes().collect())
    }

    #[test]
    fn words_are_read_past_their_places() {
        assert_eq!(read(b"\0\0\0\0"), Some(vec![]));
        let two = b"\0\0\0\x027:ab\0\0\x02\0\x01\0\x027+ab\0\0\0";
        assert_eq!(read(two), Some(vec!["7:ab", "7+ab"]));
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let whole = b"\0\0\0\x017:ab\0\0\x01\0\x01";
        for length in 4..whole.len() {
            assert_eq!(read(&whole[..length]), None, "{length}");
        }
        assert_eq!(read(whole), Some(vec!["7:ab"]));
    }
}
