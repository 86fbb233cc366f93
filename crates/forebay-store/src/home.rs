//! The data folder: where a user's databases are, accessible to that user only.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use forebay_domain::ProjectId;

use crate::StoreError;
use crate::created_folders::{self, CreatedFolders};

const DATABASE: &str = "store.db";
/// The names of a database, its log, its lock and its reserve start with this.
pub(crate) const DATABASE_STEM: &str = "store.";

/// The names of everything that Forebay creates in the data folder.
const CONTENTS: [&str; 15] = [
    "projects",
    "user",
    "workspaces",
    "jobs",
    "rules",
    "samples",
    "calls",
    "cache",
    "settings.toml",
    created_folders::RECORD,
    "tools",
    "running",
    "set-up-locations",
    "forebay.log",
    "forebay.log.old",
];

/// The folder that contains all data.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// Uses the given data folder.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Returns the platform's data folder for this user.
    pub fn default_location() -> Option<PathBuf> {
        etcetera::choose_base_strategy().ok().map(|base| base.data_dir().join("forebay"))
    }

    /// Returns the user's settings file: in the data folder if one was chosen, otherwise in the
    /// platform's configuration folder.
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

    /// Creates the folder, accessible to this user only, and records which folders around it were created for it.
    pub fn create(&self) -> Result<(), StoreError> {
        if self.root.is_dir() {
            return Ok(());
        }
        let around = self.root.parent().map(created_folders::missing).unwrap_or_default();
        create_private_folder(&self.root)?;
        // Without the record, a removal leaves them behind, empty.
        let _ = CreatedFolders::new(self.clone()).record(&around);
        Ok(())
    }

    /// Returns the database of the user's own notes.
    pub fn user_database(&self) -> PathBuf {
        self.root.join("user").join(DATABASE)
    }

    /// Returns the database of a project.
    pub fn project_database(&self, project: &ProjectId) -> PathBuf {
        self.projects().join(project.as_str()).join(DATABASE)
    }

    /// Returns the projects that have a database, in a stable order.
    pub fn project_ids(&self) -> Vec<ProjectId> {
        let folders = fs::read_dir(self.projects()).into_iter().flatten().flatten();
        let id = |folder: fs::DirEntry| ProjectId::of_data(&folder.file_name().to_string_lossy());
        let mut ids: Vec<ProjectId> = folders.filter_map(id).collect();
        ids.retain(|id| self.project_database(id).is_file());
        ids.sort();
        ids
    }

    /// Returns all existing databases, in a stable order.
    pub fn databases(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.projects()).into_iter().flatten().flatten();
        let mut databases: Vec<PathBuf> =
            folders.map(|folder| folder.path().join(DATABASE)).collect();
        databases.push(self.user_database());
        databases.retain(|path| path.is_file());
        databases.sort();
        databases
    }

    /// Returns the data folder of a workspace that a server offers; nothing is shared with this
    /// one.
    #[must_use]
    pub fn workspace(&self, name: &str) -> Self {
        Self::new(self.root.join("workspaces").join(name))
    }

    /// Returns the databases of projects with this name, in a stable order.
    pub fn projects_named(&self, name: &str) -> Vec<PathBuf> {
        let matches_name = |path: &PathBuf| {
            let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
            forebay_domain::project::is_called(&folder.to_string_lossy(), name)
        };
        let user = self.user_database();
        self.databases().into_iter().filter(|path| *path != user && matches_name(path)).collect()
    }

    /// Returns the cache of compiled snippets; created when first used.
    pub fn compiled_programs(&self) -> PathBuf {
        self.root.join("cache").join("compiled")
    }

    /// Returns the folder of a project's background jobs, or of the user's own.
    pub fn jobs(&self, project: Option<&ProjectId>) -> PathBuf {
        self.root.join("jobs").join(project.map_or("user", ProjectId::as_str))
    }

    /// Returns the folder that records the rules which sessions of a project started with.
    pub fn session_rules(&self, project: Option<&ProjectId>) -> PathBuf {
        self.root.join("rules").join(project.map_or("user", ProjectId::as_str))
    }

    /// Returns the folder of a project's reported digests, or of those outside of projects.
    pub fn samples(&self, project: Option<&ProjectId>) -> PathBuf {
        self.root.join("samples").join(project.map_or("user", ProjectId::as_str))
    }

    /// Returns the folder that lists the hook calls of a project, or those outside of projects.
    pub fn calls(&self, project: Option<&ProjectId>) -> PathBuf {
        self.root.join("calls").join(project.map_or("user", ProjectId::as_str))
    }

    pub fn log_file(&self) -> PathBuf {
        self.root.join("forebay.log")
    }

    /// Returns the size of everything in the folder; what cannot be read does not count.
    pub fn disk_bytes(&self) -> u64 {
        disk_bytes(&self.root)
    }

    /// Deletes what Forebay created in the folder, and the folder unless it has something else. Returns what is left.
    pub fn delete(&self) -> Result<Vec<PathBuf>, StoreError> {
        for path in CONTENTS.map(|name| self.root.join(name)) {
            let is_folder = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
            let deleted =
                if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            match deleted {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(StoreError::io(&path)(error));
                }
                _ => {}
            }
        }
        self.remove_if_empty();
        let left = fs::read_dir(&self.root).into_iter().flatten().flatten();
        Ok(left.map(|entry| entry.path()).collect())
    }

    /// Removes the folder if nothing but the record of created folders is in it.
    pub fn remove_if_empty(&self) {
        let mut entries = fs::read_dir(&self.root).into_iter().flatten().flatten();
        if entries.all(|entry| entry.file_name() == created_folders::RECORD) {
            let _ = fs::remove_file(self.root.join(created_folders::RECORD));
        }
        // A folder with content stays.
        let _ = fs::remove_dir(&self.root);
    }

    fn projects(&self) -> PathBuf {
        self.root.join("projects")
    }
}

fn disk_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => disk_bytes(&entry.path()),
        Ok(found) => found.blocks() * 512,
        Err(_) => 0,
    });
    bytes.sum()
}

/// Creates a folder and its parents, accessible to this user only.
pub fn create_private_folder(path: &Path) -> Result<(), StoreError> {
    if path.is_dir() {
        return Ok(());
    }
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(StoreError::io(path))?;
    // A strict umask may have removed permissions.
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(StoreError::io(path))
}
