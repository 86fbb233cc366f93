//! Looks into a database without writing anything: no file is created, migrated or checkpointed.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

/// Counts the entries of a database; None if that cannot be told without writing.
pub fn entry_count(database: &Path) -> Option<u64> {
    let address = format!("file:{}?{}", encoded(database)?, mode(database)?);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(address, flags).ok()?;
    let query = "SELECT count(*) FROM entry WHERE complete = 1";
    connection.query_row(query, [], |row| row.get::<_, i64>(0)).ok()?.try_into().ok()
}

/// How the file is opened. A log that nobody has open would be read by creating files beside it.
fn mode(database: &Path) -> Option<&'static str> {
    let beside = |end: &str| {
        let mut name = database.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    let has_log = std::fs::metadata(beside("-wal")).is_ok_and(|log| log.len() > 0);
    match (has_log, beside("-shm").exists()) {
        (false, _) => Some("immutable=1"),
        (true, true) => Some("mode=ro"),
        (true, false) => None,
    }
}

/// The path in a URI.
fn encoded(path: &Path) -> Option<String> {
    let mut encoded = String::new();
    for byte in path.to_str()?.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(encoded)
}
