//! Recent requests and sessions of an overview.

use forebay_domain::event::{RecordedEvent, Task};
use forebay_domain::{EventKind, Timestamp, session};
use forebay_store::{EventPage, SessionSummary};
use forebay_text::{cut, number};

use crate::guide::layout::Section;
use crate::stores::registry::SharedStore;
use crate::{App, AppError};

const MAX_EVENTS: usize = 200;
const MAX_TASKS: usize = 8;

/// Lists the last requests of other sessions, those on this branch first.
pub(super) fn requests(
    app: &App,
    store: &SharedStore,
    max: usize,
) -> Result<Option<Section>, AppError> {
    if max == 0 {
        return Ok(None);
    }
    let mut requests = events_of_other_sessions(app, store, EventKind::Prompt)?;
    let branch = app.branch();
    requests.sort_by_key(|one| one.branch != branch);
    let line = |one: &RecordedEvent| {
        format!("- {}: {}", date(one.created), cut::one_line(&one.event.text, 200))
    };
    let lines: Vec<String> = requests.iter().take(max).map(line).collect();
    let more = "ctx_history session=all events=prompt";
    Ok((!lines.is_empty()).then(|| Section::new("## Last requests", lines, more).with_percent(20)))
}

/// Lists the last sessions, and the open tasks of the last one on this branch.
pub(super) fn sessions(
    app: &App,
    store: &SharedStore,
    max: usize,
) -> Result<Option<Section>, AppError> {
    if max == 0 {
        return Ok(None);
    }
    // One more, since this session is not shown.
    let known = store.sessions(max.saturating_add(1))?;
    let others =
        known.iter().filter(|session| is_other(app, &session.key) && is_conversation(session));
    let mut lines: Vec<String> = others.take(max).map(session_line).collect();
    lines.extend(open_tasks(app, store)?);
    let more = "ctx_reflect, ctx_history session=all";
    Ok((!lines.is_empty()).then(|| Section::new("## Sessions", lines, more).with_percent(15)))
}

/// Whether a session is a conversation; CLI sessions and shared entries without a client are not.
fn is_conversation(session: &SessionSummary) -> bool {
    !matches!(session.client.as_str(), "cli" | "")
}

fn session_line(session: &SessionSummary) -> String {
    let entries = match session.entries {
        0 => String::new(),
        1 => ": 1 entry".to_owned(),
        many => format!(": {} entries", number::grouped(many)),
    };
    format!("- {} {}{entries}", date(session.last_used), session.client)
}

/// Lists the open tasks of the last session with tasks on this branch.
fn open_tasks(app: &App, store: &SharedStore) -> Result<Vec<String>, AppError> {
    let tasks = events_of_other_sessions(app, store, EventKind::Task)?;
    let branch = app.branch();
    let Some(last) = tasks.iter().find(|one| one.branch == branch) else { return Ok(Vec::new()) };
    let of_last = tasks.iter().filter(|one| one.session == last.session);
    let open = of_last.map(|one| Task::from_event(&one.event)).filter(Task::is_open);
    Ok(open
        .take(MAX_TASKS)
        .map(|task| format!("- open: {}", cut::one_line(task.words, 140)))
        .collect())
}

/// Reads other sessions' events of a kind that still apply, latest first.
fn events_of_other_sessions(
    app: &App,
    store: &SharedStore,
    kind: EventKind,
) -> Result<Vec<RecordedEvent>, AppError> {
    let page = EventPage {
        kinds: vec![kind],
        active_only: true,
        limit: MAX_EVENTS,
        ..EventPage::default()
    };
    let mut events = store.events(&page)?;
    events.retain(|one| is_other(app, &one.session));
    Ok(events)
}

/// Whether a session is another conversation with the user.
fn is_other(app: &App, key: &str) -> bool {
    !session::is_subagent(key) && key != session::conversation(&app.session)
}

fn date(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0)
        .map(|time| time.strftime("%Y-%m-%d").to_string())
        .unwrap_or_default()
}
