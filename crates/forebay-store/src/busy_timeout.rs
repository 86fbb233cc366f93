//! The time this process waits for a database lock, shared by the engines.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

static BUSY_TIMEOUT_MICROS: AtomicU64 = AtomicU64::new(15_000_000);

/// Sets the lock timeout of this process; hooks need a short one.
pub fn set_busy_timeout(timeout: Duration) {
    BUSY_TIMEOUT_MICROS.store(timeout.as_micros() as u64, Ordering::Relaxed);
}

pub fn busy_timeout() -> Duration {
    Duration::from_micros(BUSY_TIMEOUT_MICROS.load(Ordering::Relaxed))
}
