//! Opens files for reading without blocking on a FIFO.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// Opens a file for reading with `O_NONBLOCK`: if the path is a FIFO, does not wait for a writer.
pub fn open_nonblocking(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use rustix::fs::{CWD, FileType, mknodat};

    use super::*;

    #[test]
    fn does_not_wait_for_the_writer_of_a_fifo() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
        assert!(!open_nonblocking(&path).unwrap().metadata().unwrap().is_file());
    }

    #[test]
    fn reads_regular_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "all of it").unwrap();
        let mut text = String::new();
        open_nonblocking(&path).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "all of it");
        assert!(open_nonblocking(&folder.path().join("none")).is_err());
    }
}
