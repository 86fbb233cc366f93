//! Keeps entries whole and finds them again.
//!
//! [`Store`] is the contract; [`sqlite`] is the engine that needs nothing, [`mod@postgres`] the one that many
//! machines share. [`Home`] knows where a user's databases lie and [`project`] which of them a folder belongs to.

mod archive;
mod bm25;
mod contract;
mod error;
mod files;
mod foremost;
mod gathering;
mod home;
mod incoming;
mod lately;
mod migration;
mod nearest;
pub mod opencode;
mod packed;
mod part;
mod passage;
pub mod postgres;
pub mod project;
mod sharing;
mod source;
pub mod sqlite;
mod together;
mod token;

pub use self::postgres::{Address, PostgresStore};
pub use archive::{Packer, begins_like_one as begins_like_an_archive, unpack};
pub use contract::{
    Candidate, EventPage, Expiry, Facts, Happened, Health, HistoryPage, Import, ImportStep,
    Imported, NewDetail, NewEntry, NewNote, Purged, Query, Selection, SessionFacts, SimilarWord,
    Store, Upload,
};
pub use error::StoreError;
pub use files::{ContentHash, Derived, DerivedKey, FileAtWork, FileState, FilesAtWork};
pub use home::Home;
pub use packed::{Hashed, Packed, fingerprint};
pub use passage::{
    Embedded, IndexState, IndexStep, Meaning, NewChunk, Outdated, REMOTE, Renewed, Told,
};
pub use project::Project;
pub use sharing::{Adopted, NotePage, Origin, SincePage};
pub use source::{
    Freshness, Item, NewItem, NewSource, Others, Reindex, Reindexed, Source, SourceKind, Stamp,
};
pub use sqlite::{SqliteStore, wait_at_most};
pub use token::Token;
