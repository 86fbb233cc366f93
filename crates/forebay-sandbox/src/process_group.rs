//! Signals a process group and checks whether any of its members still runs.
//!
//! A signal never reaches an unrelated process: the system reuses neither the id of an unreaped process nor
//! the id of a group that has members. While the leader is unreaped, the id is therefore ours. After it was
//! reaped, the group is signalled only if [`ProcessGroup::exists`] finds members that hold the id.

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
    pub(crate) fn signal(self, signal: Signal) {
        match kill_process_group(self.id, signal) {
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => {
                tracing::debug!(?self.id, ?signal, %error, "cannot signal the process group");
            }
        }
    }

    /// Whether the group has any member; on Linux, zombies count.
    ///
    /// EPERM means on Linux that the members belong to another user, on macOS that all members have exited.
    pub(crate) fn exists(self) -> bool {
        match test_kill_process_group(self.id) {
            Ok(()) => true,
            Err(Errno::PERM) => cfg!(target_os = "linux"),
            Err(_) => false,
        }
    }

    /// Whether a member still runs.
    pub(crate) fn has_running_members(self) -> bool {
        self.exists() && self.any_member_runs()
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "same signature as on Linux")]
    fn any_member_runs(self) -> bool {
        true
    }

    /// Scans `/proc`, because `kill` also counts zombies: the unreaped leader, and orphans in a container
    /// whose init does not reap.
    #[cfg(target_os = "linux")]
    fn any_member_runs(self) -> bool {
        running_processes().is_none_or(|mut all| all.any(|one| one.group == self.id.as_raw_pid()))
    }

    /// Counts the running processes of the session that the leader created; 0 if `/proc` is unreadable.
    #[cfg(target_os = "linux")]
    pub(crate) fn session_size(self) -> u64 {
        let members = running_processes().into_iter().flatten();
        members.filter(|one| one.session == self.id.as_raw_pid()).count() as u64
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "same signature as on Linux")]
    pub(crate) fn session_size(self) -> u64 {
        0
    }
}

/// The group and session of a running process.
#[cfg(target_os = "linux")]
#[derive(Debug, PartialEq, Eq)]
struct ProcessIds {
    group: i32,
    session: i32,
}

/// Lists all processes except zombies; `None` if `/proc` is unreadable.
#[cfg(target_os = "linux")]
fn running_processes() -> Option<impl Iterator<Item = ProcessIds>> {
    let entries = std::fs::read_dir("/proc").ok()?.flatten();
    let processes =
        entries.filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit());
    Some(processes.filter_map(|entry| parse_stat(&std::fs::read(entry.path().join("stat")).ok()?)))
}

/// Parses `/proc/<pid>/stat`; `None` for a zombie.
///
/// The program name is in parentheses and may contain any byte, so the fields (state, parent, group,
/// session) are counted from the last closing parenthesis.
#[cfg(target_os = "linux")]
fn parse_stat(stat: &[u8]) -> Option<ProcessIds> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = str::from_utf8(&stat[name_end + 1..]).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    let group = fields.nth(1)?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    (!matches!(state, "Z" | "X" | "x")).then_some(ProcessIds { group, session })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn ignores_stat_fields_in_the_program_name() {
        let ids = Some(ProcessIds { group: 42, session: 43 });
        assert_eq!(parse_stat(b"7 (sleep) S 1 42 43 0"), ids);
        assert_eq!(parse_stat(b"7 (a) R 1 9 (\xff) S 1 42 43 0"), ids);
    }

    #[test]
    fn skips_zombies_and_malformed_stat() {
        assert_eq!(parse_stat(b"7 (sleep) Z 1 42 42 0"), None);
        assert_eq!(parse_stat(b"7 (sleep) S"), None);
        assert_eq!(parse_stat(b""), None);
    }

    #[test]
    fn finds_this_process_in_its_group() {
        let group = rustix::process::getpgrp();
        assert!(ProcessGroup::new(group).has_running_members());
    }
}
