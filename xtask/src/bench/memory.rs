//! Memory of a process, from `/proc/<pid>/status`.
//!
//! `VmHWM` is the peak resident memory of this program alone. `wait4` would also count the time before `exec`, when
//! the child is a copy of xtask, and the largest of the command's own children; so memory is read while the
//! process runs.

use std::fs;

/// Returns the peak resident memory of a running process in megabytes; `None` without `/proc`.
pub(super) fn peak(pid: u32) -> Option<f64> {
    megabytes(pid, "VmHWM:")
}

/// Returns the current resident memory of a running process in megabytes.
pub(super) fn resident(pid: u32) -> Option<f64> {
    megabytes(pid, "VmRSS:")
}

fn megabytes(pid: u32, field: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    kilobytes(&status, field).map(|kilobytes| kilobytes * 1024.0 / 1e6)
}

fn kilobytes(status: &str, field: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_peak() {
        assert_eq!(
            kilobytes("Name:\tx\nVmHWM:\t    8120 kB\nVmRSS:\t 1 kB\n", "VmHWM:"),
            Some(8120.0)
        );
        assert_eq!(kilobytes("State:\tZ (zombie)\n", "VmHWM:"), None);
    }
}
