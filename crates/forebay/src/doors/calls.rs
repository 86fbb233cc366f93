//! Tool calls in progress: on blocking threads, cancelled when nobody waits for them any more.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forebay_app::MOST_CONNECTIONS;
use forebay_app::tools::{Nature, ToolRow};
use forebay_app::{Answer, App, AppError, Call};
use forebay_sandbox::Cancel;
use serde_json::Value;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::idle::Idle;

/// A caller who was let in: whose app answers, and who settles when the calls pause.
#[derive(Clone)]
pub(crate) struct Counter {
    pub(crate) app: Arc<App>,
    pub(crate) idle: Arc<Idle>,
}

/// Calls that read beside those that keep a processor busy: their meanings are compared together, and until that is
/// done they wait.
const WAITING_FOR_OTHERS: usize = 12;

/// Every call that runs, so that all of them can be ended.
pub(crate) struct Calls {
    running: Mutex<Vec<Cancel>>,
    one_ended: Notify,
    outcomes: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
    lanes: Option<Lanes>,
}

impl Calls {
    /// For one client, who bounds his calls himself.
    pub(crate) fn unbounded() -> Self {
        Self::new(None)
    }

    /// For many clients, who must not use up this machine together.
    pub(crate) fn bounded() -> Self {
        Self::new(Some(Lanes::new(cores() * 2 + WAITING_FOR_OTHERS)))
    }

    /// The same where stores are on a server: calls wait for it most of the time.
    pub(crate) fn bounded_by_server() -> Self {
        Self::new(Some(Lanes::new(MOST_CONNECTIONS.max(cores() * 2))))
    }

    fn new(lanes: Option<Lanes>) -> Self {
        Self {
            running: Mutex::default(),
            one_ended: Notify::new(),
            outcomes: Mutex::default(),
            lanes,
        }
    }

    /// How often each tool was called, and with what outcome.
    pub(crate) fn outcomes(&self) -> BTreeMap<(&'static str, &'static str), u64> {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until no call runs or waits.
    pub(crate) async fn quiet(&self) {
        loop {
            let one_ended = self.one_ended.notified();
            if self.running().is_empty() {
                return;
            }
            one_ended.await;
        }
    }

    /// Ends what still runs; its output so far is stored.
    pub(crate) fn end_all(&self) {
        self.running().iter().for_each(Cancel::cancel);
    }

    /// Runs a tool on a blocking thread; `given_up` reaches it, and so does a caller who goes away.
    pub(crate) async fn carry_out(
        &self,
        counter: Counter,
        tool: &'static ToolRow,
        input: Value,
        call: Call,
        given_up: CancellationToken,
    ) -> Result<Answer, AppError> {
        let running = Running::new(self, call.cancel.clone());
        let lane = self.lane(tool.nature).await?;
        let cancel = call.cancel.clone();
        let app = Arc::clone(&counter.app);
        // A caller who goes away leaves the lane only when the work has ended, too; and nobody takes its place while
        // the thread is not free yet: another would be started, and each has memory of its own.
        let mut work =
            tokio::task::spawn_blocking(move || (app.call(tool.name, input, &call), lane));
        // Watched here and not by a task of its own: a server answers thousands of calls a second.
        let answer = tokio::select! {
            biased;
            answer = &mut work => answer,
            () = given_up.cancelled() => {
                cancel.cancel();
                work.await
            }
        };
        running.complete();
        counter.idle.settle_soon(counter.app);
        let answer = answer.map_err(broken).and_then(|(answer, _)| answer);
        self.count(tool.name, if answer.is_ok() { "ok" } else { "error" });
        answer
    }

    fn count(&self, tool: &'static str, outcome: &'static str) {
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        *outcomes.entry((tool, outcome)).or_default() += 1;
    }

    /// Does something short on a blocking thread, in turn with the calls that read.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let lane = self.lane(Nature::Reads).await?;
        let (looked, _) =
            tokio::task::spawn_blocking(move || (work(), lane)).await.map_err(broken)?;
        looked
    }

    async fn lane(&self, nature: Nature) -> Result<Option<OwnedSemaphorePermit>, AppError> {
        match &self.lanes {
            Some(lanes) => lanes.enter(nature).await.map(Some),
            None => Ok(None),
        }
    }

    fn running(&self) -> MutexGuard<'_, Vec<Cancel>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that runs, or waits for its turn. Dropped before it is over, it ends: nobody waits for it.
struct Running<'a> {
    calls: &'a Calls,
    cancel: Cancel,
    is_over: bool,
}

impl<'a> Running<'a> {
    fn new(calls: &'a Calls, cancel: Cancel) -> Self {
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
        // Each holds a pipe open: a server that forgot none would run out of them.
        self.calls.running().retain(|running| !running.is(&self.cancel));
        self.calls.one_ended.notify_waiters();
    }
}

/// How many calls of a kind run at once; more wait, and too many are sent away.
struct Lanes {
    reading: Lane,
    writing: Lane,
    long: Lane,
}

impl Lanes {
    fn new(reading: usize) -> Self {
        Self {
            // These keep a processor busy: many more at once would only make each of them slower.
            reading: Lane::new(reading),
            // Those who write at the same time are written together.
            writing: Lane::new(cores() * 4),
            // Commands, pages and folders take as long as they take.
            long: Lane::new(64),
        }
    }

    async fn enter(&self, nature: Nature) -> Result<OwnedSemaphorePermit, AppError> {
        let lane = match nature {
            Nature::Reads => &self.reading,
            Nature::Adds | Nature::Edits | Nature::Removes => &self.writing,
            Nature::Indexes | Nature::Runs | Nature::Fetches => &self.long,
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

/// Who comes when so many wait would wait too long.
const MOST_WAITING: usize = 1_024;

impl Lane {
    fn new(at_once: usize) -> Self {
        Self { running: Arc::new(Semaphore::new(at_once)), waiting: Semaphore::new(MOST_WAITING) }
    }

    async fn enter(&self) -> Result<OwnedSemaphorePermit, AppError> {
        let Ok(_waits) = self.waiting.try_acquire() else { return Err(AppError::busy()) };
        Arc::clone(&self.running).acquire_owned().await.map_err(broken)
    }
}

fn broken(error: impl std::fmt::Display) -> AppError {
    AppError::unavailable(format!("the call could not be carried out: {error}"), None)
}
