//! Opens files and folders by a path whose links are already resolved, and follows none.
//!
//! A path that was checked may mean another file when it is used: any of its folders can be replaced by a link in between.
//! Here the kernel refuses a link wherever it is in the path, so what is opened is what was checked.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, open, openat, renameat, unlinkat};
use rustix::io::Errno;

/// Opens a file or folder for reading; does not wait for the writer of a FIFO.
pub fn open_without_links(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK;
    Ok(open_resolved(path, flags)?.into())
}

/// An open folder, in which files are created and replaced by name.
#[derive(Debug)]
pub struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder whose path may contain links: the user chose it.
    pub fn open_following_links(path: &Path) -> io::Result<Self> {
        // An empty path is the parent of a plain name.
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(Self(open(path, folder_flags(), Mode::empty())?))
    }

    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(open_resolved(path, folder_flags())?))
    }

    /// Opens a folder, and creates it and its parents if they are missing.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self(walk(path, folder_flags(), true)?))
    }

    /// Creates a file that must not exist.
    pub fn create_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let mode = Mode::from_raw_mode(0o666);
        Ok(openat(&self.0, name, flags | LAST, mode)?.into())
    }

    /// Opens a file for reading.
    pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        Ok(openat(&self.0, name, flags | LAST, Mode::empty())?.into())
    }

    /// Fails if a file cannot be written.
    pub fn check_writable(&self, name: &OsStr) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::NONBLOCK;
        openat(&self.0, name, flags | LAST, Mode::empty())?;
        Ok(())
    }

    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    /// Renames if nothing has the new name.
    #[cfg(target_os = "linux")]
    pub fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        use rustix::fs::{RenameFlags, renameat_with};
        Ok(renameat_with(&self.0, from, &self.0, to, RenameFlags::NOREPLACE)?)
    }

    /// Renames if nothing has the new name.
    #[cfg(not(target_os = "linux"))]
    pub fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match rustix::fs::statat(&self.0, to, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => self.rename(from, to),
            Err(error) => Err(error.into()),
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Makes renames durable, where folders can be synced.
    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }
}

/// Flags of the last component of a path.
const LAST: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);

fn folder_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC
}

#[cfg(target_os = "linux")]
fn open_resolved(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};

    let (anchor, rest) = anchor(path)?;
    let rest = if rest.as_os_str().is_empty() { Path::new(".") } else { rest };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    match openat2(&anchor, rest, flags | LAST, Mode::empty(), resolve) {
        // An old kernel, or a filter that does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => walk(path, flags, false),
        opened => Ok(opened?),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_resolved(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    walk(path, flags, false)
}

/// Opens a path folder by folder, none of which may be a link.
fn walk(path: &Path, flags: OFlags, creates: bool) -> io::Result<OwnedFd> {
    let (mut at, rest) = anchor(path)?;
    let mut parts = rest.components().peekable();
    while let Some(part) = parts.next() {
        let Component::Normal(name) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
        let is_last = parts.peek().is_none();
        let flags = if is_last { flags } else { folder_flags() } | LAST;
        let mut opened = openat(&at, name, flags, Mode::empty());
        if creates && matches!(opened, Err(Errno::NOENT)) {
            match mkdirat(&at, name, Mode::from_raw_mode(0o777)) {
                // Another process may have created it.
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            opened = openat(&at, name, flags, Mode::empty());
        }
        at = opened?;
    }
    Ok(at)
}

/// The folder that a path starts at, and the rest of it.
fn anchor(path: &Path) -> io::Result<(OwnedFd, &Path)> {
    // A resolved path has none; behind a link they would mean another folder.
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let (start, rest) = match path.strip_prefix("/") {
        Ok(rest) => (Path::new("/"), rest),
        Err(_) => (Path::new("."), path),
    };
    Ok((openat(CWD, start, folder_flags(), Mode::empty())?, rest))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::*;

    fn text(file: io::Result<File>) -> io::Result<String> {
        let mut text = String::new();
        file?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn refuses_links_anywhere_in_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("real")).unwrap();
        fs::write(root.join("real/file"), "content").unwrap();
        symlink("real", root.join("folder-link")).unwrap();
        symlink("real/file", root.join("file-link")).unwrap();
        let walked = |name: &str| walk(&root.join(name), OFlags::RDONLY, false).map(File::from);
        for name in ["folder-link/file", "file-link", "real/../real/file", "real/none"] {
            assert!(open_without_links(&root.join(name)).is_err(), "{name}");
            assert!(walked(name).is_err(), "{name}");
        }
        assert!(Folder::open(&root.join("folder-link")).is_err());
        assert!(Folder::create(&root.join("folder-link/new")).is_err());
        assert_eq!(text(open_without_links(&root.join("real/file"))).unwrap(), "content");
        assert_eq!(text(walked("real/file")).unwrap(), "content");
    }

    #[test]
    fn creates_folders_and_replaces_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let deep = Folder::create(&root.join("a/b")).unwrap();
        let (new, name) = (OsStr::new("new"), OsStr::new("name"));
        drop(deep.create_file(new).unwrap());
        assert!(deep.create_file(new).is_err());
        symlink("/etc/hostname", root.join("a/b/name")).unwrap();
        assert!(deep.open_file(name).is_err());
        assert!(deep.check_writable(name).is_err());
        deep.rename(new, name).unwrap();
        assert!(root.join("a/b/name").symlink_metadata().unwrap().is_file());
        deep.remove_file(name).unwrap();
        deep.sync().unwrap();
        assert!(Folder::create(&root.join("a/b")).is_ok());
    }
}
