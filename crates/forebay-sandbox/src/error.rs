//! Errors that prevent a run, as opposed to a command that ran and failed.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

/// Why a command could not be run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("the command is empty")]
    EmptyCommand,
    #[error("directory `{}` does not exist", .0.display())]
    MissingDirectory(PathBuf),
    #[error("`{}` is not a directory", .0.display())]
    NotADirectory(PathBuf),
    #[error("program `{0}` was not found")]
    NotFound(String),
    #[error("program `{0}` is not executable")]
    NotExecutable(String),
    #[error("{language} is not installed here (looked for: {looked_for})")]
    MissingRuntime { language: &'static str, looked_for: String, install: &'static str },
    #[error("the command, its directory or its environment contains a NUL byte")]
    NulByte,
    #[error("this system cannot isolate the command: no {missing}")]
    NotIsolated { missing: String },
    #[error("the start was aborted")]
    StartAborted,
    #[error("cannot {doing}: {source}")]
    Io { doing: &'static str, source: io::Error },
}

impl RunError {
    /// Returns what the caller can do about the error.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::EmptyCommand => Some("pass a command"),
            Self::MissingDirectory(_) => Some("create the directory, or pass an existing one"),
            Self::NotADirectory(_) => Some("pass the directory that contains it"),
            Self::NotFound(_) => Some(
                "check the spelling and that it is installed and on PATH; for a script, check that the \
                 interpreter in its shebang line exists",
            ),
            Self::MissingRuntime { install, .. } => Some(install),
            Self::NotExecutable(_) => {
                Some("make it executable (chmod +x), or run it with its interpreter")
            }
            Self::NotIsolated { .. } => Some(
                "the user can run it with profile project and isolation.required = false, which isolates less",
            ),
            Self::StartAborted => Some("retry"),
            Self::NulByte => Some("pass data with NUL bytes in a file"),
            Self::Io { source, .. } => io_hint(source),
        }
    }

    /// Returns a constructor for an [`Self::Io`] that names the failed operation.
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}

fn io_hint(error: &io::Error) -> Option<&'static str> {
    if let Some(Errno::MFILE | Errno::NFILE) = Errno::from_io_error(error) {
        return Some("too many files are open; raise the limit (ulimit -n), or stop other runs");
    }
    match error.kind() {
        io::ErrorKind::ArgumentListTooLong => Some("write the command to a file and run the file"),
        io::ErrorKind::PermissionDenied => Some("check the permissions of the directory"),
        io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory | io::ErrorKind::StorageFull => {
            Some("the system is out of processes, memory or namespaces; free some and retry")
        }
        _ => None,
    }
}
