//! The reaper of a run: a process between this one and the leader, so that every process of the run ends with it.
//!
//! The reaper is a *child subreaper*: a process of the run whose parent exits becomes its child, also one that has left
//! the session of the run (`setsid`, a daemon). The reaper therefore knows when the last process is gone, and kills all
//! of them when it is asked to or when this process dies. A pid namespace would do the same, but its process ids start
//! at 1: names with `$$` in shared folders collide, and a pid file of another run names a wrong process.
//!
//! - This module has the side of the parent: [`start`], and the [`Reaper`] with its events and signals.
//! - `process` is the reaper itself, which runs in the memory of the parent as a vforked child does, but stays.
//! - `children` finds and signals the children of the reaper.

mod children;
mod process;

use std::io;
use std::mem::{self, ManuallyDrop};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr;
use std::sync::Arc;

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, waitpid};

use self::process::ReaperTask;
use crate::start::{ChildSetup, ChildStack, SignalMask};

/// In a command to the reaper: signal all processes, not only the group of the leader.
const WHOLE_TREE: u8 = 0x80;

/// What the reaper reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// The leader executes its program.
    Started,
    /// The leader could not be started.
    Failed {
        errno: i32,
    },
    Exited {
        code: i32,
    },
    Signalled {
        signal: i32,
    },
    /// The last process of the run is gone.
    Gone,
}

impl Event {
    const BYTES: usize = 8;

    const fn to_bytes(self) -> [u8; Self::BYTES] {
        let (kind, value) = match self {
            Self::Started => (0, 0),
            Self::Failed { errno } => (1, errno),
            Self::Exited { code } => (2, code),
            Self::Signalled { signal } => (3, signal),
            Self::Gone => (4, 0),
        };
        let [a, b, c, d] = i32::to_ne_bytes(value);
        [kind, 0, 0, 0, a, b, c, d]
    }

    const fn from_bytes([kind, _, _, _, a, b, c, d]: [u8; Self::BYTES]) -> Option<Self> {
        let value = i32::from_ne_bytes([a, b, c, d]);
        Some(match kind {
            0 => Self::Started,
            1 => Self::Failed { errno: value },
            2 => Self::Exited { code: value },
            3 => Self::Signalled { signal: value },
            4 => Self::Gone,
            _ => return None,
        })
    }
}

/// Sends signals through the reaper. It is the one that reaps, so no signal reaches a process with a reused id.
#[derive(Debug, Clone)]
pub(crate) struct SignalSender(Arc<OwnedFd>);

impl SignalSender {
    /// Sends `signal` to the process group of the leader.
    pub(crate) fn signal_group(&self, signal: Signal) {
        self.send(signal.as_raw() as u8);
    }

    /// Sends `signal` to the group of the leader and to processes that have left it. SIGKILL ends them all.
    fn signal_all(&self, signal: Signal) {
        self.send(signal.as_raw() as u8 | WHOLE_TREE);
    }

    fn send(&self, command: u8) {
        match rustix::io::write(&*self.0, &[command]) {
            // A run without processes is not an error.
            Ok(_) | Err(Errno::PIPE) => {}
            Err(error) => tracing::debug!(command, %error, "cannot signal a run"),
        }
    }
}

