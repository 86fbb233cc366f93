//! Converts SQLite errors to store errors.

use std::path::Path;

use forebay_store::StoreError;
use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;

/// Converts an SQLite error by its code.
pub(crate) fn explain(path: &Path, source: rusqlite::Error) -> StoreError {
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Locked(path.to_owned())
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly(path.to_owned())
        }
        // The log's index is created before anything else; that it cannot grow means the same.
        _ if source.sqlite_extended_error_code() == Some(SQLITE_IOERR_SHMSIZE) => {
            StoreError::Full(path.to_owned())
        }
        Some(ErrorCode::DiskFull) => StoreError::Full(path.to_owned()),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Corrupt { path: path.to_owned(), what: source.to_string() }
        }
        _ => StoreError::engine(path, source),
    }
}
