//! Records the events of a hook call, and marks earlier events that they supersede.

use std::path::Path;

use forebay_domain::event::{RecordedEvent, Task};
use forebay_domain::hook::{HookCall, HookEvent, ToolAction};
use forebay_domain::{Event, EventKind};
use forebay_store::{EventBatch, EventPage};

use super::extract;
use crate::{App, AppError};

/// Open events compared with a new one; older ones are ignored.
const MAX_COMPARED: usize = 200;

/// Records the events of a call.
pub(super) fn record(app: &App, call: &HookCall) -> Result<(), AppError> {
    let events = events(app, call);
    let superseded = superseded(app, call, &events)?;
    if events.is_empty() && superseded.is_empty() {
        return Ok(());
    }
    let happened = EventBatch {
        session: app.session.clone(),
        client: app.client.clone(),
        branch: app.stores.branch(),
        created: app.now(),
        events,
        resolved: superseded,
    };
    Ok(app.stores.own()?.record_events(&happened)?)
}

fn events(app: &App, call: &HookCall) -> Vec<Event> {
    let mut events = extract::events(&call.event);
    if call.subagent.is_some() {
        events.retain(|event| !is_only_main_agent(event.kind));
    }
    for event in &mut events {
        event.text = app.redaction.redact(&event.text).0;
        event.subject = subject(app, event);
    }
    events
}

/// Whether events of this kind count only for the main agent: a subagent has its own tasks, plan and orders.
fn is_only_main_agent(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Prompt
            | EventKind::Task
            | EventKind::Plan
            | EventKind::Decision
            | EventKind::Goal
            | EventKind::Intent
    )
}

/// Returns the subject of an event, with file paths normalized.
fn subject(app: &App, event: &Event) -> String {
    const FILE_EVENTS: &[EventKind] =
        &[EventKind::FileRead, EventKind::FileEdited, EventKind::FileWritten, EventKind::Rule];
    if FILE_EVENTS.contains(&event.kind) {
        let path = app.cwd.join(&event.subject);
        if let Some(inside) = inside(&path, app.root()) {
            return inside;
        }
    }
    app.redaction.redact(&event.subject).0
}

fn inside(path: &Path, root: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?;
    let is_plain = !inside.as_os_str().is_empty() && path.is_file();
    is_plain.then(|| inside.to_string_lossy().into_owned())
}

/// Returns the sequence numbers of earlier events that are superseded.
fn superseded(app: &App, call: &HookCall, events: &[Event]) -> Result<Vec<i64>, AppError> {
    let happened = &call.event;
    let mut kinds: Vec<EventKind> =
        events.iter().flat_map(|event| extract::supersedable_kinds(event.kind)).copied().collect();
    let success = succeeded(happened, events);
    kinds.extend(success.as_ref().map(|_| EventKind::Error));
    let listed = whole_list(happened).filter(|_| call.subagent.is_none());
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
        events.iter().any(|event| extract::supersedes_event(event, earlier))
            || success.as_ref().is_some_and(|success| is_resolved(success, earlier))
            || listed.as_ref().is_some_and(|listed| is_unlisted(listed, earlier))
    };
    Ok(standing.iter().filter(is_over).map(|earlier| earlier.sequence).collect())
}

/// Returns the attempt that succeeded, if any.
fn succeeded(happened: &HookEvent, events: &[Event]) -> Option<String> {
    let HookEvent::AfterTool(call, _) = happened else { return None };
    let failed = events.iter().any(|event| event.kind == EventKind::Error);
    (!failed).then(|| extract::attempted(call))
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
