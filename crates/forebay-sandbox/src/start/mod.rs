//! Starts a process: with its streams, in its folder, and through the door that [`Entry`] is.

#[cfg(target_os = "linux")]
mod beside;
#[cfg(not(target_os = "linux"))]
mod standard;

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use rustix::process::Pid;

#[cfg(target_os = "linux")]
pub(crate) use self::beside::start;
#[cfg(not(target_os = "linux"))]
pub(crate) use self::standard::start;
use crate::gate::Gate;
use crate::isolation::Held;
use crate::limits::KernelLimits;
use crate::spec::Stdin;

/// What is to be started.
pub(crate) struct Launch<'a> {
    /// Looked for on PATH where it names no folder.
    pub(crate) program: &'a str,
    pub(crate) arguments: &'a [&'a str],
    pub(crate) folder: &'a Path,
    /// The whole environment.
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) stdin: &'a Stdin,
    pub(crate) entry: Entry,
}

/// A process that runs, and our ends of its streams.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) leader: Pid,
    /// Where what it reads is ours to write.
    pub(crate) stdin: Option<OwnedFd>,
    pub(crate) stdout: Option<OwnedFd>,
    pub(crate) stderr: Option<OwnedFd>,
}

/// What the child does before it becomes the program, with everything it needs at hand.
///
/// Nothing in it allocates or locks: on Linux it happens in our memory, elsewhere in a copy of it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) limits: KernelLimits,
    pub(crate) held: Option<Arc<Held>>,
    pub(crate) gate: Option<Arc<Gate>>,
    #[cfg(target_os = "linux")]
    pub(crate) parent: Pid,
}

impl Entry {
    /// The session has no terminal, so a program that asks a question on `/dev/tty` fails at once
    /// instead of waiting for an answer that nobody gives.
    fn enter(&self) -> io::Result<()> {
        rustix::process::setsid()?;
        self.limits.set()?;
        if let Some(held) = &self.held {
            held.enter()?;
        }
        // After the fence, for a change of rights would undo it.
        self.end_with_parent()?;
        self.gate.as_ref().map_or(Ok(()), |gate| gate.pass())
    }

    /// Lets the kernel end the child when we are killed and cannot do it ourselves.
    ///
    /// The signal comes when the thread ends that made the child, not the process. That thread watches
    /// the run to its end, so it is never too early. It is not passed on to the child's own children.
    #[cfg(target_os = "linux")]
    fn end_with_parent(&self) -> io::Result<()> {
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        // We may have been killed before the call.
        let orphaned = rustix::process::getppid() != Some(self.parent);
        if orphaned { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    #[cfg(not(target_os = "linux"))]
    #[allow(clippy::unnecessary_wraps, reason = "on Linux it can fail")]
    fn end_with_parent(&self) -> io::Result<()> {
        Ok(())
    }
}
