//! Starts a process that watches a job: beyond the call, and if wanted beyond the server, that asked
//! for it.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::own_program::OwnProgram;

/// A keeper that was started.
#[derive(Debug)]
pub struct Keeper {
    child: Child,
    /// Held open as long as the job is to live; the keeper ends the job when it closes.
    lifeline: Option<ChildStdin>,
}

impl Keeper {
    /// Starts a keeper and hands it `order`, one line; gives the line it answers with, too.
    pub fn start(program: &OwnProgram, order: &str) -> io::Result<(Self, String)> {
        let mut child = command(program).spawn()?;
        let mut lifeline = child.stdin.take();
        if let Some(pipe) = &mut lifeline {
            pipe.write_all(format!("{order}\n").as_bytes())?;
        }
        let mut answer = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut answer)?;
        }
        Ok((Self { child, lifeline }, answer))
    }

    /// Lets the job live on without us.
    pub fn let_live(&mut self) {
        self.lifeline = None;
    }

    /// Whether it has ended; collects it if so.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

/// Asks the keeper with this process id to end its job.
///
/// The caller knows that it lives, so the number is still its own.
pub fn ask_to_end(keeper: u32) -> io::Result<()> {
    let id =
        i32::try_from(keeper).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidInput)?;
    Ok(kill_process(id, Signal::TERM)?)
}

/// A session of its own: what a terminal sends to its processes is not meant for it.
#[expect(unsafe_code, reason = "`CommandExt::setsid` is not stable yet")]
fn command(program: &OwnProgram) -> Command {
    let mut command = program.command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    // SAFETY: `setsid` is async-signal-safe, and nothing here allocates or locks.
    unsafe {
        command.pre_exec(|| rustix::process::setsid().map(drop).map_err(io::Error::from));
    }
    command
}
