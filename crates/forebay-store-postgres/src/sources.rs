//! Sources: what was indexed under a name, and how to detect changes.

use ::postgres::Row;
use forebay_domain::Timestamp;
use forebay_store::{FileStamp, Freshness, NewSource, Source, SourceItem, SourceKind};

use super::connection::ScopedConn;
use super::entries;
use super::error::PgError;
use super::text::Name;

const SOURCES: &str = "
    SELECT name, kind, path, options, indexed, checked, etag, last_modified, expires,
        (SELECT count(*) FROM source_item AS item
         WHERE item.workspace = $1 AND item.project = $2 AND item.source = source.id),
        (SELECT coalesce(sum(blob.bytes), 0)::bigint FROM source_item AS item
         JOIN entry ON entry.workspace = $1 AND entry.project = $2 AND entry.id = item.entry
         JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
         WHERE item.workspace = $1 AND item.project = $2 AND item.source = source.id)
    FROM source WHERE workspace = $1 AND project = $2";

/// Returns sources by name, including those without a row of their own (indexed as documents).
pub(super) fn list(conn: &mut ScopedConn<'_>) -> Result<Vec<Source>, PgError> {
    let sql = format!(
        "SELECT * FROM ({SOURCES} UNION ALL
         SELECT entry.source, 'documents', '', '', max(entry.created), max(entry.created),
             NULL, NULL, NULL, count(*), sum(blob.bytes)::bigint
         FROM entry JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
         WHERE entry.workspace = $1 AND entry.project = $2 AND entry.complete AND entry.kind = 'source'
             AND NOT EXISTS (SELECT FROM source_item AS item WHERE item.workspace = $1
                 AND item.project = $2 AND item.entry = entry.id)
         GROUP BY entry.source) AS source ORDER BY name COLLATE \"C\""
    );
    conn.query(&sql, &[])?.iter().map(read_source).collect()
}

/// Returns the source with this name if it has a row of its own.
pub(super) fn find(conn: &mut ScopedConn<'_>, name: &str) -> Result<Option<Source>, PgError> {
    let row = conn.first(&format!("{SOURCES} AND name = $3"), &[&Name(name)])?;
    row.as_ref().map(read_source).transpose()
}

/// Returns files and folders that were not checked between two moments, as of the later one.
pub(super) fn unchecked(
    conn: &mut ScopedConn<'_>,
    (from, to): (Timestamp, Timestamp),
) -> Result<Vec<NewSource>, PgError> {
    let rows = conn.query(
        "SELECT name, kind, path, options, etag, last_modified, expires FROM source
         WHERE workspace = $1 AND project = $2
             AND kind IN ('file', 'folder') AND (checked < $3 OR checked > $4)",
        &[&from.0, &to.0],
    )?;
    let read = |row: &Row| {
        Ok(NewSource {
            name: row.try_get(0)?,
            kind: SourceKind::parse(row.try_get(1)?),
            path: row.try_get(2)?,
            options: row.try_get(3)?,
            at: to,
            freshness: read_freshness(row, 4)?,
        })
    };
    rows.iter().map(read).collect()
}

fn read_freshness(row: &Row, first: usize) -> Result<Freshness, PgError> {
    Ok(Freshness {
        etag: row.try_get(first)?,
        last_modified: row.try_get(first + 1)?,
        expires: row.try_get::<_, Option<i64>>(first + 2)?.map(Timestamp),
    })
}

fn read_source(row: &Row) -> Result<Source, PgError> {
    Ok(Source {
        name: row.try_get(0)?,
        kind: SourceKind::parse(row.try_get(1)?),
        path: row.try_get(2)?,
        options: row.try_get(3)?,
        indexed: Timestamp(row.try_get(4)?),
        checked: Timestamp(row.try_get(5)?),
        freshness: read_freshness(row, 6)?,
        entries: row.try_get::<_, i64>(9)? as u64,
        bytes: row.try_get::<_, i64>(10)? as u64,
    })
}

/// Returns the stamp of each file of a source when it was indexed.
pub(super) fn stamps(
    conn: &mut ScopedConn<'_>,
    source: &str,
) -> Result<Vec<(String, FileStamp)>, PgError> {
    let rows = conn.query(
        "SELECT item.path, item.modified, item.size
         FROM source JOIN source_item AS item
             ON item.workspace = $1 AND item.project = $2 AND item.source = source.id
         WHERE source.workspace = $1 AND source.project = $2 AND source.name = $3",
        &[&Name(source)],
    )?;
    rows.iter().map(|row| Ok((row.try_get(0)?, read_stamp(row, 1)?))).collect()
}

fn read_stamp(row: &Row, first: usize) -> Result<FileStamp, PgError> {
    let size = row.try_get::<_, i64>(first + 1)? as u64;
    Ok(FileStamp { modified: row.try_get(first)?, size })
}

/// Returns the entries of a source ordered by path.
pub(super) fn items(conn: &mut ScopedConn<'_>, source: &str) -> Result<Vec<SourceItem>, PgError> {
    let rows = conn.query(
        "SELECT item.path, entry.ref, item.modified, item.size, item.hash, blob.bytes
         FROM source
         JOIN source_item AS item
             ON item.workspace = $1 AND item.project = $2 AND item.source = source.id
         JOIN entry ON entry.workspace = $1 AND entry.project = $2 AND entry.id = item.entry
         JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
         WHERE source.workspace = $1 AND source.project = $2 AND source.name = $3
         ORDER BY item.path COLLATE \"C\"",
        &[&Name(source)],
    )?;
    let read = |row: &Row| {
        Ok(SourceItem {
            path: row.try_get(0)?,
            reference: entries::reference(row, 1)?,
            stamp: read_stamp(row, 2)?,
            hash: row.try_get::<_, &[u8]>(4)?.try_into().map_err(PgError::invalid_data)?,
            bytes: row.try_get::<_, i64>(5)? as u64,
        })
    };
    rows.iter().map(read).collect()
}

/// Deletes sources without entries.
pub(super) fn delete_empty(conn: &mut ScopedConn<'_>) -> Result<(), PgError> {
    conn.execute(
        "DELETE FROM source WHERE workspace = $1 AND project = $2 AND NOT EXISTS
             (SELECT FROM source_item AS item
              WHERE item.workspace = $1 AND item.project = $2 AND item.source = source.id)",
        &[],
    )?;
    Ok(())
}

/// Records when a source was checked, and until when it is fresh.
pub(super) fn mark_source_checked(
    conn: &mut ScopedConn<'_>,
    name: &str,
    at: Timestamp,
    expires: Option<Timestamp>,
) -> Result<(), PgError> {
    conn.execute(
        "UPDATE source SET checked = $4, expires = coalesce($5, expires)
         WHERE workspace = $1 AND project = $2 AND name = $3",
        &[&Name(name), &at.0, &expires.map(|at| at.0)],
    )?;
    Ok(())
}
