//! Migrations: append-only SQL files, each recorded with its checksum, applied by one process at a time.

use forebay_store::StoreError;
use forebay_store::migration::{Migration, check_applied};

use ::postgres::Client;
use ::postgres::error::SqlState;

use super::error::{self, PgError};

/// In order; a released file is never edited, and new ones are appended.
const MIGRATIONS: &[Migration] = &[
    Migration { name: "0001_foundation", sql: include_str!("migrations/0001_foundation.sql") },
    Migration { name: "0002_embedding", sql: include_str!("migrations/0002_embedding.sql") },
    Migration { name: "0003_held", sql: include_str!("migrations/0003_held.sql") },
    Migration { name: "0004_renewals", sql: include_str!("migrations/0004_renewals.sql") },
    Migration { name: "0005_meanings", sql: include_str!("migrations/0005_meanings.sql") },
    Migration { name: "0006_gone", sql: include_str!("migrations/0006_gone.sql") },
    Migration { name: "0007_policies", sql: include_str!("migrations/0007_policies.sql") },
    Migration { name: "0008_command_runs", sql: include_str!("migrations/0008_command_runs.sql") },
    Migration {
        name: "0009_model_requests",
        sql: include_str!("migrations/0009_model_requests.sql"),
    },
    Migration { name: "0010_ledger", sql: include_str!("migrations/0010_ledger.sql") },
    Migration { name: "0011_treatments", sql: include_str!("migrations/0011_treatments.sql") },
];

/// Advisory lock of a running migration: "forebay" in ASCII.
const LOCK: i64 = 0x0066_6f72_6562_6179;

/// Applies pending migrations; rejects a schema that is newer or has other checksums.
pub(super) fn run_pending(client: &mut Client, store: &str) -> Result<(), StoreError> {
    let explain = |error: postgres::Error| PgError::from(error).explain(store);
    let applied_names = applied(client).map_err(explain)?;
    check_applied(MIGRATIONS, &applied_names, store.as_ref())?;
    if applied_names.len() == MIGRATIONS.len() {
        return Ok(());
    }
    let mut transaction = client.transaction().map_err(explain)?;
    // Other processes wait here and then find nothing to apply.
    let wait = format!(
        "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0;
         SELECT pg_advisory_xact_lock({LOCK})"
    );
    transaction.batch_execute(&wait).map_err(explain)?;
    let applied_names = applied(&mut transaction).map_err(explain)?;
    check_applied(MIGRATIONS, &applied_names, store.as_ref())?;
    for migration in &MIGRATIONS[applied_names.len()..] {
        apply(&mut transaction, migration).map_err(|error| refused(error, store))?;
    }
    transaction.commit().map_err(explain)
}

/// Returns the applied migrations, oldest first; empty for a new database.
fn applied(
    client: &mut impl postgres::GenericClient,
) -> Result<Vec<(String, String)>, postgres::Error> {
    // A query of the catalog: `to_regclass` answers from the session's cache, which does not know
    // what another process has created while this one waited for the lock.
    let is_new = "SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_class AS known
             JOIN pg_catalog.pg_namespace AS schema ON schema.oid = known.relnamespace
             WHERE schema.nspname = 'forebay' AND known.relname = 'migration')";
    let is_new: bool = client.query_one(is_new, &[])?.try_get(0)?;
    if is_new {
        return Ok(Vec::new());
    }
    let rows = client.query("SELECT name, checksum FROM forebay.migration ORDER BY id", &[])?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

fn apply(
    client: &mut impl postgres::GenericClient,
    migration: &Migration,
) -> Result<(), postgres::Error> {
    client.batch_execute(
        "CREATE SCHEMA IF NOT EXISTS forebay;
         CREATE TABLE IF NOT EXISTS forebay.migration
             (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,
              checksum text NOT NULL)",
    )?;
    client.batch_execute(migration.sql)?;
    client
        .execute(
            "INSERT INTO forebay.migration (name, checksum) VALUES ($1, $2)",
            &[&migration.name, &migration.checksum()],
        )
        .map(drop)
}

/// Maps a missing extension or privilege to an error for the administrator.
fn refused(error: postgres::Error, store: &str) -> StoreError {
    let needs_administrator = [
        SqlState::UNDEFINED_FILE,
        SqlState::FEATURE_NOT_SUPPORTED,
        SqlState::INSUFFICIENT_PRIVILEGE,
        SqlState::UNDEFINED_OBJECT,
    ];
    match error.code() {
        Some(code) if needs_administrator.contains(code) => {
            StoreError::Unsupported { store: store.to_owned(), why: error::message(&error) }
        }
        _ => PgError::from(error).explain(store),
    }
}

/// Number of migrations, which is the schema version.
pub(super) const VERSION: u32 = MIGRATIONS.len() as u32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migration_names_are_sorted() {
        assert!(MIGRATIONS.iter().map(|migration| migration.name).is_sorted());
    }
}
