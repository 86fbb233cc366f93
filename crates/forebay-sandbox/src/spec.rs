//! The description of a run, and its checks before the start.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::runtimes::Runtime;
use crate::{Isolation, Limits, RunError};

const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);
const DEFAULT_KILL_GRACE: Duration = Duration::from_secs(2);

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A command line for bash, or for sh if bash is missing.
    Shell(String),
    /// These arguments, the program first, without a shell.
    Argv(Vec<String>),
    /// Source code in one of the [`runtimes`](crate::runtimes).
    Code(Code),
}

/// Source code and the files it works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    pub runtime: &'static Runtime,
    pub text: String,
    /// Exposed to the code as variables of its language; absolute paths without newlines.
    pub files: Vec<PathBuf>,
    /// The directory in which its compiled program is kept; created on first use.
    pub binary_cache: Option<PathBuf>,
}

/// The standard input of the process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stdin {
    /// Empty: reads return EOF.
    #[default]
    Closed,
    /// Inherited from this process.
    Inherit,
    /// These bytes, then EOF.
    Text(Vec<u8>),
    /// A pipe that is filled while the process runs.
    Pipe(PipeReadEnd),
}

/// The read end of a pipe; clones share the descriptor.
#[derive(Debug, Clone)]
pub struct PipeReadEnd(pub(crate) Arc<OwnedFd>);

impl PartialEq for PipeReadEnd {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for PipeReadEnd {}

/// The full description of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSpec {
    pub program: Program,
    pub cwd: PathBuf,
    /// Added to the inherited environment.
    pub env: Vec<(String, String)>,
    pub stdin: Stdin,
    pub timeout: Duration,
    /// The time between SIGTERM and SIGKILL.
    pub kill_grace: Duration,
    pub isolation: Isolation,
    pub limits: Limits,
}

impl RunSpec {
    /// Creates a run with closed stdin, the inherited environment, default timeouts, no isolation and no
    /// limits.
    pub fn new(program: Program, cwd: PathBuf) -> Self {
        Self {
            program,
            cwd,
            env: Vec::new(),
            stdin: Stdin::default(),
            timeout: DEFAULT_TIMEOUT,
            kill_grace: DEFAULT_KILL_GRACE,
            isolation: Isolation::default(),
            limits: Limits::default(),
        }
    }

    /// Rejects a run that cannot start, with a more precise reason than `exec` gives.
    pub(crate) fn check(&self) -> Result<(), RunError> {
        self.program.check()?;
        if self.contains_nul() {
            return Err(RunError::NulByte);
        }
        check_directory(&self.cwd)
    }

    fn contains_nul(&self) -> bool {
        self.cwd.as_os_str().as_bytes().contains(&0)
            || self.env.iter().any(|(name, value)| name.contains('\0') || value.contains('\0'))
    }
}

impl Program {
    /// Rejects an empty program and NUL bytes.
    pub fn check(&self) -> Result<(), RunError> {
        if self.is_blank() {
            return Err(RunError::EmptyCommand);
        }
        if self.contains_nul() { Err(RunError::NulByte) } else { Ok(()) }
    }

    fn is_blank(&self) -> bool {
        match self {
            Self::Shell(line) => line.trim().is_empty(),
            Self::Code(code) => code.text.trim().is_empty(),
            Self::Argv(argv) => argv.first().is_none_or(|program| program.trim().is_empty()),
        }
    }

    fn contains_nul(&self) -> bool {
        match self {
            Self::Shell(line) => line.contains('\0'),
            Self::Code(code) => code.text.contains('\0'),
            Self::Argv(argv) => argv.iter().any(|argument| argument.contains('\0')),
        }
    }
}

/// Checks the working directory, because `exec` reports a missing directory like a missing program.
fn check_directory(cwd: &Path) -> Result<(), RunError> {
    match fs::metadata(cwd) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(RunError::NotADirectory(cwd.to_owned())),
        Err(error) => Err(directory_error(cwd, error)),
    }
}

fn directory_error(cwd: &Path, error: io::Error) -> RunError {
    match error.kind() {
        io::ErrorKind::NotFound => RunError::MissingDirectory(cwd.to_owned()),
        io::ErrorKind::NotADirectory => RunError::NotADirectory(cwd.to_owned()),
        _ => RunError::io("access the working directory")(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(program: Program, cwd: &str) -> Result<(), RunError> {
        RunSpec::new(program, cwd.into()).check()
    }

    fn argv(argv: &[&str]) -> Program {
        Program::Argv(argv.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn rejects_blank_commands() {
        for program in [Program::Shell(" \n\t".into()), argv(&[]), argv(&["", "x"])] {
            assert!(matches!(check(program, "/"), Err(RunError::EmptyCommand)));
        }
    }

    #[test]
    fn rejects_nul_bytes_everywhere() {
        assert!(matches!(check(Program::Shell("a\0b".into()), "/"), Err(RunError::NulByte)));
        assert!(matches!(check(argv(&["a", "\0"]), "/"), Err(RunError::NulByte)));
        assert!(matches!(check(argv(&["a"]), "/\0"), Err(RunError::NulByte)));
        let mut spec = RunSpec::new(argv(&["a"]), "/".into());
        spec.env = vec![("NAME".into(), "a\0".into())];
        assert!(matches!(spec.check(), Err(RunError::NulByte)));
    }

    #[test]
    fn checks_the_working_directory() {
        assert!(matches!(check(argv(&["a"]), "/no/such"), Err(RunError::MissingDirectory(_))));
        assert!(matches!(check(argv(&["a"]), "/dev/null"), Err(RunError::NotADirectory(_))));
        assert!(matches!(check(argv(&["a"]), "/dev/null/x"), Err(RunError::NotADirectory(_))));
        assert!(check(argv(&["a"]), "/").is_ok());
    }
}
