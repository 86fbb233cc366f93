//! Writes text to the stdin of a process, as fast as the process reads it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;

use crate::spec::Stdin;

/// The text that is still to be written; the pipe closes after its last byte.
pub(crate) struct StdinWriter<'a> {
    pipe: Option<OwnedFd>,
    remaining: &'a [u8],
}

impl<'a> StdinWriter<'a> {
    /// Takes over the write end of stdin if the run has text for it.
    pub(crate) fn new(pipe: Option<OwnedFd>, stdin: &'a Stdin) -> io::Result<Self> {
        let Stdin::Text(text) = stdin else { return Ok(Self { pipe: None, remaining: &[] }) };
        let pipe = pipe.filter(|_| !text.is_empty());
        if let Some(pipe) = &pipe {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(Self { pipe, remaining: text })
    }

    /// Returns the pipe while there is something to write.
    pub(crate) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Writes once. A process that closes its stdin early is not an error.
    pub(crate) fn write(&mut self) -> io::Result<()> {
        let Some(pipe) = &self.pipe else { return Ok(()) };
        match rustix::io::write(pipe, self.remaining) {
            Ok(count) => self.remaining = &self.remaining[count..],
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::PIPE) => self.remaining = &[],
            Err(error) => return Err(error.into()),
        }
        if self.remaining.is_empty() {
            self.pipe = None;
        }
        Ok(())
    }
}
