//! Records on disk of what the runs in progress are watched for.
//!
//! What a run makes under the name of a control file is renamed when it ends, by the process that started it. If that
//! process is killed, its record stays, and the next run has it done. A lock that ends with the process tells whether it
//! is alive.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use tempfile::NamedTempFile;

/// The folder of the records in the data folder, which no run can write.
const FOLDER: &str = "running";
/// Paths of at most a few hundred files.
const MAX_RECORD_BYTES: u64 = 1024 * 1024;

/// The record of a run, which is removed when it ends.
#[derive(Debug)]
pub(super) struct ControlRecord {
    _file: NamedTempFile,
}

impl ControlRecord {
    /// Records that `paths` did not exist when a run started.
    pub(super) fn write<'a>(
        data_folder: &Path,
        paths: impl Iterator<Item = &'a Path>,
    ) -> io::Result<Self> {
        let folder = data_folder.join(FOLDER);
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let mut file = NamedTempFile::new_in(folder)?;
        // Before the content: one that has it and is not locked is abandoned.
        flock(&file, FlockOperation::LockExclusive)?;
        let paths: Vec<&[u8]> = paths.map(|path| path.as_os_str().as_bytes()).collect();
        file.write_all(&paths.join(&b'\0'))?;
        Ok(Self { _file: file })
    }
}

/// Removes the records of processes that are gone, and returns the paths in them.
pub(super) fn take_abandoned(data_folder: &Path) -> Vec<PathBuf> {
    let records = fs::read_dir(data_folder.join(FOLDER)).into_iter().flatten().flatten();
    records.flat_map(|record| take_if_abandoned(&record.path()).unwrap_or_default()).collect()
}

/// None if the process is alive, or has not written its record yet.
fn take_if_abandoned(path: &Path) -> Option<Vec<PathBuf>> {
    let mut file = File::open(path).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    let mut bytes = Vec::new();
    (&mut file).take(MAX_RECORD_BYTES).read_to_end(&mut bytes).ok()?;
    // Another process may have taken it in the meantime.
    let is_taken = bytes.is_empty() || fs::remove_file(path).is_err();
    let paths = bytes.split(|byte| *byte == 0).map(|path| OsStr::from_bytes(path).into());
    (!is_taken).then(|| paths.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(data: &Path) -> usize {
        fs::read_dir(data.join(FOLDER)).unwrap().count()
    }

    #[test]
    fn only_records_of_processes_that_are_gone_are_taken() {
        let data = tempfile::tempdir().unwrap();
        let data = data.path();
        assert_eq!(take_abandoned(data), <[PathBuf; 0]>::default());
        let paths = ["/p/.envrc", "/p/.mcp.json"].map(PathBuf::from);
        let record = ControlRecord::write(data, paths.iter().map(PathBuf::as_path)).unwrap();
        assert_eq!(take_abandoned(data), <[PathBuf; 0]>::default());
        // As if the process were killed: the lock is released, the file stays.
        let file = fs::read_dir(data.join(FOLDER)).unwrap().next().unwrap().unwrap().path();
        let left = fs::read(file).unwrap();
        drop(record);
        assert_eq!(records(data), 0);
        fs::write(data.join(FOLDER).join("left"), left).unwrap();
        fs::write(data.join(FOLDER).join("not-written-yet"), "").unwrap();
        assert_eq!(take_abandoned(data), paths);
        assert_eq!((take_abandoned(data).len(), records(data)), (0, 1));
    }
}
