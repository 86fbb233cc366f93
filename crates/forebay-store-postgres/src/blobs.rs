//! Blobs: raw bytes in compressed parts, stored once per content and project.

use std::collections::{HashMap, HashSet};

use forebay_store::EncodedBlob;
use forebay_store::blob::{BlobPart, Damage, PART_BYTES, StoredPart};

use ::postgres::Row;

use super::connection::ScopedConn;
use super::error::PgError;

/// Creates a blob whose content is not known yet.
pub(super) fn create(conn: &mut ScopedConn<'_>) -> Result<i64, PgError> {
    let row =
        conn.one("INSERT INTO blob (workspace, project) VALUES ($1, $2) RETURNING id", &[])?;
    Ok(row.try_get(0)?)
}

/// Returns the blob of each content, creating those that are missing.
pub(super) fn store_all(
    conn: &mut ScopedConn<'_>,
    contents: &[&EncodedBlob],
) -> Result<Vec<i64>, PgError> {
    let hashes: HashSet<blake3::Hash> = contents.iter().map(|content| content.hash).collect();
    // Concurrent writers of the same content serialize here; the second one finds the blob.
    conn.lock_each(hashes.iter().map(blake3::Hash::to_hex))?;
    let mut blobs = with_hashes(conn, &hashes)?;
    let mut seen = HashSet::new();
    let is_new =
        |content: &&&EncodedBlob| !blobs.contains_key(&content.hash) && seen.insert(content.hash);
    let new: Vec<&EncodedBlob> = contents.iter().filter(is_new).copied().collect();
    let ids = create_complete(conn, &new)?;
    let parts: Vec<(i64, &BlobPart)> = ids
        .iter()
        .zip(&new)
        .flat_map(|(id, content)| content.parts.iter().map(|part| (*id, part)))
        .collect();
    write_parts_of_blobs(conn, &parts)?;
    blobs.extend(new.iter().map(|content| content.hash).zip(ids));
    let blob = |content: &&EncodedBlob| blobs.get(&content.hash).copied();
    let all: Option<Vec<i64>> = contents.iter().map(blob).collect();
    all.ok_or_else(|| PgError::invalid_data("the server created fewer blobs than requested"))
}

/// Creates blobs with known contents, in order; the caller holds the locks on their hashes.
fn create_complete(
    conn: &mut ScopedConn<'_>,
    contents: &[&EncodedBlob],
) -> Result<Vec<i64>, PgError> {
    let hashes: Vec<&[u8]> =
        contents.iter().map(|content| content.hash.as_bytes().as_slice()).collect();
    let rows = conn.query(
        "INSERT INTO blob (workspace, project, hash, bytes, lines)
         SELECT $1, $2, new.* FROM unnest($3::bytea[], $4::bigint[], $5::bigint[]) AS new RETURNING id",
        &[
            &hashes,
            &contents.iter().map(|content| content.bytes as i64).collect::<Vec<_>>(),
            &contents.iter().map(|content| content.lines as i64).collect::<Vec<_>>(),
        ],
    )?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Writes parts of one blob.
pub(super) fn write_parts(
    conn: &mut ScopedConn<'_>,
    blob: i64,
    parts: &[BlobPart],
) -> Result<(), PgError> {
    let of_blob: Vec<(i64, &BlobPart)> = parts.iter().map(|part| (blob, part)).collect();
    write_parts_of_blobs(conn, &of_blob)
}

/// Writes parts, each with its blob.
fn write_parts_of_blobs(
    conn: &mut ScopedConn<'_>,
    parts: &[(i64, &BlobPart)],
) -> Result<(), PgError> {
    if parts.is_empty() {
        return Ok(());
    }
    let numbers = |number: fn(&BlobPart) -> u64| -> Vec<i64> {
        parts.iter().map(|(_, part)| number(part) as i64).collect()
    };
    let blobs: Vec<i64> = parts.iter().map(|(blob, _)| *blob).collect();
    let (starts, lines) = (numbers(|part| part.start), numbers(|part| part.line));
    let bytes = numbers(|part| part.bytes);
    let data: Vec<&[u8]> = parts.iter().map(|(_, part)| part.data.as_slice()).collect();
    conn.execute(
        "INSERT INTO blob_part (workspace, project, blob, start, line, bytes, data)
         SELECT $1, $2, part.* FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
             $7::bytea[]) AS part",
        &[&blobs, &starts, &lines, &bytes, &data],
    )?;
    Ok(())
}

