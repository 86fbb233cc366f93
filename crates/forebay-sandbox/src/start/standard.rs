//! The standard library's way: a copy of this process enters, then becomes the program.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::process::Pid;

use super::{Entry, Launch, Started};
use crate::spec::Stdin;

pub(crate) fn start(launch: Launch<'_>) -> io::Result<Started> {
    let mut command = command(launch.program, &launch.entry);
    enter_first(&mut command, launch.entry);
    let mut child = command
        .args(launch.arguments)
        .current_dir(launch.folder)
        .env_clear()
        .envs(launch.variables)
        .stdin(stdin(launch.stdin)?)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    Ok(Started {
        leader: Pid::from_child(&child),
        stdin: child.stdin.take().map(Into::into),
        stdout: child.stdout.take().map(Into::into),
        stderr: child.stderr.take().map(Into::into),
    })
}

#[cfg(not(target_os = "macos"))]
#[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
fn command(program: &str, _entry: &Entry) -> Command {
    Command::new(program)
}

/// On macOS a program is held back by the one that starts it.
#[cfg(target_os = "macos")]
#[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
fn command(program: &str, entry: &Entry) -> Command {
    let Some(held) = &entry.held else {
        return Command::new(program);
    };
    let mut command = Command::new("/usr/bin/sandbox-exec");
    command.args(["-p", &held.profile, program]);
    command
}

/// Makes the child of `command` do what `entry` says before it becomes the program.
///
/// The standard library resets SIGPIPE and the signal mask in the child.
#[expect(unsafe_code, reason = "there is no safe way to act between fork and exec")]
fn enter_first(command: &mut Command, entry: Entry) {
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are allowed;
    // `enter` makes system calls, and nothing in it allocates, locks or reads memory of another thread.
    unsafe {
        command.pre_exec(move || entry.enter());
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
