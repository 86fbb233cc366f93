//! Requests that were read and whose answers are not written yet, bounded in number and bytes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use forebay_app::bounds::{IN_FLIGHT_WAIT, MAX_IN_FLIGHT, MAX_IN_FLIGHT_BYTES};
use rmcp::model::RequestId;
use tokio::sync::Notify;

#[derive(Default)]
pub(super) struct InFlight {
    requests: Mutex<Requests>,
    one_left: Notify,
    answered: AtomicU64,
}

#[derive(Default)]
struct Requests {
    /// The bytes of each request.
    by_id: HashMap<RequestId, usize>,
    bytes: usize,
}

/// Why a request is not admitted.
pub(super) enum NotAdmitted {
    /// A request with this id has no answer yet.
    SameId,
    Full,
}

impl InFlight {
    /// Waits until another request has room, but not for long: a call may itself wait for a message of the client, such
    /// as an answer to its question or a cancellation, which must be read.
    pub(super) async fn wait_for_room(&self) {
        let has_room = async {
            loop {
                let one_left = self.one_left.notified();
                if !self.requests().is_full() {
                    return;
                }
                one_left.await;
            }
        };
        // A request without room is refused by `admit`.
        let _ = tokio::time::timeout(IN_FLIGHT_WAIT, has_room).await;
    }

    pub(super) fn admit(&self, id: &RequestId, bytes: usize) -> Result<(), NotAdmitted> {
        let mut requests = self.requests();
        if requests.by_id.contains_key(id) {
            return Err(NotAdmitted::SameId);
        }
        if requests.is_full() {
            return Err(NotAdmitted::Full);
        }
        requests.by_id.insert(id.clone(), bytes);
        requests.bytes += bytes;
        Ok(())
    }

    /// The answer is written, or will never be.
    pub(super) fn remove(&self, id: &RequestId) {
        let mut requests = self.requests();
        if let Some(bytes) = requests.by_id.remove(id) {
            requests.bytes -= bytes;
            self.answered.fetch_add(1, Ordering::Relaxed);
            self.one_left.notify_waiters();
        }
    }

    /// The number of requests answered so far.
    pub(super) fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Requests {
    fn is_full(&self) -> bool {
        self.by_id.len() >= MAX_IN_FLIGHT || self.bytes >= MAX_IN_FLIGHT_BYTES
    }
}
