//! Lists a hook call with the time that it took.

use std::io;
use std::time::Duration;

use forebay_domain::Reference;
use forebay_domain::hook::{HookCall, HookEvent, Reply, ToolCall};
use forebay_text::cut;

use super::{capture, whole_output};
use crate::App;
use crate::call_log::{CallLog, LoggedCall, LoggedTool};

/// The start of a title that is redacted; what is shown is much shorter.
const MAX_REDACTED_BYTES: usize = 4 * 1024;
/// Characters of the hash that stands for the host's name of a call.
const HASH_CHARS: usize = 16;

/// Lists a call that was answered. It comes after the answer, which does not wait for it.
pub fn log_call(app: &App, call: &HookCall, reply: &Reply, took: Duration) {
    let log = CallLog::for_app(app);
    let listed = log.append(&logged(app, call, reply, took));
    let listed = listed.and_then(|()| delete_old(app, &log, &call.event));
    if let Err(error) = listed {
        tracing::warn!(%error, "cannot list the hook call");
    }
}

/// Once per session is often enough.
fn delete_old(app: &App, log: &CallLog, event: &HookEvent) -> io::Result<()> {
    match event {
        HookEvent::SessionStart(_) => log.delete_old(app.now()),
        _ => Ok(()),
    }
}

fn logged(app: &App, call: &HookCall, reply: &Reply, took: Duration) -> LoggedCall {
    let restored = whole_output::with_original_command(call);
    let call = restored.as_ref().unwrap_or(call);
    let subagent = super::subagent(app, call);
    let session = &subagent.as_ref().unwrap_or(app).session;
    LoggedCall {
        at: app.now().0,
        session: session.clone(),
        event: call.event.moment().description().to_owned(),
        outcome: outcome(reply).to_owned(),
        micros: took.as_micros() as u64,
        tool: call.event.tool().map(|tool| LoggedTool {
            name: app.redaction.name(&tool.name),
            // What passes before it runs is listed with its title after it has run.
            title: if is_shown(&call.event, reply) { title(app, tool) } else { String::new() },
            call: name_of(session, tool),
            reference: reference(reply),
        }),
    }
}

fn outcome(reply: &Reply) -> &'static str {
    match reply {
        Reply::Deny(_) => "denied",
        Reply::Ask(_) => "asked",
        Reply::Replace(_) => "replaced",
        Reply::Rewrite(_) => "rewritten",
        Reply::Context(_) => "context added",
        Reply::Compact(_) => "compacted",
        Reply::Silent | Reply::ModDuties(_) => "passed",
    }
}

fn is_shown(event: &HookEvent, reply: &Reply) -> bool {
    !matches!((event, reply), (HookEvent::BeforeTool(_), Reply::Silent))
}

/// As a stored result of the call is titled.
fn title(app: &App, tool: &ToolCall) -> String {
    let line = capture::title_of(tool);
    let start = &line[..line.floor_char_boundary(MAX_REDACTED_BYTES)];
    cut::one_line(&app.redaction.redact(start).0, capture::MAX_TITLE_BYTES)
}

fn name_of(session: &str, tool: &ToolCall) -> Option<String> {
    let id = tool.id.as_deref().filter(|id| !id.is_empty())?;
    let hash = blake3::hash(format!("{session}\n{id}").as_bytes());
    Some(hash.to_hex()[..HASH_CHARS].to_owned())
}

fn reference(reply: &Reply) -> Option<String> {
    let (Reply::Replace(text) | Reply::Context(text)) = reply else { return None };
    Reference::all_in(text).first().map(|found| found.as_str().to_owned())
}
