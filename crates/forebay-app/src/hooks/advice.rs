//! Short advice, at most once per session and topic.

use forebay_domain::hook::Reply;
use forebay_domain::{Entry, tokens};
use forebay_text::number;

use super::Host;
use crate::next_call::NextCall;
use crate::{App, AppError};

/// The advice topic for long output.
const LONG_OUTPUT: &str = "advice: long output";

/// Returns advice when output could not be replaced, once per session.
pub(super) fn on_long_output(
    app: &App,
    host: &Host<'_>,
    entry: &Entry,
    cut_remark: Option<&str>,
) -> Result<Reply, AppError> {
    let reply = Reply::Context(long_output(entry, cut_remark));
    if !(host.supports)(&reply) || !app.stores.own()?.mark(&app.session, LONG_OUTPUT)? {
        return Ok(Reply::Silent);
    }
    Ok(reply)
}

fn long_output(entry: &Entry, cut_remark: Option<&str>) -> String {
    let cost = number::rough(tokens::estimate_bytes(entry.bytes));
    let cut = cut_remark.map(|remark| format!(" ({remark})")).unwrap_or_default();
    format!(
        "Forebay: this output has {cost} tokens; it is stored as {}{cut}. Run commands with long output through \
         {}: you get a digest, and {} reads any part of the rest.",
        entry.reference,
        NextCall::new("ctx_execute"),
        NextCall::new("ctx_get")
    )
}
