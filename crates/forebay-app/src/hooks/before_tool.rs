//! Before a tool: what the user's rules say about it.

use forebay_domain::hook::{Reply, ToolCall};

use super::Host;
use crate::rules::{self, Objection};
use crate::{App, AppError};

/// What a rule says against a call, where the host can hear it.
///
/// A host that can be asked nothing has approvals of its own, to which an ask is left.
pub(super) fn objection(
    app: &App,
    host: &Host<'_>,
    call: &ToolCall,
) -> Result<Option<Reply>, AppError> {
    let reply = rules::before_a_tool(app, call)?.map(|objection| match objection {
        Objection::Deny(reason) => Reply::Deny(format!("denied: {reason}")),
        Objection::Ask(reason) => Reply::Ask(reason),
    });
    Ok(reply.filter(|reply| (host.hears)(reply)))
}
