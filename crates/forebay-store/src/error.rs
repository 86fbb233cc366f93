//! What can go wrong in a store, and what the reader can do about it.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use forebay_domain::{Reference, Timestamp};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{0} is not in this project's store")]
    Unknown(Reference),
    #[error("{reference} was forgotten: {why}")]
    Gone { reference: Reference, why: String, at: Timestamp },
    #[error("the store {} is locked by another process", .0.display())]
    Locked(PathBuf),
    #[error("the store {} cannot be written", .0.display())]
    ReadOnly(PathBuf),
    #[error("no space left for the store {}", .0.display())]
    Full(PathBuf),
    #[error("the store {} is damaged: {what}", path.display())]
    Corrupt { path: PathBuf, what: String },
    #[error("the store {} was written by a newer Forebay (it has `{migration}`)", path.display())]
    Newer { path: PathBuf, migration: String },
    #[error("the store {}: migration `{migration}` differs from the one it was made with", path.display())]
    Altered { path: PathBuf, migration: String },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("the store {}: {source}", path.display())]
    Engine { path: PathBuf, source: Box<dyn Error + Send + Sync> },
    #[error("the address of the store cannot be read: {why}")]
    Address { why: String },
    #[error("the store {store} cannot be reached: {why}")]
    Unreachable { store: String, why: String },
    #[error("the store {store} refuses: {why}")]
    Refused { store: String, why: String },
    #[error("the store {store} is not ready for Forebay: {why}")]
    Unprepared { store: String, why: String },
    #[error("the store {store}: {why}")]
    Server { store: String, why: String },
}

impl StoreError {
    /// What the reader can do.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown(_) => {
                "ctx_search finds entries by their words; ctx_history lists them. An entry of another \
                 project needs scope `all`."
                    .to_owned()
            }
            Self::Gone { .. } => "Run the command again for a new entry.".to_owned(),
            Self::Locked(_) => "Try again; if it stays, another forebay process hangs.".to_owned(),
            Self::ReadOnly(path) => format!(
                "Make {} writable for this user, or set FOREBAY_HOME to a folder that is.",
                parent(path).display()
            ),
            Self::Full(_) => {
                "Free some disk space; `forebay purge --expired` removes what has outlived its time."
                    .to_owned()
            }
            Self::Corrupt { .. } => {
                "`forebay doctor --repair` sets the file aside under a new name and starts afresh; \
                 nothing is deleted."
                    .to_owned()
            }
            Self::Newer { .. } => "Use the newer forebay, or set FOREBAY_HOME to another folder.".to_owned(),
            Self::Altered { .. } => "Use the forebay release that made this store.".to_owned(),
            Self::Io { .. } => {
                "Data is kept where FOREBAY_HOME says: it must name a folder that can be made and written."
                    .to_owned()
            }
            Self::Address { .. } => {
                "Write it as postgres://user:password@host:5432/database?workspace=name, with %40 for an @ in \
                 the password."
                    .to_owned()
            }
            Self::Unreachable { .. } => {
                "See that the PostgreSQL server runs and that FOREBAY_STORE names it, then try again; what \
                 was stored is safe."
                    .to_owned()
            }
            Self::Refused { .. } => {
                "See that user, password and database in FOREBAY_STORE are right, and that the user may \
                 write there."
                    .to_owned()
            }
            Self::Unprepared { .. } => {
                "PostgreSQL 15 or newer with pgvector 0.8 and pg_trgm is needed; an administrator of the \
                 database runs: CREATE EXTENSION vector; CREATE EXTENSION pg_trgm;"
                    .to_owned()
            }
            Self::Engine { .. } | Self::Server { .. } => return None,
        })
    }

    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly(path.to_owned())
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Full(path.to_owned())
            }
            _ => Self::Io { path: path.to_owned(), source },
        }
    }

    /// An error of the engine itself that has no variant of its own.
    pub fn engine(path: &Path, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Engine { path: path.to_owned(), source: source.into() }
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}
