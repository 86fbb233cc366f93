//! What the gateway itself does for a request of the client, on a thread of its own: it makes lists, and finds out which
//! server a request is for.
//!
//! The work ends in bounded time, and when the client cancels the request: then its own requests to servers are withdrawn.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use forebay_app::bounds::{GATEWAY_WORK_TIMEOUT, MAX_GATEWAY_WORK};
use rmcp::model::ErrorCode;

use super::super::json::{Members, id_key};
use super::Gateway;
use super::member::{OwnRequest, lock};
use super::requests::{refuse, respond, send};

/// The work in progress, by the ids of the client's requests.
#[derive(Default)]
pub(super) struct RunningWork(Mutex<HashMap<String, Arc<Work>>>);

/// The work for one request.
pub(super) struct Work {
    deadline: Instant,
    requests: Mutex<OwnRequests>,
}

#[derive(Default)]
struct OwnRequests {
    is_cancelled: bool,
    /// The servers that were asked, and the ids of the requests.
    sent: Vec<(usize, String)>,
}

/// What the work comes to.
pub(super) enum Outcome {
    Result(String),
    Refusal(ErrorCode, String),
    /// The message goes to a server, which answers the client.
    Forward {
        number: usize,
        message: String,
    },
}

/// Starts work for a request, which is answered when it is done.
pub(super) fn start(
    gateway: &Arc<Gateway>,
    id: &str,
    task: impl FnOnce(&Arc<Gateway>, &Work) -> Outcome + Send + 'static,
) {
    let requests = Mutex::default();
    let work = Arc::new(Work { deadline: Instant::now() + GATEWAY_WORK_TIMEOUT, requests });
    if !gateway.work.add(id, &work) {
        return refuse(gateway, id, ErrorCode::INTERNAL_ERROR, "too many requests wait");
    }
    let (working, started, own_id) = (Arc::clone(gateway), Arc::clone(&work), id.to_owned());
    let thread = super::super::spawn("request", move || {
        let outcome = task(&working, &started);
        finish(&working, &own_id, &started, outcome);
    });
    if let Err(error) = thread {
        finish(gateway, id, &work, Outcome::Refusal(ErrorCode::INTERNAL_ERROR, error.to_string()));
    }
}

/// Ends the work for a request that the client cancels; returns whether there was any.
pub(super) fn cancel(gateway: &Gateway, id: &str) -> bool {
    let work = lock(&gateway.work.0).remove(&id_key(id));
    if let Some(work) = &work {
        work.withdraw(gateway);
    }
    work.is_some()
}

/// Answers the client, unless it has cancelled the request.
fn finish(gateway: &Gateway, id: &str, work: &Arc<Work>, outcome: Outcome) {
    work.withdraw(gateway);
    let mut running = lock(&gateway.work.0);
    let key = id_key(id);
    if !running.get(&key).is_some_and(|own| Arc::ptr_eq(own, work)) {
        return;
    }
    running.remove(&key);
    match outcome {
        Outcome::Result(result) => {
            drop(running);
            respond(gateway, id, &result);
        }
        Outcome::Refusal(code, why) => {
            drop(running);
            refuse(gateway, id, code, &why);
        }
        // A cancellation finds the request either here or at its server.
        Outcome::Forward { number, message } => {
            if let Ok(message) = Members::parse(&message) {
                send(gateway, number, id, &message);
            }
        }
    }
}

impl RunningWork {
    fn add(&self, id: &str, work: &Arc<Work>) -> bool {
        let mut running = lock(&self.0);
        let has_room = running.len() < MAX_GATEWAY_WORK;
        if has_room {
            running.insert(id_key(id), Arc::clone(work));
        }
        has_room
    }

    pub(super) fn has(&self, id: &str) -> bool {
        lock(&self.0).contains_key(&id_key(id))
    }
}

impl Work {
    /// Sends a request of the gateway's own to a server.
    pub(super) fn ask(
        &self,
        gateway: &Gateway,
        number: usize,
        method: &str,
        params: &str,
    ) -> Receiver<String> {
        let member = &gateway.members[number];
        let OwnRequest { id, answer } = member.ask(method, params);
        let mut requests = lock(&self.requests);
        if requests.is_cancelled {
            drop(requests);
            member.withdraw(&id);
        } else {
            requests.sent.push((number, id));
        }
        answer
    }

    /// Waits for an answer; there is none after the deadline, after a cancellation, and from a server that has ended.
    pub(super) fn wait(&self, answer: &Receiver<String>) -> Option<String> {
        answer.recv_timeout(self.deadline.saturating_duration_since(Instant::now())).ok()
    }

    /// Waits for an answer so long that others can be looked at between.
    pub(super) fn wait_briefly(
        &self,
        answer: &Receiver<String>,
    ) -> Result<String, RecvTimeoutError> {
        const TURN: Duration = Duration::from_millis(20);
        answer.recv_timeout(self.deadline.saturating_duration_since(Instant::now()).min(TURN))
    }

    pub(super) fn is_overdue(&self) -> bool {
        Instant::now() >= self.deadline
    }

    pub(super) fn is_cancelled(&self) -> bool {
        lock(&self.requests).is_cancelled
    }

    /// Withdraws what servers have not answered, now and from now on.
    fn withdraw(&self, gateway: &Gateway) {
        let sent = {
            let mut requests = lock(&self.requests);
            requests.is_cancelled = true;
            std::mem::take(&mut requests.sent)
        };
        for (number, id) in sent {
            gateway.members[number].withdraw(&id);
        }
    }
}
