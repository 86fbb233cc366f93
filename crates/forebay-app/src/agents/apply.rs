//! Applies a planned change atomically, and only if the file has not changed since.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::plan::read_settings;
use super::{Change, Level, Machine, Plan, Wish, state};

/// Mode of new files, before the umask.
const FILE_MODE: u32 = 0o666;
const EXECUTABLE_MODE: u32 = 0o777;

/// Why a change was not applied; the file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{} has changed since the diff was shown; nothing was written", .0.display())]
    Changed(PathBuf),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// Applies a plan file by file, and remembers where. Returns why files were not written.
pub fn apply(plan: &Plan, machine: &Machine, level: Level, wish: &Wish) -> Vec<WriteError> {
    if matches!(wish, Wish::SetUp { .. }) {
        // Without the record, only an uninstall from another folder misses these files.
        let _ = machine.locations.add(machine.location(level));
    }
    let failed = plan.apply(machine);
    if matches!(wish, Wish::TakeBack) && !state::is_any_set_up(machine, level) {
        let _ = machine.locations.remove(&machine.location(level));
    }
    failed
}

impl Plan {
    /// Applies the changes; returns why files were not written.
    pub(super) fn apply(&self, machine: &Machine) -> Vec<WriteError> {
        self.changes.iter().filter_map(|change| change.apply(machine).err()).collect()
    }
}

impl Change {
    /// Applies the change if the file still has the planned-for content.
    fn apply(&self, machine: &Machine) -> Result<(), WriteError> {
        if read_settings(&self.path).ok() != Some(self.before.clone()) {
            return Err(WriteError::Changed(self.path.clone()));
        }
        let done = match &self.after {
            Some(text) => self.replace(machine, text),
            None => self.remove(machine),
        };
        done.map_err(|source| WriteError::Io { path: self.path.clone(), source })
    }

    /// Writes a temporary file and renames it, so that no reader sees a partial file.
    fn replace(&self, machine: &Machine, text: &str) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        machine.created_folders.create(folder)?;
        let temporary_path = temporary_path(&self.path);
        let written = self
            .write_new(&temporary_path, text)
            .and_then(|()| fs::rename(&temporary_path, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary_path);
        }
        written
    }

    fn write_new(&self, path: &Path, text: &str) -> io::Result<()> {
        let mode = if self.is_executable { EXECUTABLE_MODE } else { FILE_MODE };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
        self.keep_owner_and_permissions(&file)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }

    fn keep_owner_and_permissions(&self, file: &File) -> io::Result<()> {
        let Ok(old) = fs::metadata(&self.path) else { return Ok(()) };
        let new = file.metadata()?;
        if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
            // Only root can change the owner; as root, the file must keep its owner.
            std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()))?;
        }
        let bits = if self.is_executable { old.mode() | 0o100 } else { old.mode() };
        file.set_permissions(fs::Permissions::from_mode(bits & 0o7777))
    }

    /// Removes the file and the folders that were created for it.
    fn remove(&self, machine: &Machine) -> io::Result<()> {
        fs::remove_file(&self.path)?;
        for path in &self.written_by_host {
            machine.created_folders.delete_inside(path);
        }
        if let Some(folder) = self.path.parent() {
            machine.created_folders.remove_empty(folder);
        }
        Ok(())
    }
}

fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.forebay-{}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(home: &Path) -> Machine {
        Machine::for_test(home.to_owned(), home.join("p"))
    }

    fn change(path: PathBuf, before: Option<&str>, after: Option<&str>) -> Change {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let (before, after) = (text(before), text(after));
        let (agents, written_by_host) = (vec!["X"], Vec::new());
        Change { path, agents, before, after, is_executable: false, written_by_host }
    }

    #[test]
    fn refuses_to_overwrite_a_changed_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        fs::write(&path, "new").unwrap();
        for seen in [Some("old"), None] {
            for after in [Some("ours"), None] {
                let refused = change(path.clone(), seen, after).apply(&machine(folder.path()));
                assert!(matches!(refused, Err(WriteError::Changed(_))), "{refused:?}");
            }
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        let gone = change(folder.path().join("gone"), Some("old"), Some("ours"));
        assert!(gone.apply(&machine(folder.path())).is_err());
        assert!(!folder.path().join("gone").exists());
    }

    #[test]
    fn failed_write_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let below_a_file = change(folder.path().join("file/s.json"), None, Some("ours"));
        assert!(below_a_file.apply(&machine(folder.path())).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