/// Returns the existing blobs with these hashes.
fn with_hashes(
    conn: &mut ScopedConn<'_>,
    hashes: &HashSet<blake3::Hash>,
) -> Result<HashMap<blake3::Hash, i64>, PgError> {
    let wanted: Vec<&[u8]> = hashes.iter().map(|hash| hash.as_bytes().as_slice()).collect();
    let rows = conn.query(
        "SELECT blob.hash, blob.id FROM unnest($3::bytea[]) AS wanted (hash) JOIN blob
             ON blob.workspace = $1 AND blob.project = $2 AND blob.hash = wanted.hash",
        &[&wanted],
    )?;
    let read = |row: &Row| {
        let hash = blake3::Hash::from_slice(row.try_get(0)?).map_err(PgError::invalid_data)?;
        Ok((hash, row.try_get(1)?))
    };
    rows.iter().map(read).collect()
}

/// Returns the existing blob with this hash.
pub(super) fn with_hash(
    conn: &mut ScopedConn<'_>,
    hash: &blake3::Hash,
) -> Result<Option<i64>, PgError> {
    let row = conn.first(
        "SELECT id FROM blob WHERE workspace = $1 AND project = $2 AND hash = $3",
        &[&hash.as_bytes().as_slice()],
    )?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

/// Sets the hash and size of a blob once all of it is written.
///
/// The caller holds the lock on the hash: otherwise two writers could violate its unique constraint.
pub(super) fn complete(
    conn: &mut ScopedConn<'_>,
    blob: i64,
    hash: &blake3::Hash,
    bytes: u64,
    lines: u64,
) -> Result<(), PgError> {
    conn.execute(
        "UPDATE blob SET hash = $4, bytes = $5, lines = $6
         WHERE workspace = $1 AND project = $2 AND id = $3",
        &[&blob, &hash.as_bytes().as_slice(), &(bytes as i64), &(lines as i64)],
    )?;
    Ok(())
}

/// Deletes blobs that no entry references any more.
pub(super) fn delete_unreferenced(conn: &mut ScopedConn<'_>, blobs: &[i64]) -> Result<(), PgError> {
    conn.execute(
        "DELETE FROM blob WHERE workspace = $1 AND project = $2 AND id = ANY ($3) AND NOT EXISTS
             (SELECT FROM entry
              WHERE entry.workspace = $1 AND entry.project = $2 AND entry.blob = blob.id)",
        &[&blobs],
    )?;
    Ok(())
}

/// What a read of a blob needs to know of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlobInfo {
    id: i64,
    pub(super) hash: [u8; 32],
    pub(super) bytes: u64,
}

/// Returns a blob by its id; None if it was deleted.
pub(super) fn info(conn: &mut ScopedConn<'_>, blob: i64) -> Result<Option<BlobInfo>, PgError> {
    let row = conn.first(
        "SELECT hash, bytes FROM blob WHERE workspace = $1 AND project = $2 AND id = $3",
        &[&blob],
    )?;
    let Some(row) = row else { return Ok(None) };
    let hash = row.try_get::<_, &[u8]>(0)?.try_into().map_err(PgError::invalid_data)?;
    Ok(Some(BlobInfo { id: blob, hash, bytes: row.try_get::<_, i64>(1)? as u64 }))
}

