//! Reports context resets, and files touched by the host's own tools, to the working set.

use forebay_domain::hook::{HookCall, HookEvent, StartReason, ToolAction};

use super::Host;
use crate::edit::working_set::{self, Touch};
use crate::{App, AppError};

/// Updates the working set of this session.
pub(super) fn apply(app: &App, host: &Host<'_>, call: &HookCall) -> Result<(), AppError> {
    // A subagent's context is separate from the main one.
    if call.subagent.is_some() {
        return Ok(());
    }
    if host.reports_compaction && loses_context(&call.event) {
        return working_set::context_was_reset(&*app.stores.own()?, &app.session);
    }
    let HookEvent::AfterTool(tool, result) = &call.event else { return Ok(()) };
    let Some((touch, paths)) = touched(&tool.action).filter(|_| !result.is_error) else {
        return Ok(());
    };
    let store = app.stores.own()?;
    let touch_one =
        |path: &String| working_set::touched(&*store, &app.session, &app.cwd.join(path), touch);
    // A name with a secret would have to be stored as it is, to find the file again.
    let is_plain = |path: &&String| app.redaction.name(path) == **path;
    paths.iter().filter(is_plain).try_for_each(touch_one)
}

/// Whether the model loses what was delivered to it. A resumed conversation still has it.
fn loses_context(event: &HookEvent) -> bool {
    match event {
        HookEvent::SessionStart(reason) => *reason != StartReason::Resume,
        HookEvent::Compact(_) | HookEvent::BeforeCompact(_) | HookEvent::AfterCompact(_) => true,
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
