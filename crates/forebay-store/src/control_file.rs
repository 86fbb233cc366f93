//! Reads files that control what this program does: settings, rules, git's pointers.
//!
//! They come with a project, so somebody else may have made them: a pipe without a writer or a link to `/dev/zero` would
//! hang the reader or fill its memory. They must be regular files of a bounded size; a link to such a file is fine.

use std::io::{self, ErrorKind};
use std::path::Path;

use crate::regular_file;

/// Maximum size of a file that people write.
const MAX_BYTES: u64 = 1024 * 1024;
/// Maximum size of a file in which another program keeps all of its state, rules among it.
const MAX_STATE_BYTES: u64 = 64 * 1024 * 1024;

/// The text of a file of at most 1 MB; None if it does not exist.
pub fn read(path: &Path) -> io::Result<Option<String>> {
    read_bytes(path, MAX_BYTES)?.map(into_text).transpose()
}

/// The same for a file of at most 64 MB.
pub fn read_state(path: &Path) -> io::Result<Option<String>> {
    read_state_bytes(path)?.map(into_text).transpose()
}

/// The bytes of a file of at most 64 MB; None if it does not exist.
pub fn read_state_bytes(path: &Path) -> io::Result<Option<Vec<u8>>> {
    read_bytes(path, MAX_STATE_BYTES)
}

/// Whether a file does not exist: a path below a file leads nowhere either.
pub fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn read_bytes(path: &Path, max: u64) -> io::Result<Option<Vec<u8>>> {
    match regular_file::read(path, max) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn into_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn reads_regular_files_and_links_to_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "text").unwrap();
        symlink(path("a"), path("link")).unwrap();
        symlink(path("nowhere"), path("dangling")).unwrap();
        assert_eq!(read(&path("a")).unwrap().as_deref(), Some("text"));
        assert_eq!(read(&path("link")).unwrap().as_deref(), Some("text"));
        assert_eq!(read(&path("none")).unwrap(), None);
        assert_eq!(read(&path("a/none")).unwrap(), None);
        assert_eq!(read(&path("dangling")).unwrap(), None);
    }

    #[track_caller]
    fn check_refused(path: &Path, expect: &str) {
        let error = read(path).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    }

    #[test]
    fn refuses_what_never_ends_or_is_too_large() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let pipe = rustix::fs::mknodat(
            rustix::fs::CWD,
            path("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        );
        pipe.unwrap();
        symlink("/dev/zero", path("zero")).unwrap();
        fs::write(path("large"), vec![b'a'; MAX_BYTES as usize + 1]).unwrap();
        fs::write(path("binary"), [0xff]).unwrap();
        check_refused(&path("pipe"), "a named pipe, not a regular file");
        check_refused(&path("zero"), "a device, not a regular file");
        check_refused(&path("large"), "larger than 1 MB");
        check_refused(&path("binary"), "not UTF-8");
        check_refused(folder.path(), "a folder, not a regular file");
        assert!(read_state(&path("large")).unwrap().is_some());
    }
}
