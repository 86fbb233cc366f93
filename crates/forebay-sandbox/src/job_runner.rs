//! Starts the process that runs a background job, which outlives the call and optionally the server.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::reexec::ReexecCommand;

/// A started job runner.
#[derive(Debug)]
pub struct JobRunner {
    child: Child,
    /// A runner whose job must not outlive this process ends it when this pipe closes; others ignore the pipe.
    keepalive: Option<ChildStdin>,
}

impl JobRunner {
    /// Starts a runner, sends it `request` as one line and returns the line it answers with.
    pub fn start(program: &ReexecCommand, request: &str) -> io::Result<(Self, String)> {
        let mut child = command(program).spawn()?;
        let mut keepalive = child.stdin.take();
        if let Some(pipe) = &mut keepalive {
            pipe.write_all(format!("{request}\n").as_bytes())?;
        }
        let mut answer = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut answer)?;
        }
        Ok((Self { child, keepalive }, answer))
    }

    /// Lets the job outlive this process.
    pub fn detach(&mut self) {
        self.keepalive = None;
    }

    /// Whether the runner has exited; reaps it in that case.
    pub fn has_exited(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

/// Sends SIGTERM to the job runner with this process id, which makes it end its job.
///
/// The caller must know that the runner is alive, so that the id cannot belong to another process.
pub fn terminate_job_runner(pid: u32) -> io::Result<()> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidInput)?;
    Ok(kill_process(pid, Signal::TERM)?)
}

/// Returns the runner's command, in a session of its own, out of reach of the terminal's signals.
#[expect(unsafe_code, reason = "`CommandExt::setsid` is not stable yet")]
fn command(program: &ReexecCommand) -> Command {
    let mut command = program.command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    // SAFETY: the closure runs between fork and exec; `setsid` is async-signal-safe, and converting its
    // result neither allocates nor locks.
    unsafe {
        command.pre_exec(|| rustix::process::setsid().map(drop).map_err(io::Error::from));
    }
    command
}