/// Returns the offset at which a line starts.
pub(super) fn line_start(
    conn: &mut ScopedConn<'_>,
    blob: &BlobInfo,
    line: u64,
) -> Result<Result<u64, Damage>, PgError> {
    if line <= 1 || blob.bytes == 0 {
        return Ok(Ok(0));
    }
    // The newline before the line is in the last part that starts on an earlier line.
    let row = conn.first(
        "SELECT start FROM blob_part
         WHERE workspace = $1 AND project = $2 AND blob = $3 AND line < $4 ORDER BY start DESC LIMIT 1",
        &[&blob.id, &(line as i64)],
    )?;
    let start = row.map(|row| row.try_get::<_, i64>(0)).transpose()?.map(|start| start as u64);
    let Some(start) = start.filter(|start| *start < blob.bytes) else {
        return damage(conn, blob, 0).map(Err);
    };
    let part = match part_at(conn, blob, start)? {
        Ok(part) => part,
        Err(damage) => return Ok(Err(damage)),
    };
    let newlines_before = line.checked_sub(part.line + 1).map(|count| count as usize);
    let newline =
        newlines_before.and_then(|count| memchr::memchr_iter(b'\n', &part.raw).nth(count));
    match newline {
        Some(at) => Ok(Ok(part.start + at as u64 + 1)),
        None if part.start + part.raw.len() as u64 == blob.bytes => Ok(Ok(blob.bytes)),
        // The part after it claims to start on a later line than it does.
        None => damage(conn, blob, part.start + PART_BYTES as u64).map(Err),
    }
}

/// A decompressed part that matches its checksum.
pub(super) struct VerifiedPart {
    pub(super) start: u64,
    line: u64,
    pub(super) raw: Vec<u8>,
}

/// Returns the part that contains an offset.
pub(super) fn part_at(
    conn: &mut ScopedConn<'_>,
    blob: &BlobInfo,
    offset: u64,
) -> Result<Result<VerifiedPart, Damage>, PgError> {
    let start = offset - offset % PART_BYTES as u64;
    let row = conn.first(
        "SELECT line, bytes, data FROM blob_part
         WHERE workspace = $1 AND project = $2 AND blob = $3 AND start = $4",
        &[&blob.id, &(start as i64)],
    )?;
    let part = match &row {
        Some(row) => verified_part(row, blob, start)?,
        None => None,
    };
    match part {
        Some(part) => Ok(Ok(part)),
        None => damage(conn, blob, start).map(Err),
    }
}

/// Decodes a row; None if it does not match its checksum.
fn verified_part(row: &Row, blob: &BlobInfo, start: u64) -> Result<Option<VerifiedPart>, PgError> {
    let line = row.try_get::<_, i64>(0)? as u64;
    let bytes = row.try_get::<_, i64>(1)? as u64;
    let is_expected = bytes == blob.bytes.saturating_sub(start).min(PART_BYTES as u64);
    let stored = StoredPart { start, line, bytes, data: row.try_get(2)? };
    let raw = stored.decode().filter(|_| is_expected);
    // The only part of a blob is verified by the hash, so that it is not another blob's.
    let is_only = bytes == blob.bytes;
    let raw = raw.filter(|raw| !is_only || *blake3::hash(raw).as_bytes() == blob.hash);
    Ok(raw.map(|raw| VerifiedPart { start, line, raw }))
}

/// Returns the damage of a part, with the lines it covers as far as the rows tell.
fn damage(conn: &mut ScopedConn<'_>, blob: &BlobInfo, start: u64) -> Result<Damage, PgError> {
    let rows = conn.query(
        "SELECT start, line FROM blob_part
         WHERE workspace = $1 AND project = $2 AND blob = $3 AND start = ANY ($4)",
        &[&blob.id, &vec![start as i64, (start + PART_BYTES as u64) as i64]],
    )?;
    let line_at = |wanted: u64| -> Option<u64> {
        let row = rows.iter().find(|row| row.try_get::<_, i64>(0).ok() == Some(wanted as i64))?;
        row.try_get::<_, i64>(1).ok().map(|line| line as u64)
    };
    let line = if start == 0 { Some(1) } else { line_at(start) };
    Ok(Damage::of_part(line, line_at(start + PART_BYTES as u64)))
}
