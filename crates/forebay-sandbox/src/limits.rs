//! Limits of a run: what it may use up before it is ended.
//!
//! - Memory is RLIMIT_DATA, the data a process writes, and holds for each process. RLIMIT_AS would end
//!   programs that only reserve addresses (Go, Java, Node), and a cgroup needs rights we do not have.
//!   A sanitizer's shadow memory counts as data, so the default is no limit.
//! - Processes are counted by the supervisor, which ends a run whose session has too many. The kernel's
//!   own limit counts all of a user's processes and none of root's; it is set too, far enough above
//!   what runs already, to stop a fork bomb between two counts.
//! - Output is counted by the supervisor; what came before the limit is kept.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What a run may use; none is without limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Bytes of data, of each process.
    pub memory: Option<u64>,
    /// Of each process.
    pub cpu_seconds: Option<u64>,
    /// Processes of the run at one time.
    pub processes: Option<u64>,
    /// Of each process.
    pub open_files: Option<u64>,
    /// Bytes of one file.
    pub file_size: Option<u64>,
    /// Bytes of both outputs together.
    pub output: Option<u64>,
}

/// Limits as the kernel takes them, worked out before the fork.
#[derive(Debug)]
pub(crate) struct KernelLimits(Vec<(Resource, Rlimit)>);

impl KernelLimits {
    pub(crate) fn of(limits: &Limits) -> Self {
        let named = [
            (Resource::Data, limits.memory),
            (Resource::Cpu, limits.cpu_seconds),
            (Resource::Nofile, limits.open_files),
            (Resource::Fsize, limits.file_size),
            (Resource::Nproc, limits.processes.and_then(|more| Some(all_tasks()? + more))),
            // A core file is of no use to anyone here, and may hold secrets.
            (Resource::Core, (*limits != Limits::default()).then_some(0)),
        ];
        Self(named.into_iter().filter_map(|(of, most)| Some((of, lowered(of, most?)))).collect())
    }

    /// Sets them for the calling process; between fork and exec, so only system calls.
    pub(crate) fn set(&self) -> io::Result<()> {
        self.0.iter().try_for_each(|(of, limit)| Ok(setrlimit(*of, *limit)?))
    }
}

/// A limit is only ever lowered: what already holds for us holds for a run.
fn lowered(of: Resource, most: u64) -> Rlimit {
    let held = getrlimit(of);
    let least = |held: Option<u64>| Some(held.map_or(most, |held| held.min(most)));
    // A process is told of its processor time by a signal, and ended by the harder limit.
    let grace = u64::from(of == Resource::Cpu);
    let maximum = held.maximum.map_or(most + grace, |held| held.min(most + grace));
    Rlimit { current: least(held.current), maximum: Some(maximum) }
}

/// How many processes and threads run on this machine, from one small file.
#[cfg(target_os = "linux")]
pub(crate) fn all_tasks() -> Option<u64> {
    tasks_in(&std::fs::read_to_string("/proc/loadavg").ok()?)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn all_tasks() -> Option<u64> {
    None
}

/// `0.20 0.18 0.12 1/80 11206`: one of 80 runs.
#[cfg(target_os = "linux")]
fn tasks_in(loadavg: &str) -> Option<u64> {
    loadavg.split_ascii_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_counted() {
        assert_eq!(tasks_in("0.20 0.18 0.12 1/80 11206\n"), Some(80));
        assert_eq!(tasks_in(""), None);
        assert!(all_tasks().is_some_and(|tasks| tasks > 0));
    }

    #[test]
    fn a_limit_is_lowered_and_never_raised() {
        let held = getrlimit(Resource::Nofile);
        let limit = lowered(Resource::Nofile, u64::MAX);
        assert_eq!(
            (limit.current, limit.maximum),
            (held.current.or(Some(u64::MAX)), held.maximum.or(Some(u64::MAX)))
        );
        assert_eq!(lowered(Resource::Nofile, 7).maximum, Some(7));
    }

    #[test]
    fn no_limits_change_nothing() {
        assert!(KernelLimits::of(&Limits::default()).0.is_empty());
    }
}
