//! The folders and files of this user and this process.

use std::path::{Path, PathBuf};

use forebay_app::AppError;
use forebay_app::upgrade::RunningProgram;
use forebay_sandbox::own_executable;
use forebay_store::{Home, Project};

use crate::config::{PROJECT_FILE, SettingsFiles, environment};

/// The root of the project that contains `cwd`; `cwd` itself if there is none.
pub(super) fn project_root(cwd: &Path) -> PathBuf {
    Project::for_folder(cwd, user_home().as_deref())
        .map_or_else(|| cwd.to_owned(), |project| project.root)
}

/// The data directory: `FOREBAY_HOME`, or the platform's default.
pub(super) fn data_folder() -> Result<Home, AppError> {
    let root =
        environment::read(environment::HOME).map(PathBuf::from).or_else(Home::default_location);
    root.map(Home::new).ok_or_else(|| {
        AppError::bad_input(
            "this user has no home directory",
            format!("set {} to a directory", environment::HOME),
        )
    })
}

pub(super) fn no_home() -> AppError {
    AppError::bad_input("this user has no home folder", "set HOME to a folder")
}

/// The path of this program, without links.
pub(super) fn executable() -> Result<&'static Path, AppError> {
    let unknown = "the path of this program is unknown";
    own_executable().ok_or_else(|| AppError::unavailable(unknown, Some("is /proc mounted?")))
}

/// The program of this process, as it is now.
pub(super) fn running_program() -> Result<RunningProgram, AppError> {
    let invoked = std::env::args_os().next().unwrap_or_default();
    Ok(RunningProgram::new(executable()?, Path::new(&invoked), user_home().as_deref()))
}

pub(super) fn user_home() -> Option<PathBuf> {
    std::env::home_dir()
}

pub(super) fn user_settings_file() -> Option<PathBuf> {
    Home::settings_file(environment::read(environment::HOME).map(PathBuf::from).as_deref())
}

/// The settings files of the project at `root`.
pub(super) fn settings_files(root: &Path) -> SettingsFiles {
    SettingsFiles { user: user_settings_file(), project: root.join(PROJECT_FILE) }
}
