//! Files that are opened for reading, whatever has taken their place.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// Opens a file. Where it is a pipe by now, whoever is to write into it is not waited for.
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use rustix::fs::{CWD, FileType, mknodat};

    use super::*;

    #[test]
    fn a_pipe_that_nobody_writes_into_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
        assert!(!open_without_waiting(&path).unwrap().metadata().unwrap().is_file());
    }

    #[test]
    fn a_file_is_read_as_ever() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "all of it").unwrap();
        let mut text = String::new();
        open_without_waiting(&path).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "all of it");
        assert!(open_without_waiting(&folder.path().join("none")).is_err());
    }
}
