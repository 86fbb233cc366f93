//! The values Forebay speaks of, and nothing that touches the world.
//!
//! Every other crate builds on these words; none of them is defined twice. No I/O, no async, no SQL
//! and no wire format lives here.

pub mod ahead;
pub mod conflict;
pub mod entry;
pub mod event;
pub mod hit;
pub mod hook;
pub mod meaning;
pub mod note;
pub mod policy;
pub mod project;
pub mod question;
pub mod redact;
pub mod reference;
pub mod rights;
pub mod run;
pub mod scope;
pub mod soft_failure;
pub mod text;
pub mod ticket;
pub mod time;
pub mod tokens;
pub mod usage;

pub use entry::{Entry, EntryKind};
pub use event::{Event, EventKind};
pub use hit::Hit;
pub use note::{Note, NoteKind};
pub use project::ProjectId;
pub use question::Question;
pub use redact::{Redactions, Redactor};
pub use reference::{BadReference, Reference};
pub use run::{Ending, Limit, RunRecord, Spans, Stream};
pub use scope::Scope;
pub use time::Timestamp;
