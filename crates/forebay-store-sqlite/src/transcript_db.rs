//! Reads conversations from a host's own SQLite database, with the queries of the host's table.

use std::path::Path;

use forebay_store::StoreError;
use rusqlite::{Connection, OpenFlags};

use crate::error;

/// A conversation in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: String,
    /// The working directory of the conversation.
    pub directory: String,
    /// The size of its content.
    pub bytes: u64,
}

/// Lists the conversations of a database; `query` selects id, directory and size in bytes.
pub fn sessions(database: &Path, query: &str) -> Result<Vec<Session>, StoreError> {
    let read = || {
        open(database)?
            .prepare(query)?
            .query_map([], |row| {
                let bytes = row.get::<_, i64>(2)? as u64;
                Ok(Session { id: row.get(0)?, directory: row.get(1)?, bytes })
            })?
            .collect::<rusqlite::Result<_>>()
    };
    read().map_err(|error| error::explain(database, error))
}

/// Passes the rows of a conversation after a row id to `take`, until it returns `false`.
///
/// `query` selects row id and line, with the session as `?1` and the row id as `?2`.
pub fn lines(
    database: &Path,
    query: &str,
    session: &str,
    after: u64,
    take: &mut dyn FnMut(u64, &str) -> bool,
) -> Result<(), StoreError> {
    let mut read = || {
        let connection = open(database)?;
        let mut statement = connection.prepare(query)?;
        let mut rows = statement.query((session, after as i64))?;
        while let Some(row) = rows.next()? {
            if !take(row.get::<_, i64>(0)? as u64, &row.get::<_, String>(1)?) {
                break;
            }
        }
        Ok(())
    };
    read().map_err(|error| error::explain(database, error))
}

fn open(database: &Path) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(
        database,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
}
