//! Events: what happened in a session.
//!
//! Every text is truncated when the event is constructed, so the size of an event is bounded.

mod kind;
mod task;

pub use kind::{EventKind, Priority};
pub use task::Task;

use crate::Timestamp;
use forebay_text::cut;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub kind: EventKind,
    /// What it is about: a path, a task, a command. A later event of the same kind and subject says
    /// how things stand now.
    pub subject: String,
    /// What there is to say.
    pub text: String,
}

/// An event as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedEvent {
    pub event: Event,
    /// Position in the order in which things happened last.
    pub sequence: i64,
    /// How often it happened.
    pub times: u64,
    /// Whether it is neither superseded by a later event nor ended by a success.
    pub is_active: bool,
    pub session: String,
    pub branch: Option<String>,
    pub ticket: Option<String>,
    pub created: Timestamp,
}

/// Maximum length of an event's subject.
pub const MAX_SUBJECT_BYTES: usize = 240;

impl Event {
    pub fn new(kind: EventKind, subject: &str, text: &str) -> Self {
        Self {
            kind,
            subject: cut::one_line(subject, MAX_SUBJECT_BYTES),
            text: cut_to(text.trim(), kind.most_bytes()),
        }
    }
}

impl Event {
    /// This event as it stands after an earlier one of the same kind and subject.
    #[must_use]
    pub fn after(mut self, earlier_text: &str) -> Self {
        if self.kind == EventKind::Task
            && let Some(text) = task::with_words_of(&self.text, earlier_text)
        {
            self.text = text;
        }
        self
    }
}

/// A text of at most this many bytes; a cut shows.
fn cut_to(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    format!("{}…", cut::prefix(text, bytes.saturating_sub('…'.len_utf8())).trim_end())
}
