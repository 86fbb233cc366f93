//! Blobs: raw bytes in compressed parts, deduplicated by content hash.

use forebay_store::blob::writer::BlobContent;
use forebay_store::blob::{BlobPart, Damage, PART_BYTES, StoredPart};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, Statement, Transaction};

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
            let known = known.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            mend(self.transaction, known, content)?;
            return Ok(known);
        }
        let blob = self.transaction.last_insert_rowid();
        add_parts(&mut self.add_part, blob, content.parts)?;
        Ok(blob)
    }
}

/// Writes the parts of a known blob again if they are damaged: the new entry must not share the
/// damage, and the old ones are mended.
fn mend(
    transaction: &Transaction<'_>,
    blob: i64,
    content: &BlobContent<'_>,
) -> rusqlite::Result<()> {
    let is_whole = read(transaction, blob, 0, &mut |_| true).is_ok();
    if is_whole {
        return Ok(());
    }
    transaction.execute("DELETE FROM blob_part WHERE blob = ?1", [blob])?;
    complete(transaction, blob, content)
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

/// What a read of a blob needs to know of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlobInfo {
    pub(crate) id: i64,
    pub(crate) hash: [u8; 32],
    pub(crate) bytes: u64,
}

/// Passes the bytes from `start` on to `visit`, part by part, until it returns `false`.
///
/// Each part is a query of its own, so that a slow reader holds no lock. Each is verified before it
/// is passed on; content that is read as a whole is compared with its hash as well.
pub(super) fn read(
    connection: &Connection,
    blob: i64,
    start: u64,
    visit: &mut dyn FnMut(&[u8]) -> bool,
) -> rusqlite::Result<()> {
    let blob = info(connection, blob)?;
    let mut hasher = (start == 0 && blob.bytes > PART_BYTES as u64).then(blake3::Hasher::new);
    let mut offset = start;
    while offset < blob.bytes {
        let part = part_at(connection, &blob, offset)?;
        let piece = &part.raw[(offset - part.start) as usize..];
        if let Some(hasher) = &mut hasher {
            hasher.update(piece);
        }
        offset += piece.len() as u64;
        if !visit(piece) {
            return Ok(());
        }
    }
    let is_same = hasher.is_none_or(|hasher| *hasher.finalize().as_bytes() == blob.hash);
    if is_same && !has_parts_beyond(connection, &blob)? {
        Ok(())
    } else {
        Err(damage_error(Damage::SOMEWHERE))
    }
}

/// Returns the offset at which a line starts.
pub(super) fn line_start(connection: &Connection, blob: i64, line: u64) -> rusqlite::Result<u64> {
    if line <= 1 {
        return Ok(0);
    }
    let blob = info(connection, blob)?;
    if blob.bytes == 0 {
        return Ok(0);
    }
    // The newline before the line is in the last part that starts on an earlier line.
    let start = connection
        .prepare_cached(
            "SELECT start FROM blob_part
             WHERE blob = ?1 AND line < ?2 ORDER BY start DESC LIMIT 1",
        )?
        .query_row((blob.id, line as i64), |row| row.get::<_, i64>(0))
        .optional()?;
    let Some(start) = start.map(|start| start as u64).filter(|start| *start < blob.bytes) else {
        return Err(damage(connection, &blob, 0));
    };
    let part = part_at(connection, &blob, start)?;
    let newlines_before = line.checked_sub(part.line + 1).map(|count| count as usize);
    let newline =
        newlines_before.and_then(|count| memchr::memchr_iter(b'\n', &part.raw).nth(count));
    match newline {
        Some(at) => Ok(part.start + at as u64 + 1),
        None if part.start + part.raw.len() as u64 == blob.bytes => Ok(blob.bytes),
        // The part after it claims to start on a later line than it does.
        None => Err(damage(connection, &blob, part.start + PART_BYTES as u64)),
    }
}

