//! A client's session: servers of its own, and what they say to it.
//!
//! Nothing is shared between sessions, not even of one caller: a browser or a database connection has the state of one client.

use std::io;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use forebay_app::wrap::tool_list::ToolListing;
use forebay_sandbox::CancelToken;
use tokio_util::sync::CancellationToken;

use super::streams::Streams;
use crate::doors::wrap::{ForebayTools, Gateway, GatewayServer, Parts};

/// Messages of a client that its servers have not got yet.
const MAX_WAITING: usize = 1_000;
/// Between two looks at whether a session has ended.
const CHECK_INTERVAL: Duration = Duration::from_mins(10);

/// A session, from its start until its servers have ended.
pub(super) struct Session {
    pub(super) id: String,
    /// The token that started it, which alone may use it.
    pub(super) owner: Option<String>,
    /// Whose sessions it counts among.
    pub(super) caller: String,
    pub(super) server_count: usize,
    pub(super) streams: Arc<Streams>,
    requests: Mutex<Option<SyncSender<String>>>,
    last_use: Mutex<Instant>,
    ended: CancelToken,
    /// The same, for asynchronous code.
    pub(super) closed: CancellationToken,
}

/// The servers of a session that is about to start.
pub(super) struct Servers {
    pub(super) listed: Vec<GatewayServer>,
    pub(super) listing: ToolListing,
    pub(super) forebay: Option<ForebayTools>,
}

/// What a session takes its messages from.
pub(super) struct Inbox(Receiver<String>);

impl Session {
    pub(super) fn new(
        id: String,
        owner: Option<String>,
        caller: String,
        server_count: usize,
    ) -> (Arc<Self>, Inbox) {
        let (requests, inbox) = mpsc::sync_channel(MAX_WAITING);
        let session = Self {
            id,
            owner,
            caller,
            server_count,
            streams: Arc::default(),
            requests: Mutex::new(Some(requests)),
            last_use: Mutex::new(Instant::now()),
            ended: CancelToken::new(),
            closed: CancellationToken::new(),
        };
        (Arc::new(session), Inbox(inbox))
    }

    /// Starts the servers, and runs until they have ended.
    pub(super) fn run(&self, inbox: Inbox, servers: Servers) -> io::Result<()> {
        let ended = self.ended.clone();
        let gateway = Gateway::start(Parts {
            servers: servers.listed,
            listing: servers.listing,
            forebay: servers.forebay,
            client: Box::new(Arc::clone(&self.streams)),
            wait_for_hang_up: Arc::new(move || {
                while !ended.is_cancelled() {
                    ended.wait(CHECK_INTERVAL)?;
                }
                Ok(())
            }),
        })?;
        for message in inbox.0 {
            gateway.take(&message);
        }
        gateway.end_requests();
        gateway.wait();
        Ok(())
    }

    /// Hands a message to the servers; returns false if too many wait, or the session has ended.
    pub(super) fn send(&self, message: String) -> bool {
        let requests = lock(&self.requests);
        let sent = requests.as_ref().map(|requests| requests.try_send(message));
        sent.is_some_and(|sent| sent.is_ok())
    }

    /// Ends the servers, and every stream.
    pub(super) fn end(&self) {
        self.ended.cancel();
        lock(&self.requests).take();
        self.streams.end();
        self.closed.cancel();
    }

    pub(super) fn is_used(&self) {
        *lock(&self.last_use) = Instant::now();
    }

    /// How long its client has neither asked nor listened.
    pub(super) fn idle_time(&self) -> Duration {
        if self.streams.are_in_use() {
            self.is_used();
        }
        lock(&self.last_use).elapsed()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
