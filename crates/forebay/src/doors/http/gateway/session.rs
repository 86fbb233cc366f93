//! A client's session: servers of its own, and what they say to it.
//!
//! Nothing is shared between sessions, not even of one caller: a browser or a database connection has the state of one client.

use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use forebay_app::bounds::{MAX_LINE_BYTES, MAX_WAITING_MESSAGES};
use forebay_app::wrap::tool_list::ToolListing;
use forebay_sandbox::CancelToken;
use tokio_util::sync::CancellationToken;

use super::streams::Streams;
use crate::doors::wrap::{ForebayTools, Gateway, GatewayServer, Parts};

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
    requests: Mutex<Option<Sender<String>>>,
    load: Arc<Mutex<Load>>,
    /// Why its servers could not be started.
    failure: OnceLock<String>,
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
pub(super) struct Inbox {
    messages: Receiver<String>,
    load: Arc<Mutex<Load>>,
}

/// What waits in an inbox.
#[derive(Default)]
struct Load {
    count: usize,
    bytes: usize,
}

/// What became of messages to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    All,
    /// There is no room for all of them: none was taken.
    Full,
    Ended,
}

impl Load {
    /// Makes room for all of these messages, or for none.
    fn reserve(&mut self, messages: &[String]) -> bool {
        let bytes = messages.iter().map(String::len).sum::<usize>();
        let has_room = self.count + messages.len() <= MAX_WAITING_MESSAGES
            && (self.bytes == 0 || self.bytes + bytes <= MAX_LINE_BYTES);
        if has_room {
            self.count += messages.len();
            self.bytes += bytes;
        }
        has_room
    }

    fn release(&mut self, message: &str) {
        self.count -= 1;
        self.bytes -= message.len();
    }
}

impl Iterator for Inbox {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let message = self.messages.recv().ok()?;
        lock(&self.load).release(&message);
        Some(message)
    }
}

impl Session {
    pub(super) fn new(
        id: String,
        owner: Option<String>,
        caller: String,
        server_count: usize,
    ) -> (Arc<Self>, Inbox) {
        let (requests, messages) = mpsc::channel();
        let load = Arc::default();
        let session = Self {
            id,
            owner,
            caller,
            server_count,
            streams: Arc::default(),
            requests: Mutex::new(Some(requests)),
            load: Arc::clone(&load),
            failure: OnceLock::new(),
            last_use: Mutex::new(Instant::now()),
            ended: CancelToken::new(),
            closed: CancellationToken::new(),
        };
        (Arc::new(session), Inbox { messages, load })
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
        for message in inbox {
            gateway.take(&message);
        }
        gateway.end_requests();
        gateway.wait();
        Ok(())
    }

    /// Hands messages to the servers: all of them, or none.
    pub(super) fn send(&self, messages: Vec<String>) -> Sent {
        let requests = lock(&self.requests);
        let Some(requests) = requests.as_ref() else { return Sent::Ended };
        if !lock(&self.load).reserve(&messages) {
            return Sent::Full;
        }
        let all_sent = messages.into_iter().all(|message| requests.send(message).is_ok());
        if all_sent { Sent::All } else { Sent::Ended }
    }

    /// Notes why its servers could not be started.
    pub(super) fn note_failure(&self, why: &io::Error) {
        // The first reason counts.
        let _ = self.failure.set(why.to_string());
    }

    pub(super) fn failure(&self) -> &str {
        self.failure.get().map_or("the session has ended", String::as_str)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// Ends the servers, and every stream.
    pub(super) fn end(&self) {
        // First: those who wait for an answer look whether the session has ended.
        self.closed.cancel();
        self.ended.cancel();
        lock(&self.requests).take();
        self.streams.end();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> (Arc<Session>, Inbox) {
        Session::new("s".to_owned(), None, "caller".to_owned(), 1)
    }

    fn messages(count: usize, bytes: usize) -> Vec<String> {
        vec!["x".repeat(bytes); count]
    }

    #[test]
    fn messages_are_taken_together_or_not_at_all() {
        let (session, mut inbox) = session();
        assert_eq!(session.send(messages(MAX_WAITING_MESSAGES - 1, 1)), Sent::All);
        assert_eq!(session.send(messages(2, 1)), Sent::Full);
        assert_eq!(session.send(messages(1, 1)), Sent::All);
        assert_eq!(session.send(messages(1, 1)), Sent::Full);
        inbox.next();
        assert_eq!(session.send(messages(1, 1)), Sent::All);
        session.end();
        assert_eq!(session.send(messages(1, 1)), Sent::Ended);
        assert_eq!(inbox.count(), MAX_WAITING_MESSAGES);
    }

    #[test]
    fn waiting_messages_are_bounded_in_bytes() {
        let (session, mut inbox) = session();
        assert_eq!(session.send(messages(1, MAX_LINE_BYTES + 1)), Sent::All);
        assert_eq!(session.send(messages(1, 1)), Sent::Full);
        inbox.next();
        assert_eq!(session.send(messages(1, 1)), Sent::All);
    }
}
