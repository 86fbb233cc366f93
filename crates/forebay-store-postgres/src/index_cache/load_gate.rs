//! Makes concurrent searches wait for the index load instead of each querying the server, which would slow the load
//! down.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// With fewer concurrent searches, the server answers them during the load.
const MIN_CONCURRENT_SEARCHES: usize = 4;
/// After this wait, a search queries the server after all.
const LOAD_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(super) struct LoadGate {
    state: Mutex<State>,
    loaded: Condvar,
}

#[derive(Debug, Default)]
struct State {
    active: usize,
    /// A load is in progress.
    is_loading: bool,
    /// The last load produced no snapshot, so searches do not wait for the next one.
    last_load_failed: bool,
}

/// A running search; ends on drop.
pub(super) struct ActiveSearch<'a> {
    gate: &'a LoadGate,
    should_wait: bool,
}

impl LoadGate {
    pub(super) fn enter(&self) -> ActiveSearch<'_> {
        let mut state = self.state.lock();
        state.active += 1;
        ActiveSearch {
            gate: self,
            should_wait: state.active >= MIN_CONCURRENT_SEARCHES && !state.last_load_failed,
        }
    }

    /// Returns whether the caller is to load; false while a load is in progress.
    pub(super) fn try_start(&self) -> bool {
        !std::mem::replace(&mut self.state.lock().is_loading, true)
    }

    /// Returns the guard for the load that the caller started.
    pub(super) fn guard(&self) -> LoadGuard<'_> {
        LoadGuard { gate: self, has_failed: true }
    }
}

/// A load in progress; wakes all waiting searches on drop, even after a panic.
pub(super) struct LoadGuard<'a> {
    gate: &'a LoadGate,
    pub(super) has_failed: bool,
}

impl Drop for LoadGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.state.lock();
        (state.is_loading, state.last_load_failed) = (false, self.has_failed);
        drop(state);
        self.gate.loaded.notify_all();
    }
}

impl ActiveSearch<'_> {
    /// Returns whether the search should wait for the load.
    pub(super) fn should_wait(&self) -> bool {
        self.should_wait
    }

    /// Waits for the load to end, up to a timeout.
    pub(super) fn wait(&self) {
        let deadline = Instant::now() + LOAD_TIMEOUT;
        let mut state = self.gate.state.lock();
        while state.is_loading && !self.gate.loaded.wait_until(&mut state, deadline).timed_out() {}
    }
}

impl Drop for ActiveSearch<'_> {
    fn drop(&mut self) {
        self.gate.state.lock().active -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_wait_for_a_load_only_under_load() {
        let gate = LoadGate::default();
        let first: Vec<ActiveSearch<'_>> =
            (1..MIN_CONCURRENT_SEARCHES).map(|_| gate.enter()).collect();
        assert!(first.iter().all(|search| !search.should_wait()));
        let waiter = gate.enter();
        assert!(waiter.should_wait());
        assert!(gate.try_start() && !gate.try_start());
        let mut guard = gate.guard();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| waiter.wait());
            guard.has_failed = false;
            drop(guard);
            assert!(waiter.join().is_ok());
        });
        assert!(gate.try_start() && gate.enter().should_wait());
        drop(gate.guard());
        assert!(!gate.enter().should_wait(), "the last load failed");
        drop((first, waiter));
        assert_eq!(gate.state.lock().active, 0);
    }
}
