//! Asks the user through the client (elicitation) when a permission rule requires it.

use std::collections::BTreeMap;

use forebay_app::bounds::ELICITATION_TIMEOUT;
use forebay_app::{Call, Reply};
use rmcp::RoleServer;
use rmcp::model::{ElicitRequestParams, ElicitationAction, ElicitationSchema};
use rmcp::service::{ElicitationMode, Peer, RequestContext};

/// Lets `call` ask the client's user, if the client supports elicitation.
pub(super) fn through_client(call: Call, context: &RequestContext<RoleServer>) -> Call {
    if !context.peer.supported_elicitation_modes().contains(&ElicitationMode::Form) {
        return call;
    }
    let (peer, runtime) = (context.peer.clone(), tokio::runtime::Handle::current());
    // Tools run on blocking threads, where blocking on the runtime is allowed.
    call.prompting_with(move |question| runtime.block_on(ask(&peer, question.to_owned())))
}

async fn ask(peer: &Peer<RoleServer>, question: String) -> Reply {
    let form = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question,
        // Accepting is the only content.
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    };
    match peer.create_elicitation_with_timeout(form, Some(ELICITATION_TIMEOUT)).await {
        Ok(result) if result.action == ElicitationAction::Accept => Reply::Yes,
        Ok(_) => Reply::No,
        Err(error) => {
            tracing::warn!(%error, "elicitation failed");
            Reply::Unavailable
        }
    }
}
