//! Imports: entries of a transcript and its new position in one transaction.

use forebay_store::blob::writer::{BlobContent, EntryOrigin};
use forebay_store::{EncodedBlob, Import, ImportPosition, ImportStep};
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::entries;
use super::inverted_index::AssignedIds;

pub(super) fn position(
    connection: &Connection,
    transcript: &str,
) -> rusqlite::Result<Option<ImportPosition>> {
    connection
        .prepare_cached("SELECT position, mark FROM imported WHERE transcript = ?1")?
        .query_row([transcript], |row| {
            Ok(ImportPosition { position: row.get::<_, i64>(0)? as u64, mark: row.get(1)? })
        })
        .optional()
}

/// Writes a step; returns `false` if another process has done it.
pub(super) fn write(
    transaction: &Transaction<'_>,
    entries: &[(&Import, EncodedBlob)],
    step: &ImportStep,
    assigned: &mut AssignedIds,
) -> rusqlite::Result<bool> {
    let found = position(transaction, &step.transcript)?.filter(|found| found.mark == step.mark);
    if found.map_or(0, |found| found.position) != step.from {
        return Ok(false);
    }
    for (import, blob) in entries {
        let content = BlobContent::new(blob, &import.chunks);
        entries::complete(
            transaction,
            None,
            &content,
            &import.new,
            EntryOrigin::Created,
            assigned,
        )?;
    }
    transaction
        .prepare_cached(
            "INSERT INTO imported (transcript, mark, position) VALUES (?1, ?2, ?3)
             ON CONFLICT (transcript) DO UPDATE SET mark = excluded.mark, position = excluded.position",
        )?
        .execute((&step.transcript, &step.mark, step.to as i64))?;
    Ok(true)
}
