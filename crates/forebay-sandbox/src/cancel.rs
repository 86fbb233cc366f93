//! A token that ends runs from another thread.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::process::Signal;

use crate::poll::{Source, wait};
use crate::process_tree::SignalTarget;

/// Ends the runs it was passed to; clones share their state.
///
/// It takes a lock, so a raw signal handler must not use it; a thread that receives signals may.
#[derive(Debug, Clone, Default)]
pub struct CancelToken {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    /// Created by the first wait: most calls run nothing, and a server answers thousands of them a second.
    pipe: OnceLock<Pipe>,
    targets: Mutex<Targets>,
}

/// Becomes readable on cancellation and stays readable: no run consumes the byte.
#[derive(Debug)]
struct Pipe {
    reader: PipeReader,
    writer: PipeWriter,
}

/// The targets of forwarded signals.
#[derive(Debug, Default)]
struct Targets {
    /// The process groups of the current runs.
    groups: Vec<SignalTarget>,
    /// Signals that arrived while no run was registered: one may just be starting.
    pending: Vec<Signal>,
}

impl CancelToken {
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the runs: SIGTERM, the grace period, SIGKILL. A second call has no effect.
    pub fn cancel(&self) {
        if self.shared.cancelled.swap(true, Ordering::SeqCst) {
            return;
        }
        if let Some(pipe) = self.shared.pipe.get() {
            pipe.wake();
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::SeqCst)
    }

    /// Sends `signal` to the process groups of the current runs.
    ///
    /// Without a current run, the signal is delivered to the next one: its process may already exist while the
    /// thread that started it has not yet registered it.
    pub fn forward(&self, signal: i32) {
        let Some(signal) = Signal::from_named_raw(signal) else {
            tracing::debug!(signal, "cannot forward an unknown signal");
            return;
        };
        let mut targets = self.targets();
        if targets.groups.is_empty() {
            targets.pending.push(signal);
        }
        for group in &targets.groups {
            group.signal_group(signal);
        }
    }

    /// Whether this is a clone of `other`.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Waits for `timeout`, or until it is cancelled.
    pub fn wait(&self, timeout: Duration) -> io::Result<()> {
        wait(&[(Source::Cancel, self.wake()?)], Some(timeout)).map(drop)
    }

    /// Returns a descriptor that becomes readable on cancellation.
    pub(crate) fn wake(&self) -> io::Result<BorrowedFd<'_>> {
        self.pipe().map(|pipe| pipe.reader.as_fd())
    }

    fn pipe(&self) -> io::Result<&Pipe> {
        if let Some(pipe) = self.shared.pipe.get() {
            return Ok(pipe);
        }
        let (reader, writer) = io::pipe()?;
        let pipe = self.shared.pipe.get_or_init(|| Pipe { reader, writer });
        // A cancellation before the pipe existed could not write to it.
        if self.is_cancelled() {
            pipe.wake();
        }
        Ok(pipe)
    }

    /// Forwards signals to `group` until the registration is dropped.
    pub(crate) fn register(&self, group: SignalTarget) -> Registration<'_> {
        let mut targets = self.targets();
        for signal in targets.pending.drain(..) {
            group.signal_group(signal);
        }
        targets.groups.push(group.clone());
        Registration { cancel: self, group }
    }

    fn targets(&self) -> MutexGuard<'_, Targets> {
        self.shared.targets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pipe {
    fn wake(&self) {
        if let Err(error) = (&self.writer).write_all(&[1]) {
            tracing::warn!(%error, "cannot wake a cancelled run");
        }
    }
}

/// Keeps a group a target of [`CancelToken::forward`].
///
/// It must be dropped before this process reaps the leader (on Linux, the reaper does): until then the group id cannot
/// be reused, so a forwarded signal never reaches an unrelated process.
#[derive(Debug)]
pub(crate) struct Registration<'a> {
    cancel: &'a CancelToken,
    group: SignalTarget,
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        self.cancel.targets().groups.retain(|group| *group != self.group);
    }
}

#[cfg(test)]
mod tests {
    use forebay_domain::run::{Ending, Stream};

    use super::*;
    use crate::{Program, RunSpec, Sink, run};

    struct Discard;
    impl Sink for Discard {
        fn write(&mut self, _: Stream, _: &[u8]) {}
    }

    #[test]
    fn wakes_waiters_before_and_after_the_cancellation() {
        let (before, during) = (CancelToken::new(), CancelToken::new());
        before.cancel();
        before.wait(Duration::from_hours(1)).unwrap();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| during.wait(Duration::from_hours(1)));
            during.cancel();
            waiter.join().unwrap().unwrap();
        });
    }

    #[test]
    fn delivers_an_early_signal_to_the_next_run() {
        let cancel = CancelToken::new();
        cancel.forward(Signal::INT.as_raw());
        let sleep = Program::Argv(vec!["sleep".to_owned(), "1000".to_owned()]);
        let finished = run(&RunSpec::new(sleep, "/".into()), &mut Discard, &cancel).unwrap();
        assert_eq!(finished.ending, Ending::Signalled(Signal::INT.as_raw()));
    }
}
