//! What is to be shown: files by name, folders and globs by what they hold, or all.

use std::path::Path;

use crate::edit::repository::{Found, walk};
use crate::edit::source_file::{Access, Place, SourceFile, locate};
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
    /// Files of folders that hold no text, or cannot be read.
    pub(super) passed_over: Vec<String>,
    /// What is wrong with names that lead to nothing, beside others that do.
    pub(super) faults: Vec<String>,
    /// Each was asked for by its own name.
    pub(super) are_named: bool,
}

pub(super) struct Target {
    pub(super) place: Place,
    pub(super) file: SourceFile,
}

/// Files of one call; a whole repository is shown by its map.
const MOST_FILES: usize = 2_000;

impl Targets {
    pub(super) fn of(app: &App, names: &[String], call: &Call) -> Result<Self, AppError> {
        if names.is_empty() {
            return Err(AppError::bad_input(
                "no path is given",
                "give files, a folder, a glob or .",
            ));
        }
        if let [name] = names
            && is_repository(app, name, call)?
        {
            return Ok(Self::Repository);
        }
        let mut found = Files { are_named: true, ..Files::default() };
        for name in names {
            match found.add_named(app, name, call) {
                Ok(()) => {}
                // One name that leads nowhere does not take the others with it.
                Err(error) if names.len() > 1 && error.kind == ErrorKind::NotFound => {
                    found.faults.push(error.message);
                }
                Err(error) => return Err(error),
            }
        }
        if found.texts.is_empty() && !found.faults.is_empty() {
            return Err(AppError::not_found(found.faults.join("; "), "check the paths"));
        }
        Ok(Self::Files(found))
    }
}

/// The folder that a glob begins with; nothing for a plain path.
fn glob_base(app: &App, name: &str) -> Option<std::path::PathBuf> {
    let exists = app.cwd.join(name).exists() || app.root().join(name).exists();
    (input_files::is_glob(name) && !exists).then(|| input_files::fixed_part(&app.cwd.join(name)))
}

/// Whether a name means all there is; `.` does from any folder below, as the hints of other answers say.
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
        let place = locate(app, name, Access::Read, call)?;
        if place.path.is_dir() {
            return self.add_folder(app, &place);
        }
        self.add(Target { file: SourceFile::read(&place)?, place });
        Ok(())
    }

    fn add_folder(&mut self, app: &App, folder: &Place) -> Result<(), AppError> {
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

    fn add_found(&mut self, name: &str, found: Vec<Found>) -> Result<(), AppError> {
        self.are_named = false;
        if found.is_empty() {
            return Err(AppError::not_found(
                format!("no file in {name}"),
                "hidden, git-ignored and denied files are left out: give their path",
            ));
        }
        if found.len() > MOST_FILES {
            return Err(AppError::bad_input(
                format!("{name} has {} files, more than {MOST_FILES}", found.len()),
                "narrow it, or map the repository: context_peek .",
            ));
        }
        for file in found {
            let place = Place { path: file.path, shown: file.shown };
            match SourceFile::read(&place) {
                Ok(file) => self.add(Target { place, file }),
                Err(_) => self.passed_over.push(place.shown),
            }
        }
        Ok(())
    }

    fn add(&mut self, target: Target) {
        if self.texts.iter().all(|known| known.place != target.place) {
            self.texts.push(target);
        }
    }
}
