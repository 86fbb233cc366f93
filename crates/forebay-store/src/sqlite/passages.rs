//! Passages: written into every index at once, taken out of all of them, and brought up to date.

use forebay_domain::text::inner;
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::entries::parse_reference;
use super::vocabulary::Learning;
use crate::contract::{NewChunk, Outdated, Renewed};

pub(super) fn write(
    transaction: &Transaction<'_>,
    entry: i64,
    chunks: &[NewChunk],
    learning: &mut Learning<'_>,
) -> rusqlite::Result<()> {
    let mut place = transaction.prepare_cached(
        "INSERT INTO chunk (entry, start, bytes, first_line, last_line, title, key, created)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for chunk in chunks {
        place.execute((
            entry,
            chunk.start as i64,
            chunk.bytes as i64,
            chunk.lines.0 as i64,
            chunk.lines.1 as i64,
            &chunk.title,
            &chunk.key,
            chunk.created.map(|created| created.0),
        ))?;
        let id = transaction.last_insert_rowid();
        write_words(transaction, id, chunk, learning)?;
        write_around(transaction, id, chunk)?;
        write_meaning(transaction, id, chunk)?;
    }
    Ok(())
}

/// Takes an entry's passages out of the indexes; their rows go with the entry.
pub(super) fn unindex(transaction: &Transaction<'_>, entry: i64) -> rusqlite::Result<()> {
    for index in ["chunk_words", "chunk_around"] {
        let sql =
            format!("DELETE FROM {index} WHERE rowid IN (SELECT id FROM chunk WHERE entry = ?1)");
        transaction.prepare_cached(&sql)?.execute([entry])?;
    }
    Ok(())
}

/// The next passages that were stored before their index was what it is now.
pub(super) fn outdated(connection: &Connection, at_most: usize) -> rusqlite::Result<Vec<Outdated>> {
    connection
        .prepare_cached(
            "SELECT chunk.id, entry.ref, chunk.title, chunk.start, chunk.bytes
             FROM renewal
             JOIN chunk ON chunk.id BETWEEN renewal.next AND renewal.last
             JOIN entry ON entry.id = chunk.entry AND entry.complete
             ORDER BY chunk.id LIMIT ?1",
        )?
        .query_map([at_most as i64], |row| {
            Ok(Outdated {
                passage: row.get(0)?,
                reference: parse_reference(&row.get::<_, String>(1)?)?,
                title: row.get(2)?,
                start: row.get::<_, i64>(3)? as u64,
                bytes: row.get::<_, i64>(4)? as u64,
            })
        })?
        .collect()
}

/// Indexes passages anew, unless another process was faster.
pub(super) fn renew(
    transaction: &Transaction<'_>,
    passages: &[Renewed],
    learning: &mut Learning<'_>,
) -> rusqlite::Result<()> {
    let (Some(first), Some(last)) = (passages.first(), passages.last()) else { return Ok(()) };
    let is_next = transaction.execute(
        "UPDATE renewal SET next = ?2 + 1 WHERE next <= ?1 AND ?2 <= last",
        (first.passage, last.passage),
    )?;
    if is_next == 0 {
        return Ok(());
    }
    for Renewed { passage, chunk } in passages {
        // It may have been forgotten since it was read.
        let is_there = transaction
            .prepare_cached("SELECT 1 FROM chunk WHERE id = ?1")?
            .query_row([passage], |_| Ok(()))
            .optional()?;
        if is_there.is_some() {
            transaction
                .prepare_cached("DELETE FROM chunk_words WHERE rowid = ?1")?
                .execute([passage])?;
            write_words(transaction, *passage, chunk, learning)?;
            write_meaning(transaction, *passage, chunk)?;
        }
    }
    Ok(())
}

fn write_words(
    transaction: &Transaction<'_>,
    id: i64,
    chunk: &NewChunk,
    learning: &mut Learning<'_>,
) -> rusqlite::Result<()> {
    let [title, text] = [&chunk.title, &chunk.text].map(|text| (text, inner::of_text(text)));
    for (text, inner) in [&title, &text] {
        learning.learn(transaction, text)?;
        learning.learn(transaction, inner)?;
    }
    let [title, text] = [title, text].map(|(text, inner)| format!("{text} {inner}"));
    transaction
        .prepare_cached("INSERT INTO chunk_words (rowid, title, body) VALUES (?1, ?2, ?3)")?
        .execute((id, title, text))
        .map(drop)
}

fn write_around(transaction: &Transaction<'_>, id: i64, chunk: &NewChunk) -> rusqlite::Result<()> {
    if chunk.around.is_empty() {
        return Ok(());
    }
    transaction
        .prepare_cached("INSERT INTO chunk_around (rowid, words) VALUES (?1, ?2)")?
        .execute((id, &chunk.around))
        .map(drop)
}

fn write_meaning(transaction: &Transaction<'_>, id: i64, chunk: &NewChunk) -> rusqlite::Result<()> {
    let Some(meaning) = &chunk.meaning else { return Ok(()) };
    transaction
        .prepare_cached("INSERT INTO model (name) VALUES (?1) ON CONFLICT (name) DO NOTHING")?
        .execute([&meaning.model])?;
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO meaning (chunk, model, code, vector)
             SELECT ?1, id, ?2, ?3 FROM model WHERE name = ?4",
        )?
        .execute((id, chunk.is_code, &meaning.vector, &meaning.model))
        .map(drop)
}