fn info(connection: &Connection, blob: i64) -> rusqlite::Result<BlobInfo> {
    connection.prepare_cached("SELECT hash, bytes FROM blob WHERE id = ?1")?.query_row(
        [blob],
        |row| {
            // Only a damaged blob of a visible entry has no hash.
            let hash =
                row.get::<_, Option<_>>(0)?.ok_or_else(|| damage_error(Damage::SOMEWHERE))?;
            Ok(BlobInfo { id: blob, hash, bytes: row.get::<_, i64>(1)? as u64 })
        },
    )
}

fn has_parts_beyond(connection: &Connection, blob: &BlobInfo) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM blob_part WHERE blob = ?1 AND start >= ?2)")?
        .query_row((blob.id, blob.bytes as i64), |row| row.get(0))
}

/// A decompressed part that matches its checksum.
pub(super) struct VerifiedPart {
    pub(super) start: u64,
    line: u64,
    pub(super) raw: Vec<u8>,
}

/// Returns the part that contains an offset.
pub(super) fn part_at(
    connection: &Connection,
    blob: &BlobInfo,
    offset: u64,
) -> rusqlite::Result<VerifiedPart> {
    let start = offset - offset % PART_BYTES as u64;
    // The row is read by its own id, so that its blob and start come from it and not from the index
    // that led to it.
    connection
        .prepare_cached(
            "SELECT part.blob, part.start, part.line, part.bytes, part.data
             FROM blob_part AS indexed CROSS JOIN blob_part AS part ON part.id = indexed.id
             WHERE indexed.blob = ?1 AND indexed.start = ?2",
        )?
        .query_row((blob.id, start as i64), |row| verified_part(row, blob, start))
        .optional()?
        .flatten()
        .ok_or_else(|| damage(connection, blob, start))
}

/// Decodes a row; None if it is not the part of this blob at this offset.
fn verified_part(
    row: &Row<'_>,
    blob: &BlobInfo,
    start: u64,
) -> rusqlite::Result<Option<VerifiedPart>> {
    let line = row.get::<_, i64>(2)? as u64;
    let bytes = row.get::<_, i64>(3)? as u64;
    let is_expected = row.get::<_, i64>(0)? == blob.id
        && row.get::<_, i64>(1)? as u64 == start
        && bytes == blob.bytes.saturating_sub(start).min(PART_BYTES as u64);
    let data = row.get_ref(4)?.as_blob()?;
    let raw = StoredPart { start, line, bytes, data }.decode().filter(|_| is_expected);
    // The only part of a blob is verified by the hash, so that it is not another blob's.
    let is_only = bytes == blob.bytes;
    let raw = raw.filter(|raw| !is_only || *blake3::hash(raw).as_bytes() == blob.hash);
    Ok(raw.map(|raw| VerifiedPart { start, line, raw }))
}

/// Returns the error for a damaged part, with the lines it covers as far as the rows tell.
fn damage(connection: &Connection, blob: &BlobInfo, start: u64) -> rusqlite::Error {
    // Another process may have purged the blob between two parts.
    if let Err(error) = info(connection, blob.id) {
        return error;
    }
    let line_at = |start: u64| -> Option<u64> {
        let line = connection
            .prepare_cached("SELECT line FROM blob_part WHERE blob = ?1 AND start = ?2")
            .and_then(|mut select| select.query_row((blob.id, start as i64), |row| row.get(0)));
        line.ok().map(|line: i64| line as u64)
    };
    let line = if start == 0 { Some(1) } else { line_at(start) };
    damage_error(Damage::of_part(line, line_at(start + PART_BYTES as u64)))
}

pub(super) fn damage_error(damage: Damage) -> rusqlite::Error {
    rusqlite::Error::UserFunctionError(Box::new(damage))
}

/// Returns the damage that an error reports.
pub(crate) fn damage_in(error: &rusqlite::Error) -> Option<Damage> {
    match error {
        rusqlite::Error::UserFunctionError(cause) => cause.downcast_ref().copied(),
        _ => None,
    }
}
