//! One connection: how it is set up, and how statements are sent on it.

use std::collections::HashMap;

use forebay_store::{StoreError, busy_timeout};

use ::postgres::types::ToSql;
use ::postgres::{Client, NoTls, Row, Statement};

use super::address::Address;
use super::error::Fault;
use super::{migrate, tls};

/// What a statement may take; a search takes milliseconds.
pub(super) const STATEMENT_SECONDS: u64 = 60;
/// Statements that are kept ready; those with conditions differ.
const STATEMENTS: usize = 300;

pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// The rows a store may touch: every statement is handed both as `$1` and `$2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) workspace: i32,
    pub(super) project: i32,
}

pub(super) struct Connection {
    client: Client,
    statements: HashMap<String, Statement>,
}

impl Connection {
    /// Connects, for a workspace once there is one.
    pub(super) fn open(address: &Address, workspace: Option<i32>) -> Result<Self, Fault> {
        let client = if address.wants_tls() {
            let tls = tls::connector(address).map_err(Fault::content)?;
            address.config.connect(tls)?
        } else {
            address.config.connect(NoTls)?
        };
        let mut connection = Self { client, statements: HashMap::new() };
        connection.batch(&setup())?;
        if let Some(workspace) = workspace {
            connection.enter(workspace, address)?;
        }
        Ok(connection)
    }

    /// Says which workspace the connection is for; who looks at the server sees it, too.
    pub(super) fn enter(&mut self, workspace: i32, address: &Address) -> Result<(), Fault> {
        let mut entering = format!("SET forebay.workspace = '{workspace}'");
        if address.config.get_application_name().is_none() {
            entering.push_str(&format!("; SET application_name = 'forebay {workspace}'"));
        }
        self.batch(&entering)
    }

    pub(super) fn batch(&mut self, sql: &str) -> Result<(), Fault> {
        Ok(self.client.batch_execute(sql)?)
    }

    /// Sends a statement that names its own rows.
    pub(super) fn query(&mut self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, Fault> {
        let statement = self.ready(sql)?;
        Ok(self.client.query(&statement, values)?)
    }

    pub(super) fn execute(&mut self, sql: &str, values: Values<'_>) -> Result<u64, Fault> {
        let statement = self.ready(sql)?;
        Ok(self.client.execute(&statement, values)?)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    pub(super) fn migrate(&mut self, store: &str) -> Result<(), StoreError> {
        migrate::bring_up_to_date(&mut self.client, store)
    }

    fn ready(&mut self, sql: &str) -> Result<Statement, Fault> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        let statement = self.client.prepare(sql)?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

/// A connection that works for one project.
pub(super) struct Work<'c> {
    connection: &'c mut Connection,
    place: Place,
    /// How often words were forgotten here, as far as a statement told.
    pub(super) purges: Option<i64>,
}

impl<'c> Work<'c> {
    pub(super) fn new(connection: &'c mut Connection, place: Place) -> Self {
        Self { connection, place, purges: None }
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// Sends a statement: `$1` is the workspace, `$2` the project, the values begin with `$3`.
    pub(super) fn query(&mut self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, Fault> {
        let Place { workspace, project } = self.place;
        self.connection.query(sql, &placed(&workspace, &project, values))
    }

    pub(super) fn execute(&mut self, sql: &str, values: Values<'_>) -> Result<u64, Fault> {
        let Place { workspace, project } = self.place;
        self.connection.execute(sql, &placed(&workspace, &project, values))
    }

    pub(super) fn first(&mut self, sql: &str, values: Values<'_>) -> Result<Option<Row>, Fault> {
        Ok(self.query(sql, values)?.into_iter().next())
    }

    /// The first row of a statement that always has one.
    pub(super) fn one(&mut self, sql: &str, values: Values<'_>) -> Result<Row, Fault> {
        let row = self.first(sql, values)?;
        row.ok_or_else(|| Fault::content("the server answered without a row"))
    }

    /// Sends a statement about whole tables.
    pub(super) fn batch(&mut self, sql: &str) -> Result<(), Fault> {
        self.connection.batch(sql)
    }

    /// Waits for, and holds, a lock of this name in this project until the transaction ends.
    pub(super) fn lock(&mut self, name: &str) -> Result<(), Fault> {
        let lock = format!("SELECT pg_advisory_xact_lock({})", lock_number(self.place, name));
        self.connection.batch(&lock)
    }

    /// The same for many names, in the order of their numbers: so nobody waits for somebody who waits for him.
    pub(super) fn lock_each(
        &mut self,
        names: impl Iterator<Item = impl AsRef<str>>,
    ) -> Result<(), Fault> {
        let mut numbers: Vec<i64> =
            names.map(|name| lock_number(self.place, name.as_ref())).collect();
        numbers.sort_unstable();
        let lock = "SELECT pg_advisory_xact_lock(number) FROM unnest($1::bigint[]) AS number";
        self.connection.execute(lock, &[&numbers])?;
        Ok(())
    }
}

fn placed<'a>(
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

/// The number by which the server knows a lock.
pub(super) fn lock_number(place: Place, name: &str) -> i64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&place.workspace.to_le_bytes());
    hasher.update(&place.project.to_le_bytes());
    hasher.update(name.as_bytes());
    let mut number = [0; 8];
    number.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    i64::from_le_bytes(number)
}

/// Settings that hold for all of a connection's statements.
///
/// Plans are never compiled (that takes longer than our statements do), a search by meaning goes on until it
/// has enough of the project's own, and words may differ in some of their letters.
fn setup() -> String {
    let patience = busy_timeout().as_millis();
    format!(
        "SET client_min_messages = warning; SET search_path = forebay, public, extensions;
         SET statement_timeout = '{STATEMENT_SECONDS}s'; SET lock_timeout = {patience};
         SET idle_in_transaction_session_timeout = '{STATEMENT_SECONDS}s'; SET jit = off;
         SET hnsw.ef_search = 160; SET hnsw.iterative_scan = relaxed_order;
         SET pg_trgm.similarity_threshold = 0.2"
    )
}
