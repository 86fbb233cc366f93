//! Remembers which folders of a user Forebay created, so that its removal deletes those and no others: folders of
//! agents' settings, caches of tools that runs need, and what the data folder is in.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::Home;

/// The name of the record in the data folder: one path on each line.
pub(crate) const RECORD: &str = "created-folders";

/// The record of created folders.
#[derive(Debug, Clone)]
pub struct CreatedFolders {
    home: Home,
}

impl CreatedFolders {
    pub fn new(home: Home) -> Self {
        Self { home }
    }

    /// Creates a folder and its missing parents, and records them.
    pub fn create(&self, folder: &Path) -> io::Result<()> {
        let missing = missing(folder);
        if missing.is_empty() {
            return Ok(());
        }
        fs::create_dir_all(folder)?;
        // Without the record, a removal leaves them behind, empty.
        let _ = self.record(&missing);
        Ok(())
    }

    /// Adds folders to the record, to which other processes add at the same time.
    pub(crate) fn record(&self, folders: &[PathBuf]) -> io::Result<()> {
        if folders.is_empty() {
            return Ok(());
        }
        self.home.create().map_err(io::Error::other)?;
        private(OpenOptions::new().append(true))
            .open(self.file())?
            .write_all(lines(folders).as_bytes())
    }

    /// Takes those folders from the record that do not exist any more.
    pub fn forget_removed(&self) {
        let (there, gone): (Vec<_>, Vec<_>) =
            self.read().into_iter().partition(|folder| folder.exists());
        if !gone.is_empty() {
            let _ = self.write(&there);
        }
    }

    /// Deletes a file or folder that the host wrote into a folder of ours.
    pub fn delete_inside(&self, path: &Path) {
        if !path.parent().is_some_and(|folder| self.read().iter().any(|created| created == folder))
        {
            return;
        }
        let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
        // What cannot be deleted stays, and with it the folder.
        let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }

    /// Deletes a folder and its parents as long as they are recorded and empty.
    pub fn remove_empty(&self, folder: &Path) {
        let mut folders = self.read();
        let count = folders.len();
        for folder in folder.ancestors() {
            let Some(index) = folders.iter().position(|created| created == folder) else { break };
            if fs::remove_dir(folder).is_err() {
                break;
            }
            folders.remove(index);
        }
        if folders.len() < count {
            let _ = self.write(&folders);
        }
    }

    /// Returns every recorded folder.
    pub fn read(&self) -> Vec<PathBuf> {
        let text = fs::read_to_string(self.file()).unwrap_or_default();
        text.lines().map(PathBuf::from).collect()
    }

    fn write(&self, folders: &[PathBuf]) -> io::Result<()> {
        if folders.is_empty() {
            return fs::remove_file(self.file());
        }
        let mut record =
            private(OpenOptions::new().write(true).truncate(true)).open(self.file())?;
        record.write_all(lines(folders).as_bytes())
    }

    fn file(&self) -> PathBuf {
        self.home.root().join(RECORD)
    }
}

/// Creates the record with the mode of all files in the data folder.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.create(true).mode(0o600)
}

/// The folders that creating this one would create.
pub(crate) fn missing(folder: &Path) -> Vec<PathBuf> {
    folder.ancestors().take_while(|one| !one.exists()).map(Path::to_owned).collect()
}

/// Deletes those of these folders that are empty, the innermost first.
pub fn remove_if_empty(mut folders: Vec<PathBuf>) {
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
    for folder in folders {
        // A folder with content stays.
        let _ = fs::remove_dir(folder);
    }
}

fn lines(folders: &[PathBuf]) -> String {
    folders.iter().map(|folder| format!("{}\n", folder.display())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_created_folders_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        let record = CreatedFolders::new(Home::new(top.join("data")));
        fs::create_dir(top.join("own")).unwrap();
        record.create(&top.join("own")).unwrap();
        record.create(&top.join("own/a/b")).unwrap();
        record.create(&top.join("own/a/c")).unwrap();
        for folder in ["own/types", "own/a/b/types"] {
            fs::create_dir(top.join(folder)).unwrap();
            fs::write(top.join(folder).join("index.d.ts"), "").unwrap();
            record.delete_inside(&top.join(folder));
        }
        assert!(top.join("own/types/index.d.ts").exists() && !top.join("own/a/b/types").exists());
        record.remove_empty(&top.join("own/a/b"));
        assert!(!top.join("own/a/b").exists() && top.join("own/a/c").exists());
        record.remove_empty(&top.join("own/a/c"));
        assert!(!top.join("own/a").exists() && top.join("own").exists());
        assert!(!record.file().exists());
    }
}
