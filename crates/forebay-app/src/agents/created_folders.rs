//! Remembers which folders setup created, so that its removal deletes those and no others.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use forebay_store::Home;

/// The name of the record in the data folder: one path on each line.
const RECORD: &str = "created-folders";

/// The record of created folders.
#[derive(Clone)]
pub(super) struct CreatedFolders {
    home: Home,
}

impl CreatedFolders {
    pub(super) fn new(home: Home) -> Self {
        Self { home }
    }

    /// Creates a folder and its missing parents, and records them.
    pub(super) fn create(&self, folder: &Path) -> io::Result<()> {
        let missing: Vec<&Path> = folder.ancestors().take_while(|one| !one.exists()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        fs::create_dir_all(folder)?;
        let mut folders = self.read();
        folders.extend(missing.into_iter().map(Path::to_owned));
        // Without the record, removing the setup leaves the folders behind, empty.
        let _ = self.write(&folders);
        Ok(())
    }

    /// Deletes a file or folder that the host wrote into a folder of ours.
    pub(super) fn delete_inside(&self, path: &Path) {
        if !path.parent().is_some_and(|folder| self.read().iter().any(|created| created == folder))
        {
            return;
        }
        let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
        // What cannot be deleted stays, and with it the folder.
        let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }

    /// Deletes a folder and its parents as long as setup created them and they are empty.
    pub(super) fn remove_empty(&self, folder: &Path) {
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

    fn read(&self) -> Vec<PathBuf> {
        let text = fs::read_to_string(self.file()).unwrap_or_default();
        text.lines().map(PathBuf::from).collect()
    }

    fn write(&self, folders: &[PathBuf]) -> io::Result<()> {
        if folders.is_empty() {
            return fs::remove_file(self.file());
        }
        self.home.create().map_err(io::Error::other)?;
        let lines: String =
            folders.iter().map(|folder| format!("{}\n", folder.display())).collect();
        fs::write(self.file(), lines)
    }

    fn file(&self) -> PathBuf {
        self.home.root().join(RECORD)
    }
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
