//! Reads conversations from a host's own SQLite database, with the queries of the host's table.

use std::path::Path;

use forebay_store::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::error;

/// A longer value is no line of a conversation.
const MAX_VALUE_BYTES: i32 = 64 * 1024 * 1024;

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

/// Opens a database that somebody else may have made: its schema computes nothing, and no value fills the memory.
fn open(database: &Path) -> rusqlite::Result<Connection> {
    check_files(database)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
    Ok(connection)
}

/// SQLite opens the files beside a database by itself, and waits for the writer of a pipe.
fn check_files(database: &Path) -> rusqlite::Result<()> {
    let is_regular = |suffix: &&str| {
        let mut path = database.as_os_str().to_owned();
        path.push(suffix);
        std::fs::metadata(path).map_or(true, |found| found.is_file())
    };
    if ["", "-journal", "-wal", "-shm"].iter().all(is_regular) {
        return Ok(());
    }
    Err(rusqlite::Error::InvalidPath(database.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUERY: &str = "SELECT id, directory, size FROM session";

    /// The message for a database with this schema.
    fn failure(schema: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        Connection::open(&path).unwrap().execute_batch(schema).unwrap();
        sessions(&path, QUERY).unwrap_err().to_string()
    }

    #[test]
    fn views_are_not_read() {
        let view = "CREATE VIEW session AS SELECT 'a' AS id, '/' AS directory, 1 AS size";
        assert!(failure(view).contains("view"), "{}", failure(view));
        let endless = "CREATE VIEW session AS WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)
             SELECT hex(i) AS id, '/' AS directory, i AS size FROM n";
        assert!(!failure(endless).is_empty());
    }

    #[test]
    fn a_computed_value_does_not_fill_the_memory() {
        let large = "CREATE TABLE session (size INTEGER, id TEXT AS (hex(zeroblob(400000000))), directory TEXT AS ('/'));
             INSERT INTO session VALUES (1), (2), (3)";
        assert!(failure(large).contains("too big"), "{}", failure(large));
    }

    #[test]
    fn a_pipe_beside_it_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let schema = "CREATE TABLE session (id TEXT, directory TEXT, size INTEGER)";
        Connection::open(&path).unwrap().execute_batch(schema).unwrap();
        assert!(sessions(&path, QUERY).unwrap().is_empty());
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
        let pipe = folder.path().join("x.db-journal");
        rustix::fs::mknodat(rustix::fs::CWD, pipe, kind, mode, 0).unwrap();
        assert!(sessions(&path, QUERY).is_err());
    }
}
