//! Resource limits of a run.
//!
//! - Memory is `RLIMIT_DATA`, the writable data of each process. `RLIMIT_AS` would break programs that only
//!   reserve address space (Go, Java, Node), and a cgroup needs privileges we lack. A sanitizer's shadow
//!   memory counts as data, so there is no limit by default.
//! - The supervisor counts the processes of the run and kills a run that has too many. `RLIMIT_NPROC`
//!   counts all processes of a user and does not apply to root; it is set as well, relative to what already
//!   runs, to stop a fork bomb between two counts.
//! - The supervisor counts the output; what arrived before the limit is kept.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The limits of a run; `None` means unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Bytes of data, per process.
    pub memory: Option<u64>,
    /// CPU time, per process.
    pub cpu_seconds: Option<u64>,
    /// Concurrent processes of the run.
    pub processes: Option<u64>,
    /// Open descriptors, per process.
    pub open_files: Option<u64>,
    /// Bytes per file.
    pub file_size: Option<u64>,
    /// Bytes of stdout and stderr together.
    pub output: Option<u64>,
}

/// Kernel limits, computed before the fork.
#[derive(Debug)]
pub(crate) struct Rlimits(Vec<(Resource, Rlimit)>);

impl Rlimits {
    pub(crate) fn new(limits: &Limits) -> Self {
        let wanted = [
            (Resource::Data, limits.memory),
            (Resource::Cpu, limits.cpu_seconds),
            (Resource::Nofile, limits.open_files),
            (Resource::Fsize, limits.file_size),
            (Resource::Nproc, limits.processes.and_then(|more| Some(system_task_count()? + more))),
            // A core dump may contain secrets.
            (Resource::Core, (*limits != Limits::default()).then_some(0)),
        ];
        let lowered = wanted
            .into_iter()
            .filter_map(|(resource, limit)| Some((resource, lower_limit(resource, limit?))));
        Self(lowered.collect())
    }

    /// Applies the limits to the calling process. Async-signal-safe: system calls only.
    pub(crate) fn set(&self) -> io::Result<()> {
        self.0.iter().try_for_each(|(resource, limit)| Ok(setrlimit(*resource, *limit)?))
    }
}

/// Returns the lower of `limit` and the limit in force: a run never gets more than this process has.
fn lower_limit(resource: Resource, limit: u64) -> Rlimit {
    let current = getrlimit(resource);
    // The soft CPU limit sends SIGXCPU, the hard one SIGKILL: leave a second between them.
    let hard = limit + u64::from(resource == Resource::Cpu);
    let lower =
        |current: Option<u64>, limit: u64| Some(current.map_or(limit, |value| value.min(limit)));
    Rlimit { current: lower(current.current, limit), maximum: lower(current.maximum, hard) }
}

/// Returns the number of processes and threads on this machine.
#[cfg(target_os = "linux")]
pub(crate) fn system_task_count() -> Option<u64> {
    parse_loadavg(&std::fs::read_to_string("/proc/loadavg").ok()?)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn system_task_count() -> Option<u64> {
    None
}

/// Parses `0.20 0.18 0.12 1/80 11206`: one of 80 tasks is running.
#[cfg(target_os = "linux")]
fn parse_loadavg(loadavg: &str) -> Option<u64> {
    loadavg.split_ascii_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn counts_system_tasks() {
        assert_eq!(parse_loadavg("0.20 0.18 0.12 1/80 11206\n"), Some(80));
        assert_eq!(parse_loadavg(""), None);
        assert!(system_task_count().is_some_and(|tasks| tasks > 0));
    }

    #[test]
    fn lowers_limits_and_never_raises_them() {
        let current = getrlimit(Resource::Nofile);
        let limit = lower_limit(Resource::Nofile, u64::MAX);
        assert_eq!(
            (limit.current, limit.maximum),
            (current.current.or(Some(u64::MAX)), current.maximum.or(Some(u64::MAX)))
        );
        assert_eq!(lower_limit(Resource::Nofile, 7).maximum, Some(7));
    }

    #[test]
    fn default_limits_set_nothing() {
        assert!(Rlimits::new(&Limits::default()).0.is_empty());
    }
}
