//! A time limit of this process.
//!
//! The work is done on the main thread and the clock watched on another one: nothing waits for a thread to wake up, and the
//! allocator has one arena, which grows in larger steps than that of a thread.

use std::io;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Ends the process if the work takes too long.
pub(crate) struct Deadline {
    is_settled: Arc<AtomicBool>,
}

impl Deadline {
    /// Calls `late` and exits with `exit_code` after `limit`, unless the work is done by then.
    #[expect(clippy::disallowed_methods, reason = "the main thread is stuck, so it cannot return")]
    pub(crate) fn start(
        limit: Duration,
        exit_code: u8,
        late: impl FnOnce() + Send + 'static,
    ) -> io::Result<Self> {
        let is_settled = Arc::new(AtomicBool::new(false));
        let own = Self { is_settled: Arc::clone(&is_settled) };
        thread::Builder::new().name("deadline".to_owned()).spawn(move || {
            wait(limit);
            if !is_settled.swap(true, Ordering::AcqRel) {
                late();
                process::exit(exit_code.into());
            }
        })?;
        Ok(own)
    }

    /// The work is done: returns only if it is in time.
    pub(crate) fn met(self) {
        if self.is_settled.swap(true, Ordering::AcqRel) {
            loop {
                thread::park();
            }
        }
    }
}

fn wait(limit: Duration) {
    let started = Instant::now();
    while let Some(left) = limit.checked_sub(started.elapsed()).filter(|left| !left.is_zero()) {
        thread::park_timeout(left);
    }
}
