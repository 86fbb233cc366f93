//! Opens files that somebody else may have put in place: regular ones only, and without waiting.
//!
//! A pipe without a writer hangs its reader, and a device never ends. Some files of `/proc` do either although they look
//! regular and empty, so nothing here reads beyond a bound.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use crate::own_files;

/// Opens without waiting for the writer of a pipe, and looks at what was opened: a name may be replaced in between.
pub fn open(path: &Path) -> io::Result<File> {
    // Some devices act when they are opened.
    check_regular(&std::fs::metadata(path)?)?;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)?;
    check_regular(&file.metadata()?)?;
    Ok(file)
}

/// The same for any file but the databases of Forebay, which lose their locks when such a file is closed.
pub fn open_foreign(path: &Path) -> io::Result<File> {
    if own_files::contains_path(path) {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is a database of Forebay"));
    }
    open(path)
}

/// The bytes of a file of at most `max` bytes.
pub fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        let limit = format!("it is larger than {}", size(max));
        return Err(io::Error::new(ErrorKind::FileTooLarge, limit));
    }
    Ok(bytes)
}

/// Whether a file that is said to have no bytes has none.
pub fn is_empty(path: &Path) -> io::Result<bool> {
    Ok(open(path)?.read(&mut [0])? == 0)
}

fn size(bytes: u64) -> String {
    const MB: u64 = 1024 * 1024;
    if bytes < MB { format!("{} kB", bytes / 1024) } else { format!("{} MB", bytes / MB) }
}

fn check_regular(metadata: &std::fs::Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    let what = match kind {
        _ if kind.is_file() => return Ok(()),
        _ if kind.is_dir() => "a folder",
        _ if kind.is_fifo() => "a named pipe",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    };
    let message = format!("it is {what}, not a regular file");
    Err(io::Error::new(ErrorKind::InvalidInput, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel's view of this process' memory reads as a file of no size, and has hundreds of terabytes.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_endless_file_that_looks_empty_is_bounded() {
        let endless = Path::new("/proc/self/pagemap");
        assert_eq!(std::fs::metadata(endless).unwrap().len(), 0);
        assert!(read(endless, 4_096).is_err());
        assert!(!is_empty(endless).unwrap_or_default());
        let empty = tempfile::NamedTempFile::new().unwrap();
        assert!(is_empty(empty.path()).unwrap());
    }

    #[test]
    fn an_open_database_is_not_opened() {
        let database = tempfile::NamedTempFile::new().unwrap();
        let opened = own_files::OwnFiles::add(&[database.path().to_owned()]);
        assert!(open_foreign(database.path()).is_err());
        drop(opened);
        assert!(open_foreign(database.path()).is_ok());
    }
}
