//! Extracts events from a hook call.
//!
//! Pure functions, one concern per file. What was said is stored as it is: see `hooks/said.rs`.

mod attempt;
mod prompt;
mod tool;

pub use self::attempt::{attempted, resolves};

use forebay_domain::Event;
use forebay_domain::hook::HookEvent;

/// Maximum number of events extracted from one hook call; later ones are dropped.
pub const MAX_EVENTS_PER_CALL: usize = 60;

/// Extracts the events of a hook call.
pub fn events(event: &HookEvent) -> Vec<Event> {
    let mut found = match event {
        HookEvent::Prompt(text) => prompt::events(text),
        HookEvent::AfterTool(call, result) => tool::events(call, result),
        _ => Vec::new(),
    };
    found.truncate(MAX_EVENTS_PER_CALL);
    found
}
