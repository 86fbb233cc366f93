//! Supervises changes of modes, owners, times and attributes where mounts are not possible.
//!
//! Landlock decides which files can be opened, not whose metadata can be changed, and a seccomp filter sees no paths. So
//! the kernel stops these system calls, and a thread of this process decides: it finds the file that the call means,
//! compares its path with what the run may write, and makes the change itself as the user that the caller is. The caller
//! never continues with the call: another thread of it could replace the path in the meantime.
//!
//! - `calls`: the system calls, and the meaning of their arguments;
//! - `listener`: the notifications of the kernel (`seccomp_unotify(2)`);
//! - `caller`: a stopped process: its memory, its files, its namespaces;
//! - `identity`: the user, groups and capabilities of a thread;
//! - `change`: the change that is made.

mod caller;
mod calls;
mod change;
mod identity;
mod listener;

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use self::caller::{Caller, Namespaces};
use self::calls::MetadataCall;
pub(super) use self::calls::{DENIED_CALLS, DENIED_IOCTLS, supervised_calls};
use self::change::Change;
use self::identity::Identity;
use self::listener::{Channel, Listener, StoppedCall};
use super::access::{AccessRules, is_within};
use super::capabilities;
use super::mounts::TERMINALS_FOLDER;
use super::seccomp::SeccompFilter;

/// Set once a run could not be supervised.
static UNSUPPORTED: AtomicBool = AtomicBool::new(false);

/// What a child needs to be supervised, and its supervisor.
#[derive(Debug)]
pub(super) struct Supervision {
    filter: SeccompFilter,
    channel: Channel,
    scope: Scope,
}

impl Supervision {
    /// `None` on a system without notifications.
    pub(super) fn new(rules: &AccessRules) -> io::Result<Option<Self>> {
        let Some(filter) = SeccompFilter::supervised(rules.profile()) else {
            return Ok(None);
        };
        if !listener::is_supported() {
            UNSUPPORTED.store(true, Ordering::Relaxed);
            return Ok(None);
        }
        Ok(Some(Self { filter, channel: Channel::new()?, scope: Scope(rules.clone()) }))
    }

    /// Installs the filter in the calling process, and returns whether that was possible: a process has one listener, so
    /// it is not if this process is supervised itself. Async-signal-safe.
    pub(super) fn install(&self) -> io::Result<bool> {
        let Some(listener) = self.filter.install_with_listener()? else {
            return Ok(false);
        };
        self.channel.send(&listener)?;
        Ok(true)
    }

    /// Starts the supervisor of the child that was started last; it ends when it is dropped.
    pub(super) fn start(&self) -> io::Result<Option<Supervisor>> {
        let Some(listener) = self.channel.receive()? else {
            UNSUPPORTED.store(true, Ordering::Relaxed);
            return Ok(None);
        };
        let (end, stop) = pipe_with(PipeFlags::CLOEXEC)?;
        let scope = self.scope.clone();
        let supervise = move || {
            if let Err(error) =
                Session::start(listener, scope).and_then(|session| session.run(&end))
            {
                tracing::warn!(%error, "changes of modes and times are not supervised any more");
            }
        };
        thread::Builder::new().name("metadata".to_owned()).spawn(supervise)?;
        Ok(Some(Supervisor { _stop: stop }))
    }
}

/// Whether a run could not be supervised.
pub(super) fn is_unsupported() -> bool {
    UNSUPPORTED.load(Ordering::Relaxed)
}

/// A thread that decides about the calls of one run.
#[derive(Debug)]
pub(crate) struct Supervisor {
    /// Its end ends the thread.
    _stop: OwnedFd,
}

/// Where a run may change metadata.
#[derive(Debug, Clone)]
struct Scope(AccessRules);

impl Scope {
    fn contains(&self, path: &Path) -> bool {
        let Self(rules) = self;
        // A device stays as it is, which every program may use; so do the terminals of others.
        let folder =
            rules.write.iter().any(|folder| path.starts_with(folder) && !is_device(folder));
        folder
            && !path.starts_with(TERMINALS_FOLDER)
            && rules.allows_write(path)
            && !is_within(path, &rules.denied_programs)
    }
}

fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_dir() && !found.is_file())
}

/// The state of a supervisor.
struct Session {
    listener: Listener,
    scope: Scope,
    namespaces: Namespaces,
    /// That of this thread.
    identity: Identity,
}

impl Session {
    fn start(listener: Listener, scope: Scope) -> io::Result<Self> {
        // The calling thread only: it must not be able to do more than a process of the run.
        capabilities::drop_most()?;
        Ok(Self { listener, scope, namespaces: Namespaces::own()?, identity: Identity::own()? })
    }

    fn run(mut self, end: &OwnedFd) -> io::Result<()> {
        loop {
            let mut sources =
                [PollFd::new(&self.listener, PollFlags::IN), PollFd::new(end, PollFlags::IN)];
            match poll(&mut sources, None) {
                Err(Errno::INTR) => continue,
                outcome => outcome?,
            };
            let [calls, stop] = sources.map(|source| source.revents());
            // Without processes that could make calls, the listener hangs up.
            if !stop.is_empty() || !calls.contains(PollFlags::IN) {
                return Ok(());
            }
            match self.listener.receive() {
                Ok(call) => {
                    let outcome = self.decide(&call);
                    self.listener.answer(call.id, outcome)?;
                }
                // The caller was killed, or a signal arrived.
                Err(Errno::NOENT | Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn decide(&mut self, stopped: &StoppedCall) -> Result<(), Errno> {
        let call = MetadataCall::find(stopped.number).ok_or(Errno::NOSYS)?;
        let caller = Caller::open(stopped.thread)?;
        // From here on, the folder in `/proc` is that of the caller, not of a later process with its id.
        self.listener.check(stopped.id)?;
        self.identity.adopt(caller.identity()?)?;
        if caller.namespaces()? != self.namespaces {
            return Err(Errno::PERM);
        }
        let change = Change::read(call, &stopped.arguments, &caller)?;
        let file = caller.file(call.target, &stopped.arguments)?;
        if !file.has_no_path() && !self.scope.contains(file.path()) {
            return Err(Errno::PERM);
        }
        change.apply(&file)
    }
}
