//! One connection: its setup, and how statements are prepared and sent.

use std::collections::HashMap;

use forebay_store::{StoreError, busy_timeout};

use ::postgres::types::ToSql;
use ::postgres::{Client, NoTls, Row, Statement};

use super::address::Address;
use super::error::PgError;
use super::{migrate, tls};

/// Statement timeout; a search takes milliseconds.
pub(super) const STATEMENT_TIMEOUT_SECONDS: u64 = 60;
/// Maximum number of cached prepared statements; each combination of conditions is one.
const MAX_PREPARED_STATEMENTS: usize = 300;

pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// The workspace and project a statement is limited to, always bound as `$1` and `$2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProjectScope {
    pub(super) workspace: i32,
    pub(super) project: i32,
}

pub(super) struct Connection {
    client: Client,
    statements: HashMap<String, Statement>,
}

impl Connection {
    /// Connects, for a workspace if it is known already.
    pub(super) fn open(address: &Address, workspace: Option<i32>) -> Result<Self, PgError> {
        let client = if address.wants_tls() {
            let tls = tls::connector(address).map_err(PgError::invalid_data)?;
            address.config.connect(tls)?
        } else {
            address.config.connect(NoTls)?
        };
        let mut connection = Self { client, statements: HashMap::new() };
        connection.batch(&setup())?;
        if let Some(workspace) = workspace {
            connection.set_workspace(workspace, address)?;
        }
        Ok(connection)
    }

    /// Sets the connection's workspace, also in its application name, where `pg_stat_activity` shows it.
    pub(super) fn set_workspace(
        &mut self,
        workspace: i32,
        address: &Address,
    ) -> Result<(), PgError> {
        let mut sql = format!("SET forebay.workspace = '{workspace}'");
        if address.config.get_application_name().is_none() {
            sql.push_str(&format!("; SET application_name = 'forebay {workspace}'"));
        }
        self.batch(&sql)
    }

    pub(super) fn batch(&mut self, sql: &str) -> Result<(), PgError> {
        Ok(self.client.batch_execute(sql)?)
    }

    /// Runs a statement without the scope's values.
    pub(super) fn query(&mut self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, PgError> {
        let statement = self.prepare(sql)?;
        Ok(self.client.query(&statement, values)?)
    }

    pub(super) fn execute(&mut self, sql: &str, values: Values<'_>) -> Result<u64, PgError> {
        let statement = self.prepare(sql)?;
        Ok(self.client.execute(&statement, values)?)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    pub(super) fn migrate(&mut self, store: &str) -> Result<(), StoreError> {
        migrate::run_pending(&mut self.client, store)
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement, PgError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        if self.statements.len() >= MAX_PREPARED_STATEMENTS {
            self.statements.clear();
        }
        let statement = self.client.prepare(sql)?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

/// A connection bound to the scope of one project.
pub(super) struct ScopedConn<'c> {
    connection: &'c mut Connection,
    scope: ProjectScope,
    /// The project's purge count, if a statement returned it.
    pub(super) purges: Option<i64>,
}

impl<'c> ScopedConn<'c> {
    pub(super) fn new(connection: &'c mut Connection, scope: ProjectScope) -> Self {
        Self { connection, scope, purges: None }
    }

    pub(super) fn scope(&self) -> ProjectScope {
        self.scope
    }

    /// Runs a statement: `$1` is the workspace, `$2` the project, `values` start at `$3`.
    pub(super) fn query(&mut self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, PgError> {
        let ProjectScope { workspace, project } = self.scope;
        self.connection.query(sql, &with_scope(&workspace, &project, values))
    }

    pub(super) fn execute(&mut self, sql: &str, values: Values<'_>) -> Result<u64, PgError> {
        let ProjectScope { workspace, project } = self.scope;
        self.connection.execute(sql, &with_scope(&workspace, &project, values))
    }

    pub(super) fn first(&mut self, sql: &str, values: Values<'_>) -> Result<Option<Row>, PgError> {
        Ok(self.query(sql, values)?.into_iter().next())
    }

    /// Returns the first row of a statement that always has one.
    pub(super) fn one(&mut self, sql: &str, values: Values<'_>) -> Result<Row, PgError> {
        let row = self.first(sql, values)?;
        row.ok_or_else(|| PgError::invalid_data("the server returned no row"))
    }

    /// Runs statements without values.
    pub(super) fn batch(&mut self, sql: &str) -> Result<(), PgError> {
        self.connection.batch(sql)
    }

    /// Takes a lock with this name in this project until the transaction ends.
    pub(super) fn lock(&mut self, name: &str) -> Result<(), PgError> {
        let lock = format!("SELECT pg_advisory_xact_lock({})", lock_key(self.scope, name));
        self.connection.batch(&lock)
    }

    /// Takes locks with many names in the order of their keys, which prevents deadlocks.
    pub(super) fn lock_each(
        &mut self,
        names: impl Iterator<Item = impl AsRef<str>>,
    ) -> Result<(), PgError> {
        let mut numbers: Vec<i64> = names.map(|name| lock_key(self.scope, name.as_ref())).collect();
        numbers.sort_unstable();
        let lock = "SELECT pg_advisory_xact_lock(number) FROM unnest($1::bigint[]) AS number";
        self.connection.execute(lock, &[&numbers])?;
        Ok(())
    }
}

fn with_scope<'a>(
    workspace: &'a i32,
    project: &'a i32,
    values: Values<'a>,
) -> Vec<&'a (dyn ToSql + Sync)> {
    let mut all: Vec<&(dyn ToSql + Sync)> = Vec::with_capacity(values.len() + 2);
    all.push(workspace);
    all.push(project);
    all.extend_from_slice(values);
    all
}

/// Returns the advisory lock key of a name.
pub(super) fn lock_key(scope: ProjectScope, name: &str) -> i64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&scope.workspace.to_le_bytes());
    hasher.update(&scope.project.to_le_bytes());
    hasher.update(name.as_bytes());
    let mut number = [0; 8];
    number.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    i64::from_le_bytes(number)
}

/// Returns the settings for all statements of a connection.
///
/// Plans are never JIT-compiled (that takes longer than our statements), a vector index scan continues until it has
/// enough rows of the project, and trigram similarity has a low threshold.
fn setup() -> String {
    let lock_timeout = busy_timeout().as_millis();
    format!(
        "SET client_min_messages = warning; SET search_path = forebay, public, extensions;
         SET statement_timeout = '{STATEMENT_TIMEOUT_SECONDS}s'; SET lock_timeout = {lock_timeout};
         SET idle_in_transaction_session_timeout = '{STATEMENT_TIMEOUT_SECONDS}s'; SET jit = off;
         SET hnsw.ef_search = 160; SET hnsw.iterative_scan = relaxed_order;
         SET pg_trgm.similarity_threshold = 0.2"
    )
}
