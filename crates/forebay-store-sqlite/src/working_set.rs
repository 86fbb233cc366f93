//! Working sets: the files of each session, bounded by use.

use forebay_store::working_set::{MAX_USES_KEPT, format_ranges, parse_ranges};
use forebay_store::{FileState, WorkingFile, WorkingSet};
use rusqlite::{Connection, Row, Transaction};

use super::entries::parse_reference;

pub(super) fn load(connection: &Connection, session: &str) -> rusqlite::Result<WorkingSet> {
    let files = connection
        .prepare_cached(
            "SELECT path, state, seen, version, tokens, skeleton_tokens, delivered, symbols
             FROM file_at_work WHERE session = ?1 ORDER BY used DESC",
        )?
        .query_map([session], read)?
        .collect::<Result<_, _>>()?;
    let resets_are_reported = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM told_session WHERE session = ?1)")?
        .query_row([session], |row| row.get(0))?;
    Ok(WorkingSet { files, resets_are_reported })
}

pub(super) fn save(
    transaction: &Transaction<'_>,
    session: &str,
    file: &WorkingFile,
    max_files: usize,
) -> rusqlite::Result<()> {
    if file.state == FileState::Active {
        transaction
            .prepare_cached(
                "UPDATE file_at_work SET state = 'skeleton'
                 WHERE session = ?1 AND state = 'active' AND path <> ?2",
            )?
            .execute((session, &file.path))?;
    }
    write(transaction, session, file)?;
    evict_least_used(transaction, session, max_files)
}

fn write(transaction: &Transaction<'_>, session: &str, file: &WorkingFile) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO file_at_work
                 (session, path, state, seen, version, tokens, skeleton_tokens, delivered, symbols, used)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,
                     (SELECT coalesce(max(used), 0) + 1 FROM file_at_work))",
        )?
        .execute((
            session,
            &file.path,
            file.state.as_str(),
            file.content_hash.as_slice(),
            file.version.as_ref().map(|reference| reference.as_str().to_owned()),
            file.tokens as i64,
            file.skeleton_tokens.map(|tokens| tokens as i64),
            format_ranges(&file.delivered),
            file.symbols.join("\n"),
        ))
        .map(drop)
}

fn evict_least_used(
    transaction: &Transaction<'_>,
    session: &str,
    max_files: usize,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "DELETE FROM file_at_work WHERE session = ?1 AND used <=
                 (SELECT used FROM file_at_work WHERE session = ?1
                  ORDER BY used DESC LIMIT 1 OFFSET ?2)",
        )?
        .execute((session, max_files as i64))?;
    transaction
        .prepare_cached(
            "DELETE FROM file_at_work WHERE used <= (SELECT max(used) FROM file_at_work) - ?1",
        )?
        .execute([MAX_USES_KEPT])
        .map(drop)
}

pub(super) fn reset_deliveries(
    transaction: &Transaction<'_>,
    session: &str,
) -> rusqlite::Result<()> {
    transaction.execute(
        "UPDATE file_at_work SET delivered = '', skeleton_tokens = NULL WHERE session = ?1",
        [session],
    )?;
    transaction
        .execute(
            "INSERT INTO told_session (session, resets) VALUES (?1, 1)
             ON CONFLICT (session) DO UPDATE SET resets = resets + 1",
            [session],
        )
        .map(drop)
}

/// Deletes the working set of a session, or of all.
pub(super) fn delete_session(
    transaction: &Transaction<'_>,
    session: Option<&str>,
) -> rusqlite::Result<()> {
    for table in ["file_at_work", "told_session"] {
        let sql = format!("DELETE FROM {table} WHERE ?1 IS NULL OR session = ?1");
        transaction.execute(&sql, [session])?;
    }
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<WorkingFile> {
    let state: String = row.get(1)?;
    let symbols: String = row.get(7)?;
    Ok(WorkingFile {
        path: row.get(0)?,
        state: FileState::parse(&state).unwrap_or(FileState::Forgotten),
        content_hash: row.get(2)?,
        version: row.get::<_, Option<String>>(3)?.map(|text| parse_reference(&text)).transpose()?,
        tokens: row.get::<_, i64>(4)? as u64,
        skeleton_tokens: row.get::<_, Option<i64>>(5)?.map(|tokens| tokens as u64),
        delivered: parse_ranges(&row.get::<_, String>(6)?),
        symbols: symbols.lines().map(str::to_owned).collect(),
    })
}
