//! Which process holds SQLite's write lock.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The byte of the log's index that a writer locks.
const WRITE_LOCK_BYTE: &str = "120";

/// Returns the process that writes to a database, where the system tells: Linux lists the locks of all processes.
///
/// Opening the file to ask would drop this process's own locks on it.
pub(crate) fn lock_holder(database: &Path) -> Option<u32> {
    let mut index = database.as_os_str().to_owned();
    index.push("-shm");
    let inode = fs::metadata(index).ok()?.ino();
    let locks = fs::read_to_string("/proc/locks").ok()?;
    locks.lines().find_map(|line| holder(line, inode))
}

/// Reads `7: POSIX ADVISORY WRITE 4711 00:2f:1234 120 120`.
fn holder(line: &str, inode: u64) -> Option<u32> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [_, "POSIX", _, "WRITE", process, file, WRITE_LOCK_BYTE, _] = fields[..] else {
        return None;
    };
    let is_same = file.rsplit(':').next()?.parse::<u64>().ok()? == inode;
    process.parse().ok().filter(|process| is_same && *process > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_list_of_locks() {
        let line = "7: POSIX  ADVISORY  WRITE 4711 00:2f:1234 120 120";
        assert_eq!(holder(line, 1234), Some(4711));
        assert_eq!(holder(line, 234), None);
        assert_eq!(holder("7: POSIX  ADVISORY  READ 4711 00:2f:1234 120 120", 1234), None);
        assert_eq!(holder("7: POSIX  ADVISORY  WRITE 4711 00:2f:1234 128 128", 1234), None);
        assert_eq!(holder("7: -> POSIX  ADVISORY  WRITE 4711 00:2f:1234 120 120", 1234), None);
    }
}
