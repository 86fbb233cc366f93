//! Before a tool call: applies the user's rules.

use forebay_domain::hook::{Reply, ToolCall};

use super::{Host, capture};
use crate::rules::{self, Objection, Outcome};
use crate::{App, AppError};

/// Host modes without prompts; there an unanswered question would act as a denial.
const NO_ASK_MODES: &[&str] = &["bypassPermissions", "dontAsk", "yolo"];

/// Returns the objection of a rule to a call, if the host accepts one.
///
/// On a host that does not support "ask", the decision is left to the host's own approvals.
pub(super) fn objection(
    app: &App,
    host: &Host<'_>,
    tool: &ToolCall,
    mode: Option<&str>,
) -> Result<Option<Reply>, AppError> {
    let reply = rules::before_a_tool(app, tool)?.and_then(|objection| match objection {
        Objection::Deny(reason) => Some(Reply::Deny(format!("denied: {reason}"))),
        Objection::Ask(_) if mode.is_some_and(|mode| NO_ASK_MODES.contains(&mode)) => None,
        Objection::Ask(reason) => Some(Reply::Ask(reason)),
    });
    Ok(reply.filter(|reply| (host.supports)(reply)))
}

/// Records the answer to a call of `agent` if it is an objection.
pub(super) fn record(agent: &App, tool: &ToolCall, reply: &Reply) {
    let (outcome, reason) = match reply {
        Reply::Deny(reason) => (Outcome::Denied, reason),
        Reply::Ask(reason) => (Outcome::Asked, reason),
        _ => return,
    };
    let what = format!("{}: {}", tool.name, capture::title_of(tool));
    rules::record_objection(agent, outcome, &what, reason);
}
