//! Store errors and their hints.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use forebay_domain::{Reference, Timestamp};

use crate::blob::Damage;
use crate::lock_holder::lock_holder;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{0} is not in this project's store")]
    NotFound(Reference),
    #[error("{reference} was deleted: {why}")]
    Gone { reference: Reference, why: String, at: Timestamp },
    #[error("the store {} is locked by another process", .0.display())]
    Locked(PathBuf),
    #[error("cannot write the store {}", .0.display())]
    ReadOnly(PathBuf),
    #[error("no space left for the store {}", .0.display())]
    Full(PathBuf),
    #[error("the store {} is damaged: {what}", path.display())]
    Corrupt { path: PathBuf, what: String },
    #[error("{reference} is damaged: {damage}")]
    Damaged { reference: Reference, damage: Damage },
    #[error("the store {} was removed or replaced while it was open; nothing was stored", .0.display())]
    Replaced(PathBuf),
    #[error("the store {} was written by a newer Forebay (migration `{migration}`)", path.display())]
    Newer { path: PathBuf, migration: String },
    #[error("the store {}: migration `{migration}` differs from the applied one", path.display())]
    Altered { path: PathBuf, migration: String },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("the store {}: {source}", path.display())]
    Engine { path: PathBuf, source: Box<dyn Error + Send + Sync> },
    #[error("invalid store address: {why}")]
    InvalidAddress { why: String },
    #[error("cannot connect to the store {store}: {why}")]
    Unreachable { store: String, why: String },
    #[error("the store {store} denied access: {why}")]
    Refused { store: String, why: String },
    #[error("the store {store} does not meet the requirements: {why}")]
    Unsupported { store: String, why: String },
    #[error("the store {store}: {why}")]
    Server { store: String, why: String },
}

impl StoreError {
    /// Returns what the reader can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotFound(_) => {
                "ctx_search finds entries, ctx_history lists them; entries of other projects need scope `all`."
                    .to_owned()
            }
            Self::Gone { .. } => "Run the command again to get a new entry.".to_owned(),
            Self::Locked(path) => match lock_holder(path) {
                Some(process) => {
                    format!("Process {process} is writing to it; try again when it has ended.")
                }
                None => "Try again; if it stays locked, another forebay process hangs.".to_owned(),
            },
            Self::ReadOnly(path) => format!(
                "Make {} writable for this user, or set FOREBAY_HOME to a writable folder.",
                parent(path).display()
            ),
            Self::Full(_) => {
                "Free disk space; `forebay purge --expired` deletes expired entries."
                    .to_owned()
            }
            Self::Corrupt { .. } => {
                "`forebay doctor --deep` checks everything and copies what is whole to a new file; nothing is deleted."
                    .to_owned()
            }
            Self::Damaged { .. } => {
                "Run the command again to store it anew; `forebay doctor --deep` checks all entries."
                    .to_owned()
            }
            Self::Replaced(_) => "Repeat the call; it uses the file that is there now.".to_owned(),
            Self::Newer { path, .. } => newer_hint(path),
            Self::Altered { .. } => "Use the forebay release that created this store.".to_owned(),
            Self::Io { .. } => {
                "Set FOREBAY_HOME to a folder that can be created and written."
                    .to_owned()
            }
            Self::InvalidAddress { .. } => {
                "Use the form postgres://user:password@host:5432/database?workspace=name, with %40 for an @ in \
                 the password."
                    .to_owned()
            }
            Self::Unreachable { .. } => {
                "Check that the PostgreSQL server is running and that FOREBAY_STORE names it, then try again; \
                 stored data is safe."
                    .to_owned()
            }
            Self::Refused { .. } => {
                "Check user, password and database in FOREBAY_STORE, and that the user may write there."
                    .to_owned()
            }
            Self::Unsupported { .. } => {
                "It needs PostgreSQL 15 or newer with pgvector 0.8 and pg_trgm; a database administrator \
                 runs: CREATE EXTENSION vector; CREATE EXTENSION pg_trgm;"
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

    /// Wraps an error of the engine that has no variant of its own.
    pub fn engine(path: &Path, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Engine { path: path.to_owned(), source: source.into() }
    }
}

/// The store stays as it is; a copy from before the newer migration is beside it.
fn newer_hint(store: &Path) -> String {
    let back = "Use the newer forebay, or set FOREBAY_HOME to another folder. Restart this session if forebay was \
                upgraded meanwhile; after `forebay upgrade --rollback`, the same command returns to the newer version.";
    let backups = parent(store).join("backups");
    if !backups.is_dir() {
        return back.to_owned();
    }
    format!("{back} {} has the store as it was before.", backups.display())
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}
