//! How long this process has been running.

use std::time::{Duration, Instant};

/// Measures from the start of the process: the processor time until the clock was created, then the wall clock.
///
/// The kernel tells when a process began in hundredths of a second only. Until `main`, a process loads and links its
/// program, so the processor time is close to what passed; waiting for the disk or for a processor is not in it.
#[derive(Debug, Clone, Copy)]
pub struct ProcessClock {
    until_creation: Duration,
    created: Instant,
}

impl ProcessClock {
    /// Creates the clock; to be called first of all.
    pub fn start() -> Self {
        Self { until_creation: processor_time(), created: Instant::now() }
    }

    pub fn elapsed(&self) -> Duration {
        self.until_creation + self.created.elapsed()
    }
}

/// The processor time of all threads of this process.
#[expect(unsafe_code, reason = "rustix's clocks need another feature for one call")]
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the result.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    if status != 0 {
        return Duration::ZERO;
    }
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_before_the_clock_counts() {
        let clock = ProcessClock::start();
        assert!(clock.until_creation > Duration::ZERO);
        assert!(clock.elapsed() >= clock.until_creation);
    }
}
