//! Tool calls in progress: on blocking threads, cancelled when their caller goes away.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forebay_app::MAX_CONNECTIONS;
use forebay_app::bounds::MAX_QUEUED_CALLS;
use forebay_app::tools::{Effect, ToolDescriptor};
use forebay_app::{Answer, App, AppError, Call};
use forebay_sandbox::CancelToken;
use serde_json::Value;
use signal_hook::consts::SIGKILL;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::idle::Idle;

/// The app that answers a caller, and its idle worker.
#[derive(Clone)]
pub(crate) struct CallerContext {
    pub(crate) app: Arc<App>,
    pub(crate) idle: Arc<Idle>,
}

/// Additional reading calls beyond the CPU count: vector queries wait for each other to be batched.
const BATCHED_QUERIES: usize = 12;

/// All running calls, so that they can be cancelled.
pub(crate) struct Calls {
    running: Mutex<Vec<CancelToken>>,
    one_ended: Notify,
    outcomes: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
    lanes: Lanes,
}

impl Calls {
    /// Limited so that clients do not exhaust the machine.
    pub(crate) fn bounded() -> Self {
        Self::new(Lanes::new(cores() * 2 + BATCHED_QUERIES))
    }

    /// For stores on a server: calls mostly wait for it.
    pub(crate) fn bounded_by_server() -> Self {
        Self::new(Lanes::new(MAX_CONNECTIONS.max(cores() * 2)))
    }

    fn new(lanes: Lanes) -> Self {
        Self {
            running: Mutex::default(),
            one_ended: Notify::new(),
            outcomes: Mutex::default(),
            lanes,
        }
    }

    /// Calls by tool and outcome.
    pub(crate) fn outcomes(&self) -> BTreeMap<(&'static str, &'static str), u64> {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until no call is running or queued.
    pub(crate) async fn wait_until_idle(&self) {
        loop {
            let one_ended = self.one_ended.notified();
            if self.running().is_empty() {
                return;
            }
            one_ended.await;
        }
    }

    /// Cancels running calls; their output so far is stored.
    pub(crate) fn end_all(&self) {
        self.running().iter().for_each(CancelToken::cancel);
    }

    /// Kills the commands of running calls.
    pub(crate) fn kill_all(&self) {
        self.running().iter().for_each(|call| call.forward(SIGKILL));
    }

    /// Runs a tool on a blocking thread; cancelled by `given_up` or by dropping the future.
    pub(crate) async fn run(
        &self,
        caller_context: CallerContext,
        tool: &'static ToolDescriptor,
        input: Value,
        call: Call,
        given_up: CancellationToken,
    ) -> Result<Answer, AppError> {
        let running = Running::new(self, call.cancel.clone());
        let cancel = call.cancel.clone();
        let lane = tokio::select! {
            lane = self.lanes.enter(tool.effect) => lane?,
            () = given_up.cancelled() => return Err(AppError::unavailable("the call was cancelled", None)),
        };
        let app = Arc::clone(&caller_context.app);
        // The permit is held until the work has ended, even if the caller is gone: otherwise another thread would start
        // beside this one, with memory of its own.
        let mut work =
            tokio::task::spawn_blocking(move || (app.call(tool.name, input, &call), lane));
        // Watched here, without a task of its own: a server answers thousands of calls a second.
        let answer = tokio::select! {
            biased;
            answer = &mut work => answer,
            () = given_up.cancelled() => {
                cancel.cancel();
                work.await
            }
        };
        running.complete();
        caller_context.idle.index_when_idle(caller_context.app);
        let answer = answer.map_err(broken).and_then(|(answer, _)| answer);
        self.count(tool.name, if answer.is_ok() { "ok" } else { "error" });
        answer
    }

    fn count(&self, tool: &'static str, outcome: &'static str) {
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        *outcomes.entry((tool, outcome)).or_default() += 1;
    }

    /// Runs a short job on a blocking thread, in the lane of reading calls.
    pub(crate) async fn run_short<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let lane = self.lanes.enter(Effect::ReadOnly).await?;
        let (result, _) =
            tokio::task::spawn_blocking(move || (work(), lane)).await.map_err(broken)?;
        result
    }

    fn running(&self) -> MutexGuard<'_, Vec<CancelToken>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running or queued call. Dropping it before completion cancels it.
struct Running<'a> {
    calls: &'a Calls,
    cancel: CancelToken,
    is_over: bool,
}

impl<'a> Running<'a> {
    fn new(calls: &'a Calls, cancel: CancelToken) -> Self {
        calls.running().push(cancel.clone());
        Self { calls, cancel, is_over: false }
    }

    fn complete(mut self) {
        self.is_over = true;
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.cancel.cancel();
        }
        // Each holds a pipe open; keeping finished ones would exhaust file descriptors.
        self.calls.running().retain(|running| !running.is_same(&self.cancel));
        self.calls.one_ended.notify_waiters();
    }
}

/// Concurrency limits by kind of call; further calls queue, and beyond the queue limit are refused.
struct Lanes {
    reading: Lane,
    writing: Lane,
    long: Lane,
}

impl Lanes {
    fn new(reading: usize) -> Self {
        Self {
            // CPU-bound: more at once would only slow each other down.
            reading: Lane::new(reading),
            // Concurrent writes share a transaction.
            writing: Lane::new(cores() * 4),
            // Commands, fetches and folder scans are long-running.
            long: Lane::new(64),
        }
    }

    async fn enter(&self, effect: Effect) -> Result<OwnedSemaphorePermit, AppError> {
        let lane = match effect {
            Effect::ReadOnly => &self.reading,
            Effect::Append | Effect::EditFiles | Effect::Delete => &self.writing,
            Effect::Index | Effect::Execute | Effect::Fetch => &self.long,
        };
        lane.enter().await
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

struct Lane {
    running: Arc<Semaphore>,
    waiting: Semaphore,
}

impl Lane {
    fn new(at_once: usize) -> Self {
        Self {
            running: Arc::new(Semaphore::new(at_once)),
            waiting: Semaphore::new(MAX_QUEUED_CALLS),
        }
    }

    async fn enter(&self) -> Result<OwnedSemaphorePermit, AppError> {
        let Ok(_waits) = self.waiting.try_acquire() else { return Err(AppError::busy()) };
        Arc::clone(&self.running).acquire_owned().await.map_err(broken)
    }
}

fn broken(error: impl std::fmt::Display) -> AppError {
    AppError::unavailable(format!("the call failed: {error}"), None)
}
