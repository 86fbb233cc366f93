//! Connection pool of one workspace, shared by all its projects in this process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use forebay_store::{StoreError, busy_timeout};

use super::address::Address;
use super::connection::{Connection, ProjectScope, ScopedConn, lock_key};
use super::error::PgError;
use super::single_flight::KeyedSingleFlight;
use super::text::Name;

/// Maximum number of connections; a server allows a hundred for all clients by default.
pub const MAX_CONNECTIONS: usize = 16;
/// Time for authentication and the first statement, beside that for the TCP connection.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(3);
/// Delay before reconnecting to a server that is starting up.
const STARTUP_RETRY_DELAY: Duration = Duration::from_millis(50);
/// Attempts per transaction: retries after a deadlock.
const MAX_ATTEMPTS: usize = 5;
/// Name of the lock that writers share and a purge holds alone, since it must see all references.
const PURGE_LOCK: &str = "forgetting";

/// Pools by address. The lock on a slot is separate, so that opening one pool does not block others.
static POOLS: Mutex<BTreeMap<String, Slot>> = Mutex::new(BTreeMap::new());

type Slot = Arc<Mutex<Weak<Pool>>>;

pub(super) struct Pool {
    address: Address,
    store: String,
    workspace: i32,
    state: parking_lot::Mutex<State>,
    freed: parking_lot::Condvar,
    /// Project ids by name.
    projects: KeyedSingleFlight<String, Option<i32>>,
}

#[derive(Default)]
struct State {
    idle: Vec<Connection>,
    /// Open connections, in use or idle.
    count: usize,
}

/// How a transaction takes the purge lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PurgeLock {
    Shared,
    Exclusive,
}

impl Pool {
    /// Returns the pool for an address; the first call opens it and migrates the schema.
    pub(super) fn for_address(address: &Address) -> Result<Arc<Self>, StoreError> {
        let slot = {
            let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(pools.entry(address.key.clone()).or_default())
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = slot.upgrade() {
            return Ok(pool);
        }
        let pool = Arc::new(Self::open(address)?);
        *slot = Arc::downgrade(&pool);
        Ok(pool)
    }

    fn open(address: &Address) -> Result<Self, StoreError> {
        let store = address.to_string();
        let explain = |error: PgError| error.explain(&store);
        let mut connection = connect(address, None).map_err(explain)?;
        connection.migrate(&store)?;
        let workspace = workspace(&mut connection, &address.workspace).map_err(explain)?;
        connection.set_workspace(workspace, address).map_err(explain)?;
        let state = State { idle: vec![connection], count: 1 };
        Ok(Self {
            address: address.clone(),
            workspace,
            state: parking_lot::Mutex::new(state),
            freed: parking_lot::Condvar::new(),
            projects: KeyedSingleFlight::default(),
            store,
        })
    }

    pub(super) fn store(&self) -> &str {
        &self.store
    }

    pub(super) fn workspace_name(&self) -> &str {
        &self.address.workspace
    }

    pub(super) fn workspace(&self) -> i32 {
        self.workspace
    }

    /// Returns the scope for statements about the projects themselves.
    pub(super) fn workspace_scope(&self) -> ProjectScope {
        ProjectScope { workspace: self.workspace, project: 0 }
    }

    /// Returns a project's id. Single-flight: searches look up the project of personal notes while it does not exist.
    pub(super) fn find_project(&self, name: &str) -> Result<Option<i32>, StoreError> {
        let find = |conn: &mut ScopedConn<'_>| {
            let row = conn.first(
                "SELECT id FROM project WHERE workspace = $1 AND name = $3 AND $2::integer = 0",
                &[&Name(name)],
            )?;
            Ok(row.map(|row| row.try_get(0)).transpose()?)
        };
        self.projects.get(&name.to_owned(), || self.with_connection(self.workspace_scope(), find))
    }

