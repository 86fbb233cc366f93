//! Those who ask at once. While all there is is read, each of them would have the server do for him alone what makes the
//! reading take longer for all.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// So many at once are a crowd: one who asks with a few beside him is answered by the server in the meantime.
const MANY: usize = 4;
/// Who has waited so long is answered by the server, too.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(super) struct Crowd {
    state: Mutex<State>,
    read: Condvar,
}

#[derive(Debug, Default)]
struct State {
    asking: usize,
    /// Somebody reads all there is.
    is_reading: bool,
    /// Who read last holds nothing: nobody waits for the next one.
    was_in_vain: bool,
}

/// Somebody who asks, until this is dropped.
pub(super) struct One<'a> {
    crowd: &'a Crowd,
    is_one_of_many: bool,
}

impl Crowd {
    pub(super) fn join(&self) -> One<'_> {
        let mut state = self.state.lock();
        state.asking += 1;
        One { crowd: self, is_one_of_many: state.asking >= MANY && !state.was_in_vain }
    }

    /// Whether the caller is the one who reads; nobody else does until he has ended.
    pub(super) fn begin_reading(&self) -> bool {
        !std::mem::replace(&mut self.state.lock().is_reading, true)
    }

    /// For the one who reads.
    pub(super) fn reading(&self) -> Reading<'_> {
        Reading { crowd: self, is_in_vain: true }
    }
}

/// Somebody who reads all there is, until this is dropped: whatever happens to him, nobody waits for him any longer.
pub(super) struct Reading<'a> {
    crowd: &'a Crowd,
    pub(super) is_in_vain: bool,
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        let mut state = self.crowd.state.lock();
        (state.is_reading, state.was_in_vain) = (false, self.is_in_vain);
        drop(state);
        self.crowd.read.notify_all();
    }
}

impl One<'_> {
    /// Whether it is worth while to wait.
    pub(super) fn is_one_of_many(&self) -> bool {
        self.is_one_of_many
    }

    /// Waits until nobody reads, though not for ever.
    pub(super) fn wait_while_read(&self) {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.crowd.state.lock();
        while state.is_reading && !self.crowd.read.wait_until(&mut state, deadline).timed_out() {}
    }
}

impl Drop for One<'_> {
    fn drop(&mut self) {
        self.crowd.state.lock().asking -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_waits_for_the_reader_and_a_few_do_not() {
        let crowd = Crowd::default();
        let few: Vec<One<'_>> = (1..MANY).map(|_| crowd.join()).collect();
        assert!(few.iter().all(|one| !one.is_one_of_many()));
        let many = crowd.join();
        assert!(many.is_one_of_many());
        assert!(crowd.begin_reading() && !crowd.begin_reading());
        let mut reading = crowd.reading();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| many.wait_while_read());
            reading.is_in_vain = false;
            drop(reading);
            assert!(waiting.join().is_ok());
        });
        assert!(crowd.begin_reading() && crowd.join().is_one_of_many());
        drop(crowd.reading());
        assert!(!crowd.join().is_one_of_many(), "who read last did so in vain");
        drop((few, many));
        assert_eq!(crowd.state.lock().asking, 0);
    }
}
