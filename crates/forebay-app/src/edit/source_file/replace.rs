//! Replaces a file atomically: writes a temporary file beside it and renames it.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes `bytes` to `path`, which must not contain symlinks.
///
/// Preserves permissions and, if this user may, the owner. On failure the old file stays intact.
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let old = fs::metadata(path).ok();
    if old.is_some() {
        // The folder may be writable while the file is not; a rename would bypass that.
        OpenOptions::new().write(true).open(path)?;
    }
    let unfinished = temporary_path(path)?;
    let written =
        write(&unfinished, bytes, old.as_ref()).and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written?;
    sync_folder(path);
    Ok(())
}

fn write(unfinished: &Path, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(unfinished)?;
    file.write_all(bytes)?;
    if let Some(old) = old {
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            // Only root may change the owner; other users keep what they write.
            let _ = std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()));
        }
        file.set_permissions(Permissions::from_mode(old.mode() & 0o7777))?;
    }
    file.sync_all()
}

/// Returns an unused name in the same folder.
fn temporary_path(path: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}-{count}.forebay", std::process::id()));
    Ok(path.with_file_name(hidden))
}

/// Syncs the folder to make the rename durable, where folders can be synced.
fn sync_folder(path: &Path) {
    let folder = path.parent().and_then(|folder| File::open(folder).ok());
    let _ = folder.map(|folder| folder.sync_all());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        let mut names: Vec<OsString> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn preserves_permissions_and_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("script");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o750)).unwrap();
        replace_file(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o750);
        assert_eq!(names(folder.path()), ["script"]);
    }

    #[test]
    fn failure_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        fs::create_dir(&path).unwrap();
        assert!(replace_file(&path, b"new").is_err());
        assert_eq!(names(folder.path()), ["taken"]);
        assert!(replace_file(&folder.path().join("no/such"), b"new").is_err());
    }
}
