//! Starts a process; the child runs [`PreExec`] before it executes the program.

#[cfg(not(target_os = "linux"))]
mod std_command;
#[cfg(target_os = "linux")]
mod vfork;

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use rustix::process::Pid;

#[cfg(not(target_os = "linux"))]
pub(crate) use self::std_command::start;
#[cfg(target_os = "linux")]
pub(crate) use self::vfork::start;
use crate::isolation::Restrictions;
use crate::limits::Rlimits;
use crate::spec::Stdin;
use crate::start_latch::StartLatch;

/// A process to start.
pub(crate) struct StartRequest<'a> {
    /// Searched on `PATH` if it contains no slash.
    pub(crate) program: &'a str,
    pub(crate) arguments: &'a [&'a str],
    pub(crate) cwd: &'a Path,
    /// The complete environment.
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) stdin: &'a Stdin,
    pub(crate) pre_exec: PreExec,
}

/// A running process and the parent's ends of its streams.
#[derive(Debug)]
pub(crate) struct StartedProcess {
    pub(crate) leader: Pid,
    /// The write end, if the parent fills stdin.
    pub(crate) stdin: Option<OwnedFd>,
    pub(crate) stdout: Option<OwnedFd>,
    pub(crate) stderr: Option<OwnedFd>,
}

/// The setup that the child runs between fork and exec.
///
/// It must neither allocate nor lock: on Linux the child shares the memory of the parent, elsewhere it has a
/// copy in which another thread may have held a lock.
#[derive(Debug)]
pub(crate) struct PreExec {
    pub(crate) limits: Rlimits,
    pub(crate) restrictions: Option<Arc<Restrictions>>,
    pub(crate) latch: Option<Arc<StartLatch>>,
    #[cfg(target_os = "linux")]
    pub(crate) parent: Pid,
}

impl PreExec {
    /// Sets up the child.
    ///
    /// The new session has no terminal, so a program that prompts on `/dev/tty` fails instead of waiting.
    fn run(&self) -> io::Result<()> {
        rustix::process::setsid()?;
        self.limits.set()?;
        if let Some(restrictions) = &self.restrictions {
            restrictions.apply()?;
        }
        // Last: a change of credentials clears the parent-death signal.
        self.die_with_parent()?;
        self.latch.as_ref().map_or(Ok(()), |latch| latch.wait())
    }

    /// Makes the kernel kill the child when the parent dies.
    ///
    /// The signal is tied to the thread that created the child. That thread supervises the run to its end, so
    /// the signal never comes early. The children of the child do not inherit it.
    #[cfg(target_os = "linux")]
    fn die_with_parent(&self) -> io::Result<()> {
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        // The parent may have died before the call.
        let orphaned = rustix::process::getppid() != Some(self.parent);
        if orphaned { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    #[cfg(not(target_os = "linux"))]
    #[allow(clippy::unnecessary_wraps, reason = "on Linux it can fail")]
    fn die_with_parent(&self) -> io::Result<()> {
        Ok(())
    }
}
