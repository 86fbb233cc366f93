//! OpenCode's own database, read and never written.

use std::path::Path;

use crate::error;

use forebay_store::StoreError;
use rusqlite::{Connection, OpenFlags, Row};

/// A conversation that OpenCode keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: String,
    /// The folder it was held in.
    pub directory: String,
    /// How much of it there is.
    pub bytes: u64,
}

/// The conversations of a database, oldest first.
pub fn sessions(database: &Path) -> Result<Vec<Session>, StoreError> {
    let read = || {
        open(database)?
            .prepare(
                "SELECT id, directory,
                     (SELECT coalesce(sum(length(data)), 0) FROM part WHERE session_id = session.id)
                 FROM session ORDER BY time_created, id",
            )?
            .query_map([], |row| {
                let bytes = row.get::<_, i64>(2)? as u64;
                Ok(Session { id: row.get(0)?, directory: row.get(1)?, bytes })
            })?
            .collect::<rusqlite::Result<_>>()
    };
    read().map_err(|error| error::explain(database, error))
}

/// Hands out the parts of a conversation behind a row, in order and as one line of JSON each, until
/// `take` answers `false`.
pub fn lines(
    database: &Path,
    session: &str,
    after: u64,
    take: &mut dyn FnMut(u64, &str) -> bool,
) -> Result<(), StoreError> {
    let mut read = || {
        let connection = open(database)?;
        let mut statement = connection.prepare(
            "SELECT part.rowid, json_object('session', session.id, 'directory', session.directory,
                 'message', json(message.data), 'part', json(part.data))
             FROM part JOIN message ON message.id = part.message_id
                 JOIN session ON session.id = part.session_id
             WHERE part.session_id = ?1 AND part.rowid > ?2 ORDER BY part.rowid",
        )?;
        let mut rows = statement.query((session, after as i64))?;
        while let Some(row) = rows.next()? {
            if !take(row.get::<_, i64>(0)? as u64, &line(row)?) {
                break;
            }
        }
        Ok(())
    };
    read().map_err(|error| error::explain(database, error))
}

fn line(row: &Row<'_>) -> rusqlite::Result<String> {
    row.get(1)
}

fn open(database: &Path) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(
        database,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
}
