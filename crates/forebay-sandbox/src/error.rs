//! What can go wrong with a run, as opposed to a command that failed.

use std::io;
use std::path::PathBuf;

/// Why a command could not be run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("there is no command to run")]
    EmptyCommand,
    #[error("the directory `{}` does not exist", .0.display())]
    MissingDirectory(PathBuf),
    #[error("`{}` is not a directory", .0.display())]
    NotADirectory(PathBuf),
    #[error("the program `{0}` was not found")]
    NotFound(String),
    #[error("the program `{0}` may not be executed")]
    NotExecutable(String),
    #[error("{language} is not installed here (looked for: {looked_for})")]
    MissingRuntime { language: &'static str, looked_for: String, install: &'static str },
    #[error("the command, its directory or its environment holds a NUL byte")]
    NulByte,
    #[error("the run was not let begin")]
    NotLetThrough,
    #[error("could not {doing}: {source}")]
    Io { doing: &'static str, source: io::Error },
}

impl RunError {
    /// What the reader can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::EmptyCommand => Some("give the command to run"),
            Self::MissingDirectory(_) => {
                Some("create the directory first, or give one that exists")
            }
            Self::NotADirectory(_) => Some("give the directory that holds it"),
            Self::NotFound(_) => Some(
                "check the spelling, that it is installed and on PATH, and for a script that the \
                 interpreter named on its first line exists",
            ),
            Self::MissingRuntime { install, .. } => Some(install),
            Self::NotExecutable(_) => {
                Some("give it the execute permission (chmod +x), or run it with its interpreter")
            }
            Self::NotLetThrough => Some("try again"),
            Self::NulByte => Some("pass bytes with NUL through a file"),
            Self::Io { source, .. } => io_hint(source),
        }
    }

    /// Names what was being done when the system said no.
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}

fn io_hint(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::ArgumentListTooLong => Some("put the command into a file and run the file"),
        io::ErrorKind::PermissionDenied => Some("check the permissions of the directory"),
        io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => {
            Some("the system is out of processes or memory: end something and try again")
        }
        _ => None,
    }
}
