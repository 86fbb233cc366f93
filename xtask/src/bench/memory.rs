//! Memory of a process, as its kernel tells it.
//!
//! `VmHWM` is the most that this very program ever had resident. What `wait4` reports instead also
//! counts the moment before `exec`, when the child still is a copy of the chore that started it, and
//! the largest of the command's own processes; so it is read while the process lives.

use std::fs;

/// The most memory a living process had so far, in megabytes; nothing where `/proc` is not.
pub(super) fn peak(process: u32) -> Option<f64> {
    megabytes(process, "VmHWM:")
}

/// What a living process has now.
pub(super) fn resident(process: u32) -> Option<f64> {
    megabytes(process, "VmRSS:")
}

fn megabytes(process: u32, field: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
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
    fn the_peak_is_read_from_the_status() {
        assert_eq!(
            kilobytes("Name:\tx\nVmHWM:\t    8120 kB\nVmRSS:\t 1 kB\n", "VmHWM:"),
            Some(8120.0)
        );
        assert_eq!(kilobytes("State:\tZ (zombie)\n", "VmHWM:"), None);
    }
}