impl PartialEq for SignalSender {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A running reaper.
#[derive(Debug)]
pub(crate) struct Reaper {
    pid: Pid,
    /// Its end makes the reaper kill the run.
    signals: SignalSender,
    events: OwnedFd,
    /// In use until the reaper is reaped; leaked if it is not.
    stack: ManuallyDrop<ChildStack>,
}

/// Starts the reaper, and in it the leader; returns when the leader executes its program or failed to.
pub(crate) fn start(leader: &mut ChildSetup<'_>) -> io::Result<Reaper> {
    let (commands, signals) = pipe_with(PipeFlags::CLOEXEC)?;
    let (events, reports) = pipe_with(PipeFlags::CLOEXEC)?;
    let child_exits = child_exits()?;
    let mut stack = ManuallyDrop::new(ChildStack::new());
    let mut task = ReaperTask {
        parent: rustix::process::getpid(),
        streams: [commands.as_raw_fd(), reports.as_raw_fd(), child_exits.as_raw_fd()],
        leader,
        leader_stack: ChildStack::new(),
    };
    let mask = SignalMask::block_all();
    let created = clone_reaper(&mut stack, &mut task);
    mask.restore();
    let reaper = Reaper { pid: created?, signals: SignalSender(Arc::new(signals)), events, stack };
    // Else the end of the reaper would not end the pipe.
    drop((commands, reports, child_exits));
    // `task` is in use until an event arrives. Without one, both processes are gone: each holds the pipe.
    match reaper.read_event() {
        Ok(Some(Event::Started)) => {
            fcntl_setfl(&reaper.events, OFlags::NONBLOCK)?;
            Ok(reaper)
        }
        outcome => {
            reaper.reap();
            Err(match outcome {
                Ok(Some(Event::Failed { errno })) => io::Error::from_raw_os_error(errno),
                Err(error) => error.into(),
                Ok(_) => io::ErrorKind::Interrupted.into(),
            })
        }
    }
}

/// Creates the reaper, which shares this memory and has its own stack and descriptors.
#[expect(unsafe_code, reason = "no safe API creates a process that shares memory")]
fn clone_reaper(stack: &mut ChildStack, task: &mut ReaperTask<'_, '_>) -> io::Result<Pid> {
    let flags = libc::CLONE_VM | libc::SIGCHLD;
    let task: *mut libc::c_void = ptr::from_mut(task).cast();
    // SAFETY: the reaper runs `main` on `stack`, which only it uses and which is freed after it was reaped. The caller
    // keeps `task` until the reaper has reported that it does not use it any more. All signals are blocked, so no
    // handler of this process runs in the reaper.
    let pid = unsafe { libc::clone(process::main, stack.top(), flags, task) };
    Pid::from_raw(pid).filter(|_| pid > 0).ok_or_else(io::Error::last_os_error)
}

/// A descriptor that tells a process with blocked signals of the end of its children.
#[expect(unsafe_code, reason = "neither the standard library nor rustix has `signalfd`")]
fn child_exits() -> io::Result<OwnedFd> {
    use std::os::fd::FromRawFd;
    // SAFETY: all zeros is a valid `sigset_t`, which `sigemptyset` initializes; the descriptor is new.
    unsafe {
        let mut signals = mem::zeroed();
        libc::sigemptyset(&raw mut signals);
        libc::sigaddset(&raw mut signals, libc::SIGCHLD);
        match libc::signalfd(-1, &raw const signals, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(OwnedFd::from_raw_fd(fd)),
        }
    }
}

impl Reaper {
    pub(crate) const fn pid(&self) -> Pid {
        self.pid
    }

    pub(crate) fn signals(&self) -> SignalSender {
        self.signals.clone()
    }

    pub(crate) fn signal_all(&self, signal: Signal) {
        self.signals.signal_all(signal);
    }

    /// Returns a descriptor that becomes readable with each event.
    pub(crate) fn events(&self) -> BorrowedFd<'_> {
        self.events.as_fd()
    }

    /// Returns the next event; `None` if the reaper was killed. After the start, it does not wait: EAGAIN.
    pub(crate) fn read_event(&self) -> rustix::io::Result<Option<Event>> {
        let mut bytes = [0; Event::BYTES];
        loop {
            match rustix::io::read(&self.events, &mut bytes) {
                Err(Errno::INTR) => {}
                // Writes of this size are atomic.
                Ok(Event::BYTES) => return Ok(Event::from_bytes(bytes)),
                Ok(_) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits for the end of a reaper that has no children left.
    pub(crate) fn reap(mut self) {
        while let Err(Errno::INTR) = waitpid(Some(self.pid), WaitOptions::empty()) {}
        // ECHILD means that the system reaped it on its own.
        drop_stack(&mut self.stack);
    }
}

#[expect(unsafe_code, reason = "the stack is dropped by hand")]
fn drop_stack(stack: &mut ManuallyDrop<ChildStack>) {
    // SAFETY: called once, by `Reaper::reap`, which consumes the owner; no process uses the stack any more.
    unsafe { ManuallyDrop::drop(stack) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_survive_the_pipe() {
        for event in [
            Event::Started,
            Event::Failed { errno: 24 },
            Event::Exited { code: 255 },
            Event::Signalled { signal: 9 },
            Event::Gone,
        ] {
            assert_eq!(Event::from_bytes(event.to_bytes()), Some(event));
        }
    }
}
