//! Resolves paths, folders and globs to files, or to the whole repository.

use std::path::Path;

use crate::edit::repository::{WalkedFile, walk};
use crate::edit::source_file::{Access, ProjectPath, SourceFile, locate};
use crate::next_call::NextCall;
use crate::run::input_files;
use crate::{App, AppError, Call, ErrorKind};

pub(super) enum Targets {
    /// The whole repository.
    Repository,
    Files(Files),
}

/// Files with their texts.
#[derive(Default)]
pub(super) struct Files {
    pub(super) texts: Vec<Target>,
    /// Files of folders that are not text or cannot be read.
    pub(super) skipped: Vec<String>,
    /// Errors of paths that do not exist, next to others that do.
    pub(super) errors: Vec<String>,
    /// Whether every file was given by its own path.
    pub(super) are_named: bool,
}

pub(super) struct Target {
    pub(super) location: ProjectPath,
    pub(super) file: SourceFile,
}

/// Files of one call; a whole repository is shown as a map.
const MAX_FILES: usize = 2_000;

impl Targets {
    pub(super) fn resolve(app: &App, names: &[String], call: &Call) -> Result<Self, AppError> {
        if names.is_empty() {
            return Err(AppError::bad_input("no path given", "give files, a folder, a glob or ."));
        }
        if let [name] = names
            && is_repository(app, name, call)?
        {
            return Ok(Self::Repository);
        }
        let mut files = Files { are_named: true, ..Files::default() };
        for name in names {
            match files.add_named(app, name, call) {
                Ok(()) => {}
                // A path that does not exist does not fail the others.
                Err(error) if names.len() > 1 && error.kind == ErrorKind::NotFound => {
                    files.errors.push(error.message);
                }
                Err(error) => return Err(error),
            }
        }
        if files.texts.is_empty() && !files.errors.is_empty() {
            return Err(AppError::not_found(files.errors.join("; "), "check the paths"));
        }
        Ok(Self::Files(files))
    }
}

/// Returns the folder that a glob starts with; `None` for a plain path.
fn glob_base(app: &App, name: &str) -> Option<std::path::PathBuf> {
    let exists = app.cwd.join(name).exists() || app.root().join(name).exists();
    (input_files::is_glob(name) && !exists).then(|| input_files::fixed_part(&app.cwd.join(name)))
}

/// Whether a path means the whole repository; `.` does, from any folder below.
fn is_repository(app: &App, name: &str, call: &Call) -> Result<bool, AppError> {
    if glob_base(app, name).is_some() {
        return Ok(false);
    }
    let root = app.root().to_string_lossy();
    let name = if name.trim() == "." { &root } else { name };
    Ok(locate(app, name, Access::Read, call)?.shown == ".")
}

impl Files {
    fn add_named(&mut self, app: &App, name: &str, call: &Call) -> Result<(), AppError> {
        if glob_base(app, name).is_some() {
            return self.add_glob(app, name, call);
        }
        let location = locate(app, name, Access::Read, call)?;
        if location.path.is_dir() {
            return self.add_folder(app, &location);
        }
        self.add(Target { file: SourceFile::read(&location)?, location });
        Ok(())
    }

    fn add_folder(&mut self, app: &App, folder: &ProjectPath) -> Result<(), AppError> {
        self.add_found(&folder.shown, walk(app, &folder.path)?.files)
    }

    fn add_glob(&mut self, app: &App, glob: &str, call: &Call) -> Result<(), AppError> {
        let base = glob_base(app, glob).unwrap_or_else(|| app.cwd.clone());
        let folder = locate(app, &base.to_string_lossy(), Access::Read, call)?;
        let rest = app.cwd.join(glob);
        let rest = rest.strip_prefix(&base).unwrap_or(Path::new(glob)).to_owned();
        let matcher = input_files::matcher(&folder.path.join(rest).to_string_lossy())?;
        let mut found = walk(app, &folder.path)?.files;
        found.retain(|file| matcher.is_match(&file.path));
        self.add_found(glob, found)
    }

    fn add_found(&mut self, name: &str, found: Vec<WalkedFile>) -> Result<(), AppError> {
        self.are_named = false;
        if found.is_empty() {
            return Err(AppError::not_found(
                format!("no files in {name}"),
                "hidden, git-ignored and denied files are skipped: give their path",
            ));
        }
        if found.len() > MAX_FILES {
            return Err(AppError::bad_input(
                format!("{name} has {} files, more than {MAX_FILES}", found.len()),
                format!(
                    "narrow it, or map the repository: {}",
                    NextCall::new("context_peek").on(".").in_error()
                ),
            ));
        }
        for file in found {
            let location = ProjectPath { path: file.path, shown: file.shown };
            match SourceFile::read(&location) {
                Ok(file) => self.add(Target { location, file }),
                Err(_) => self.skipped.push(location.shown),
            }
        }
        Ok(())
    }

    fn add(&mut self, target: Target) {
        if self.texts.iter().all(|known| known.location != target.location) {
            self.texts.push(target);
        }
    }
}
