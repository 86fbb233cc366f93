//! A one-shot latch that holds a prepared child back until another thread releases it.
//!
//! The child waits right before `exec`, so that its setup overlaps with the work of the other thread.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::AsFd;

use rustix::io::Errno;

const RELEASE: u8 = b'+';
const ABORT: u8 = b'-';
/// A start may be retried (another shell, a sandbox without mounts), and each child consumes one byte.
const MAX_START_ATTEMPTS: usize = 16;
/// The errno of a child whose start was aborted; no other step of the child setup fails with it.
const START_ABORTED: Errno = Errno::CANCELED;

/// The side that waits.
#[derive(Debug)]
pub struct StartLatch {
    /// A pipe, because the child must not take locks before `exec`.
    pipe: PipeReader,
}

/// The side that releases the run. Dropping it without [`Self::release`] aborts the start.
#[derive(Debug)]
pub struct LatchHandle {
    pipe: PipeWriter,
    message: u8,
}

/// Creates a closed latch and its handle.
pub fn start_latch() -> io::Result<(LatchHandle, StartLatch)> {
    let (read, write) = io::pipe()?;
    Ok((LatchHandle { pipe: write, message: ABORT }, StartLatch { pipe: read }))
}

impl LatchHandle {
    /// Lets the run start.
    pub fn release(mut self) {
        self.message = RELEASE;
    }
}

impl Drop for LatchHandle {
    /// Writes in either case: the child inherits the write end, so closing it would not signal EOF.
    fn drop(&mut self) {
        if let Err(error) = self.pipe.write_all(&[self.message; MAX_START_ATTEMPTS]) {
            tracing::debug!(%error, "no run waits for the start latch");
        }
    }
}

impl StartLatch {
    /// Blocks until the handle releases the run or aborts it.
    ///
    /// Makes system calls only, so that the child may call it between fork and exec.
    pub(crate) fn wait(&self) -> io::Result<()> {
        let mut message = [ABORT];
        loop {
            match rustix::io::read(self.pipe.as_fd(), &mut message) {
                Err(Errno::INTR) => {}
                Ok(1) if message == [RELEASE] => return Ok(()),
                Ok(_) => return Err(START_ABORTED.into()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Whether `error` comes from a child whose start was aborted.
pub(crate) fn is_start_aborted(error: &io::Error) -> bool {
    error.raw_os_error() == Some(START_ABORTED.raw_os_error())
}
