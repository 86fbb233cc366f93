//! Records what requests of the host to its model were billed for.

use std::path::Path;

use forebay_domain::hook::{HookCall, HookEvent, Reply};
use forebay_domain::usage::ModelRequest;
use forebay_store::{ReportedRequest, Reporter};

use super::Host;
use crate::{App, AppError, ledger};

/// Records a request of the agent in whose session `agent` works.
pub(super) fn record(agent: &App, request: &ModelRequest) -> Result<Reply, AppError> {
    let redacted = |name: &str| agent.redaction.name(name);
    let request = ModelRequest {
        id: redacted(&request.id),
        model: redacted(&request.model),
        tokens: request.tokens,
    };
    agent.stores.own()?.record_requests(&[ReportedRequest {
        session: agent.session.clone(),
        client: agent.client.clone(),
        reporter: Reporter::Host,
        created: agent.now(),
        request,
    }])?;
    Ok(Reply::Silent)
}

/// Reads the requests of a conversation from its transcript at the end of a turn, unless Forebay's mod reports them.
pub(super) fn read_transcript(app: &App, host: &Host<'_>, call: &HookCall) -> Result<(), AppError> {
    let ends_turn = matches!(
        call.event,
        HookEvent::Stop(_)
            | HookEvent::SubagentStop(_)
            | HookEvent::BeforeCompact(_)
            | HookEvent::SessionEnd
    );
    match (&call.transcript, host.transcript) {
        (Some(path), Some(parse)) if ends_turn && host.loaded_mod.is_none() => {
            ledger::read_new(app, Path::new(path), parse)
        }
        _ => Ok(()),
    }
}
