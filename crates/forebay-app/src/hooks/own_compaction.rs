//! Compacts a conversation without a model: long tool results become digests with references.
//!
//! Forebay's mod hands over the results and keeps every other message as it is. A silent answer leaves the compaction to
//! the host. After an answer the host calls no hook before the compaction, so the snapshot is taken here; the guide
//! follows at the start of the compacted session.

use forebay_digest::Budget;
use forebay_domain::hook::{CutResult, LongResults, Reply, ToolAction, ToolCall, ToolResult};
use forebay_domain::{Ending, tokens};

use super::capture::{self, CaptureMoment, CaptureOptions, Captured, RawResult};
use super::{Host, capture_filter, compaction};
use crate::own_calls::{is_own_command, is_own_tool};
use crate::render::difference::ComparedDigest;
use crate::render::frame::{self, CaptureFrame};
use crate::settings::Compactor;
use crate::{App, AppError, parallel};

/// Tokens of a digest, without its frame: the model worked with the result already.
const DIGEST_TOKENS: u64 = 120;
/// Shorter results stay.
const MIN_RESULT_TOKENS: u64 = 500;

pub(super) fn answer(
    app: &App,
    agent: &App,
    host: &Host<'_>,
    long: &LongResults,
) -> Result<Reply, AppError> {
    let settings = &app.settings.hooks;
    if settings.compact != Compactor::Forebay {
        return Ok(Reply::Silent);
    }
    let cut: Vec<_> =
        long.results.iter().filter(|(call, result)| is_cut(app, call, result)).collect();
    let saved: u64 = cut.iter().map(|(_, result)| saved_bytes(result)).sum();
    if saved == 0 || saved * 100 < long.conversation_bytes * settings.compact_min_saving {
        return Ok(Reply::Silent);
    }
    app.stores.open_own_in_background();
    let folders = &host.folders;
    let cut = parallel::map(&cut, |(call, result)| {
        digest(app, agent, call, &RawResult::new(result, folders), result)
    });
    let cut = cut.into_iter().collect::<Result<Vec<_>, _>>()?;
    compaction::take_snapshot(agent)?;
    Ok(Reply::Compact(cut))
}

fn is_cut(app: &App, call: &ToolCall, result: &ToolResult) -> bool {
    // Digests of hooks stay as they are.
    let min = MIN_RESULT_TOKENS.max(app.settings.digest.budget);
    capture_filter::is_cut_by_compaction(call, &app.settings.hooks)
        && call.id.is_some()
        && !result.has_media()
        && tokens::estimate_bytes(result.bytes() as u64) > min
}

/// What a digest in place of this result saves at least.
fn saved_bytes(result: &ToolResult) -> u64 {
    let most = tokens::to_bytes(DIGEST_TOKENS + frame::RESERVED_TOKENS);
    result.bytes().saturating_sub(most) as u64
}

/// Stores a result; returns its digest.
fn digest(
    app: &App,
    agent: &App,
    call: &ToolCall,
    raw: &RawResult<'_>,
    result: &ToolResult,
) -> Result<CutResult, AppError> {
    let options = CaptureOptions {
        budget: Budget::exactly(DIGEST_TOKENS),
        moment: CaptureMoment::Later,
        is_searchable: !repeats_what_is_found(call),
        call_line: None,
    };
    let Captured { entry, digest, redactions, .. } =
        capture::store(app, agent, call, raw, &options)?;
    let ending = result.exit_code.map(Ending::Exited);
    let remarks = raw.cut_remark().into_iter().collect();
    let frame =
        CaptureFrame { reference: entry.reference, ending, remarks, redactions: &redactions };
    let text = frame.around(&ComparedDigest::alone(digest));
    Ok(CutResult { call: call.id.clone().unwrap_or_default(), text })
}

/// Whether a search finds the text elsewhere: in a file, or in the entry that an answer of Forebay repeats.
fn repeats_what_is_found(call: &ToolCall) -> bool {
    match &call.action {
        ToolAction::Read { .. } | ToolAction::Edit { .. } | ToolAction::Write { .. } => true,
        ToolAction::Shell { command } => is_own_command(command),
        ToolAction::Mcp { .. } => is_own_tool(&call.name),
        _ => false,
    }
}
