//! A process that waits in a system call: its memory, its files, its namespaces.

use std::ffi::{CStr, CString, OsStr};
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2, readlinkat};
use rustix::io::{Errno, pread, read};

use super::calls::Target;
use super::identity::Identity;

/// Of Linux, with the NUL.
const MAX_PATH_BYTES: usize = 4096;
/// A read within one page does not fail for what is behind it.
const PAGE_BYTES: u64 = 4096;
const MAX_STATUS_BYTES: usize = 16 * 1024;
/// Links to the descriptors of the caller. For this thread, they are links to its own.
const OWN_DESCRIPTORS: [&[u8]; 3] = [b"/proc/self/fd/", b"/proc/thread-self/fd/", b"/dev/fd/"];

const AT_SYMLINK_NOFOLLOW: u64 = libc::AT_SYMLINK_NOFOLLOW as u64;
const AT_EMPTY_PATH: u64 = libc::AT_EMPTY_PATH as u64;

/// What decides how a path is read, and who a number of a user is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Namespaces {
    mounts: CString,
    users: CString,
    /// Device and inode.
    root: (u64, u64),
}

impl Namespaces {
    pub(super) fn own() -> io::Result<Self> {
        let namespace = |path: &str| readlinkat(CWD, path, Vec::new());
        let root = fs::metadata("/")?;
        Ok(Self {
            mounts: namespace("/proc/self/ns/mnt")?,
            users: namespace("/proc/self/ns/user")?,
            root: (root.dev(), root.ino()),
        })
    }
}

/// A stopped thread.
#[derive(Debug)]
pub(super) struct Caller {
    /// Its folder in `/proc`, which stays that of this thread.
    folder: OwnedFd,
}

