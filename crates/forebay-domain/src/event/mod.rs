//! Events: what happened in a session, taken from what a host tells its hooks.
//!
//! Small pure functions, one concern a file. Only what the user said becomes a decision, a rule or a
//! goal; what tools print is data and never does. Every text is cut to a size when it is made.

mod attempt;
mod kind;
mod prompt;
mod standing;
mod task;
mod tool;

pub use attempt::{attempted, resolves};
pub use kind::{EventKind, Priority};
pub(crate) use prompt::is_ticket;
pub use standing::{may_settle, settles};
pub use task::Task;

use crate::Timestamp;
use crate::hook::HookEvent;
use crate::text::cut;

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
pub struct Recorded {
    pub event: Event,
    /// Position in the order in which things happened last.
    pub sequence: i64,
    /// How often it happened.
    pub times: u64,
    /// Nothing later took it back, and no success ended it.
    pub stands: bool,
    pub session: String,
    pub branch: Option<String>,
    pub ticket: Option<String>,
    pub created: Timestamp,
}

const MOST_SUBJECT_BYTES: usize = 240;
/// One call of a hook tells no more than this; the first are kept, as they stand in order.
pub const MOST_AT_ONCE: usize = 60;

impl Event {
    pub(crate) fn new(kind: EventKind, subject: &str, text: &str) -> Self {
        Self {
            kind,
            subject: cut::one_line(subject, MOST_SUBJECT_BYTES),
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

/// The events that a hook's event stands for.
pub fn events(event: &HookEvent) -> Vec<Event> {
    let mut found = match event {
        HookEvent::Prompt(text) => prompt::events(text),
        HookEvent::AfterTool(call, result) => tool::events(call, result),
        HookEvent::SubagentStop(Some(words)) => {
            vec![Event::new(EventKind::Subagent, "result", words)]
        }
        _ => Vec::new(),
    };
    found.truncate(MOST_AT_ONCE);
    found
}

/// A text of at most this many bytes; a cut shows.
fn cut_to(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    format!("{}…", cut::prefix(text, bytes.saturating_sub('…'.len_utf8())).trim_end())
}
