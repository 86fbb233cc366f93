//! Writes what a process reads as its stdin, as fast as it takes it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;

use crate::spec::Stdin;

/// The text on its way to a process; the pipe closes at its end.
pub(crate) struct Feed<'a> {
    pipe: Option<OwnedFd>,
    left: &'a [u8],
}

impl<'a> Feed<'a> {
    /// Takes over the stdin of a process, if it is ours to fill.
    pub(crate) fn new(pipe: Option<OwnedFd>, stdin: &'a Stdin) -> io::Result<Self> {
        let Stdin::Text(text) = stdin else { return Ok(Self { pipe: None, left: &[] }) };
        let pipe = pipe.filter(|_| !text.is_empty());
        if let Some(pipe) = &pipe {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(Self { pipe, left: text })
    }

    /// The pipe, while there is something to write.
    pub(crate) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Writes once. A process that wants no more of it is no fault.
    pub(crate) fn write(&mut self) -> io::Result<()> {
        let Some(pipe) = &self.pipe else { return Ok(()) };
        match rustix::io::write(pipe, self.left) {
            Ok(count) => self.left = &self.left[count..],
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::PIPE) => self.left = &[],
            Err(error) => return Err(error.into()),
        }
        if self.left.is_empty() {
            self.pipe = None;
        }
        Ok(())
    }
}