impl Caller {
    pub(super) fn open(thread: u32) -> Result<Self, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(format!("/proc/{thread}"), flags, Mode::empty())?;
        Ok(Self { folder })
    }

    fn open_in_proc(&self, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        openat(&self.folder, name, flags | OFlags::CLOEXEC, Mode::empty())
    }

    pub(super) fn identity(&self) -> Result<Identity, Errno> {
        let status = self.open_in_proc("status", OFlags::RDONLY)?;
        let mut text = vec![0; MAX_STATUS_BYTES];
        let length = read(&status, &mut text)?;
        let text = text.get(..length).and_then(|text| str::from_utf8(text).ok());
        text.and_then(Identity::parse).ok_or(Errno::PERM)
    }

    pub(super) fn namespaces(&self) -> Result<Namespaces, Errno> {
        let namespace = |name: &str| readlinkat(&self.folder, name, Vec::new());
        let root = fstat(self.open_in_proc("root", OFlags::PATH)?)?;
        Ok(Namespaces {
            mounts: namespace("ns/mnt")?,
            users: namespace("ns/user")?,
            root: (root.st_dev, root.st_ino),
        })
    }

    /// Reads its memory.
    pub(super) fn read_memory(&self, address: u64, buffer: &mut [u8]) -> Result<(), Errno> {
        let memory = self.open_in_proc("mem", OFlags::RDONLY)?;
        let mut done = 0;
        while done < buffer.len() {
            let rest = buffer.get_mut(done..).unwrap_or_default();
            match pread(&memory, rest, address + done as u64) {
                Ok(0) | Err(Errno::IO) => return Err(Errno::FAULT),
                Ok(count) => done += count,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads a text that ends with a NUL and is shorter than `limit`.
    pub(super) fn read_text(
        &self,
        address: u64,
        limit: usize,
        too_long: Errno,
    ) -> Result<CString, Errno> {
        let mut text = Vec::new();
        while text.len() < limit {
            let start = address + text.len() as u64;
            let length = (PAGE_BYTES - start % PAGE_BYTES).min((limit - text.len()) as u64);
            let mut part = vec![0; length as usize];
            self.read_memory(start, &mut part)?;
            if let Some(end) = memchr::memchr(0, &part) {
                text.extend_from_slice(part.get(..end).unwrap_or_default());
                return CString::new(text).map_err(|_| Errno::INVAL);
            }
            text.extend_from_slice(&part);
        }
        Err(too_long)
    }

    /// Finds the file that a call names.
    pub(super) fn file(&self, target: Target, arguments: &[u64; 6]) -> Result<TargetFile, Errno> {
        let [first, second, ..] = *arguments;
        let file = match target {
            Target::Path { follows } => {
                self.open_path(libc::AT_FDCWD, &self.path(first)?, follows)?
            }
            Target::Descriptor => self.descriptor(first as i32)?,
            Target::BelowOrDescriptor { .. } if second == 0 => self.descriptor(first as i32)?,
            Target::Below { flags } | Target::BelowOrDescriptor { flags } => {
                let flags =
                    flags.and_then(|at| arguments.get(at)).map_or(0, |flags| flags & 0xffff_ffff);
                self.below(first as i32, second, flags)?
            }
        };
        TargetFile::new(file)
    }

    fn below(&self, folder: i32, path: u64, flags: u64) -> Result<OwnedFd, Errno> {
        if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
            return Err(Errno::INVAL);
        }
        let may_be_empty = flags & AT_EMPTY_PATH != 0;
        let path = if path == 0 && may_be_empty { CString::default() } else { self.path(path)? };
        if path.is_empty() && may_be_empty {
            return self.folder_or_file(folder);
        }
        self.open_path(folder, &path, flags & AT_SYMLINK_NOFOLLOW == 0)
    }

    fn path(&self, address: u64) -> Result<CString, Errno> {
        self.read_text(address, MAX_PATH_BYTES, Errno::NAMETOOLONG)
    }

    /// Opens a path as the caller would, without access to the file. Links of `/proc` that lead past the folders are not
    /// followed: they would be those of this thread.
    fn open_path(&self, folder: i32, path: &CStr, follows: bool) -> Result<OwnedFd, Errno> {
        if let Some(descriptor) = own_descriptor(path).filter(|_| follows) {
            return self.descriptor(descriptor);
        }
        let is_absolute = path.to_bytes().starts_with(b"/");
        let base = if is_absolute { None } else { Some(self.folder_or_file(folder)?) };
        let base = base.as_ref().map_or(CWD, AsFd::as_fd);
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let flags = if follows { flags } else { flags | OFlags::NOFOLLOW };
        openat2(base, path, flags, Mode::empty(), ResolveFlags::NO_MAGICLINKS)
    }

    fn folder_or_file(&self, descriptor: i32) -> Result<OwnedFd, Errno> {
        if descriptor == libc::AT_FDCWD {
            return self.open_in_proc("cwd", OFlags::PATH);
        }
        self.descriptor(descriptor)
    }

    fn descriptor(&self, descriptor: i32) -> Result<OwnedFd, Errno> {
        match self.open_in_proc(&format!("fd/{descriptor}"), OFlags::PATH) {
            Err(Errno::NOENT) => Err(Errno::BADF),
            outcome => outcome,
        }
    }
}

fn own_descriptor(path: &CStr) -> Option<i32> {
    let path = path.to_bytes();
    let number = OWN_DESCRIPTORS.iter().find_map(|folder| path.strip_prefix(*folder))?;
    str::from_utf8(number).ok()?.parse().ok()
}

/// The file of a call, opened for nothing but its metadata.
#[derive(Debug)]
pub(super) struct TargetFile {
    file: OwnedFd,
    /// The link in `/proc` to the descriptor.
    link: CString,
    path: PathBuf,
    kind: FileType,
}

impl AsFd for TargetFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl TargetFile {
    fn new(file: OwnedFd) -> Result<Self, Errno> {
        use std::os::fd::AsRawFd;
        let link = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd()));
        let link = link.map_err(|_| Errno::INVAL)?;
        let path = readlinkat(CWD, &*link, Vec::new())?;
        let kind = FileType::from_raw_mode(fstat(&file)?.st_mode);
        Ok(Self { file, link, path: OsStr::from_bytes(path.as_bytes()).into(), kind })
    }

    /// Its path in the file system, without links.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A path that leads to it and that no rename changes.
    pub(super) fn link(&self) -> &CStr {
        &self.link
    }

    pub(super) fn is_link(&self) -> bool {
        self.kind == FileType::Symlink
    }

    /// Whether it is a pipe or socket without a name.
    pub(super) fn has_no_path(&self) -> bool {
        let name = self.path.as_os_str().as_bytes();
        match self.kind {
            FileType::Fifo => name.starts_with(b"pipe:["),
            FileType::Socket => name.starts_with(b"socket:["),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_links_to_descriptors() {
        for (path, expected) in [
            (c"/proc/self/fd/7", Some(7)),
            (c"/dev/fd/0", Some(0)),
            (c"/proc/thread-self/fd/12", Some(12)),
            (c"/proc/self/fd/7/x", None),
            (c"/proc/self/fd/", None),
            (c"/proc/1/fd/7", None),
            (c"/tmp/x", None),
        ] {
            assert_eq!(own_descriptor(path), expected, "{path:?}");
        }
    }
}
