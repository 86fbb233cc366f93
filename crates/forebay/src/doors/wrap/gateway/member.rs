//! A server of the gateway, and the requests that the gateway itself sends to it.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, PipeReader};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};

use forebay_app::bounds::MAX_SERVER_REQUESTS;
use forebay_domain::rights::Rights;
use serde_json::Value;

use super::super::StartError;
use super::super::upstream::{Client, HangUp, Running};
use super::GatewayServer;
use super::permitted::PermittedTools;
use super::queue::{Queue, Sent};

/// In front of the ids of the gateway's own requests.
const OWN_ID: &str = "forebay-gateway-";

pub(super) struct Member {
    pub(super) name: String,
    pub(super) prefix: String,
    /// What its client may use of it.
    pub(super) rights: Rights,
    running: Running,
    /// `None` once one of the two sides has ended.
    requests: Mutex<Option<Queue>>,
    /// The gateway's own requests; `None` once the server has ended.
    asked: Mutex<Option<HashMap<String, Sender<String>>>>,
    last_id: AtomicU64,
    /// The ids of what the server has asked the client, which has not answered.
    open_requests: Mutex<HashSet<String>>,
    /// What its answer to `initialize` says.
    greeting: Mutex<Option<Value>>,
    /// The tools that the client's rights are enough for, by the server's own names of them.
    pub(super) permitted: Mutex<PermittedTools>,
}

/// A request of the gateway itself.
pub(super) struct OwnRequest {
    pub(super) id: String,
    pub(super) answer: Receiver<String>,
}

impl Member {
    /// Starts a server; returns what it says as well.
    pub(super) fn start(
        one: GatewayServer,
        wait_for_hang_up: HangUp,
    ) -> Result<(Self, PipeReader), StartError> {
        let (requests, to_member) = io::pipe()?;
        let (output, answers) = io::pipe()?;
        let answers = File::from(OwnedFd::from(answers));
        let client = Client { requests: Box::new(requests), answers, wait_for_hang_up };
        let name = one.server.name().to_owned();
        let running = Running::start(one.server, one.upstream, client)?;
        let member = Self {
            name,
            prefix: one.prefix,
            rights: one.rights,
            running,
            requests: Mutex::new(Some(Queue::new(to_member)?)),
            asked: Mutex::new(Some(HashMap::new())),
            last_id: AtomicU64::new(0),
            open_requests: Mutex::default(),
            greeting: Mutex::default(),
            permitted: Mutex::default(),
        };
        Ok((member, output))
    }

    /// The server's own name of a tool or a prompt.
    pub(super) fn own_name<'a>(&self, shown: &'a str) -> &'a str {
        shown.strip_prefix(self.prefix.as_str()).unwrap_or(shown)
    }

    /// Sends a message to the server, without waiting until it reads it.
    pub(super) fn send(&self, text: &str) -> Sent {
        if lock(&self.asked).is_none() {
            return Sent::Ended;
        }
        lock(&self.requests).as_ref().map_or(Sent::Ended, |queue| queue.push(text))
    }

    /// Sends a request of the gateway itself. Nothing comes from a server that has ended.
    pub(super) fn ask(&self, method: &str, params: &str) -> OwnRequest {
        let id = format!("\"{OWN_ID}{}\"", self.last_id.fetch_add(1, Ordering::Relaxed));
        let (sender, answer) = mpsc::channel();
        let is_noted = match &mut *lock(&self.asked) {
            Some(asked) if asked.len() < MAX_SERVER_REQUESTS => {
                asked.insert(id.clone(), sender);
                true
            }
            _ => false,
        };
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        if is_noted && self.send(&request) != Sent::Queued {
            // Nothing will come.
            self.forget_own(&id);
        }
        OwnRequest { id, answer }
    }

    /// Gives up a request of the gateway itself, unless it is answered.
    pub(super) fn withdraw(&self, id: &str) {
        if self.forget_own(id) {
            self.send(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
            ));
        }
    }

    fn forget_own(&self, id: &str) -> bool {
        lock(&self.asked).as_mut().and_then(|asked| asked.remove(id)).is_some()
    }

    /// Takes the answer to a request of the gateway; returns whether it was one.
    pub(super) fn take_answer(&self, id: &str, text: &str) -> bool {
        let asked = lock(&self.asked).as_mut().and_then(|asked| asked.remove(id));
        let is_own = asked.is_some();
        if let Some(asked) = asked {
            // The request may have been given up.
            let _ = asked.send(text.to_owned());
        }
        is_own
    }

    /// Notes a request to the client; returns `false` if too many are not answered.
    pub(super) fn open_request(&self, id: &str) -> bool {
        let mut open = lock(&self.open_requests);
        let has_room = open.len() < MAX_SERVER_REQUESTS;
        if has_room {
            open.insert(id.to_owned());
        }
        has_room
    }

    /// Notes the answer to a request, or that the server withdraws it; returns whether there was one with this id.
    pub(super) fn close_request(&self, id: &str) -> bool {
        lock(&self.open_requests).remove(id)
    }

    pub(super) fn greets(&self, greeting: Value) {
        *lock(&self.greeting) = Some(greeting);
    }

    /// Whether it has greeted and declared a capability.
    pub(super) fn offers(&self, capability: &str) -> bool {
        let greeting = lock(&self.greeting);
        greeting.as_ref().is_some_and(|greeting| !greeting["capabilities"][capability].is_null())
    }

    pub(super) fn has_greeted(&self) -> bool {
        lock(&self.greeting).is_some()
    }

    /// Notes that nothing more will come; waiting requests of the gateway fail.
    pub(super) fn has_ended(&self) {
        lock(&self.asked).take();
        lock(&self.greeting).take();
        lock(&self.open_requests).clear();
    }

    pub(super) fn stop(&self, signal: i32) {
        self.running.stop(signal);
    }

    pub(super) fn close(&self) {
        lock(&self.requests).take();
    }

    pub(super) fn wait(&self) {
        self.running.wait();
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
