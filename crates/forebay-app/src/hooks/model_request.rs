//! Records what a request of the host to its model was billed for.

use forebay_domain::hook::Reply;
use forebay_domain::usage::ModelRequest;
use forebay_store::ReportedRequest;

use crate::{App, AppError};

/// Records a request of the agent in whose session `agent` works.
pub(super) fn record(agent: &App, request: &ModelRequest) -> Result<Reply, AppError> {
    let redacted = |name: &str| agent.redaction.name(name);
    let request = ModelRequest {
        id: redacted(&request.id),
        model: redacted(&request.model),
        tokens: request.tokens,
    };
    agent.stores.own()?.record_request(&ReportedRequest {
        session: agent.session.clone(),
        client: agent.client.clone(),
        created: agent.now(),
        request,
    })?;
    Ok(Reply::Silent)
}
