//! Records what requests of the host to its model were billed for.

use std::path::Path;
use std::time::Duration;

use forebay_domain::Timestamp;
use forebay_domain::hook::{HookCall, HookEvent, Reply};
use forebay_domain::usage::ModelRequest;
use forebay_store::{ReportedRequest, Reporter};

use super::Host;
use crate::{App, AppError, ledger};

/// No request takes longer: a start before that is a wrong clock's.
const MAX_REQUEST: Duration = Duration::from_hours(24);

/// Records a request of the agent in whose session `agent` works.
pub(super) fn record(
    agent: &App,
    request: &ModelRequest,
    started: Option<Timestamp>,
) -> Result<Reply, AppError> {
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
        created: place(started, agent.now()),
        request,
    }])?;
    Ok(Reply::Silent)
}

/// When a request took place, for its order among the results.
///
/// Only its start comes after all results that its prompt contains and before those of its own calls: a host runs the first
/// call of an answer while the rest still arrives, and reports the request when it has ended. The report stands in for a
/// start that is unknown or cannot be right.
fn place(started: Option<Timestamp>, reported: Timestamp) -> Timestamp {
    let earliest = reported.0.saturating_sub(MAX_REQUEST.as_millis() as i64);
    match started {
        // No model answers within a millisecond: a result of the same one was there before.
        Some(started) if (earliest..reported.0).contains(&started.0) => Timestamp(started.0 + 1),
        _ => reported,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_that_cannot_be_right_is_not_believed() {
        const REPORTED: i64 = 1_800_000_000_000;
        const DAY: i64 = 24 * 60 * 60 * 1_000;
        let place_of = |started: Option<i64>| place(started.map(Timestamp), Timestamp(REPORTED)).0;
        assert_eq!(place_of(None), REPORTED);
        for right in [REPORTED - 1, REPORTED - 2, REPORTED - DAY] {
            assert_eq!(place_of(Some(right)), right + 1);
        }
        for wrong in
            [REPORTED, REPORTED + 1, i64::MAX, REPORTED - DAY - 1, REPORTED / 1_000, 0, i64::MIN]
        {
            assert_eq!(place_of(Some(wrong)), REPORTED, "{wrong}");
        }
    }
}
