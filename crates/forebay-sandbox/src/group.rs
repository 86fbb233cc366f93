//! Signals to a process group, and the question whether anyone in it still lives.
//!
//! Why a signal to the number of a group cannot reach a stranger: the system gives no process the id
//! of an unreaped process, nor the id of a group that still has a member. While the leader is unreaped
//! the number is therefore ours. After it was reaped, [`Group::exists`] tells whether members hold the
//! number; only then is it signalled again.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// The process group of a run, named after its leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    id: Pid,
}

impl Group {
    pub(crate) const fn led_by(leader: Pid) -> Self {
        Self { id: leader }
    }

    /// Sends `signal` to every member; an empty group is no fault.
    pub(crate) fn signal(self, signal: Signal) {
        match kill_process_group(self.id, signal) {
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => tracing::debug!(?self.id, ?signal, %error, "the group was not signalled"),
        }
    }

    /// Whether the group has any member, which on Linux may be one that ended and was not reaped.
    ///
    /// EPERM: on Linux there are members that belong to another user; macOS says it of a group in
    /// which all have ended.
    pub(crate) fn exists(self) -> bool {
        match test_kill_process_group(self.id) {
            Ok(()) => true,
            Err(Errno::PERM) => cfg!(target_os = "linux"),
            Err(_) => false,
        }
    }

    /// Whether a member still runs.
    pub(crate) fn has_living_members(self) -> bool {
        self.exists() && self.some_member_runs()
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "the same question as on Linux")]
    fn some_member_runs(self) -> bool {
        true
    }

    /// Looks through `/proc`, for `kill` counts the ended too: the leader that is kept unreaped, and
    /// orphans in a container whose init reaps nobody.
    #[cfg(target_os = "linux")]
    fn some_member_runs(self) -> bool {
        living_processes().is_none_or(|mut all| all.any(|one| one.group == self.id.as_raw_pid()))
    }

    /// How many processes run in the session that the leader opened, as far as can be told.
    #[cfg(target_os = "linux")]
    pub(crate) fn session_size(self) -> u64 {
        let members = living_processes().into_iter().flatten();
        members.filter(|one| one.session == self.id.as_raw_pid()).count() as u64
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "the same question as on Linux")]
    pub(crate) fn session_size(self) -> u64 {
        0
    }
}

/// Where a process that has not ended belongs.
#[cfg(target_os = "linux")]
#[derive(Debug, PartialEq, Eq)]
struct Belongs {
    group: i32,
    session: i32,
}

/// Every process that has not ended; none if the system does not tell.
#[cfg(target_os = "linux")]
fn living_processes() -> Option<impl Iterator<Item = Belongs>> {
    let entries = std::fs::read_dir("/proc").ok()?.flatten();
    let processes =
        entries.filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit());
    Some(processes.filter_map(|entry| belongs(&std::fs::read(entry.path().join("stat")).ok()?)))
}

/// Where a process belongs, from its `/proc/<pid>/stat`.
///
/// The program's name stands in parentheses and may hold anything, so the fields count from the last
/// closing one: state, parent, group, session.
#[cfg(target_os = "linux")]
fn belongs(stat: &[u8]) -> Option<Belongs> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = str::from_utf8(&stat[name_end + 1..]).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    let group = fields.nth(1)?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    (!matches!(state, "Z" | "X" | "x")).then_some(Belongs { group, session })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_program_cannot_forge_the_fields() {
        let here = Some(Belongs { group: 42, session: 43 });
        assert_eq!(belongs(b"7 (sleep) S 1 42 43 0"), here);
        assert_eq!(belongs(b"7 (a) R 1 9 (\xff) S 1 42 43 0"), here);
    }

    #[test]
    fn the_ended_and_the_unreadable_do_not_count() {
        assert_eq!(belongs(b"7 (sleep) Z 1 42 42 0"), None);
        assert_eq!(belongs(b"7 (sleep) S"), None);
        assert_eq!(belongs(b""), None);
    }

    #[test]
    fn this_process_lives_in_its_group() {
        let group = rustix::process::getpgrp();
        assert!(Group::led_by(group).has_living_members());
    }
}
