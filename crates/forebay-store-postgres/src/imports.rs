//! Imports of past conversations: many entries per transaction, with the position reached in the transcript.

use forebay_store::blob::writer::{BlobContent, EntryOrigin};
use forebay_store::{EncodedBlob, Import, ImportPosition, ImportStep};

use super::connection::ScopedConn;
use super::entries;
use super::error::PgError;
use super::text::{Name, Text};

pub(super) fn state(
    conn: &mut ScopedConn<'_>,
    transcript: &str,
) -> Result<Option<ImportPosition>, PgError> {
    let row = conn.first(
        "SELECT position, mark FROM imported
         WHERE workspace = $1 AND project = $2 AND transcript = $3",
        &[&Name(transcript)],
    )?;
    let read = |row: postgres::Row| {
        Ok(ImportPosition { position: row.try_get::<_, i64>(0)? as u64, mark: row.try_get(1)? })
    };
    row.map(read).transpose()
}

/// Writes a step unless another process already has.
pub(super) fn write(
    conn: &mut ScopedConn<'_>,
    entries: &[(&Import, EncodedBlob)],
    step: &ImportStep,
) -> Result<bool, PgError> {
    conn.lock(&format!("import {}", step.transcript))?;
    let found = state(conn, &step.transcript)?.filter(|found| found.mark == step.mark);
    if found.map_or(0, |found| found.position) != step.from {
        return Ok(false);
    }
    for (import, packed) in entries {
        let content = BlobContent::new(packed, &import.chunks);
        entries::complete(conn, None, &content, &import.new, EntryOrigin::Created)?;
    }
    conn.execute(
        "INSERT INTO imported (workspace, project, transcript, mark, position) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (workspace, project, transcript) DO UPDATE
             SET mark = excluded.mark, position = excluded.position",
        &[&Name(&step.transcript), &Text(&step.mark), &(step.to as i64)],
    )?;
    Ok(true)
}
