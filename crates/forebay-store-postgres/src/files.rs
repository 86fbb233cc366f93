//! The working set of each session: a small table, bounded by last use.

use forebay_store::working_set::{MAX_USES_KEPT, format_ranges, parse_ranges};
use forebay_store::{FileState, WorkingFile, WorkingSet};

use ::postgres::Row;

use super::connection::ScopedConn;
use super::entries;
use super::error::PgError;
use super::text::{Name, Text};

pub(super) fn of_session(conn: &mut ScopedConn<'_>, session: &str) -> Result<WorkingSet, PgError> {
    let rows = conn.query(
        "SELECT path, state, seen, version, tokens, skeleton_tokens, delivered, symbols
         FROM file_at_work WHERE workspace = $1 AND project = $2 AND session = $3 ORDER BY used DESC",
        &[&Name(session)],
    )?;
    let files = rows.iter().map(read).collect::<Result<_, _>>()?;
    let reported = conn.first(
        "SELECT FROM told_session WHERE workspace = $1 AND project = $2 AND session = $3",
        &[&Name(session)],
    )?;
    Ok(WorkingSet { files, resets_are_reported: reported.is_some() })
}

pub(super) fn save(
    conn: &mut ScopedConn<'_>,
    session: &str,
    file: &WorkingFile,
    limit: usize,
) -> Result<(), PgError> {
    if file.state == FileState::Active {
        conn.execute(
            "UPDATE file_at_work SET state = 'skeleton' WHERE workspace = $1 AND project = $2
                 AND session = $3 AND state = 'active' AND path <> $4",
            &[&Name(session), &Name(&file.path)],
        )?;
    }
    write(conn, session, file)?;
    evict_least_used(conn, session, limit)
}

fn write(conn: &mut ScopedConn<'_>, session: &str, file: &WorkingFile) -> Result<(), PgError> {
    conn.execute(
        "INSERT INTO file_at_work (workspace, project, session, path, state, seen, version, tokens,
             skeleton_tokens, delivered, symbols, used)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, nextval('use'))
         ON CONFLICT (workspace, project, session, path) DO UPDATE SET state = excluded.state,
             seen = excluded.seen, version = excluded.version, tokens = excluded.tokens,
             skeleton_tokens = excluded.skeleton_tokens, delivered = excluded.delivered,
             symbols = excluded.symbols, used = excluded.used",
        &[
            &Name(session),
            &Name(&file.path),
            &file.state.as_str(),
            &file.content_hash.as_slice(),
            &file.version.as_ref().map(forebay_domain::Reference::as_str),
            &(file.tokens as i64),
            &file.skeleton_tokens.map(|tokens| tokens as i64),
            &format_ranges(&file.delivered),
            &Text(&file.symbols.join("\n")),
        ],
    )?;
    Ok(())
}

fn evict_least_used(conn: &mut ScopedConn<'_>, session: &str, limit: usize) -> Result<(), PgError> {
    conn.execute(
        "DELETE FROM file_at_work WHERE workspace = $1 AND project = $2 AND session = $3 AND used <=
             (SELECT used FROM file_at_work
              WHERE workspace = $1 AND project = $2 AND session = $3
              ORDER BY used DESC LIMIT 1 OFFSET $4)",
        &[&Name(session), &(limit as i64)],
    )?;
    conn.execute(
        "DELETE FROM file_at_work WHERE workspace = $1 AND project = $2 AND used <=
             (SELECT max(used) FROM file_at_work WHERE workspace = $1 AND project = $2) - $3::bigint",
        &[&MAX_USES_KEPT],
    )?;
    Ok(())
}

pub(super) fn reset_deliveries(conn: &mut ScopedConn<'_>, session: &str) -> Result<(), PgError> {
    conn.execute(
        "UPDATE file_at_work SET delivered = '', skeleton_tokens = NULL
         WHERE workspace = $1 AND project = $2 AND session = $3",
        &[&Name(session)],
    )?;
    conn.execute(
        "INSERT INTO told_session (workspace, project, session, resets) VALUES ($1, $2, $3, 1)
         ON CONFLICT (workspace, project, session) DO UPDATE SET resets = told_session.resets + 1",
        &[&Name(session)],
    )?;
    Ok(())
}

/// Deletes the working set of a session, or of all sessions.
pub(super) fn delete_session(
    conn: &mut ScopedConn<'_>,
    session: Option<&str>,
) -> Result<(), PgError> {
    for table in ["file_at_work", "told_session"] {
        let sql = format!(
            "DELETE FROM {table} WHERE workspace = $1 AND project = $2
                 AND ($3::text IS NULL OR session = $3)"
        );
        conn.execute(&sql, &[&session.map(Name)])?;
    }
    Ok(())
}

fn read(row: &Row) -> Result<WorkingFile, PgError> {
    let symbols: &str = row.try_get(7)?;
    Ok(WorkingFile {
        path: row.try_get(0)?,
        state: FileState::parse(row.try_get(1)?).unwrap_or(FileState::Forgotten),
        content_hash: row.try_get::<_, &[u8]>(2)?.try_into().map_err(PgError::invalid_data)?,
        version: entries::optional_reference(row, 3)?,
        tokens: row.try_get::<_, i64>(4)? as u64,
        skeleton_tokens: row.try_get::<_, Option<i64>>(5)?.map(|tokens| tokens as u64),
        delivered: parse_ranges(row.try_get(6)?),
        symbols: symbols.lines().map(str::to_owned).collect(),
    })
}
