//! Starts the child, in a session of its own and with both outputs piped.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use rustix::fs::{Access, access};

use crate::gate::{self, Gate};
use crate::isolation::{Fence, hijackers};
use crate::limits::KernelLimits;
use crate::spec::{Program, RunSpec};
use crate::start::{Entry, Launch, Started, start};
use crate::{Profile, RunError};

/// In order of preference: models write bash.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// What stands between a child and the program it becomes.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) fence: Fence,
    pub(crate) gate: Option<Arc<Gate>>,
}

/// Starts what `spec` describes once it has gone this way; the child leads its own session and process group.
pub(crate) fn spawn(spec: &RunSpec, way: &Way) -> Result<Started, RunError> {
    match &spec.program {
        Program::Shell(line) => spawn_shell(line, spec, way),
        Program::Argv(argv) => spawn_argv(argv, spec, way),
        // A run of code comes here as the arguments that start its engine.
        Program::Code(_) => Err(RunError::EmptyCommand),
    }
}

fn spawn_shell(line: &str, spec: &RunSpec, way: &Way) -> Result<Started, RunError> {
    for shell in SHELLS {
        // Without `--` a line that starts with a dash would be read as the shell's option.
        match spawn_program(shell, &["-c", "--", line], spec, way) {
            Err(RunError::NotFound(_)) => {}
            outcome => return outcome,
        }
    }
    Err(RunError::NotFound(SHELLS.join(" or ")))
}

fn spawn_argv(argv: &[String], spec: &RunSpec, way: &Way) -> Result<Started, RunError> {
    let (program, arguments) = argv.split_first().ok_or(RunError::EmptyCommand)?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    spawn_program(program, &arguments, spec, way)
}

fn spawn_program(
    program: &str,
    arguments: &[&str],
    spec: &RunSpec,
    way: &Way,
) -> Result<Started, RunError> {
    let launch = Launch {
        program,
        arguments,
        folder: &spec.cwd,
        variables: variables(spec, way),
        stdin: &spec.stdin,
        entry: entry(spec, way),
    };
    start(launch).map_err(|error| start_error(program, spec, error))
}

/// Our environment, less what would hijack the program, with what the run adds.
fn variables(spec: &RunSpec, way: &Way) -> Vec<(OsString, OsString)> {
    let temp = way.fence.temp().map(|temp| ("TMPDIR".into(), temp.into()));
    let added = spec.env.iter().map(|(name, value)| (name.into(), value.into()));
    let added: BTreeMap<OsString, OsString> = temp.into_iter().chain(added).collect();
    let dropped = match spec.isolation.profile {
        Profile::Off => Vec::new(),
        _ => hijackers(|name| env::var(name).ok()),
    };
    let stays = |name: &OsString| {
        !added.contains_key(name) && !dropped.iter().any(|dropped| name == dropped)
    };
    let mut variables: Vec<_> = env::vars_os().filter(|(name, _)| stays(name)).collect();
    variables.extend(added);
    variables
}

fn entry(spec: &RunSpec, way: &Way) -> Entry {
    Entry {
        limits: KernelLimits::of(&spec.limits),
        held: way.fence.held(),
        gate: way.gate.clone(),
        #[cfg(target_os = "linux")]
        parent: rustix::process::getpid(),
    }
}

fn start_error(program: &str, spec: &RunSpec, error: io::Error) -> RunError {
    match error.kind() {
        _ if gate::was_shut(&error) => RunError::NotLetThrough,
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
