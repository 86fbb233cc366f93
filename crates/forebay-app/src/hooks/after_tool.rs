//! After a tool: a long result is stored, and the model gets its digest in place of it.

use std::time::Instant;

use forebay_domain::hook::{Reply, ToolCall, ToolResult};
use forebay_domain::{Ending, tokens};
use serde_json::Value;

use super::captured::{self, Captured, Raw};
use super::{Host, advice, tools};
use crate::render::frame;
use crate::{Answer, App, AppError};

/// What the ledger calls it.
const LEDGER_NAME: &str = "capture";

pub(super) fn answer(
    app: &App,
    host: &Host<'_>,
    call: &ToolCall,
    result: &ToolResult,
) -> Result<Reply, AppError> {
    let started = Instant::now();
    let raw = Raw::of(result, &host.folders);
    if !is_worth_it(app, call, result, &raw) {
        return Ok(Reply::Silent);
    }
    let can_replace = (host.supports)(&Reply::Replace(String::new()));
    let captured = captured::store(app, call, &raw)?;
    if !can_replace {
        return advice::on_long_output(app, host, &captured.entry);
    }
    let text = text(&captured, result);
    // A result that is no longer than its digest is its own digest.
    if text.len() >= result.bytes() {
        return Ok(Reply::Silent);
    }
    let answer = Answer::new(text, Value::Null).instead_of(captured.entry.bytes);
    app.enter_in_ledger(LEDGER_NAME, &answer, started.elapsed());
    app.flush_ledger();
    Ok(Reply::Replace(answer.text))
}

fn is_worth_it(app: &App, call: &ToolCall, result: &ToolResult, raw: &Raw<'_>) -> bool {
    // Text in place of an image would lose it.
    !result.has_media()
        && tokens::of_bytes(raw.bytes()) > app.settings.hooks.threshold
        && tools::is_captured(call, &app.settings.hooks)
}

/// What the model reads.
fn text(captured: &Captured, result: &ToolResult) -> String {
    let ending = result.exit_code.map(Ending::Exited);
    frame::capture(&captured.digest, &captured.entry, ending, &captured.redactions)
}
