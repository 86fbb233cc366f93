//! Event extraction: which events a hook call stands for.
//!
//! Pure functions, one concern a file. Only the user's own words become a decision, a rule or a goal; tool output is
//! data and never does.

mod attempt;
mod prompt;
mod standing;
mod tool;

pub use self::attempt::{attempted, resolves};
pub use self::standing::{may_settle, settles};

use forebay_domain::hook::HookEvent;
use forebay_domain::{Event, EventKind};

/// Maximum number of events extracted from one hook call; later ones are dropped.
pub const MAX_EVENTS_PER_CALL: usize = 60;

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
    found.truncate(MAX_EVENTS_PER_CALL);
    found
}
