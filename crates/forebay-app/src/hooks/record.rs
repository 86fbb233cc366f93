//! Records the events of a hook call, and marks earlier events that they resolve.

use std::path::Path;

use forebay_domain::event::{RecordedEvent, Task};
use forebay_domain::hook::{HookCall, HookEvent, ToolAction};
use forebay_domain::{Event, EventKind};
use forebay_store::{EventBatch, EventPage};

use super::{Host, extract, said};
use crate::{App, AppError};

/// Open events compared with a new one; older ones are ignored.
const MAX_COMPARED: usize = 200;

/// Records the events of a call; `agent` has the session of the subagent that made it, if one did.
pub(super) fn record(
    app: &App,
    agent: Option<&App>,
    host: &Host<'_>,
    call: &HookCall,
) -> Result<(), AppError> {
    let events = events(app, call);
    let Some(agent) = agent else {
        let said = said::event(app, host, call)?;
        return write(app, call, said.into_iter().chain(events).collect());
    };
    // The work tree is shared; everything else is the subagent's own affair.
    let shared = events.iter().filter(|event| is_shared(event.kind)).cloned().collect();
    write(app, call, shared)?;
    let order = match &call.event {
        HookEvent::Prompt(text) => said::order(app, text),
        _ => None,
    };
    write(agent, call, order.into_iter().chain(events).collect())
}

/// Records events in a session, and what they resolve there.
fn write(app: &App, call: &HookCall, events: Vec<Event>) -> Result<(), AppError> {
    let resolved = resolved(app, call, &events)?;
    if events.is_empty() && resolved.is_empty() {
        return Ok(());
    }
    let happened = EventBatch {
        session: app.session.clone(),
        client: app.client.clone(),
        branch: app.branch(),
        created: app.now(),
        events,
        resolved,
    };
    Ok(app.stores.own()?.record_events(&happened)?)
}

fn events(app: &App, call: &HookCall) -> Vec<Event> {
    let mut events = extract::events(&call.event);
    for event in &mut events {
        event.text = app.redaction.redact(&event.text).0;
        event.subject = subject(app, event);
    }
    events
}

/// Whether events of this kind concern the conversation even if a subagent causes them.
fn is_shared(kind: EventKind) -> bool {
    matches!(kind, EventKind::FileEdited | EventKind::FileWritten | EventKind::Git)
}

/// Returns the subject of an event, with file paths normalized.
fn subject(app: &App, event: &Event) -> String {
    const FILE_EVENTS: &[EventKind] =
        &[EventKind::FileRead, EventKind::FileEdited, EventKind::FileWritten, EventKind::Rule];
    if FILE_EVENTS.contains(&event.kind) {
        let path = app.cwd.join(&event.subject);
        if let Some(inside) = inside(&path, app.root()) {
            return app.redaction.name(&inside);
        }
    }
    app.redaction.redact(&event.subject).0
}

fn inside(path: &Path, root: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?;
    let is_plain = !inside.as_os_str().is_empty() && path.is_file();
    is_plain.then(|| inside.to_string_lossy().into_owned())
}

/// Returns the sequence numbers of earlier events of the session that are resolved now.
fn resolved(app: &App, call: &HookCall, events: &[Event]) -> Result<Vec<i64>, AppError> {
    let happened = &call.event;
    let success = succeeded(happened, events);
    let listed = whole_list(happened).filter(|_| events.iter().any(|e| e.kind == EventKind::Task));
    let mut kinds: Vec<EventKind> = Vec::new();
    kinds.extend(success.as_ref().map(|_| EventKind::Error));
    kinds.extend(listed.as_ref().map(|_| EventKind::Task));
    if kinds.is_empty() {
        return Ok(Vec::new());
    }
    let page = EventPage {
        session: Some(app.session.clone()),
        kinds,
        active_only: true,
        limit: MAX_COMPARED,
        ..EventPage::default()
    };
    let standing = app.stores.own()?.events(&page)?;
    let is_over = |earlier: &&RecordedEvent| {
        let earlier = &earlier.event;
        success.as_ref().is_some_and(|success| is_resolved(success, earlier))
            || listed.as_ref().is_some_and(|listed| is_unlisted(listed, earlier))
    };
    Ok(standing.iter().filter(is_over).map(|earlier| earlier.sequence).collect())
}

/// Returns the attempt that succeeded, if any.
fn succeeded(happened: &HookEvent, events: &[Event]) -> Option<String> {
    let HookEvent::AfterTool(call, result) = happened else { return None };
    let failed = events.iter().any(|event| event.kind == EventKind::Error);
    let is_failure =
        || extract::events(happened).iter().any(|event| event.kind == EventKind::Error);
    (!failed && !result.is_error && !is_failure()).then(|| extract::attempted(call))
}

fn is_resolved(success: &str, earlier: &Event) -> bool {
    earlier.kind == EventKind::Error && extract::resolves(success, &earlier.subject)
}

/// Returns the tasks of a list that the model rewrites in full each time, so missing tasks were dropped.
fn whole_list(happened: &HookEvent) -> Option<Vec<String>> {
    let HookEvent::AfterTool(call, _) = happened else { return None };
    let ToolAction::Todo { items } = &call.action else { return None };
    let is_whole = items.iter().all(|item| item.id.is_none()) && !items.is_empty();
    is_whole.then(|| items.iter().map(|item| item.text.clone()).collect())
}

fn is_unlisted(listed: &[String], earlier: &Event) -> bool {
    let is_named = |text: &String| text.starts_with(earlier.subject.trim_end_matches('…'));
    earlier.kind == EventKind::Task
        && !earlier.subject.starts_with('#')
        && Task::from_event(earlier).is_open()
        && !listed.iter().any(is_named)
}
