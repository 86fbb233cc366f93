//! Signals a process group and checks whether any of its members still runs.
//!
//! A signal never reaches an unrelated process: the system reuses neither the id of an unreaped process nor
//! the id of a group that has members. While the leader is unreaped, the id is therefore ours. After it was
//! reaped, the group is signalled only if it has members, which hold the id.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// The process group of a run, identified by the pid of its leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessGroup {
    id: Pid,
}

impl ProcessGroup {
    pub(crate) const fn new(leader: Pid) -> Self {
        Self { id: leader }
    }

    /// Sends `signal` to every member; an empty group is not an error.
    pub(crate) fn signal_group(&self, signal: Signal) {
        match kill_process_group(self.id, signal) {
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => {
                tracing::debug!(?self.id, ?signal, %error, "cannot signal the process group");
            }
        }
    }

    /// Whether a member still runs. EPERM means on macOS that all members have exited.
    pub(crate) fn has_running_members(&self) -> bool {
        test_kill_process_group(self.id).is_ok()
    }
}
