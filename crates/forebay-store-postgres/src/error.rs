//! What goes wrong between here and the server, and what it is called outside.

use std::error::Error;
use std::path::PathBuf;

use forebay_store::StoreError;

use ::postgres::error::SqlState;

/// A fault of the server, the way to it, or of what it handed out.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error(transparent)]
    Server(#[from] postgres::Error),
    #[error("{0}")]
    Content(String),
    /// Every connection is in use.
    #[error("no connection became free")]
    Busy,
}

impl Fault {
    pub(super) fn content(error: impl ToString) -> Self {
        Self::Content(error.to_string())
    }

    /// Whether the connection is no longer one: what was asked may be asked again on another.
    pub(super) fn is_lost_connection(&self) -> bool {
        let Self::Server(error) = self else { return false };
        match error.code() {
            None => error.is_closed() || caused_by_input_or_output(error),
            Some(code) => is_goodbye(code),
        }
    }

    /// Whether two transactions waited for each other and this one was ended.
    pub(super) fn is_deadlock(&self) -> bool {
        let ended = [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE];
        matches!(self, Self::Server(error) if error.code().is_some_and(|code| ended.contains(code)))
    }

    /// Whether the server will be there in a moment.
    pub(super) fn is_starting_up(&self) -> bool {
        matches!(self, Self::Server(error) if error.code() == Some(&SqlState::CANNOT_CONNECT_NOW))
    }

    /// The same in the words of the store's callers; `store` names it without its password.
    pub(super) fn explain(self, store: &str) -> StoreError {
        let path = || PathBuf::from(store);
        let Self::Server(error) = &self else {
            return match self {
                Self::Busy => StoreError::Locked(path()),
                fault => StoreError::Server { store: store.to_owned(), why: fault.to_string() },
            };
        };
        let why = message(error);
        let store = store.to_owned();
        match error.code() {
            // A value that is not what was expected comes from a server that was reached.
            None if error.to_string().contains("serializing") => StoreError::Server { store, why },
            None => StoreError::Unreachable { store, why },
            Some(code) if is_goodbye(code) || *code == SqlState::CANNOT_CONNECT_NOW => {
                StoreError::Unreachable { store, why }
            }
            Some(code) if is_waiting_too_long(code) => StoreError::Locked(path()),
            Some(code) if is_read_only(code) => StoreError::ReadOnly(path()),
            Some(code) if *code == SqlState::DISK_FULL => StoreError::Full(path()),
            Some(code) if is_refusal(code) => StoreError::Refused { store, why },
            Some(_) => StoreError::Server { store, why },
        }
    }
}

/// The server's own words without its query; else those of the first cause.
pub(super) fn message(error: &postgres::Error) -> String {
    if let Some(told) = error.as_db_error() {
        return told.message().to_owned();
    }
    let mut cause: &dyn Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

fn caused_by_input_or_output(error: &postgres::Error) -> bool {
    error.source().is_some_and(<dyn Error>::is::<std::io::Error>)
}

/// Said by a server that goes down, or by one that has ended this connection.
fn is_goodbye(code: &SqlState) -> bool {
    [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN, SqlState::DATABASE_DROPPED].contains(code)
        || code.code().starts_with("08")
}

fn is_waiting_too_long(code: &SqlState) -> bool {
    let codes =
        [SqlState::LOCK_NOT_AVAILABLE, SqlState::T_R_DEADLOCK_DETECTED, SqlState::QUERY_CANCELED];
    codes.contains(code)
}

fn is_read_only(code: &SqlState) -> bool {
    *code == SqlState::READ_ONLY_SQL_TRANSACTION
}

/// Not this user, not this database, not this much.
fn is_refusal(code: &SqlState) -> bool {
    let codes = [
        SqlState::INSUFFICIENT_PRIVILEGE,
        SqlState::INVALID_CATALOG_NAME,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::UNDEFINED_FILE,
    ];
    codes.contains(code) || code.code().starts_with("28")
}
