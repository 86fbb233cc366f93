//! Replaces a file atomically: writes a temporary file beside it and renames it.

use std::ffi::{OsStr, OsString};
use std::fs::{Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use forebay_sandbox::Folder;

/// Writes `bytes` to `path`, whose folder may be a link.
///
/// Preserves permissions and, if this user may, the owner. On failure the old file stays intact.
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (folder, name) = split(path)?;
    replace(&Folder::open_following_links(folder)?, name, bytes)
}

/// Like [`replace_file`], for a path that was resolved and checked: fails if a part of it is a link by now.
pub(super) fn replace_checked(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (folder, name) = split(path)?;
    replace(&Folder::create(folder)?, name, bytes)
}

fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok((path.parent().unwrap_or(Path::new("")), name))
}

fn replace(folder: &Folder, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
    let old = match folder.open_file(name) {
        Ok(file) => Some(file.metadata()?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if old.is_some() {
        // The folder may be writable while the file is not; a rename would bypass that.
        folder.check_writable(name)?;
    }
    let unfinished = temporary_name(name);
    let written = write(folder, &unfinished, bytes, old.as_ref())
        .and_then(|()| folder.rename(&unfinished, name));
    if written.is_err() {
        let _ = folder.remove_file(&unfinished);
    }
    written?;
    let _ = folder.sync();
    Ok(())
}

fn write(
    folder: &Folder,
    unfinished: &OsStr,
    bytes: &[u8],
    old: Option<&Metadata>,
) -> io::Result<()> {
    let mut file = folder.create_file(unfinished)?;
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

/// An unused name in the same folder.
fn temporary_name(name: &OsStr) -> OsString {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}-{count}.forebay", std::process::id()));
    hidden
}

#[cfg(test)]
mod tests {
    use std::fs;

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
