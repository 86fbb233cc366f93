//! Starts the child in a session of its own, with both outputs piped.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use rustix::fs::{Access, access};

use crate::isolation::{Sandbox, injection_variables};
use crate::limits::Rlimits;
use crate::spec::{Program, RunSpec};
use crate::start::{PreExec, StartRequest, StartedProcess, Stderr, start};
use crate::start_latch::{self, StartLatch};
use crate::{Profile, RunError};

/// In order of preference: models write bash syntax.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// How a child is set up before it executes the program.
#[derive(Debug)]
pub(crate) struct SpawnOptions {
    pub(crate) sandbox: Sandbox,
    pub(crate) latch: Option<Arc<StartLatch>>,
    pub(crate) stderr: Stderr,
}

/// Starts the program of `spec`; the child leads its own session and process group.
pub(crate) fn spawn(spec: &RunSpec, options: &SpawnOptions) -> Result<StartedProcess, RunError> {
    match &spec.program {
        Program::Shell(line) => spawn_shell(line, spec, options),
        Program::Argv(argv) => spawn_argv(argv, spec, options),
        // `runtimes` turns code into an argument list before it comes here.
        Program::Code(_) => Err(RunError::EmptyCommand),
    }
}

fn spawn_shell(
    line: &str,
    spec: &RunSpec,
    options: &SpawnOptions,
) -> Result<StartedProcess, RunError> {
    for shell in SHELLS {
        // Without `--`, the shell would parse a line that starts with a dash as an option.
        match spawn_program(shell, &["-c", "--", line], spec, options) {
            Err(RunError::NotFound(_)) => {}
            outcome => return outcome,
        }
    }
    Err(RunError::NotFound(SHELLS.join(" or ")))
}

fn spawn_argv(
    argv: &[String],
    spec: &RunSpec,
    options: &SpawnOptions,
) -> Result<StartedProcess, RunError> {
    let (program, arguments) = argv.split_first().ok_or(RunError::EmptyCommand)?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    spawn_program(program, &arguments, spec, options)
}

fn spawn_program(
    program: &str,
    arguments: &[&str],
    spec: &RunSpec,
    options: &SpawnOptions,
) -> Result<StartedProcess, RunError> {
    let request = StartRequest {
        program,
        arguments,
        cwd: &spec.cwd,
        environment: environment(spec, options),
        stdin: &spec.stdin,
        stderr: options.stderr,
        pre_exec: pre_exec(spec, options),
    };
    start(request).map_err(|error| start_error(program, spec, error))
}

/// Returns our environment without code-injecting variables, plus the variables of the run.
fn environment(spec: &RunSpec, options: &SpawnOptions) -> Vec<(OsString, OsString)> {
    let temp = options.sandbox.temp_dir().map(|temp| ("TMPDIR".into(), temp.into()));
    let added = spec.env.iter().map(|(name, value)| (name.into(), value.into()));
    let added: BTreeMap<OsString, OsString> = temp.into_iter().chain(added).collect();
    let dropped = match spec.isolation.profile {
        Profile::Off => Vec::new(),
        _ => injection_variables(|name| env::var(name).ok()),
    };
    let is_kept = |name: &OsString| {
        !added.contains_key(name) && !dropped.iter().any(|dropped| name == dropped)
    };
    let mut environment: Vec<_> = env::vars_os().filter(|(name, _)| is_kept(name)).collect();
    environment.extend(added);
    environment
}

fn pre_exec(spec: &RunSpec, options: &SpawnOptions) -> PreExec {
    PreExec {
        limits: Rlimits::new(&spec.limits),
        restrictions: options.sandbox.restrictions(),
        latch: options.latch.clone(),
    }
}

fn start_error(program: &str, spec: &RunSpec, error: io::Error) -> RunError {
    match error.kind() {
        _ if start_latch::is_start_aborted(&error) => RunError::StartAborted,
        io::ErrorKind::NotFound => RunError::NotFound(program.to_owned()),
        io::ErrorKind::PermissionDenied => permission_error(program, spec, error),
        _ => RunError::io("start the command")(error),
    }
}

/// Distinguishes the causes of EACCES.
///
/// `exec` also returns it for a missing program if a directory of `PATH` is not searchable.
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
