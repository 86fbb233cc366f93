//! Starts a process with `std::process::Command` and a `pre_exec` hook.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::process::Pid;

use super::{PreExec, StartRequest, StartedProcess, Stderr};
use crate::spec::Stdin;

pub(crate) fn start(request: StartRequest<'_>) -> io::Result<StartedProcess> {
    let mut command = command(request.program, &request.pre_exec);
    set_pre_exec(&mut command, request.pre_exec);
    let mut child = command
        .args(request.arguments)
        .current_dir(request.cwd)
        .env_clear()
        .envs(request.environment)
        .stdin(stdin(request.stdin)?)
        .stdout(Stdio::piped())
        .stderr(stderr(request.stderr))
        .spawn()?;
    Ok(StartedProcess {
        processes: Pid::from_child(&child),
        stdin: child.stdin.take().map(Into::into),
        stdout: child.stdout.take().map(Into::into),
        stderr: child.stderr.take().map(Into::into),
    })
}

#[cfg(not(target_os = "macos"))]
#[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
fn command(program: &str, _pre_exec: &PreExec) -> Command {
    Command::new(program)
}

/// On macOS, `sandbox-exec` applies the restrictions.
#[cfg(target_os = "macos")]
#[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
fn command(program: &str, pre_exec: &PreExec) -> Command {
    let Some(restrictions) = &pre_exec.restrictions else {
        return Command::new(program);
    };
    let mut command = Command::new("/usr/bin/sandbox-exec");
    command.args(["-p", &restrictions.profile, program]);
    command
}

/// Makes the child of `command` run `pre_exec` before it executes the program.
///
/// The standard library resets SIGPIPE and the signal mask in the child.
#[expect(unsafe_code, reason = "no safe API runs code between fork and exec")]
fn set_pre_exec(command: &mut Command, pre_exec: PreExec) {
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are allowed.
    // `PreExec::run` makes system calls only; it neither allocates nor locks.
    unsafe {
        command.pre_exec(move || pre_exec.run(None));
    }
}

fn stdin(stdin: &Stdin) -> io::Result<Stdio> {
    Ok(match stdin {
        Stdin::Closed => Stdio::null(),
        Stdin::Inherit => Stdio::inherit(),
        Stdin::Text(_) => Stdio::piped(),
        Stdin::Pipe(end) => end.0.try_clone()?.into(),
    })
}

fn stderr(stderr: Stderr) -> Stdio {
    match stderr {
        Stderr::Piped => Stdio::piped(),
        Stderr::Inherited => Stdio::inherit(),
    }
}
