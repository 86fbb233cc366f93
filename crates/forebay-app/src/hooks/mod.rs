//! What happens when a host calls a hook: one file an event.
//!
//! A hook must never break the agent: whatever goes wrong is an error here, which the door logs while the
//! host goes on as if there were no hook. Only a deny rule that could be read is said aloud.

mod advice;
mod after_tool;
mod before_tool;
mod captured;
mod compaction;
pub mod extract;
mod files;
mod prompt;
mod record;
mod rewrite;
mod saved;
mod session_start;
pub(crate) mod tools;

use std::path::PathBuf;

use forebay_domain::hook::{HookCall, HookEvent, Reply};
use forebay_domain::tokens;

use crate::{App, AppError};

/// The calling host, as far as a reply depends on it.
pub struct Host<'a> {
    /// Whether it supports a reply to this event.
    pub supports: &'a dyn Fn(&Reply) -> bool,
    /// Whether the result of the called tool can be replaced.
    pub replaces_results: bool,
    /// Whether it calls hooks for compaction.
    pub reports_compaction: bool,
    /// How many bytes of added context certainly reach the model.
    pub context_bytes: Option<usize>,
    /// The command that runs this program in the host's shell, if known.
    pub program: Option<String>,
    /// Folders in which it saves output that is too long for it.
    pub folders: Vec<PathBuf>,
}

/// The mark of a session that was compacted and not told the guide yet.
const GUIDE_DUE: &str = "guide due";

/// The answer to a call of a hook.
pub fn answer(app: &App, host: &Host<'_>, call: &HookCall) -> Result<Reply, AppError> {
    // First, because a rule holds also where everything below would fail.
    if let HookEvent::BeforeTool(tool) = &call.event
        && let Some(objection) =
            before_tool::objection(app, host, tool, call.permission_mode.as_deref())?
    {
        return Ok(objection);
    }
    if call.session.is_none() {
        return Err(AppError::bad_input(
            "the payload names no session",
            "nothing was recorded of this call",
        ));
    }
    let reply = reply(app, host, call);
    // What happened is written down also where there was nothing to answer, and the other way round.
    // One line of the log is enough for what hinders both.
    let noted = record::record(app, call).and_then(|()| files::follow(app, host, call));
    if let (Err(error), Ok(_)) = (noted, &reply) {
        tracing::warn!(%error, "not all of it was recorded");
    }
    // The next hook reads the log that this one leaves.
    if let Err(error) = app.places.tidy_own() {
        tracing::warn!(%error, "the log of the store stays as it is");
    }
    reply
}

fn reply(app: &App, host: &Host<'_>, call: &HookCall) -> Result<Reply, AppError> {
    match &call.event {
        HookEvent::BeforeTool(tool) => {
            Ok(rewrite::rewritten(app, host, tool).unwrap_or(Reply::Silent))
        }
        HookEvent::AfterTool(tool, result) => after_tool::answer(app, host, tool, result),
        HookEvent::Prompt(_) => prompt::answer(app, host),
        HookEvent::SessionStart(reason) => session_start::answer(app, host, *reason),
        HookEvent::BeforeCompact(_) => compaction::before(app, host),
        HookEvent::AfterCompact(summary) => compaction::after(app, summary.as_deref()),
        _ => Ok(Reply::Silent),
    }
}

/// Bytes of a budget that the host lets pass.
fn room(host: &Host<'_>, budget: u64) -> usize {
    let bytes = tokens::to_bytes(budget);
    host.context_bytes.map_or(bytes, |most| bytes.min(most))
}
