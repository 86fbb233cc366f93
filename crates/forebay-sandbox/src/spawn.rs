//! Starts the child, in a session of its own and with both outputs piped.

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::fs::{Access, access};

use crate::RunError;
use crate::spec::{Program, RunSpec, Stdin};

/// In order of preference: models write bash.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// Starts what `spec` describes; the child leads its own session and process group.
pub(crate) fn spawn(spec: &RunSpec) -> Result<Child, RunError> {
    match &spec.program {
        Program::Shell(line) => spawn_shell(line, spec),
        Program::Argv(argv) => spawn_argv(argv, spec),
        // A run of code comes here as the arguments that start its engine.
        Program::Code(_) => Err(RunError::EmptyCommand),
    }
}

fn spawn_shell(line: &str, spec: &RunSpec) -> Result<Child, RunError> {
    for shell in SHELLS {
        // Without `--` a line that starts with a dash would be read as the shell's option.
        match spawn_program(shell, &["-c", "--", line], spec) {
            Err(RunError::NotFound(_)) => {}
            outcome => return outcome,
        }
    }
    Err(RunError::NotFound(SHELLS.join(" or ")))
}

fn spawn_argv(argv: &[String], spec: &RunSpec) -> Result<Child, RunError> {
    let (program, arguments) = argv.split_first().ok_or(RunError::EmptyCommand)?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    spawn_program(program, &arguments, spec)
}

fn spawn_program(program: &str, arguments: &[&str], spec: &RunSpec) -> Result<Child, RunError> {
    command(program)
        .args(arguments)
        .current_dir(&spec.cwd)
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .stdin(stdin(&spec.stdin))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| start_error(program, spec, error))
}

/// A command whose process leads a new session.
///
/// The session has no terminal, so a program that asks a question on `/dev/tty` fails at once instead
/// of waiting for an answer that nobody gives. The standard library resets SIGPIPE and the signal mask
/// in the child.
#[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
#[expect(unsafe_code, reason = "`CommandExt::setsid` is not stable yet")]
fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are allowed;
    // `setsid` is one, and nothing here allocates, locks or reads memory of another thread.
    unsafe {
        command.pre_exec(|| rustix::process::setsid().map(drop).map_err(io::Error::from));
    }
    command
}

fn stdin(stdin: &Stdin) -> Stdio {
    match stdin {
        Stdin::Closed => Stdio::null(),
        Stdin::Inherit => Stdio::inherit(),
        Stdin::Text(_) => Stdio::piped(),
    }
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
