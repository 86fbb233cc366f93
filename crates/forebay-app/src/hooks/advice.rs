//! Advice: at most once a session and topic, and short.

use forebay_domain::hook::Reply;
use forebay_domain::{Entry, tokens};
use forebay_text::number;

use super::Host;
use crate::{App, AppError};

/// A topic that a session is advised on.
const LONG_OUTPUT: &str = "advice: long output";

/// What to do about output that could not be replaced, when it happens for the first time.
pub(super) fn on_long_output(app: &App, host: &Host<'_>, entry: &Entry) -> Result<Reply, AppError> {
    let reply = Reply::Context(long_output(entry));
    if !(host.supports)(&reply) || !app.places.own()?.mark(&app.session, LONG_OUTPUT)? {
        return Ok(Reply::Silent);
    }
    Ok(reply)
}

fn long_output(entry: &Entry) -> String {
    let cost = number::rough(tokens::of_bytes(entry.bytes));
    format!(
        "Forebay: this output has {cost} tokens; it is kept as {}. Run commands with long output through \
         ctx_execute: you get a digest, and ctx_get reads any part of the rest.",
        entry.reference
    )
}
