//! The product's values: entries, references, runs, notes, events, hits.
//!
//! None of them is defined twice. No I/O, no async, no SQL, no wire format and no unsafe code.
//!
//! - [`entry`], [`mod@reference`], [`run`], [`note`]: what is stored; [`conflict`]: notes that contradict each other;
//! - [`event`], [`hook`], [`session`]: what happened in a session, the hook calls that report it, and its key;
//! - [`query`], [`hit`], [`scope`], [`ticket`]: what a search asks for, finds and is limited to;
//! - [`project`], [`rights`]: where entries belong, and what a token permits;
//! - [`tokens`], [`usage`], [`billing`]: what a text costs, what answers saved, and what of that was billed;
//! - [`treatment`]: what became of a result that could be replaced by its digest;
//! - [`soft_failure`]: exit codes that are results;
//! - [`time`]: timestamps and durations.

#![forbid(unsafe_code)]

pub mod billing;
pub mod conflict;
pub mod entry;
pub mod event;
pub mod hit;
pub mod hook;
pub mod note;
pub mod project;
pub mod query;
pub mod reference;
pub mod rights;
pub mod run;
pub mod scope;
pub mod session;
pub mod soft_failure;
pub mod ticket;
pub mod time;
pub mod tokens;
pub mod treatment;
pub mod usage;

pub use entry::{Entry, EntryKind};
pub use event::{Event, EventKind};
pub use hit::{Hit, ScoreTerms};
pub use note::{Note, NoteKind};
pub use project::ProjectId;
pub use query::Query;
pub use reference::{BadReference, Reference};
pub use run::{Ending, Limit, RunRecord, Spans, Stream};
pub use scope::Scope;
pub use time::Timestamp;
