//! Errors of the server and the connection, and their mapping to [`StoreError`].

use std::error::Error;
use std::path::PathBuf;

use forebay_store::StoreError;

use ::postgres::error::SqlState;

/// An error of the server, of the connection, or in the data it returned.
#[derive(Debug, thiserror::Error)]
pub(super) enum PgError {
    #[error(transparent)]
    Server(#[from] postgres::Error),
    #[error("{0}")]
    InvalidData(String),
    /// The pool is exhausted.
    #[error("the connection pool is exhausted")]
    Busy,
    /// The server accepts connections and does not answer.
    #[error("it accepts connections but does not answer")]
    Silent,
}

impl PgError {
    pub(super) fn invalid_data(error: impl ToString) -> Self {
        Self::InvalidData(error.to_string())
    }

    /// Returns whether the connection was lost, so that a read may be retried on another one.
    pub(super) fn is_lost_connection(&self) -> bool {
        let Self::Server(error) = self else { return false };
        match error.code() {
            None => error.is_closed() || is_io_error(error),
            Some(code) => is_shutdown(code),
        }
    }

    /// Returns whether the server aborted the transaction because of a deadlock.
    pub(super) fn is_deadlock(&self) -> bool {
        let ended = [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE];
        matches!(self, Self::Server(error) if error.code().is_some_and(|code| ended.contains(code)))
    }

    /// Returns whether the server is still starting up.
    pub(super) fn is_starting_up(&self) -> bool {
        matches!(self, Self::Server(error) if error.code() == Some(&SqlState::CANNOT_CONNECT_NOW))
    }

    /// Converts to a [`StoreError`]; `store` is the address without its password.
    pub(super) fn explain(self, store: &str) -> StoreError {
        let path = || PathBuf::from(store);
        let Self::Server(error) = &self else {
            return match self {
                Self::Busy => StoreError::Locked(path()),
                Self::Silent => {
                    StoreError::Unreachable { store: store.to_owned(), why: self.to_string() }
                }
                error => StoreError::Server { store: store.to_owned(), why: error.to_string() },
            };
        };
        let why = message(error);
        let store = store.to_owned();
        match error.code() {
            // A conversion error has no code, but the server was reached.
            None if error.to_string().contains("serializing") => StoreError::Server { store, why },
            None => StoreError::Unreachable { store, why },
            Some(code) if is_shutdown(code) || *code == SqlState::CANNOT_CONNECT_NOW => {
                StoreError::Unreachable { store, why }
            }
            Some(code) if is_timeout(code) => StoreError::Locked(path()),
            Some(code) if is_read_only(code) => StoreError::ReadOnly(path()),
            Some(code) if *code == SqlState::DISK_FULL => StoreError::Full(path()),
            Some(code) if is_refusal(code) => StoreError::Refused { store, why },
            Some(_) => StoreError::Server { store, why },
        }
    }
}

/// Returns the server's message without the query, else that of the root cause.
pub(super) fn message(error: &postgres::Error) -> String {
    if let Some(db_error) = error.as_db_error() {
        return db_error.message().to_owned();
    }
    let mut cause: &dyn Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

fn is_io_error(error: &postgres::Error) -> bool {
    error.source().is_some_and(<dyn Error>::is::<std::io::Error>)
}

/// The server is shutting down or has terminated this connection.
fn is_shutdown(code: &SqlState) -> bool {
    [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN, SqlState::DATABASE_DROPPED].contains(code)
        || code.code().starts_with("08")
}

fn is_timeout(code: &SqlState) -> bool {
    let codes =
        [SqlState::LOCK_NOT_AVAILABLE, SqlState::T_R_DEADLOCK_DETECTED, SqlState::QUERY_CANCELED];
    codes.contains(code)
}

fn is_read_only(code: &SqlState) -> bool {
    *code == SqlState::READ_ONLY_SQL_TRANSACTION
}

/// Authentication failed, the database does not exist, or a privilege or resource is missing.
fn is_refusal(code: &SqlState) -> bool {
    let codes = [
        SqlState::INSUFFICIENT_PRIVILEGE,
        SqlState::INVALID_CATALOG_NAME,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::UNDEFINED_FILE,
    ];
    codes.contains(code) || code.code().starts_with("28")
}
