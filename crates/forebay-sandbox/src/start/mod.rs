//! Starts a process; the child runs [`PreExec`] before it executes the program.

#[cfg(target_os = "linux")]
mod signal_mask;
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

#[cfg(target_os = "linux")]
pub(crate) use self::signal_mask::SignalMask;
#[cfg(not(target_os = "linux"))]
pub(crate) use self::std_command::start;
#[cfg(target_os = "linux")]
pub(crate) use self::vfork::{ChildSetup, ChildStack, start};
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
    pub(crate) stderr: Stderr,
    pub(crate) pre_exec: PreExec,
}

/// The standard error of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stderr {
    Piped,
    /// Inherited from this process.
    Inherited,
}

/// What watches and ends the processes of a run.
#[cfg(target_os = "linux")]
pub(crate) type Processes = crate::reaper::Reaper;
/// What watches and ends the processes of a run: the leader.
#[cfg(not(target_os = "linux"))]
pub(crate) type Processes = Pid;

/// A running process and the parent's ends of its streams.
#[derive(Debug)]
pub(crate) struct StartedProcess {
    pub(crate) processes: Processes,
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
}

impl PreExec {
    /// Sets up the child.
    ///
    /// The new session has no terminal, so a program that prompts on `/dev/tty` fails instead of waiting.
    fn run(&self, parent: Option<Pid>) -> io::Result<()> {
        rustix::process::setsid()?;
        if let Some(restrictions) = &self.restrictions {
            restrictions.apply()?;
        }
        // Behind the restrictions, which need descriptors.
        self.limits.set()?;
        // Last: a change of credentials clears the parent-death signal.
        if let Some(parent) = parent {
            die_with(parent)?;
        }
        self.latch.as_ref().map_or(Ok(()), |latch| latch.wait())
    }
}

/// Makes the kernel kill this process when its parent dies, the reaper. The children do not inherit it: the reaper ends
/// them.
#[cfg(target_os = "linux")]
fn die_with(parent: Pid) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    // The parent may have died before the call.
    let orphaned = rustix::process::getppid() != Some(parent);
    if orphaned { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
}

#[cfg(not(target_os = "linux"))]
fn die_with(_: Pid) -> io::Result<()> {
    Ok(())
}