    /// Runs `body` on a connection, and once more on a new one if the connection was lost.
    pub(super) fn with_connection<T>(
        &self,
        scope: ProjectScope,
        mut body: impl FnMut(&mut ScopedConn<'_>) -> Result<T, PgError>,
    ) -> Result<T, StoreError> {
        let mut attempt = || {
            let mut connection = self.acquire()?;
            let result = body(&mut ScopedConn::new(&mut connection, scope));
            self.release(connection, result.as_ref().err());
            result
        };
        let result = match attempt() {
            Err(error) if error.is_lost_connection() => attempt(),
            result => result,
        };
        result.map_err(|error| error.explain(&self.store))
    }

    /// Runs `body` in a transaction and commits it if it succeeds. Retries after a deadlock only.
    pub(super) fn transaction<T>(
        &self,
        scope: ProjectScope,
        lock: PurgeLock,
        mut body: impl FnMut(&mut ScopedConn<'_>) -> Result<T, PgError>,
    ) -> Result<T, StoreError> {
        let mut attempt = || {
            let mut connection = self.begin(scope, lock)?;
            let result = body(&mut ScopedConn::new(&mut connection, scope)).and_then(|value| {
                connection.batch("COMMIT")?;
                Ok(value)
            });
            // If the rollback fails the connection is closed, which has the same effect.
            let ended = if result.is_err() { connection.batch("ROLLBACK") } else { Ok(()) };
            self.release(connection, ended.as_ref().err());
            result
        };
        let mut result = attempt();
        for _ in 1..MAX_ATTEMPTS {
            match &result {
                Err(error) if error.is_deadlock() => result = attempt(),
                _ => break,
            }
        }
        result.map_err(|error| error.explain(&self.store))
    }

    fn begin(&self, scope: ProjectScope, lock: PurgeLock) -> Result<Connection, PgError> {
        let key = lock_key(scope, PURGE_LOCK);
        let function = match lock {
            PurgeLock::Shared => "pg_advisory_xact_lock_shared",
            PurgeLock::Exclusive => "pg_advisory_xact_lock",
        };
        let begin = format!("BEGIN; SELECT {function}({key})");
        let attempt = || {
            let mut connection = self.acquire()?;
            match connection.batch(&begin) {
                Ok(()) => Ok(connection),
                Err(error) => {
                    drop(connection.batch("ROLLBACK"));
                    self.release(connection, Some(&error));
                    Err(error)
                }
            }
        };
        match attempt() {
            Err(error) if error.is_lost_connection() => attempt(),
            started => started,
        }
    }

    fn acquire(&self) -> Result<Connection, PgError> {
        let deadline = Instant::now() + busy_timeout();
        let mut state = self.state.lock();
        loop {
            if let Some(connection) = state.idle.pop() {
                return Ok(connection);
            }
            if state.count < MAX_CONNECTIONS {
                state.count += 1;
                break;
            }
            if self.freed.wait_until(&mut state, deadline).timed_out() {
                return Err(PgError::Busy);
            }
        }
        drop(state);
        connect(&self.address, Some(self.workspace)).inspect_err(|_| self.decrement())
    }

    fn release(&self, connection: Connection, error: Option<&PgError>) {
        let is_lost = error.is_some_and(PgError::is_lost_connection) || connection.is_closed();
        if !is_lost {
            self.state.lock().idle.push(connection);
            self.freed.notify_one();
            return;
        }
        // If one connection was lost, so were the others: the server restarted.
        let idle = std::mem::take(&mut self.state.lock().idle);
        for _ in 0..=idle.len() {
            self.decrement();
        }
    }

    fn decrement(&self) {
        self.state.lock().count -= 1;
        self.freed.notify_one();
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.address)
    }
}

/// Connects, and waits for a server that is starting up.
fn connect(address: &Address, workspace: Option<i32>) -> Result<Connection, PgError> {
    let deadline = Instant::now() + busy_timeout();
    loop {
        match open_in_time(address, workspace) {
            Err(error) if error.is_starting_up() && Instant::now() < deadline => pause(),
            opened => return opened,
        }
    }
}

/// Opens a connection, or gives up if the server accepts it and then stays silent, as a frozen one does: the client
/// library bounds the TCP connection only.
fn open_in_time(address: &Address, workspace: Option<i32>) -> Result<Connection, PgError> {
    let (sender, opened) = mpsc::channel();
    let timeout = address.connect_timeout() + HANDSHAKE_TIMEOUT;
    let address = address.clone();
    thread::spawn(move || drop(sender.send(Connection::open(&address, workspace))));
    opened.recv_timeout(timeout).unwrap_or(Err(PgError::Silent))
}

#[expect(clippy::disallowed_methods, reason = "a starting server gives no signal to wait for")]
fn pause() {
    thread::sleep(STARTUP_RETRY_DELAY);
}

/// Returns the id of a workspace, creating it if it is missing.
fn workspace(connection: &mut Connection, name: &str) -> Result<i32, PgError> {
    let name = Name(name);
    loop {
        let found = connection.query("SELECT id FROM workspace WHERE name = $1", &[&name])?;
        if let Some(row) = found.first() {
            return Ok(row.try_get(0)?);
        }
        let make = "INSERT INTO workspace (name) VALUES ($1) ON CONFLICT DO NOTHING";
        connection.execute(make, &[&name])?;
    }
}
