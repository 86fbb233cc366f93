//! The processes of a run: the leader, watched and reaped, and its group, ended with it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use forebay_domain::run::Ending;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus, waitid, waitpid,
};

use crate::Cancel;
use crate::cancel::Enrolment;
use crate::group::Group;

/// The processes of one run. Dropped before [`Self::let_go`] it kills them all.
#[derive(Debug)]
pub(crate) struct ProcessTree<'a> {
    number: Pid,
    group: Group,
    /// Readable once the leader ended; absent where the system has no such thing.
    exit_watch: Option<OwnedFd>,
    enrolment: Option<Enrolment<'a>>,
    leader: Leader,
}

/// What is known of the leader.
#[derive(Debug, Clone, Copy)]
enum Leader {
    Running,
    /// It ended and is kept unreaped, so that the group's number stays ours.
    Ended,
    Reaped(Ending),
    /// Nothing of the run is left to end.
    LetGo,
}

impl<'a> ProcessTree<'a> {
    pub(crate) fn new(number: Pid, cancel: &'a Cancel) -> Self {
        let group = Group::led_by(number);
        let exit_watch = watch_exit(number);
        let enrolment = Some(cancel.enrol(group));
        Self { number, group, exit_watch, enrolment, leader: Leader::Running }
    }

    /// Becomes readable when the leader ends; none once it has, and none on systems without it.
    pub(crate) fn exit_watch(&self) -> Option<BorrowedFd<'_>> {
        match self.leader {
            Leader::Running => self.exit_watch.as_ref().map(AsFd::as_fd),
            _ => None,
        }
    }

    pub(crate) const fn leader_ended(&self) -> bool {
        !matches!(self.leader, Leader::Running)
    }

    /// Asks the system whether the leader ended, and leaves it unreaped.
    pub(crate) fn look_at_leader(&mut self) {
        if !self.leader_ended() && has_ended(self.number) {
            self.leader = Leader::Ended;
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.group.signal(signal);
    }

    pub(crate) const fn group(&self) -> Group {
        self.group
    }

    /// Whether nothing of the group runs any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.leader_ended() && !self.group.has_living_members()
    }

    /// Whether nothing runs any more, asked by reaping the leader that ended.
    ///
    /// The quick way for the usual case: a group that went with its leader costs one system call. If
    /// someone is left, the members keep the group's number from here on.
    pub(crate) fn is_gone_with_leader(&mut self) -> io::Result<bool> {
        self.reap()?;
        Ok(self.is_gone())
    }

    /// Releases the tree after its end and gives the leader's ending; none if even SIGKILL has not
    /// ended the leader yet.
    pub(crate) fn let_go(mut self) -> io::Result<Option<Ending>> {
        if matches!(self.leader, Leader::Ended) {
            // For a member that was born behind the back of the look through `/proc`.
            self.signal(Signal::KILL);
        }
        let ending = if self.leader_ended() { Some(self.reap()?) } else { None };
        if ending.is_none() || self.group.has_living_members() {
            tracing::warn!(?self.group, "processes of a run could not be ended");
        }
        self.leader = Leader::LetGo;
        Ok(ending)
    }

    /// Behaves as on a system that has no exit watch.
    #[cfg(test)]
    pub(crate) fn forget_exit_watch(&mut self) {
        self.exit_watch = None;
    }

    fn reap(&mut self) -> io::Result<Ending> {
        if let Leader::Reaped(ending) = self.leader {
            return Ok(ending);
        }
        // From here on the number may be given away: no signal is forwarded to it any more.
        self.enrolment = None;
        let ending = wait_for(self.number)?;
        self.leader = Leader::Reaped(ending);
        Ok(ending)
    }
}

impl Drop for ProcessTree<'_> {
    /// Kills what an error or a panic would have left behind.
    fn drop(&mut self) {
        if matches!(self.leader, Leader::LetGo) {
            return;
        }
        if !self.is_gone() {
            self.signal(Signal::KILL);
        }
        if let Err(error) = self.reap() {
            tracing::warn!(%error, "the leader of a run could not be reaped");
        }
    }
}

#[cfg(target_os = "linux")]
fn watch_exit(leader: Pid) -> Option<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    pidfd_open(leader, PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn watch_exit(_leader: Pid) -> Option<OwnedFd> {
    None
}

/// A leader that cannot be waited for (the system reaped it itself) has ended too.
fn has_ended(leader: Pid) -> bool {
    let quietly = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(leader), quietly) {
        Ok(status) => status.is_some(),
        Err(error) => error == Errno::CHILD,
    }
}

/// Waits for a leader, which gives its number away.
fn wait_for(leader: Pid) -> io::Result<Ending> {
    loop {
        match waitpid(Some(leader), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(ending_of(status)),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// A status without a code is that of a process which a signal ended.
fn ending_of(status: WaitStatus) -> Ending {
    let signalled = || Ending::Signalled(status.terminating_signal().unwrap_or_default());
    status.exit_status().map_or_else(signalled, Ending::Exited)
}
