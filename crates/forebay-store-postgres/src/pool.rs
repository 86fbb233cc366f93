//! The connections of one process to one workspace, shared by all its projects.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use forebay_store::{StoreError, busy_timeout};

use super::address::Address;
use super::connection::{Connection, Place, Work, lock_number};
use super::error::Fault;
use super::single_flight::Shared;
use super::text::Name;

/// Connections at once; a server has a hundred for all its clients, unless told otherwise.
pub const MOST_CONNECTIONS: usize = 16;
/// The pause before a server that starts up is asked again.
const PAUSE: Duration = Duration::from_millis(50);
/// How often a transaction is tried that waits for one that waits for it.
const ATTEMPTS: usize = 5;
/// Held by writers together, and by one who forgets alone: he must know who holds what.
const FORGETTING: &str = "forgetting";

/// Pools by address: projects of one workspace use the same connections. Who opens one holds up nobody who
/// asks for another.
static POOLS: Mutex<BTreeMap<String, Slot>> = Mutex::new(BTreeMap::new());

type Slot = Arc<Mutex<Weak<Pool>>>;

pub(super) struct Pool {
    address: Address,
    store: String,
    workspace: i32,
    state: parking_lot::Mutex<State>,
    freed: parking_lot::Condvar,
    /// The number of a project, by its name.
    projects: Shared<String, Option<i32>>,
}

#[derive(Default)]
struct State {
    idle: Vec<Connection>,
    /// Connections there are, in use or idle.
    count: usize,
}

/// What a transaction does to what others hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    Adds,
    Forgets,
}

impl Pool {
    /// The pool of an address; the first one brings the tables up to date.
    pub(super) fn of(address: &Address) -> Result<Arc<Self>, StoreError> {
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
        let explain = |fault: Fault| fault.explain(&store);
        let mut connection = connect(address, None).map_err(explain)?;
        connection.migrate(&store)?;
        let workspace = workspace(&mut connection, &address.workspace).map_err(explain)?;
        connection.enter(workspace, address).map_err(explain)?;
        let state = State { idle: vec![connection], count: 1 };
        Ok(Self {
            address: address.clone(),
            workspace,
            state: parking_lot::Mutex::new(state),
            freed: parking_lot::Condvar::new(),
            projects: Shared::default(),
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

    /// A place for statements about the projects themselves.
    pub(super) fn nowhere(&self) -> Place {
        Place { workspace: self.workspace, project: 0 }
    }

    /// The number of a project. A search asks for that of its user's own notes, as long as there are none.
    pub(super) fn find_project(&self, name: &str) -> Result<Option<i32>, StoreError> {
        let find = |work: &mut Work<'_>| {
            let row = work.first(
                "SELECT id FROM project WHERE workspace = $1 AND name = $3 AND $2::integer = 0",
                &[&Name(name)],
            )?;
            Ok(row.map(|row| row.try_get(0)).transpose()?)
        };
        self.projects.answer(&name.to_owned(), || self.reading(self.nowhere(), find))
    }

    /// Runs `work` on a connection, and once more on a new one where the connection was lost.
    pub(super) fn reading<T>(
        &self,
        place: Place,
        mut work: impl FnMut(&mut Work<'_>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let mut attempt = || {
            let mut connection = self.take()?;
            let result = work(&mut Work::new(&mut connection, place));
            self.give_back(connection, result.as_ref().err());
            result
        };
        let result = match attempt() {
            Err(fault) if fault.is_lost_connection() => attempt(),
            result => result,
        };
        result.map_err(|fault| fault.explain(&self.store))
    }

    /// Runs `work` in a transaction, which is committed when it succeeds. What was begun is tried again only
    /// where the server ended it because two transactions waited for each other.
    pub(super) fn writing<T>(
        &self,
        place: Place,
        writing: Writing,
        mut work: impl FnMut(&mut Work<'_>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let mut attempt = || {
            let mut connection = self.begin(place, writing)?;
            let result = work(&mut Work::new(&mut connection, place)).and_then(|value| {
                connection.batch("COMMIT")?;
                Ok(value)
            });
            // A connection that cannot even roll back is closed, which does as well.
            let ended = if result.is_err() { connection.batch("ROLLBACK") } else { Ok(()) };
            self.give_back(connection, ended.as_ref().err());
            result
        };
        let mut result = attempt();
        for _ in 1..ATTEMPTS {
            match &result {
                Err(fault) if fault.is_deadlock() => result = attempt(),
                _ => break,
            }
        }
        result.map_err(|fault| fault.explain(&self.store))
    }

    fn begin(&self, place: Place, writing: Writing) -> Result<Connection, Fault> {
        let number = lock_number(place, FORGETTING);
        let lock = match writing {
            Writing::Adds => "pg_advisory_xact_lock_shared",
            Writing::Forgets => "pg_advisory_xact_lock",
        };
        let begin = format!("BEGIN; SELECT {lock}({number})");
        let attempt = || {
            let mut connection = self.take()?;
            match connection.batch(&begin) {
                Ok(()) => Ok(connection),
                Err(fault) => {
                    drop(connection.batch("ROLLBACK"));
                    self.give_back(connection, Some(&fault));
                    Err(fault)
                }
            }
        };
        match attempt() {
            Err(fault) if fault.is_lost_connection() => attempt(),
            begun => begun,
        }
    }

    fn take(&self) -> Result<Connection, Fault> {
        let deadline = Instant::now() + busy_timeout();
        let mut state = self.state.lock();
        loop {
            if let Some(connection) = state.idle.pop() {
                return Ok(connection);
            }
            if state.count < MOST_CONNECTIONS {
                state.count += 1;
                break;
            }
            if self.freed.wait_until(&mut state, deadline).timed_out() {
                return Err(Fault::Busy);
            }
        }
        drop(state);
        connect(&self.address, Some(self.workspace)).inspect_err(|_| self.count_down())
    }

    fn give_back(&self, connection: Connection, fault: Option<&Fault>) {
        let is_lost = fault.is_some_and(Fault::is_lost_connection) || connection.is_closed();
        if !is_lost {
            self.state.lock().idle.push(connection);
            self.freed.notify_one();
            return;
        }
        // Where one was lost the others were lost with it: the server was restarted.
        let idle = std::mem::take(&mut self.state.lock().idle);
        for _ in 0..=idle.len() {
            self.count_down();
        }
    }

    fn count_down(&self) {
        self.state.lock().count -= 1;
        self.freed.notify_one();
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.address)
    }
}

/// Connects; a server that is just starting is waited for.
fn connect(address: &Address, workspace: Option<i32>) -> Result<Connection, Fault> {
    let deadline = Instant::now() + busy_timeout();
    loop {
        match Connection::open(address, workspace) {
            Err(fault) if fault.is_starting_up() && Instant::now() < deadline => pause(),
            opened => return opened,
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a server that starts up tells nobody when it is up")]
fn pause() {
    std::thread::sleep(PAUSE);
}

/// The number of a workspace, which is made when it is first named.
fn workspace(connection: &mut Connection, name: &str) -> Result<i32, Fault> {
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
