//! Blobs: raw bytes in compressed parts, deduplicated by content hash.

use std::io;

use forebay_store::blob::writer::BlobContent;
use forebay_store::blob::{BlobPart, part};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Statement, Transaction};

const FIND: &str = "SELECT id FROM blob WHERE hash = ?1";
const CREATE: &str = "INSERT INTO blob DEFAULT VALUES";
const CREATE_COMPLETE: &str = "INSERT INTO blob (hash, bytes, lines) VALUES (?1, ?2, ?3)
     ON CONFLICT (hash) DO NOTHING";
const ADD_PART: &str =
    "INSERT INTO blob_part (blob, start, line, bytes, data) VALUES (?1, ?2, ?3, ?4, ?5)";
const COMPLETE: &str = "UPDATE blob SET hash = ?2, bytes = ?3, lines = ?4 WHERE id = ?1";
/// The statements that store new content.
pub(super) const WRITE_STATEMENTS: &[&str] = &[CREATE_COMPLETE, ADD_PART];

/// Creates a blob whose content is still arriving.
pub(super) fn create(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction.prepare_cached(CREATE)?.execute([])?;
    Ok(transaction.last_insert_rowid())
}

pub(super) fn write_parts(
    transaction: &Transaction<'_>,
    blob: i64,
    parts: &[BlobPart],
) -> rusqlite::Result<()> {
    let mut add = transaction.prepare_cached(ADD_PART)?;
    add_parts(&mut add, blob, parts)
}

fn add_parts(add: &mut Statement<'_>, blob: i64, parts: &[BlobPart]) -> rusqlite::Result<()> {
    for part in parts {
        let (start, line, bytes) = (part.start as i64, part.line as i64, part.bytes as i64);
        add.execute((blob, start, line, bytes, &part.data))?;
    }
    Ok(())
}

/// Writes whole blobs.
pub(super) struct Writer<'work> {
    transaction: &'work Transaction<'work>,
    create: CachedStatement<'work>,
    add_part: CachedStatement<'work>,
}

impl<'work> Writer<'work> {
    pub(super) fn new(transaction: &'work Transaction<'work>) -> rusqlite::Result<Self> {
        let create = transaction.prepare_cached(CREATE_COMPLETE)?;
        Ok(Self { transaction, create, add_part: transaction.prepare_cached(ADD_PART)? })
    }

    /// Returns the blob with this content, a new one if there is none.
    pub(super) fn write(&mut self, content: &BlobContent<'_>) -> rusqlite::Result<i64> {
        let size = (content.bytes as i64, content.lines as i64);
        if self.create.execute((content.hash.as_bytes(), size.0, size.1))? == 0 {
            let known = find_by_hash(self.transaction, &content.hash)?;
            return known.ok_or(rusqlite::Error::QueryReturnedNoRows);
        }
        let blob = self.transaction.last_insert_rowid();
        add_parts(&mut self.add_part, blob, content.parts)?;
        Ok(blob)
    }
}

/// Returns the blob with this content.
pub(super) fn find_by_hash(
    connection: &Connection,
    hash: &blake3::Hash,
) -> rusqlite::Result<Option<i64>> {
    connection.prepare_cached(FIND)?.query_row([hash.as_bytes()], |row| row.get(0)).optional()
}

/// Writes the last parts of a blob, its hash and its size.
pub(super) fn complete(
    transaction: &Transaction<'_>,
    blob: i64,
    content: &BlobContent<'_>,
) -> rusqlite::Result<()> {
    let size = (content.bytes as i64, content.lines as i64);
    transaction.prepare_cached(COMPLETE)?.execute((
        blob,
        content.hash.as_bytes(),
        size.0,
        size.1,
    ))?;
    write_parts(transaction, blob, content.parts)
}

/// Deletes a blob that no entry refers to.
pub(super) fn delete_if_unused(transaction: &Transaction<'_>, blob: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "DELETE FROM blob WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM entry WHERE blob = ?1)",
        )?
        .execute([blob])
        .map(drop)
}

/// Passes the bytes from `start` on to `visit`, part by part, until it returns `false`.
///
/// Each part is a query of its own, so that a slow reader holds no lock.
pub(super) fn read(
    connection: &Connection,
    blob: i64,
    start: u64,
    visit: &mut dyn FnMut(&[u8]) -> bool,
) -> rusqlite::Result<()> {
    let size = size(connection, blob)?;
    let mut offset = start;
    while offset < size {
        let (part_start, raw) = part_at(connection, blob, offset)?;
        let from = (offset - part_start) as usize;
        let Some(piece) = raw.get(from..).filter(|piece| !piece.is_empty()) else {
            return Err(rusqlite::Error::QueryReturnedNoRows);
        };
        offset += piece.len() as u64;
        if !visit(piece) {
            break;
        }
    }
    Ok(())
}

/// Returns the offset at which a line starts.
pub(super) fn line_start(connection: &Connection, blob: i64, line: u64) -> rusqlite::Result<u64> {
    if line <= 1 {
        return Ok(0);
    }
    // The newline before the line is in the last part that starts on an earlier line.
    let (start, first_line, raw) = connection
        .prepare_cached(
            "SELECT start, line, bytes, data FROM blob_part
             WHERE blob = ?1 AND line < ?2 ORDER BY start DESC LIMIT 1",
        )?
        .query_row((blob, line as i64), |row| {
            let raw = decompress(&row.get::<_, Vec<u8>>(3)?, row.get::<_, i64>(2)? as usize)?;
            Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64, raw))
        })
        .optional()?
        .unwrap_or((0, 1, Vec::new()));
    let newlines_before = (line - first_line - 1) as usize;
    match memchr::memchr_iter(b'\n', &raw).nth(newlines_before) {
        Some(at) => Ok(start + at as u64 + 1),
        None => size(connection, blob),
    }
}

fn size(connection: &Connection, blob: i64) -> rusqlite::Result<u64> {
    connection
        .prepare_cached("SELECT bytes FROM blob WHERE id = ?1")?
        .query_row([blob], |row| row.get::<_, i64>(0))
        .map(|bytes| bytes as u64)
}

/// Returns the start of the part that contains an offset; None beyond the end.
pub(super) fn part_start(
    connection: &Connection,
    blob: i64,
    offset: u64,
) -> rusqlite::Result<Option<u64>> {
    connection
        .prepare_cached(
            "SELECT start FROM blob_part WHERE blob = ?1 AND start <= ?2 ORDER BY start DESC LIMIT 1",
        )?
        .query_row((blob, offset as i64), |row| row.get::<_, i64>(0))
        .optional()
        .map(|start| start.map(|start| start as u64))
}

/// Returns the part that contains an offset, with its start.
pub(super) fn part_at(
    connection: &Connection,
    blob: i64,
    offset: u64,
) -> rusqlite::Result<(u64, Vec<u8>)> {
    connection
        .prepare_cached(
            "SELECT start, bytes, data FROM blob_part
             WHERE blob = ?1 AND start <= ?2 ORDER BY start DESC LIMIT 1",
        )?
        .query_row((blob, offset as i64), |row| {
            let raw = decompress(&row.get::<_, Vec<u8>>(2)?, row.get::<_, i64>(1)? as usize)?;
            Ok((row.get::<_, i64>(0)? as u64, raw))
        })
}

fn decompress(data: &[u8], bytes: usize) -> rusqlite::Result<Vec<u8>> {
    part::decompress(data, bytes).map_err(engine_error)
}

fn engine_error(error: io::Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(error))
}
