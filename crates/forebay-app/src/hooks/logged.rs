//! Lists a hook call with the time that it took, and with what went wrong.

use std::time::Duration;

use forebay_domain::Reference;
use forebay_domain::hook::{HookCall, HookEvent, Reply, ToolAction, ToolCall, ToolResult};
use forebay_text::cut;
use forebay_text::invisible::visible;

use super::{capture, rewrite, whole_output};
use crate::call_log::{CallLog, LoggedCall, LoggedFault, LoggedTool};
use crate::tools::{self, Effect};
use crate::{App, AppError};

/// A longer name of a tool is cut: a line of the list is bounded.
const MAX_TOOL_BYTES: usize = 200;
/// The start of a title that is redacted; what is shown is much shorter.
const MAX_REDACTED_BYTES: usize = 4 * 1024;
/// An error and its hint are cut: one line, as each of a host's calls may fail.
const MAX_FAULT_BYTES: usize = 600;
const MAX_HINT_BYTES: usize = 300;
/// A host's own name of an event is cut.
const MAX_EVENT_BYTES: usize = 60;
/// Characters of the hash that stands for the host's name of a call.
const HASH_CHARS: usize = 16;

/// What went wrong in a call that was answered.
#[derive(Debug, Default)]
pub struct Faults {
    first: Option<AppError>,
}

impl Faults {
    /// Logs a fault; the first one is listed with the call.
    pub fn add(&mut self, what: &str, error: AppError) {
        let message = format!("{what}: {}", error.message.replace('\n', "; "));
        tracing::warn!("{message}");
        self.first.get_or_insert(AppError { message, ..error });
    }
}

/// A call without an answer.
pub struct Failure<'a> {
    pub outcome: FailedOutcome,
    pub error: &'a AppError,
    /// What the host reported, in its own word.
    pub event: &'a str,
}

/// How a call ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailedOutcome {
    Failed,
    TimedOut,
}

impl FailedOutcome {
    /// Whether this is the outcome of a listed call without an answer.
    pub fn has_name(outcome: &str) -> bool {
        [Self::Failed, Self::TimedOut].iter().any(|known| known.as_str() == outcome)
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::TimedOut => "timed out",
        }
    }
}

/// Lists a call that was answered. It comes after the answer, which does not wait for it.
pub fn log_call(app: &App, call: &HookCall, reply: &Reply, faults: &Faults, took: Duration) {
    let fault = faults.first.as_ref().map(|error| logged_fault(app, error));
    append(app, &LoggedCall { fault, ..logged(app, call, reply, took) });
}

/// Lists a call that was not answered. `call` is what is known of it; without it, `app` is that of the folder that the host
/// works in.
pub fn log_failure(app: &App, call: Option<&HookCall>, failure: &Failure<'_>, took: Duration) {
    let known = call.map(|call| {
        let passed = logged(app, call, &Reply::Silent, took);
        let tool = passed.tool.map(|tool| LoggedTool { title: failed_title(app, call), ..tool });
        LoggedCall { tool, ..passed }
    });
    let logged = known.unwrap_or_else(|| LoggedCall {
        at: app.now().0,
        session: String::new(),
        event: cut::one_line(&app.redaction.name(failure.event), MAX_EVENT_BYTES),
        outcome: String::new(),
        micros: micros(took),
        tool: None,
        fault: None,
    });
    append(
        app,
        &LoggedCall {
            outcome: failure.outcome.as_str().to_owned(),
            fault: Some(logged_fault(app, failure.error)),
            ..logged
        },
    );
}

fn append(app: &App, call: &LoggedCall) {
    if let Err(error) = CallLog::for_app(app).append(call) {
        tracing::warn!(%error, "cannot list the hook call");
    }
}

fn logged_fault(app: &App, error: &AppError) -> LoggedFault {
    // Redacted before it is cut: the rest of a secret may not look like one.
    let clean = |text: &str, most: usize| {
        let text = visible(app.redaction.redact(text).0);
        cut::marked(&text.replace('\n', " "), most).into_owned()
    };
    LoggedFault {
        message: clean(&error.message, MAX_FAULT_BYTES),
        hint: error.hint.as_ref().map(|hint| clean(hint, MAX_HINT_BYTES)),
    }
}

fn failed_title(app: &App, call: &HookCall) -> String {
    let restored = whole_output::with_original_command(call);
    let tool = restored.as_ref().unwrap_or(call).event.tool();
    tool.map_or_else(String::new, |tool| title(app, &line(tool)))
}

fn logged(app: &App, call: &HookCall, reply: &Reply, took: Duration) -> LoggedCall {
    let subagent = super::subagent(app, call);
    let session = &subagent.as_ref().unwrap_or(app).session;
    LoggedCall {
        at: app.now().0,
        session: session.clone(),
        event: call.event.moment().description().to_owned(),
        outcome: outcome(reply).to_owned(),
        micros: micros(took),
        tool: logged_tool(app, session, call, reply),
        fault: None,
    }
}

fn micros(took: Duration) -> u64 {
    took.as_micros() as u64
}

