//! What hooks tell the file tools: that the model's context starts over, and which files the host's own
//! tools touched.

use forebay_domain::hook::{HookCall, HookEvent, StartReason, ToolAction};

use super::Host;
use crate::edit::working_set::{self, Touch};
use crate::{App, AppError};

/// Passes on what concerns the files of this session.
pub(super) fn follow(app: &App, host: &Host<'_>, call: &HookCall) -> Result<(), AppError> {
    // A subagent has a context of its own, of which the main one sees nothing.
    if call.subagent.is_some() {
        return Ok(());
    }
    if host.reports_compaction && starts_over(&call.event) {
        return working_set::context_was_reset(&*app.places.own()?, &app.session);
    }
    let HookEvent::AfterTool(tool, result) = &call.event else { return Ok(()) };
    let Some((touch, paths)) = touched(&tool.action).filter(|_| !result.is_error) else {
        return Ok(());
    };
    let store = app.places.own()?;
    let touch_one =
        |path: &String| working_set::touched(&*store, &app.session, &app.cwd.join(path), touch);
    paths.iter().try_for_each(touch_one)
}

/// Whether the model loses what it was handed. A conversation that is resumed still has it.
fn starts_over(event: &HookEvent) -> bool {
    match event {
        HookEvent::SessionStart(reason) => *reason != StartReason::Resume,
        HookEvent::BeforeCompact(_) | HookEvent::AfterCompact(_) => true,
        _ => false,
    }
}

fn touched(action: &ToolAction) -> Option<(Touch, &[String])> {
    match action {
        ToolAction::Read { paths } => Some((Touch::Read, paths)),
        ToolAction::Edit { paths } => Some((Touch::Edited, paths)),
        ToolAction::Write { paths } => Some((Touch::Written, paths)),
        _ => None,
    }
}
