//! What Forebay has stored: where it is, how large it is, and deleting it.

use std::fs;
use std::path::{Path, PathBuf};

use forebay_app::AppError;
use forebay_sandbox::processes_with_files_in;
use forebay_store::{CreatedFolders, Home, created_folders};
use forebay_text::number;
use serde_json::{Value, json};

use crate::cli::changes::with_tilde;

/// The data folder and the user's settings.
pub(super) struct Data {
    folder: Home,
    /// The user's settings, if they are not in the data folder.
    settings: Option<PathBuf>,
    bytes: u64,
    stores: usize,
    is_deleted: bool,
}

impl Data {
    pub(super) fn new(folder: Home, settings: Option<PathBuf>, is_deleted: bool) -> Self {
        let settings = settings.filter(|file| file.is_file() && !file.starts_with(folder.root()));
        let (bytes, stores) = (folder.disk_bytes(), folder.databases().len());
        Self { folder, settings, bytes, stores, is_deleted }
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.is_deleted
    }

    /// The processes that use the data, if it is to be deleted.
    pub(super) fn users_if_deleted(&self) -> Option<String> {
        let root = self.folder.root().canonicalize().ok().filter(|_| self.is_deleted)?;
        let ids: Vec<String> =
            processes_with_files_in(&root)?.iter().map(ToString::to_string).collect();
        (!ids.is_empty()).then(|| ids.join(", "))
    }

    pub(super) fn plan(&self, home: &Path) -> String {
        let places = self.places(home);
        match (places.is_empty(), self.is_deleted) {
            (true, _) => "none".to_owned(),
            (false, true) => format!("DELETED: {places}"),
            (false, false) => format!("stays: {places}; --purge-data deletes it"),
        }
    }

    /// Where something is stored, and how much.
    fn places(&self, home: &Path) -> String {
        let folder = self.folder.root();
        let stored = folder.exists().then(|| {
            let (bytes, stores) =
                (number::bytes(self.bytes), number::counted(self.stores as u64, "store"));
            format!("{}, {bytes} in {stores}", with_tilde(folder, home))
        });
        let settings = self.settings.iter().map(|file| with_tilde(file, home));
        stored.into_iter().chain(settings).collect::<Vec<_>>().join(", and ")
    }

    /// Deletes the data if that was asked for; returns what became of it, in a sentence.
    pub(super) fn remove(&self, home: &Path) -> Result<String, AppError> {
        if !self.is_deleted {
            self.folder.remove_if_empty();
            let places = self.places(home);
            return Ok(if places.is_empty() {
                "There is no data.".to_owned()
            } else {
                format!("What stays: {places}.")
            });
        }
        let left = self.folder.delete()?;
        if let Some(file) = &self.settings {
            fs::remove_file(file).map_err(|error| {
                AppError::unavailable(format!("{}: {error}", file.display()), None)
            })?;
            // It stays if something else is in it.
            let _ = file.parent().map(fs::remove_dir);
        }
        let left: Vec<String> = left.iter().map(|path| with_tilde(path, home)).collect();
        if left.is_empty() {
            return Ok("The data was deleted.".to_owned());
        }
        let left = left.join(", ");
        Ok(format!("The data was deleted; what Forebay did not create stays: {left}."))
    }

    /// The folders of the user that Forebay created: caches that tools of runs need, and those around the data folder.
    pub(super) fn created_folders(&self) -> Vec<PathBuf> {
        CreatedFolders::new(self.folder.clone()).read()
    }

    /// Removes created folders in which nothing is left.
    pub(super) fn remove_created(&self, folders: Vec<PathBuf>) {
        created_folders::remove_if_empty(folders);
        CreatedFolders::new(self.folder.clone()).forget_removed();
        self.folder.remove_if_empty();
    }

    pub(super) fn as_data(&self) -> Value {
        json!({
            "folder": self.folder.root().to_string_lossy(),
            "bytes": self.bytes,
            "stores": self.stores,
            "settings": self.settings.as_ref().map(|file| file.to_string_lossy()),
            "deleted": self.is_deleted,
        })
    }
}
