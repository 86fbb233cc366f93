//! Watches and reaps the leader, and ends its process group; a process that leaves the group is not found.

use std::io;
use std::os::fd::BorrowedFd;

use forebay_domain::run::Ending;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus, waitid, waitpid,
};

use crate::CancelToken;
use crate::cancel::Registration;
use crate::process_tree::ProcessGroup;

/// The processes of one run. Dropping it before [`Self::release`] kills them all.
#[derive(Debug)]
pub(crate) struct ProcessTree<'a> {
    leader_pid: Pid,
    group: ProcessGroup,
    registration: Option<Registration<'a>>,
    leader_state: LeaderState,
}

/// The state of the leader.
#[derive(Debug, Clone, Copy)]
enum LeaderState {
    Running,
    /// Exited, but kept unreaped so that the group id is not reused.
    Exited,
    Reaped(Ending),
    /// The tree was released; nothing is left to kill.
    Released,
}

impl<'a> ProcessTree<'a> {
    /// Whether [`Self::events`] reports the end of each process, so that nothing must be polled.
    pub(crate) const REPORTS_ENDS: bool = false;

    pub(crate) fn new(leader_pid: Pid, cancel: &'a CancelToken) -> Self {
        let group = ProcessGroup::new(leader_pid);
        let registration = Some(cancel.register(group));
        Self { leader_pid, group, registration, leader_state: LeaderState::Running }
    }

    pub(crate) const fn events(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    pub(crate) const fn leader_exited(&self) -> bool {
        !matches!(self.leader_state, LeaderState::Running)
    }

    /// Checks whether the leader exited, without reaping it.
    pub(crate) fn poll(&mut self) -> io::Result<()> {
        if !self.leader_exited() && has_exited(self.leader_pid) {
            self.leader_state = LeaderState::Exited;
        }
        Ok(())
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.group.signal_group(signal);
    }

    /// Returns the number of processes, if it is known.
    pub(crate) const fn count(&self) -> Option<u64> {
        None
    }

    /// Whether no process of the group runs any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.leader_exited() && !self.group.has_running_members()
    }

    /// Releases the tree and returns the ending of the leader; `None` if it survived SIGKILL so far.
    pub(crate) fn release(mut self) -> io::Result<Option<Ending>> {
        let ending = if self.leader_exited() { Some(self.reap()?) } else { None };
        if ending.is_none() || self.group.has_running_members() {
            tracing::warn!(?self.group, "processes of a run survived SIGKILL");
        }
        self.leader_state = LeaderState::Released;
        Ok(ending)
    }

    fn reap(&mut self) -> io::Result<Ending> {
        if let LeaderState::Reaped(ending) = self.leader_state {
            return Ok(ending);
        }
        // From here on the pid may be reused: stop forwarding signals to it.
        self.registration = None;
        let ending = wait_for_exit(self.leader_pid)?;
        self.leader_state = LeaderState::Reaped(ending);
        Ok(ending)
    }
}

impl Drop for ProcessTree<'_> {
    /// Kills the processes that an error or a panic would leave behind.
    fn drop(&mut self) {
        if matches!(self.leader_state, LeaderState::Released) {
            return;
        }
        if !self.is_gone() {
            self.signal(Signal::KILL);
        }
        if let Err(error) = self.reap() {
            tracing::warn!(%error, "cannot reap the leader of a run");
        }
    }
}

/// ECHILD means that the system reaped the leader on its own.
fn has_exited(leader: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(leader), options) {
        Ok(status) => status.is_some(),
        Err(error) => error == Errno::CHILD,
    }
}

/// Waits for the leader and reaps it, which frees its pid.
fn wait_for_exit(leader: Pid) -> io::Result<Ending> {
    loop {
        match waitpid(Some(leader), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(ending_from_status(status)),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// A status without an exit code belongs to a process that a signal killed.
fn ending_from_status(status: WaitStatus) -> Ending {
    let signalled = || Ending::Signalled(status.terminating_signal().unwrap_or_default());
    status.exit_status().map_or_else(signalled, Ending::Exited)
}
