//! Counts the processes of a run now and then, so that a fork bomb is ended.

use std::time::{Duration, Instant};

use crate::group::Group;
use crate::limits::all_tasks;

/// Often enough that a fork bomb has no time to hurt, seldom enough to cost nothing.
const COUNT_EVERY: Duration = Duration::from_millis(100);

/// The count of one run.
#[derive(Debug)]
pub(crate) struct Headcount {
    most: u64,
    /// What ran on the whole machine before. While that has not grown by more than the limit, neither
    /// has the run: one small file answers, and the processes need not be looked at one by one.
    tasks_before: u64,
    next: Instant,
}

impl Headcount {
    /// None where the system does not tell what runs.
    pub(crate) fn new(most: u64) -> Option<Self> {
        Some(Self { most, tasks_before: all_tasks()?, next: Instant::now() + COUNT_EVERY })
    }

    /// How long until the next count.
    pub(crate) fn patience(&self) -> Duration {
        self.next.saturating_duration_since(Instant::now())
    }

    /// Whether the session of `group` has too many processes; counted when it is time.
    pub(crate) fn exceeded_by(&mut self, group: Group) -> bool {
        if Instant::now() < self.next {
            return false;
        }
        let grown = all_tasks().is_some_and(|tasks| tasks > self.tasks_before + self.most);
        let exceeded = grown && group.session_size() > self.most;
        self.next = Instant::now() + COUNT_EVERY;
        exceeded
    }
}
