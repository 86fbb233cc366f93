//! As a tool result enters the conversation: replaces a long one that no hook has replaced by its digest.
//!
//! Hooks have recorded the call before. This event comes from Forebay's mod or from a hook that sees the text that the model
//! would get.

use forebay_domain::hook::{Reply, ToolCall, ToolResult};

use super::{Host, after_tool, capture, capture_filter};
use crate::ledger::TreatedCall;
use crate::{App, AppError};

pub(super) fn answer(
    app: &App,
    agent: &App,
    host: &Host<'_>,
    call: &ToolCall,
    result: &ToolResult,
) -> Result<Reply, AppError> {
    if !capture_filter::is_captured_as_text(call, &app.settings.hooks) {
        return Ok(Reply::Silent);
    }
    let line = capture::title_of(call);
    if (TreatedCall { call, line: &line }).was_kept_raw(agent)? {
        return Ok(Reply::Silent);
    }
    after_tool::replace(app, agent, host, call, result)
}

/// Stores a long result that cannot be replaced.
pub(super) fn store(
    app: &App,
    agent: &App,
    host: &Host<'_>,
    call: &ToolCall,
    result: &ToolResult,
) -> Result<(), AppError> {
    if capture_filter::is_captured_as_text(call, &app.settings.hooks) {
        after_tool::store(app, agent, host, call, result)?;
    }
    Ok(())
}
