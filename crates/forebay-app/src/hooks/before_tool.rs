//! Before a tool: what the user's rules say about it.

use forebay_domain::hook::{Reply, ToolCall};

use super::Host;
use crate::rules::{self, Objection};
use crate::{App, AppError};

/// Modes of hosts in which the user wants no questions; one that nobody answers would be a denial.
const UNASKED: &[&str] = &["bypassPermissions", "dontAsk", "yolo"];

/// What a rule says against a call, where the host can hear it.
///
/// A host that can be asked nothing has approvals of its own, to which an ask is left.
pub(super) fn objection(
    app: &App,
    host: &Host<'_>,
    tool: &ToolCall,
    mode: Option<&str>,
) -> Result<Option<Reply>, AppError> {
    let reply = rules::before_a_tool(app, tool)?.and_then(|objection| match objection {
        Objection::Deny(reason) => Some(Reply::Deny(format!("denied: {reason}"))),
        Objection::Ask(_) if mode.is_some_and(|mode| UNASKED.contains(&mode)) => None,
        Objection::Ask(reason) => Some(Reply::Ask(reason)),
    });
    Ok(reply.filter(|reply| (host.supports)(reply)))
}
