//! How long this process waits for a lock that another one holds, whichever engine it is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

static BUSY_TIMEOUT_MICROS: AtomicU64 = AtomicU64::new(15_000_000);

/// Limits how long this process waits for locks; hooks have little time.
pub fn set_busy_timeout(timeout: Duration) {
    BUSY_TIMEOUT_MICROS.store(timeout.as_micros() as u64, Ordering::Relaxed);
}

pub fn busy_timeout() -> Duration {
    Duration::from_micros(BUSY_TIMEOUT_MICROS.load(Ordering::Relaxed))
}
