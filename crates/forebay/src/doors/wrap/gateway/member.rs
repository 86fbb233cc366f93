//! A server of the gateway, and the requests that the gateway itself sends to it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::super::upstream::{Client, Running};
use super::super::{StartError, lines};
use super::GatewayServer;

/// In front of the ids of the gateway's own requests.
const OWN_ID: &str = "forebay-gateway-";

pub(super) struct Member {
    pub(super) name: String,
    pub(super) prefix: String,
    running: Running,
    /// `None` once one of the two sides has ended.
    requests: Mutex<Option<PipeWriter>>,
    /// The gateway's own requests; `None` once the server has ended.
    asked: Mutex<Option<HashMap<String, Sender<String>>>>,
    last_id: AtomicU64,
    /// What its answer to `initialize` says.
    greeting: Mutex<Option<Value>>,
}

impl Member {
    /// Starts a server; returns what it says as well.
    pub(super) fn start(
        one: GatewayServer,
        wait_for_hang_up: fn() -> io::Result<()>,
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
            running,
            requests: Mutex::new(Some(to_member)),
            asked: Mutex::new(Some(HashMap::new())),
            last_id: AtomicU64::new(0),
            greeting: Mutex::default(),
        };
        Ok((member, output))
    }

    /// Sends a message to the server; returns false if it reads no more.
    pub(super) fn send(&self, text: &str) -> bool {
        if lock(&self.asked).is_none() {
            return false;
        }
        let mut requests = lock(&self.requests);
        let written = requests.as_mut().map(|to| lines::write(to, format!("{text}\n").as_bytes()));
        matches!(written, Some(Ok(())))
    }

    /// Sends a request of the gateway itself. Nothing comes from a server that has ended.
    pub(super) fn ask(&self, method: &str, params: &str) -> Receiver<String> {
        let id = format!("{OWN_ID}{}", self.last_id.fetch_add(1, Ordering::Relaxed));
        let (answer, answers) = mpsc::channel();
        if let Some(asked) = &mut *lock(&self.asked) {
            asked.insert(format!("\"{id}\""), answer);
        }
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":"{id}","method":"{method}","params":{params}}}"#
        ));
        answers
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
