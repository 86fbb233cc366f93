//! Extracts events from a hook call.
//!
//! Pure functions, one concern per file. Only the user's own words become decisions, rules or goals; tool output
//! never does.

mod attempt;
mod prompt;
mod supersession;
mod tool;

pub use self::attempt::{attempted, resolves};
pub use self::supersession::{supersedable_kinds, supersedes_event};

use forebay_domain::hook::HookEvent;
use forebay_domain::{Event, EventKind};

/// Maximum number of events extracted from one hook call; later ones are dropped.
pub const MAX_EVENTS_PER_CALL: usize = 60;

/// Extracts the events of a hook call.
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
