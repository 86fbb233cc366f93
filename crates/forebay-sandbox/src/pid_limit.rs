//! Counts the processes of a run at intervals, so that a fork bomb is killed.

use std::time::{Duration, Instant};

use crate::limits::system_task_count;
use crate::process_tree::ProcessTree;

/// Short enough to stop a fork bomb early, long enough to cost nothing.
const COUNT_INTERVAL: Duration = Duration::from_millis(100);

/// The process limit of one run.
#[derive(Debug)]
pub(crate) struct PidLimit {
    max_processes: u64,
    /// The task count of the whole machine at the start. Until it has grown by more than the limit, the run
    /// cannot have exceeded it, and one read of `/proc/loadavg` replaces a scan of `/proc`.
    tasks_at_start: u64,
    next_count: Instant,
}

impl PidLimit {
    /// Returns `None` if the system does not report its task count.
    pub(crate) fn new(max_processes: u64) -> Option<Self> {
        let tasks_at_start = system_task_count()?;
        Some(Self { max_processes, tasks_at_start, next_count: Instant::now() + COUNT_INTERVAL })
    }

    pub(crate) fn until_next_count(&self) -> Duration {
        self.next_count.saturating_duration_since(Instant::now())
    }

    /// Whether `tree` has too many processes. Counts only when the interval is over.
    pub(crate) fn is_exceeded_by(&mut self, tree: &ProcessTree<'_>) -> bool {
        if Instant::now() < self.next_count {
            return false;
        }
        let has_grown = system_task_count()
            .is_some_and(|tasks| tasks > self.tasks_at_start + self.max_processes);
        let is_exceeded = has_grown && tree.count().is_some_and(|count| count > self.max_processes);
        self.next_count = Instant::now() + COUNT_INTERVAL;
        is_exceeded
    }
}
