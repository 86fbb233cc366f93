//! What happens when a host calls a hook: one file an event.
//!
//! A hook must never break the agent: whatever goes wrong is an error here, which the door logs while the
//! host goes on as if there were no hook. Only a deny rule that could be read is said aloud.

mod after_tool;
mod before_tool;
mod captured;
mod saved;
pub(crate) mod tools;

use std::path::PathBuf;

use forebay_domain::hook::{HookCall, HookEvent, Reply};

use crate::{App, AppError};

/// The host that calls, as far as an answer depends on it.
pub struct Host<'a> {
    /// Whether it has a way to hear an answer to this event.
    pub hears: &'a dyn Fn(&Reply) -> bool,
    /// Whether the result of the tool that is called can be replaced when it has run.
    pub replaces_results: bool,
    /// Folders in which it leaves output that was too long for it.
    pub folders: Vec<PathBuf>,
}

/// The answer to a call of a hook.
pub fn answer(app: &App, host: &Host<'_>, call: &HookCall) -> Result<Reply, AppError> {
    // First, because a rule holds also where everything below would fail.
    if let HookEvent::BeforeTool(tool) = &call.event
        && let Some(objection) = before_tool::objection(app, host, tool)?
    {
        return Ok(objection);
    }
    if call.session.is_none() {
        return Err(AppError::bad_input(
            "the payload names no session",
            "nothing was recorded of this call",
        ));
    }
    match &call.event {
        HookEvent::AfterTool(tool, result) => after_tool::answer(app, host, tool, result),
        _ => Ok(Reply::Silent),
    }
}
