//! Keeps entries whole and finds them again.
//!
//! [`Store`] is the contract; [`sqlite`] is the engine that needs nothing. [`Home`] knows where a
//! user's databases lie and [`project`] which of them a folder belongs to.

mod contract;
mod error;
mod home;
pub mod opencode;
pub mod project;
pub mod sqlite;

pub use contract::{
    EventPage, Expiry, Facts, Happened, Health, HistoryPage, Import, ImportStep, Imported,
    IndexState, IndexStep, Meaning, NewChunk, NewDetail, NewEntry, NewNote, Purged, Query,
    Selection, SessionFacts, Store, Upload,
};
pub use error::StoreError;
pub use home::Home;
pub use project::Project;
pub use sqlite::{SqliteStore, wait_at_most};
