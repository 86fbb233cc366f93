//! What both directions of a connection know of each other.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use forebay_app::bounds::MAX_PENDING;
use forebay_app::wrap::{WrappedCall, WrappedServer};

use super::json::id_key;
use super::lines;
use super::own_tools::OwnTools;

/// A client and its server.
pub(super) struct Session {
    pub(super) server: WrappedServer,
    pub(super) own_tools: OwnTools,
    client: Mutex<File>,
    /// By the ids of the requests, as they are compared.
    pending: Mutex<HashMap<String, Pending>>,
    /// Calls that go on as tasks, by the task's id.
    tasks: Mutex<HashMap<String, WrappedCall>>,
    /// Tools that the client was shown with an output schema.
    schemas: Mutex<HashSet<String>>,
    /// Whether the client can ask its user.
    pub(super) can_ask: Flag,
    /// Whether the server has said that it tells when its tools change.
    pub(super) tells_list_changes: Flag,
}

/// A request whose answer matters.
#[derive(Debug, Clone)]
pub(super) enum Pending {
    Initialize,
    ListTools {
        /// Whether it is the first page.
        is_first: bool,
    },
    Call(WrappedCall),
    /// A call whose result comes later, by `tasks/result`.
    StartTask(WrappedCall),
}

impl Session {
    pub(super) fn new(server: WrappedServer, client: File) -> Self {
        Self {
            own_tools: OwnTools::new(server.listing()),
            server,
            client: Mutex::new(client),
            pending: Mutex::default(),
            tasks: Mutex::default(),
            schemas: Mutex::default(),
            can_ask: Flag::default(),
            tells_list_changes: Flag::default(),
        }
    }

    /// Sends a line to the client, whole.
    pub(super) fn to_client(&self, line: &[u8]) -> io::Result<()> {
        lines::write(&mut *self.client(), line)
    }

    /// The client's end, for a line that is written in pieces.
    pub(super) fn client(&self) -> MutexGuard<'_, File> {
        lock(&self.client)
    }

    /// Waits for the answer to a request.
    pub(super) fn expect(&self, id: &str, pending: Pending) {
        let mut all = lock(&self.pending);
        if all.len() < MAX_PENDING {
            all.insert(id_key(id), pending);
        }
    }

    /// The request that an answer is for.
    pub(super) fn answered(&self, id: &str) -> Option<Pending> {
        lock(&self.pending).remove(&id_key(id))
    }

    pub(super) fn add_task(&self, task: String, call: WrappedCall) {
        let mut tasks = lock(&self.tasks);
        if tasks.len() < MAX_PENDING {
            tasks.insert(task, call);
        }
    }

    pub(super) fn task(&self, task: &str) -> Option<WrappedCall> {
        lock(&self.tasks).get(task).cloned()
    }

    /// Notes whether the client sees an output schema of a tool.
    pub(super) fn lists_schema(&self, tool: &str, is_listed: bool) {
        let mut schemas = lock(&self.schemas);
        if is_listed {
            schemas.insert(tool.to_owned());
        } else {
            schemas.remove(tool);
        }
    }

    pub(super) fn has_listed_schema(&self, tool: &str) -> bool {
        lock(&self.schemas).contains(tool)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A fact that one direction learns and the other one reads.
#[derive(Default)]
pub(super) struct Flag(AtomicBool);

impl Flag {
    pub(super) fn set(&self, value: bool) {
        self.0.store(value, Ordering::Release);
    }

    pub(super) fn get(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
