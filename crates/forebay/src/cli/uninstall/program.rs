//! The program: the files of an installation from an archive, or the command of the package manager that installed it.

use std::io;
use std::path::{Path, PathBuf};

use forebay_app::AppError;
use forebay_app::upgrade::channel::Upgrade as Means;
use forebay_app::upgrade::{Channel, ProgramFiles, RunningProgram};
use rustix::fs::{Access, access};
use serde_json::{Value, json};

use crate::cli::changes::with_tilde;

/// The installed program, and how it is removed.
pub(super) struct Program {
    executable: PathBuf,
    removal: Removal,
}

enum Removal {
    /// These files, and a link to the executable.
    Files(Vec<PathBuf>),
    /// The files are in a folder that this user cannot write.
    ByRoot(String),
    /// What a package manager installed, by its command.
    ByCommand { channel: &'static str, command: String },
}

impl Program {
    pub(super) fn detect(running: &RunningProgram) -> Self {
        let executable = running.executable().to_owned();
        let channel = Channel::detect(&executable, Path::new("/"));
        let removal = match channel.upgrade {
            Means::Command(commands) => {
                Removal::ByCommand { channel: channel.name, command: commands.remove }
            }
            Means::InPlace => {
                let mut files = ProgramFiles::existing(&executable);
                files.extend(link(running));
                if files.iter().all(|file| is_removable(file)) {
                    Removal::Files(files)
                } else {
                    let words = files.iter().map(|file| quoted(file)).collect::<Vec<_>>();
                    Removal::ByRoot(format!("sudo rm {}", words.join(" ")))
                }
            }
        };
        Self { executable, removal }
    }

    pub(super) fn executable(&self) -> &Path {
        &self.executable
    }

    /// The folders that were created for its files.
    pub(super) fn created_folders(&self) -> Vec<PathBuf> {
        match &self.removal {
            Removal::Files(_) => ProgramFiles::created_folders(&self.executable),
            Removal::ByRoot(_) | Removal::ByCommand { .. } => Vec::new(),
        }
    }

    pub(super) fn plan(&self, home: &Path) -> String {
        match &self.removal {
            Removal::Files(files) => {
                let files: Vec<String> = files.iter().map(|file| with_tilde(file, home)).collect();
                format!("removed: {}", files.join(", "))
            }
            Removal::ByRoot(command) => {
                format!("stays, because you cannot write its folder: {command}")
            }
            Removal::ByCommand { channel, command } => {
                format!("stays, because it was installed as {channel}: {command}")
            }
        }
    }

    /// Removes the files of an archive; returns what became of the program, in a sentence.
    pub(super) fn remove(&self) -> Result<String, AppError> {
        match &self.removal {
            Removal::Files(files) => {
                ProgramFiles::lock(&self.executable)?.remove()?;
                for link in files.iter().filter(|file| file.is_symlink()) {
                    remove_link(link)?;
                }
                Ok("The program was removed.".to_owned())
            }
            Removal::ByRoot(command) | Removal::ByCommand { command, .. } => {
                Ok(format!("This removes the program: {command}."))
            }
        }
    }

    pub(super) fn as_data(&self) -> Value {
        match &self.removal {
            Removal::Files(files) => {
                let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
                json!({ "removed": files, "command": null })
            }
            Removal::ByRoot(command) | Removal::ByCommand { command, .. } => {
                json!({ "removed": [], "command": command })
            }
        }
    }
}

/// A link by which the program is found, and which would lead nowhere.
fn link(running: &RunningProgram) -> Option<PathBuf> {
    let name = running.lasting_name();
    name.is_symlink().then(|| name.to_owned())
}

fn is_removable(file: &Path) -> bool {
    file.parent().is_some_and(|folder| access(folder, Access::WRITE_OK).is_ok())
}

fn remove_link(link: &Path) -> Result<(), AppError> {
    match std::fs::remove_file(link) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(AppError::unavailable(format!("{}: {error}", link.display()), None))
        }
        _ => Ok(()),
    }
}

/// A path as a word of a shell.
fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    if path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c)) {
        return path.into_owned();
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}
