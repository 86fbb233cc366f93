//! The data folder: where a user's databases lie, closed to everybody else.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use forebay_domain::ProjectId;

use crate::StoreError;

const DATABASE: &str = "store.db";

/// The folder that holds everything Forebay keeps.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// A data folder at a place of the caller's choice.
    pub fn at(root: PathBuf) -> Self {
        Self { root }
    }

    /// The platform's data folder for this user.
    pub fn default_location() -> Option<PathBuf> {
        etcetera::choose_base_strategy().ok().map(|base| base.data_dir().join("forebay"))
    }

    /// The user's settings file: beside the data when a data folder was chosen, else where the
    /// platform keeps settings.
    pub fn settings_file(chosen_root: Option<&Path>) -> Option<PathBuf> {
        let folder = match chosen_root {
            Some(root) => root.to_owned(),
            None => etcetera::choose_base_strategy().ok()?.config_dir().join("forebay"),
        };
        Some(folder.join("settings.toml"))
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Makes the folder, closed to everybody else.
    pub fn make(&self) -> Result<(), StoreError> {
        create_private_folder(&self.root)
    }

    /// The database of the user's own notes.
    pub fn user_database(&self) -> PathBuf {
        self.root.join("user").join(DATABASE)
    }

    /// The database of a project.
    pub fn project_database(&self, project: &ProjectId) -> PathBuf {
        self.projects().join(project.as_str()).join(DATABASE)
    }

    /// Every database there is, in a stable order.
    pub fn databases(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.projects()).into_iter().flatten().flatten();
        let mut databases: Vec<PathBuf> =
            folders.map(|folder| folder.path().join(DATABASE)).collect();
        databases.push(self.user_database());
        databases.retain(|path| path.is_file());
        databases.sort();
        databases
    }

    /// The folder of a workspace that is served to others, as closed in itself as this one.
    #[must_use]
    pub fn workspace(&self, name: &str) -> Self {
        Self::at(self.root.join("workspaces").join(name))
    }

    /// The databases of projects that have this name, in a stable order.
    pub fn projects_called(&self, name: &str) -> Vec<PathBuf> {
        let is_called = |path: &PathBuf| {
            let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
            forebay_domain::project::is_called(&folder.to_string_lossy(), name)
        };
        let user = self.user_database();
        self.databases().into_iter().filter(|path| *path != user && is_called(path)).collect()
    }

    /// Where compiled snippets are kept; made when first needed.
    pub fn compiled_programs(&self) -> PathBuf {
        self.root.join("cache").join("compiled")
    }

    /// Where the background jobs of a project are described; without one, the user's own.
    pub fn jobs(&self, project: Option<&ProjectId>) -> PathBuf {
        self.root.join("jobs").join(project.map_or("user", ProjectId::as_str))
    }

    pub fn log_file(&self) -> PathBuf {
        self.root.join("forebay.log")
    }

    fn projects(&self) -> PathBuf {
        self.root.join("projects")
    }
}

/// Makes a folder and its parents that only this user can enter.
pub fn create_private_folder(path: &Path) -> Result<(), StoreError> {
    if path.is_dir() {
        return Ok(());
    }
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(StoreError::io(path))?;
    // An existing umask may have been stricter, never looser; set what is promised.
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(StoreError::io(path))
}
