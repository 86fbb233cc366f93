//! Runs of commands, found by the command.

use forebay_domain::Timestamp;
use forebay_store::{CommandRun, CommandRunPage, NewCommandRun};

use ::postgres::Row;

use super::connection::ScopedConn;
use super::entries;
use super::error::PgError;
use super::text::{Name, Text};

pub(super) fn write(
    conn: &mut ScopedConn<'_>,
    entry: i64,
    run: &NewCommandRun,
) -> Result<(), PgError> {
    conn.execute(
        "INSERT INTO command_run (workspace, project, entry, command, failed, ending, session, resets)
         VALUES ($1, $2, $3, $4, $5, $6, $7, (SELECT told.resets FROM told_session AS told
             WHERE told.workspace = $1 AND told.project = $2 AND told.session = $7))",
        &[&entry, &run.command.as_slice(), &run.failed, &Text(&run.ending), &Name(&run.session)],
    )?;
    Ok(())
}

pub(super) fn list(
    conn: &mut ScopedConn<'_>,
    page: &CommandRunPage,
) -> Result<Vec<CommandRun>, PgError> {
    let rows = conn.query(
        "SELECT entry.ref, entry.title, entry.created, blob.bytes, ran.failed, ran.ending,
             coalesce(ran.session = $5 AND ran.resets =
                 (SELECT told.resets FROM told_session AS told WHERE told.workspace = $1
                  AND told.project = $2 AND told.session = $5), false)
         FROM command_run AS ran
         JOIN entry ON entry.workspace = $1 AND entry.project = $2 AND entry.id = ran.entry
         JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
         WHERE ran.workspace = $1 AND ran.project = $2 AND ran.command = $3 AND ran.entry < $4
             AND entry.complete AND NOT ($6 AND ran.failed)
             AND ($7::text IS NULL OR entry.branch = $7)
         ORDER BY ran.entry DESC LIMIT $8",
        &[
            &page.command.as_slice(),
            &page.before,
            &Name(&page.session),
            &page.succeeded_only,
            &page.branch,
            &(page.limit as i64),
        ],
    )?;
    rows.iter().map(read).collect()
}

fn read(row: &Row) -> Result<CommandRun, PgError> {
    Ok(CommandRun {
        reference: entries::reference(row, 0)?,
        title: row.try_get(1)?,
        created: Timestamp(row.try_get(2)?),
        bytes: row.try_get::<_, i64>(3)? as u64,
        failed: row.try_get(4)?,
        ending: row.try_get(5)?,
        is_in_context: row.try_get(6)?,
    })
}
