//! A gate: a run stands before it, ready in all else, until another thread has done what must come first.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::AsFd;

use rustix::io::Errno;

const COME: u8 = b'+';
const STAY: u8 = b'-';
/// A start may be tried again, with another shell or a lesser fence, and each child takes a word with it.
const MOST_TRIES: usize = 16;
/// The error of a child that was not let through; nothing else here fails with it.
const NOT_LET_THROUGH: Errno = Errno::CANCELED;

/// What a run waits at.
#[derive(Debug)]
pub struct Gate {
    /// A pipe, for a child may wait at nothing that takes a lock.
    word: PipeReader,
}

/// Lets a run through its gate. Whoever drops it instead has the run not begin.
#[derive(Debug)]
pub struct Gatekeeper {
    word: PipeWriter,
    saying: u8,
}

/// A gate that is shut, and who opens it.
pub fn gate() -> io::Result<(Gatekeeper, Gate)> {
    let (read, write) = io::pipe()?;
    Ok((Gatekeeper { word: write, saying: STAY }, Gate { word: read }))
}

impl Gatekeeper {
    pub fn let_through(mut self) {
        self.saying = COME;
    }
}

impl Drop for Gatekeeper {
    /// A word in any case: the pipe's end is no sign, for the child that waits holds its other side too.
    fn drop(&mut self) {
        if let Err(error) = self.word.write_all(&[self.saying; MOST_TRIES]) {
            tracing::debug!(%error, "nobody waits at the gate");
        }
    }
}

impl Gate {
    /// Waits until somebody has said whether the run may begin; a child may call it before it is the program.
    pub(crate) fn pass(&self) -> io::Result<()> {
        let mut word = [STAY];
        loop {
            match rustix::io::read(self.word.as_fd(), &mut word) {
                Err(Errno::INTR) => {}
                Ok(1) if word == [COME] => return Ok(()),
                Ok(_) => return Err(NOT_LET_THROUGH.into()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Whether `error` is that of a run that was not let through.
pub(crate) fn was_shut(error: &io::Error) -> bool {
    error.raw_os_error() == Some(NOT_LET_THROUGH.raw_os_error())
}
