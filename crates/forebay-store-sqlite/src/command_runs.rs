//! Runs of commands, found by the command.

use forebay_domain::Timestamp;
use forebay_store::{CommandRun, CommandRunPage, NewCommandRun};
use rusqlite::{Connection, Row, Transaction};

use super::entries::parse_reference;

pub(super) const WRITE: &str =
    "INSERT INTO command_run (entry, command, failed, ending, session, resets) VALUES
         (?1, ?2, ?3, ?4, ?5, (SELECT resets FROM told_session WHERE session = ?5))";

pub(super) fn write(
    transaction: &Transaction<'_>,
    entry: i64,
    run: &NewCommandRun,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(WRITE)?
        .execute((entry, run.command.as_slice(), run.failed, &run.ending, &run.session))
        .map(drop)
}

pub(super) fn list(
    connection: &Connection,
    page: &CommandRunPage,
) -> rusqlite::Result<Vec<CommandRun>> {
    connection
        .prepare_cached(
            "SELECT entry.ref, entry.title, entry.created, blob.bytes, failed, ending,
                 command_run.session = ?3 AND resets IS NOT NULL AND resets =
                     (SELECT told.resets FROM told_session AS told WHERE told.session = ?3)
             FROM command_run JOIN entry ON entry.id = command_run.entry
             JOIN blob ON blob.id = entry.blob
             WHERE command_run.command = ?1 AND command_run.entry < ?2 AND entry.complete
                 AND NOT (?4 AND failed) AND (?5 IS NULL OR entry.branch = ?5)
             ORDER BY command_run.entry DESC LIMIT ?6",
        )?
        .query_map(
            (
                page.command.as_slice(),
                page.before,
                &page.session,
                page.succeeded_only,
                &page.branch,
                page.limit as i64,
            ),
            read,
        )?
        .collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<CommandRun> {
    Ok(CommandRun {
        reference: parse_reference(&row.get::<_, String>(0)?)?,
        title: row.get(1)?,
        created: Timestamp(row.get(2)?),
        bytes: row.get::<_, i64>(3)? as u64,
        failed: row.get(4)?,
        ending: row.get(5)?,
        is_in_context: row.get::<_, Option<bool>>(6)?.unwrap_or(false),
    })
}
