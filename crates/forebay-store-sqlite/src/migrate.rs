//! Migrations: append-only SQL files, each recorded with its checksum.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use forebay_store::StoreError;
use forebay_store::migration::{Migration, check_applied};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::backup_folder;
use super::connection::{create_private_file, lock_beside};
use crate::error;

/// In order; a released file is never edited, new ones are appended.
const MIGRATIONS: &[Migration] = &[
    Migration { name: "0001_foundation", sql: include_str!("migrations/0001_foundation.sql") },
    Migration { name: "0002_meaning", sql: include_str!("migrations/0002_meaning.sql") },
    Migration { name: "0003_events", sql: include_str!("migrations/0003_events.sql") },
    Migration { name: "0004_files", sql: include_str!("migrations/0004_files.sql") },
    Migration { name: "0005_sources", sql: include_str!("migrations/0005_sources.sql") },
    Migration { name: "0006_finding", sql: include_str!("migrations/0006_finding.sql") },
    Migration { name: "0007_import", sql: include_str!("migrations/0007_import.sql") },
    Migration { name: "0008_team", sql: include_str!("migrations/0008_team.sql") },
    Migration { name: "0009_tokens", sql: include_str!("migrations/0009_tokens.sql") },
    Migration { name: "0010_words", sql: include_str!("migrations/0010_words.sql") },
    Migration { name: "0011_embedding", sql: include_str!("migrations/0011_embedding.sql") },
    Migration { name: "0012_command_runs", sql: include_str!("migrations/0012_command_runs.sql") },
    Migration {
        name: "0013_model_requests",
        sql: include_str!("migrations/0013_model_requests.sql"),
    },
    Migration { name: "0014_ledger", sql: include_str!("migrations/0014_ledger.sql") },
    Migration { name: "0015_treatments", sql: include_str!("migrations/0015_treatments.sql") },
];

/// Applies pending migrations; rejects a database that is newer or has different ones. Returns what
/// the user must know.
pub(super) fn migrate(
    connection: &mut Connection,
    path: &Path,
) -> Result<Option<String>, StoreError> {
    let engine = |error| error::explain(path, error);
    let applied = applied(connection).map_err(engine)?;
    check_applied(MIGRATIONS, &applied, path)?;
    if applied.len() == MIGRATIONS.len() {
        return Ok(None);
    }
    let mut lock = lock_beside(path, "lock")?;
    let was_used = lock.metadata().is_ok_and(|metadata| metadata.len() > 0);
    let was_new = is_new(connection).map_err(engine)?;
    if was_new {
        reject_foreign(connection, path)?;
    }
    prepare_file(connection).map_err(engine)?;
    migrate_locked(connection, path)?;
    if !was_used {
        // The next process that finds an empty database knows that it has lost its content.
        lock.write_all(b"used\n").map_err(StoreError::io(path))?;
    }
    let was_emptied = was_new && was_used;
    Ok(was_emptied
        .then(|| format!("{} was missing or empty; a new store was begun", path.display())))
}

/// Rejects a database that has tables, but none of ours.
fn reject_foreign(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let tables = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = connection
        .query_row(tables, [], |row| row.get(0))
        .map_err(|error| error::explain(path, error))?;
    if tables == 0 {
        return Ok(());
    }
    let what = "it is the database of another program".to_owned();
    Err(StoreError::Corrupt { path: path.to_owned(), what })
}

/// Returns the first migration that only a newer version knows. It may be applied while older processes run.
pub(super) fn newer_migration(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let newer = "SELECT name FROM migration WHERE id > ?1 ORDER BY id LIMIT 1";
    let mut statement = connection.prepare_cached(newer)?;
    statement.query_row([MIGRATIONS.len() as i64], |row| row.get(0)).optional()
}

/// Returns the number of applied migrations.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    applied(connection).map(|applied| applied.len() as u32)
}

fn migrate_locked(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let engine = |error| error::explain(path, error);
    // Another process may have migrated while this one waited for the lock.
    let applied = applied(connection).map_err(engine)?;
    check_applied(MIGRATIONS, &applied, path)?;
    let pending = &MIGRATIONS[applied.len()..];
    if !applied.is_empty() && !pending.is_empty() {
        back_up(connection, path, applied.len())?;
    }
    apply(connection, pending).map_err(engine)
}

/// Returns the applied migrations, oldest first; none for a new file.
fn applied(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    if is_new(connection)? {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare("SELECT name, checksum FROM migration ORDER BY id")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn is_new(connection: &Connection) -> rusqlite::Result<bool> {
    // A query, because the connection's cached schema may be older than another process's
    // migration.
    connection.query_row(
        "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'migration')",
        [],
        |row| row.get(0),
    )
}

/// Applies settings that must precede the first table.
fn prepare_file(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;")
}

/// Applies all migrations or none. One transaction, so that each page is written once to the log
/// that every process reads on opening.
fn apply(connection: &mut Connection, pending: &[Migration]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(
        "CREATE TABLE IF NOT EXISTS migration
             (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, checksum TEXT NOT NULL) STRICT",
    )?;
    for migration in pending {
        transaction.execute_batch(migration.sql)?;
        transaction.execute(
            "INSERT INTO migration (name, checksum) VALUES (?1, ?2)",
            (migration.name, migration.checksum()),
        )?;
    }
    transaction.commit()
}

/// Backs up the database before the first pending migration.
fn back_up(connection: &Connection, path: &Path, version: usize) -> Result<(), StoreError> {
    let folder = backup_folder(path);
    let copy = folder.join(format!("store-{version:04}.db"));
    if copy.exists() {
        return Ok(());
    }
    let partial = copy.with_extension("part");
    let _ = fs::remove_file(&partial);
    create_private_file(&partial)?;
    connection
        .execute("VACUUM INTO ?1", [partial.to_string_lossy()])
        .map_err(|error| error::explain(&partial, error))?;
    fs::rename(&partial, &copy).map_err(StoreError::io(&copy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backs_up_an_existing_store_before_migrating() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path).unwrap();
        back_up(&connection, &path, 1).unwrap();
        let copy = Connection::open(folder.path().join("backups/store-0001.db")).unwrap();
        assert_eq!(version(&copy).unwrap(), MIGRATIONS.len() as u32);
    }

    #[test]
    fn a_failing_migration_rolls_back_all_pending_ones() {
        let mut connection = Connection::open_in_memory().unwrap();
        let whole = Migration { name: "9998", sql: "CREATE TABLE whole (id)" };
        let broken = Migration { name: "9999", sql: "CREATE TABLE half (id); SELECT nonsense();" };
        assert!(apply(&mut connection, &[whole, broken]).is_err());
        assert!(!connection.table_exists(None, "whole").unwrap());
        assert!(!connection.table_exists(None, "half").unwrap());
        assert_eq!(version(&connection).unwrap(), 0);
    }

    #[test]
    fn names_are_sorted() {
        assert!(MIGRATIONS.iter().map(|migration| migration.name).is_sorted());
    }
}