fn logged_tool(app: &App, session: &str, call: &HookCall, reply: &Reply) -> Option<LoggedTool> {
    let restored = whole_output::with_original_command(call);
    let tool = restored.as_ref().unwrap_or(call).event.tool()?;
    let line = line(tool);
    let name = app.redaction.name(&tool.name);
    Some(LoggedTool {
        name: cut::prefix(&name, MAX_TOOL_BYTES).to_owned(),
        // What passes before it runs is listed with its title after it has run.
        title: if is_shown(&call.event, reply) { title(app, &line) } else { String::new() },
        call: call_hash(session, call.event_id.as_deref(), tool, &line),
        reference: reference(&call.event, reply),
    })
}

/// What was called, as the model wrote it.
fn line(tool: &ToolCall) -> String {
    let original = match &tool.action {
        ToolAction::Shell { command } => rewrite::original(command),
        _ => None,
    };
    original.unwrap_or_else(|| capture::title_of(tool))
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
fn title(app: &App, line: &str) -> String {
    let start = &line[..line.floor_char_boundary(MAX_REDACTED_BYTES)];
    cut::one_line(&app.redaction.redact(start).0, capture::MAX_TITLE_BYTES)
}

/// The name of a call, the same before and after it. The host's own name is not enough: some model servers start again with
/// `call_0` in every answer.
fn call_hash(session: &str, turn: Option<&str>, tool: &ToolCall, line: &str) -> Option<String> {
    let id = tool.id.as_deref().filter(|id| !id.is_empty())?;
    let mut hash = blake3::Hasher::new();
    for part in [session, turn.unwrap_or_default(), id, &tool.name, line] {
        hash.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    Some(hash.finalize().to_hex()[..HASH_CHARS].to_owned())
}

/// The stored result of a call, which its answer names first. An answer may name earlier results, too.
fn reference(event: &HookEvent, reply: &Reply) -> Option<String> {
    let (HookEvent::AfterTool(tool, result) | HookEvent::ToolResult(tool, result)) = event else {
        return None;
    };
    let found = match reply {
        Reply::Replace(text) | Reply::Context(text) => Reference::first_in(text),
        _ if has_own_result(tool) => own_reference(result),
        _ => None,
    };
    found.map(|found| found.as_str().to_owned())
}

/// Whether the result of a call is what Forebay stored and answered itself.
fn has_own_result(tool: &ToolCall) -> bool {
    match &tool.action {
        ToolAction::Shell { command } => {
            rewrite::original(command).is_some() || whole_output::original(command).is_some()
        }
        ToolAction::Mcp { tool, .. } => {
            tools::find(tool).is_ok_and(|own| own.effect == Effect::Execute)
        }
        _ => false,
    }
}

/// The reference at the start of Forebay's own answer.
fn own_reference(result: &ToolResult) -> Option<Reference> {
    let text = result.texts().next()?.trim_start();
    let head = text.lines().next().filter(|line| line.starts_with('['))?;
    Reference::first_in(head)
}

#[cfg(test)]
mod tests {
    use forebay_domain::hook::ResultPart;

    use super::*;

    fn shell(command: &str) -> ToolCall {
        ToolCall {
            name: "Bash".to_owned(),
            id: Some("call_0".to_owned()),
            action: ToolAction::Shell { command: command.to_owned() },
            description: None,
            is_partial: false,
        }
    }

    fn result(text: &str) -> ToolResult {
        ToolResult { parts: vec![ResultPart::Text(text.to_owned())], ..ToolResult::default() }
    }

    #[test]
    fn calls_with_the_same_name_of_the_host_are_told_apart() {
        let hash = |turn: &str, command: &str| {
            let tool = shell(command);
            call_hash("s", Some(turn), &tool, &line(&tool)).unwrap()
        };
        assert_eq!(hash("1", "make"), hash("1", "make"));
        assert_ne!(hash("1", "make"), hash("2", "make"), "another turn");
        assert_ne!(hash("1", "make"), hash("1", "make test"), "another command");
        let read = ToolCall { name: "Read".to_owned(), ..shell("make") };
        assert_ne!(Some(hash("1", "make")), call_hash("s", Some("1"), &read, "make"));
        assert_eq!(
            hash("1", "make x"),
            hash("1", "forebay run --digest --isolation off -- 'make x'")
        );
    }

    #[test]
    fn a_call_has_the_reference_that_its_answer_names_first() {
        let event = HookEvent::AfterTool(shell("make"), result("long"));
        let replaced = |text: &str| reference(&event, &Reply::Replace(text.to_owned()));
        let text = "[ctx:zzzzzzzzzz] exit 0\nunchanged since [ctx:aaaaaaaaaa]";
        assert_eq!(replaced(text).as_deref(), Some("zzzzzzzzzz"));
        let quoted = HookEvent::AfterTool(shell("cat notes"), result("[ctx:aaaaaaaaaa] a note"));
        assert_eq!(reference(&quoted, &Reply::Silent), None);
        let command = shell("forebay run --digest -- make");
        let own = HookEvent::AfterTool(command, result("[ctx:zzzzzzzzzz] exit 0"));
        assert_eq!(reference(&own, &Reply::Silent).as_deref(), Some("zzzzzzzzzz"));
    }
}
