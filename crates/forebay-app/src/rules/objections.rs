//! Records what rules object to, so that a user sees it.

use forebay_domain::{Event, EventKind};
use forebay_store::EventBatch;

use crate::{App, AppError};

/// What became of a call that a rule objects to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Outcome {
    Denied,
    Asked,
}

/// Records an objection in the app's session. The same one again replaces the one before. A failure is logged only: the
/// rule holds in any case.
pub(crate) fn record(app: &App, outcome: Outcome, what: &str, reason: &str) {
    if let Err(error) = write(app, outcome, what, reason) {
        tracing::warn!(%error, "cannot record the verdict of a rule");
    }
}

fn write(app: &App, outcome: Outcome, what: &str, reason: &str) -> Result<(), AppError> {
    // A rule needs no store, and makes none.
    let Some(store) = app.stores.own_if_exists()? else { return Ok(()) };
    let word = match outcome {
        Outcome::Denied => "denied",
        Outcome::Asked => "asked",
    };
    let subject = app.redaction.redact(&format!("{word} {what}")).0;
    let event = Event::new(EventKind::Verdict, &subject, &app.redaction.redact(reason).0);
    let batch = EventBatch {
        session: app.session.clone(),
        client: app.client.clone(),
        branch: app.branch(),
        created: app.now(),
        events: vec![event],
        resolved: Vec::new(),
    };
    Ok(store.record_events(&batch)?)
}
