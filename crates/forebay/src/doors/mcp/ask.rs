//! Asks the user through the client, where a permission rule says so.

use std::collections::BTreeMap;
use std::time::Duration;

use forebay_app::{Call, Reply};
use rmcp::RoleServer;
use rmcp::model::{ElicitRequestParams, ElicitationAction, ElicitationSchema};
use rmcp::service::{ElicitationMode, Peer, RequestContext};

/// Nobody answers later; the model must go on.
const PATIENCE: Duration = Duration::from_mins(5);

/// Lets `call` ask the client's user, if the client can.
pub(super) fn through_client(call: Call, context: &RequestContext<RoleServer>) -> Call {
    if !context.peer.supported_elicitation_modes().contains(&ElicitationMode::Form) {
        return call;
    }
    let (peer, runtime) = (context.peer.clone(), tokio::runtime::Handle::current());
    // Tools work on blocking threads, where waiting for the runtime is allowed.
    call.asking(move |question| runtime.block_on(ask(&peer, question.to_owned())))
}

async fn ask(peer: &Peer<RoleServer>, question: String) -> Reply {
    let form = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question,
        // Accepting is all there is to say.
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    };
    match peer.create_elicitation_with_timeout(form, Some(PATIENCE)).await {
        Ok(result) if result.action == ElicitationAction::Accept => Reply::Yes,
        Ok(_) => Reply::No,
        Err(error) => {
            tracing::warn!(%error, "the client could not be asked");
            Reply::NobodyToAsk
        }
    }
}
