//! Ends runs from another thread.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::process::Signal;

use crate::group::Group;
use crate::ready::{Source, wait};

/// A handle that ends the runs it was given to; clones are the same handle.
///
/// For a thread, also the one that receives this process's signals; a raw signal handler must not use
/// it, for it takes a lock.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    /// Made by the first who waits: most calls run nothing, and a server answers thousands of them a second.
    pipe: OnceLock<Pipe>,
    reach: Mutex<Reach>,
}

/// Becomes readable with the cancel and stays so: no run takes the byte from another.
#[derive(Debug)]
struct Pipe {
    reader: PipeReader,
    writer: PipeWriter,
}

/// Whom a forwarded signal reaches.
#[derive(Debug, Default)]
struct Reach {
    /// The groups whose number is certainly still theirs.
    groups: Vec<Group>,
    /// What was forwarded while no run was under way: one may just be starting.
    waiting: Vec<Signal>,
}

impl Cancel {
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the runs: SIGTERM, the grace, SIGKILL. A second call changes nothing.
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

    /// Sends `signal` to the process groups of the runs that are under way, and no more than that.
    ///
    /// One that comes before a run has started reaches it when it does: its process may be at work
    /// already while the thread that started it waits for its turn.
    pub fn forward(&self, signal: i32) {
        let Some(signal) = Signal::from_named_raw(signal) else {
            tracing::debug!(signal, "not a signal that can be forwarded");
            return;
        };
        let mut reach = self.reach();
        if reach.groups.is_empty() {
            reach.waiting.push(signal);
        }
        for group in &reach.groups {
            group.signal(signal);
        }
    }

    /// Whether this is a clone of `other`.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Waits for `at_most`, or less if it is cancelled.
    pub fn wait(&self, at_most: Duration) -> io::Result<()> {
        wait(&[(Source::Cancel, self.wake()?)], Some(at_most)).map(drop)
    }

    /// Becomes readable once the runs are to end.
    pub(crate) fn wake(&self) -> io::Result<BorrowedFd<'_>> {
        self.pipe().map(|pipe| pipe.reader.as_fd())
    }

    fn pipe(&self) -> io::Result<&Pipe> {
        if let Some(pipe) = self.shared.pipe.get() {
            return Ok(pipe);
        }
        let (reader, writer) = io::pipe()?;
        let pipe = self.shared.pipe.get_or_init(|| Pipe { reader, writer });
        // Who cancelled before it was there has woken nobody.
        if self.is_cancelled() {
            pipe.wake();
        }
        Ok(pipe)
    }

    /// Lets signals be forwarded to `group` until the enrolment is dropped.
    pub(crate) fn enrol(&self, group: Group) -> Enrolment<'_> {
        let mut reach = self.reach();
        for signal in reach.waiting.drain(..) {
            group.signal(signal);
        }
        reach.groups.push(group);
        Enrolment { cancel: self, group }
    }

    fn reach(&self) -> MutexGuard<'_, Reach> {
        self.shared.reach.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pipe {
    fn wake(&self) {
        if let Err(error) = (&self.writer).write_all(&[1]) {
            tracing::warn!(%error, "a cancelled run could not be woken");
        }
    }
}

/// Keeps a group reachable for [`Cancel::forward`].
///
/// It must be dropped before the group's leader is reaped: until then the number cannot belong to
/// anyone else, so that a forwarded signal never reaches a stranger.
#[derive(Debug)]
pub(crate) struct Enrolment<'a> {
    cancel: &'a Cancel,
    group: Group,
}

impl Drop for Enrolment<'_> {
    fn drop(&mut self) {
        self.cancel.reach().groups.retain(|group| *group != self.group);
    }
}

#[cfg(test)]
mod tests {
    use forebay_domain::run::{Ending, Stream};

    use super::*;
    use crate::{Program, RunSpec, Sink, run};

    struct Ignores;
    impl Sink for Ignores {
        fn write(&mut self, _: Stream, _: &[u8]) {}
    }

    #[test]
    fn who_waits_after_the_cancel_or_during_it_is_woken() {
        let (before, during) = (Cancel::new(), Cancel::new());
        before.cancel();
        before.wait(Duration::from_hours(1)).unwrap();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| during.wait(Duration::from_hours(1)));
            during.cancel();
            waits.join().unwrap().unwrap();
        });
    }

    #[test]
    fn a_signal_that_comes_before_the_run_reaches_it() {
        let cancel = Cancel::new();
        cancel.forward(Signal::INT.as_raw());
        let sleep = Program::Argv(vec!["sleep".to_owned(), "1000".to_owned()]);
        let finished = run(&RunSpec::new(sleep, "/".into()), &mut Ignores, &cancel).unwrap();
        assert_eq!(finished.ending, Ending::Signalled(Signal::INT.as_raw()));
    }
}
