//! Imports: entries of past conversations, many in a transaction, with how far the transcript is read.

use rusqlite::{Connection, OptionalExtension, Transaction};

use super::blobs::{PART_BYTES, Part};
use super::entries;
use crate::contract::{Import, ImportStep, Imported};

pub(super) fn state(
    connection: &Connection,
    transcript: &str,
) -> rusqlite::Result<Option<Imported>> {
    connection
        .prepare_cached("SELECT position, mark FROM imported WHERE transcript = ?1")?
        .query_row([transcript], |row| {
            Ok(Imported { position: row.get::<_, i64>(0)? as u64, mark: row.get(1)? })
        })
        .optional()
}

/// An entry whose bytes are compressed, so that the transaction is short.
pub(super) struct Prepared<'a> {
    import: &'a Import,
    hash: blake3::Hash,
    lines: u64,
    parts: Vec<Part>,
}

impl<'a> Prepared<'a> {
    pub(super) fn of(import: &'a Import) -> rusqlite::Result<Self> {
        let mut parts = Vec::new();
        let (mut start, mut line) = (0, 1);
        for raw in import.raw.chunks(PART_BYTES) {
            parts.push(Part::compress(raw, start, line)?);
            start += raw.len() as u64;
            line += memchr::memchr_iter(b'\n', raw).count() as u64;
        }
        let has_open_line = !import.raw.is_empty() && !import.raw.ends_with(b"\n");
        let lines = line - 1 + u64::from(has_open_line);
        Ok(Self { import, hash: blake3::hash(&import.raw), lines, parts })
    }
}

/// Writes a step, unless another process took it.
pub(super) fn write(
    transaction: &Transaction<'_>,
    entries: &[Prepared<'_>],
    step: &ImportStep,
) -> rusqlite::Result<bool> {
    let found = state(transaction, &step.transcript)?.filter(|found| found.mark == step.mark);
    if found.map_or(0, |found| found.position) != step.from {
        return Ok(false);
    }
    for prepared in entries {
        let content = entries::Content {
            hash: prepared.hash,
            bytes: prepared.import.raw.len() as u64,
            lines: prepared.lines,
            parts: &prepared.parts,
            chunks: &prepared.import.chunks,
        };
        entries::complete(transaction, None, &content, &prepared.import.new)?;
    }
    transaction
        .prepare_cached(
            "INSERT INTO imported (transcript, mark, position) VALUES (?1, ?2, ?3)
             ON CONFLICT (transcript) DO UPDATE SET mark = excluded.mark, position = excluded.position",
        )?
        .execute((&step.transcript, &step.mark, step.to as i64))?;
    Ok(true)
}
