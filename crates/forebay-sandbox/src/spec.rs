//! What to run, and the checks that need no process.

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
    /// A command line for bash, or for sh when there is no bash.
    Shell(String),
    /// Exactly these arguments, the program first, without a shell.
    Argv(Vec<String>),
    /// Code in some language.
    Code(Code),
}

/// Code, and what it is to work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    pub runtime: &'static Runtime,
    pub text: String,
    /// Offered to the code in its own language's words; absolute, without a newline.
    pub files: Vec<PathBuf>,
    /// The folder that keeps compiled programs; made when first needed.
    pub compiled: PathBuf,
}

/// What the process reads as its standard input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stdin {
    /// Nothing: the end of the file at once.
    #[default]
    Closed,
    /// What this process reads.
    Inherit,
    /// These bytes, then the end of the file.
    Text(Vec<u8>),
    /// What arrives here while it runs.
    Pipe(PipeEnd),
}

/// The end of a pipe that a process reads; clones are the same end.
#[derive(Debug, Clone)]
pub struct PipeEnd(pub(crate) Arc<OwnedFd>);

impl PartialEq for PipeEnd {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for PipeEnd {}

/// One run, described whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSpec {
    pub program: Program,
    pub cwd: PathBuf,
    /// Added to the inherited environment.
    pub env: Vec<(String, String)>,
    pub stdin: Stdin,
    pub timeout: Duration,
    /// The time between asking the processes to end (SIGTERM) and ending them (SIGKILL).
    pub kill_grace: Duration,
    pub isolation: Isolation,
    pub limits: Limits,
}

impl RunSpec {
    /// Describes a run with closed stdin, the inherited environment, the default times, and neither
    /// isolation nor limits.
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

    /// Refuses what could not start, with the reason the system call would not give.
    pub(crate) fn check(&self) -> Result<(), RunError> {
        self.program.check()?;
        if self.holds_nul() {
            return Err(RunError::NulByte);
        }
        check_directory(&self.cwd)
    }

    fn holds_nul(&self) -> bool {
        self.cwd.as_os_str().as_bytes().contains(&0)
            || self.env.iter().any(|(name, value)| name.contains('\0') || value.contains('\0'))
    }
}

impl Program {
    /// Refuses what nothing could run.
    pub fn check(&self) -> Result<(), RunError> {
        if self.is_blank() {
            return Err(RunError::EmptyCommand);
        }
        if self.holds_nul() { Err(RunError::NulByte) } else { Ok(()) }
    }

    fn is_blank(&self) -> bool {
        match self {
            Self::Shell(line) => line.trim().is_empty(),
            Self::Code(code) => code.text.trim().is_empty(),
            Self::Argv(argv) => argv.first().is_none_or(|program| program.trim().is_empty()),
        }
    }

    fn holds_nul(&self) -> bool {
        match self {
            Self::Shell(line) => line.contains('\0'),
            Self::Code(code) => code.text.contains('\0'),
            Self::Argv(argv) => argv.iter().any(|argument| argument.contains('\0')),
        }
    }
}

/// A missing directory and a missing program give the same error from `exec`, so this is asked before.
fn check_directory(cwd: &Path) -> Result<(), RunError> {
    match fs::metadata(cwd) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(RunError::NotADirectory(cwd.to_owned())),
        Err(error) => Err(directory_error(cwd, error)),
    }
}

fn directory_error(cwd: &Path, error: io::Error) -> RunError {
    match error.kind() {
        io::ErrorKind::NotFound => RunError::MissingDirectory(cwd.to_owned()),
        io::ErrorKind::NotADirectory => RunError::NotADirectory(cwd.to_owned()),
        _ => RunError::io("look at the working directory")(error),
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
    fn a_blank_command_is_refused() {
        for program in [Program::Shell(" \n\t".into()), argv(&[]), argv(&["", "x"])] {
            assert!(matches!(check(program, "/"), Err(RunError::EmptyCommand)));
        }
    }

    #[test]
    fn nul_is_refused_wherever_it_stands() {
        assert!(matches!(check(Program::Shell("a\0b".into()), "/"), Err(RunError::NulByte)));
        assert!(matches!(check(argv(&["a", "\0"]), "/"), Err(RunError::NulByte)));
        assert!(matches!(check(argv(&["a"]), "/\0"), Err(RunError::NulByte)));
        let mut spec = RunSpec::new(argv(&["a"]), "/".into());
        spec.env = vec![("NAME".into(), "a\0".into())];
        assert!(matches!(spec.check(), Err(RunError::NulByte)));
    }

    #[test]
    fn the_directory_is_looked_at_first() {
        assert!(matches!(check(argv(&["a"]), "/no/such"), Err(RunError::MissingDirectory(_))));
        assert!(matches!(check(argv(&["a"]), "/dev/null"), Err(RunError::NotADirectory(_))));
        assert!(matches!(check(argv(&["a"]), "/dev/null/x"), Err(RunError::NotADirectory(_))));
        assert!(check(argv(&["a"]), "/").is_ok());
    }
}
