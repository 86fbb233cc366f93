//! After a tool call: stores a long result and replaces it by its digest, unless it is to stay raw.

use std::time::Instant;

use forebay_domain::hook::{Reply, ToolCall, ToolResult};
use forebay_domain::tokens;
use forebay_domain::treatment::Shown;
use serde_json::Value;

use super::capture::{self, Captured, RawResult};
use super::{Host, advice, capture_filter};
use crate::ledger::TreatedCall;
use crate::{Answer, App, AppError};

/// Its name in the usage statistics.
const USAGE_NAME: &str = "capture";
/// Hosts that save a long result to a file show its beginning, about this much.
const PREVIEW_BYTES: usize = 2_048;

/// Answers a call of `agent`: the session of `app`, or one of its subagents.
pub(super) fn answer(
    app: &App,
    agent: &App,
    host: &Host<'_>,
    call: &ToolCall,
    result: &ToolResult,
) -> Result<Reply, AppError> {
    if !capture_filter::is_captured(call, &app.settings.hooks) {
        return Ok(Reply::Silent);
    }
    if (host.supports)(&Reply::Replace(String::new())) {
        return replace(app, agent, host, call, result);
    }
    if host.results.comes_again {
        return Ok(Reply::Silent);
    }
    let raw = RawResult::new(result, &host.folders);
    let Some(captured) = store_raw(app, agent, call, result, &raw)? else {
        return Ok(Reply::Silent);
    };
    advice::on_long_output(app, host, &captured.entry, raw.cut_remark().as_deref())
}

/// Stores a long result, which stays as it is in the conversation.
pub(super) fn store(
    app: &App,
    agent: &App,
    host: &Host<'_>,
    call: &ToolCall,
    result: &ToolResult,
) -> Result<Option<Captured>, AppError> {
    store_raw(app, agent, call, result, &RawResult::new(result, &host.folders))
}

fn store_raw(
    app: &App,
    agent: &App,
    call: &ToolCall,
    result: &ToolResult,
    raw: &RawResult<'_>,
) -> Result<Option<Captured>, AppError> {
    if !is_worth_replacing(app, result, raw) {
        return Ok(None);
    }
    capture::store(app, agent, call, raw, &capture::at_return(app, "")).map(Some)
}

/// Stores a long result; the answer is its digest.
pub(super) fn replace(
    app: &App,
    agent: &App,
    host: &Host<'_>,
    call: &ToolCall,
    result: &ToolResult,
) -> Result<Reply, AppError> {
    let started = Instant::now();
    let raw = RawResult::new(result, &host.folders);
    if !is_worth_replacing(app, result, &raw) {
        return Ok(Reply::Silent);
    }
    let line = capture::title_of(call);
    let treated_call = TreatedCall { call, line: &line };
    let options = capture::at_return(app, agent.session.as_str());
    let captured = capture::store(app, agent, call, &raw, &options)?;
    let (reference, raw_bytes) = (captured.entry.reference, captured.entry.bytes);
    let treated_result = captured.as_treated();
    let text = capture::text(app, agent, call, captured, result, raw.cut_remark());
    // A result that is not longer than its digest stays, but not the excerpt that a host made of a longer one.
    if text.len() as u64 >= raw.bytes() {
        return Ok(Reply::Silent);
    }
    let shown = shown_bytes(host, result) as u64;
    let answer =
        Answer::new(text, Value::Null).instead_of(raw_bytes).of_which_shown(shown).about(reference);
    if treated_call.treat(agent, &treated_result, &answer) != Shown::Digest {
        return Ok(Reply::Silent);
    }
    agent.record_usage(USAGE_NAME, &answer, started.elapsed());
    agent.flush_usage();
    Ok(Reply::Replace(answer.text))
}

/// Returns how much of a result the host would have shown its model: what it did not cut or save to a file.
fn shown_bytes(host: &Host<'_>, result: &ToolResult) -> usize {
    let most = host.result_bytes.unwrap_or(usize::MAX);
    let most = if result.saved.is_some() { most.min(PREVIEW_BYTES) } else { most };
    result.bytes().min(most)
}

fn is_worth_replacing(app: &App, result: &ToolResult, raw: &RawResult<'_>) -> bool {
    // Replacing an image by text would lose it.
    !result.has_media() && tokens::estimate_bytes(raw.bytes()) > app.settings.hooks.threshold
}
