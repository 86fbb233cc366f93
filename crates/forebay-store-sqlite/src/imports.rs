//! Imports: entries of past conversations, many in a transaction, with how far the transcript is read.

use forebay_store::blob::writer::{BlobContent, EntryOrigin};
use forebay_store::{EncodedBlob, Import, ImportPosition, ImportStep};
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::entries;
use super::inverted_index::Placed;

pub(super) fn state(
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

/// Writes a step, unless another process took it.
pub(super) fn write(
    transaction: &Transaction<'_>,
    entries: &[(&Import, EncodedBlob)],
    step: &ImportStep,
    placed: &mut Placed,
) -> rusqlite::Result<bool> {
    let found = state(transaction, &step.transcript)?.filter(|found| found.mark == step.mark);
    if found.map_or(0, |found| found.position) != step.from {
        return Ok(false);
    }
    for (import, packed) in entries {
        let content = BlobContent::of(packed, &import.chunks);
        entries::complete(transaction, None, &content, &import.new, EntryOrigin::Created, placed)?;
    }
    transaction
        .prepare_cached(
            "INSERT INTO imported (transcript, mark, position) VALUES (?1, ?2, ?3)
             ON CONFLICT (transcript) DO UPDATE SET mark = excluded.mark, position = excluded.position",
        )?
        .execute((&step.transcript, &step.mark, step.to as i64))?;
    Ok(true)
}
