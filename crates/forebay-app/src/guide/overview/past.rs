//! What was asked in this project, and in which sessions.

use forebay_domain::event::{Recorded, Task};
use forebay_domain::{EventKind, Timestamp};
use forebay_store::{EventPage, SessionSummary};
use forebay_text::{cut, number};

use crate::guide::layout::Section;
use crate::stores::registry::SharedStore;
use crate::{App, AppError};

const LOOKED_AT: usize = 200;
const MOST_TASKS: usize = 8;

/// The last requests of other sessions, those made on this branch first.
pub(super) fn requests(
    app: &App,
    store: &SharedStore,
    most: usize,
) -> Result<Option<Section>, AppError> {
    if most == 0 {
        return Ok(None);
    }
    let mut asked = elsewhere(app, store, EventKind::Prompt)?;
    let branch = app.places.branch();
    asked.sort_by_key(|one| one.branch != branch);
    let line = |one: &Recorded| {
        format!("- {}: {}", date(one.created), cut::one_line(&one.event.text, 200))
    };
    let lines: Vec<String> = asked.iter().take(most).map(line).collect();
    let more = "ctx_history session=all events=prompt";
    Ok((!lines.is_empty()).then(|| Section::new("## Last requests", lines, more).weighing(20)))
}

/// The last sessions, and what the last one on this branch left open.
pub(super) fn sessions(
    app: &App,
    store: &SharedStore,
    most: usize,
) -> Result<Option<Section>, AppError> {
    if most == 0 {
        return Ok(None);
    }
    // One more, for this very session does not count.
    let known = store.sessions(most.saturating_add(1))?;
    let others = known.iter().filter(|session| session.key != app.session && is_told(session));
    let mut lines: Vec<String> = others.take(most).map(in_one_line).collect();
    lines.extend(left_open(app, store)?);
    let more = "ctx_reflect, ctx_history session=all";
    Ok((!lines.is_empty()).then(|| Section::new("## Sessions", lines, more).weighing(15)))
}

/// What people type at a terminal is no conversation, and what others shared was none here.
fn is_told(session: &SessionSummary) -> bool {
    !matches!(session.client.as_str(), "cli" | "")
}

fn in_one_line(session: &SessionSummary) -> String {
    let entries = match session.entries {
        0 => String::new(),
        1 => ": 1 entry".to_owned(),
        many => format!(": {} entries", number::grouped(many)),
    };
    format!("- {} {}{entries}", date(session.last_used), session.client)
}

/// Tasks that the session before this one did not finish, if it was on the same branch.
fn left_open(app: &App, store: &SharedStore) -> Result<Vec<String>, AppError> {
    let tasks = elsewhere(app, store, EventKind::Task)?;
    let branch = app.places.branch();
    let Some(last) = tasks.iter().find(|one| one.branch == branch) else { return Ok(Vec::new()) };
    let of_it = tasks.iter().filter(|one| one.session == last.session);
    let open = of_it.map(|one| Task::read(&one.event)).filter(Task::is_open);
    Ok(open
        .take(MOST_TASKS)
        .map(|task| format!("- open: {}", cut::one_line(task.words, 140)))
        .collect())
}

/// What still stands of a kind in other sessions, the latest first.
fn elsewhere(app: &App, store: &SharedStore, kind: EventKind) -> Result<Vec<Recorded>, AppError> {
    let page = EventPage {
        kinds: vec![kind],
        active_only: true,
        limit: LOOKED_AT,
        ..EventPage::default()
    };
    let mut events = store.events(&page)?;
    events.retain(|one| one.session != app.session);
    Ok(events)
}

fn date(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0)
        .map(|moment| moment.strftime("%Y-%m-%d").to_string())
        .unwrap_or_default()
}
