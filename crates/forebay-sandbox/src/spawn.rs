//! Starts the child, in a session of its own and with both outputs piped.

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use rustix::fs::{Access, access};

use crate::isolation::{Fence, Held, hijackers};
use crate::limits::KernelLimits;
use crate::spec::{Program, RunSpec, Stdin};
use crate::{Profile, RunError};

/// In order of preference: models write bash.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// Starts what `spec` describes inside of `fence`; the child leads its own session and process group.
pub(crate) fn spawn(spec: &RunSpec, fence: &Fence) -> Result<Child, RunError> {
    match &spec.program {
        Program::Shell(line) => spawn_shell(line, spec, fence),
        Program::Argv(argv) => spawn_argv(argv, spec, fence),
        // A run of code comes here as the arguments that start its engine.
        Program::Code(_) => Err(RunError::EmptyCommand),
    }
}

fn spawn_shell(line: &str, spec: &RunSpec, fence: &Fence) -> Result<Child, RunError> {
    for shell in SHELLS {
        // Without `--` a line that starts with a dash would be read as the shell's option.
        match spawn_program(shell, &["-c", "--", line], spec, fence) {
            Err(RunError::NotFound(_)) => {}
            outcome => return outcome,
        }
    }
    Err(RunError::NotFound(SHELLS.join(" or ")))
}

fn spawn_argv(argv: &[String], spec: &RunSpec, fence: &Fence) -> Result<Child, RunError> {
    let (program, arguments) = argv.split_first().ok_or(RunError::EmptyCommand)?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    spawn_program(program, &arguments, spec, fence)
}

fn spawn_program(
    program: &str,
    arguments: &[&str],
    spec: &RunSpec,
    fence: &Fence,
) -> Result<Child, RunError> {
    let mut command = command(program, fence.held());
    enter_first(&mut command, Entry::new(spec, fence));
    if spec.isolation.profile != Profile::Off {
        drop_hijackers(&mut command);
    }
    command
        .args(arguments)
        .current_dir(&spec.cwd)
        .envs(fence.temp().map(|temp| ("TMPDIR", temp)))
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .stdin(stdin(&spec.stdin)?)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| start_error(program, spec, error))
}

#[cfg(not(target_os = "macos"))]
#[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
fn command(program: &str, _held: Option<Arc<Held>>) -> Command {
    Command::new(program)
}

/// On macOS a program is held back by the one that starts it.
#[cfg(target_os = "macos")]
#[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
fn command(program: &str, held: Option<Arc<Held>>) -> Command {
    let Some(held) = held else {
        return Command::new(program);
    };
    let mut command = Command::new("/usr/bin/sandbox-exec");
    command.args(["-p", &held.profile, program]);
    command
}

fn drop_hijackers(command: &mut Command) {
    for name in hijackers(|name| env::var(name).ok()) {
        command.env_remove(name);
    }
}

/// What the child does between fork and exec, with everything it needs at hand.
struct Entry {
    limits: KernelLimits,
    held: Option<Arc<Held>>,
    #[cfg(target_os = "linux")]
    parent: rustix::process::Pid,
}

impl Entry {
    fn new(spec: &RunSpec, fence: &Fence) -> Self {
        Self {
            limits: KernelLimits::of(&spec.limits),
            held: fence.held(),
            #[cfg(target_os = "linux")]
            parent: rustix::process::getpid(),
        }
    }

    /// The session has no terminal, so a program that asks a question on `/dev/tty` fails at once
    /// instead of waiting for an answer that nobody gives.
    fn enter(&self) -> io::Result<()> {
        rustix::process::setsid()?;
        self.limits.set()?;
        if let Some(held) = &self.held {
            held.enter()?;
        }
        // Last, for a change of rights would undo it.
        self.end_with_parent()
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

fn stdin(stdin: &Stdin) -> Result<Stdio, RunError> {
    Ok(match stdin {
        Stdin::Closed => Stdio::null(),
        Stdin::Inherit => Stdio::inherit(),
        Stdin::Text(_) => Stdio::piped(),
        Stdin::Pipe(end) => end.0.try_clone().map_err(RunError::io("hand it its input"))?.into(),
    })
}

fn start_error(program: &str, spec: &RunSpec, error: io::Error) -> RunError {
    match error.kind() {
        io::ErrorKind::NotFound => RunError::NotFound(program.to_owned()),
        io::ErrorKind::PermissionDenied => permission_error(program, spec, error),
        _ => RunError::io("start the command")(error),
    }
}

/// Tells apart what `exec` calls by one name.
///
/// It says so too of a program that is nowhere, when one of the folders on PATH may not be searched.
fn permission_error(program: &str, spec: &RunSpec, error: io::Error) -> RunError {
    if access(&spec.cwd, Access::EXEC_OK).is_err() {
        RunError::io("enter the working directory")(error)
    } else if program.contains('/') || is_on_path(program, spec) {
        RunError::NotExecutable(program.to_owned())
    } else {
        RunError::NotFound(program.to_owned())
    }
}

fn is_on_path(program: &str, spec: &RunSpec) -> bool {
    search_path(spec)
        .is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).exists()))
}

fn search_path(spec: &RunSpec) -> Option<OsString> {
    let given = spec.env.iter().rfind(|(name, _)| name == "PATH");
    given.map(|(_, path)| path.into()).or_else(|| env::var_os("PATH"))
}
