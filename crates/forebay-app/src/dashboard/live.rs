//! What is being stored: entries and events after a position, in order of their numbers.
//!
//! An entry whose output is still arriving holds back those after it, so none is passed over.

use forebay_domain::EntryKind;
use forebay_domain::event::RecordedEvent;
use forebay_domain::tokens::{estimate, estimate_bytes};
use forebay_store::{EventPage, HistoryPage, SincePage};
use serde_json::{Value, json};

use super::{entry, sessions, shown};
use crate::guide::CONVERSATION_SOURCE;
use crate::{App, AppError};

/// Rows read in one query, and returned by one call.
const BATCH: usize = 500;

/// How far the entries and events of the project are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LivePosition {
    entry: i64,
    event: i64,
}

impl LivePosition {
    /// Parses the position as it is written.
    pub fn parse(text: &str) -> Option<Self> {
        let (entry, event) = text.split_once('.')?;
        Some(Self { entry: entry.parse().ok()?, event: event.parse().ok()? })
    }
}

impl std::fmt::Display for LivePosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.entry, self.event)
    }
}

/// Returns the position after everything that is stored, less the last `backlog` entries and events.
pub fn now(app: &App, backlog: usize) -> Result<LivePosition, AppError> {
    let store = app.stores.own()?;
    let limit = backlog + 1;
    let entries = store.history(&HistoryPage { limit, ..HistoryPage::default() })?;
    let events = store.events(&EventPage { limit, ..EventPage::default() })?;
    let entry = entries.get(backlog).map(|one| one.sequence);
    let event = events.get(backlog).map(|one| one.sequence);
    Ok(LivePosition { entry: entry.unwrap_or_default(), event: event.unwrap_or_default() })
}

/// Returns what was stored after a position, the oldest first, and the position after it.
pub fn since(app: &App, position: LivePosition) -> Result<(Vec<Value>, LivePosition), AppError> {
    let store = app.stores.own()?;
    let after = SincePage { after: position.entry, kinds: Vec::new(), limit: BATCH };
    let entries = store.entries_since(&after)?;
    let events = events_since(app, position.event)?;
    let next = LivePosition {
        entry: entries.last().map_or(position.entry, |one| one.sequence),
        event: events.last().map_or(position.event, |one| one.sequence),
    };
    let mut items: Vec<(i64, Value)> = entries
        .iter()
        // What was said is an event, too.
        .filter(|one| one.source != CONVERSATION_SOURCE)
        .map(|one| {
            let mut data = entry::summary(app, one);
            data["is"] = json!("entry");
            let (raw, delivered) = (estimate_bytes(one.bytes), estimate(&one.digest));
            data["delivered_tokens"] = json!(delivered);
            data["raw_tokens"] = json!(raw);
            data["outcome"] = json!(outcome(one.kind, delivered < raw));
            data["millis"] = json!(one.run().map(|run| run.duration.as_millis() as u64));
            (one.created.0, data)
        })
        .chain(events.iter().map(|one| {
            let mut data = sessions::event(app, one);
            data["is"] = json!("event");
            (one.created.0, data)
        }))
        .collect();
    // Two lists with numbers of their own become one by time, each in its own order.
    items.sort_by_key(|item| item.0);
    Ok((items.into_iter().map(|item| shown::data(item.1)).collect(), next))
}

/// What became of the result of a call; null for what is none.
fn outcome(kind: EntryKind, is_shorter: bool) -> Option<&'static str> {
    matches!(kind, EntryKind::Run | EntryKind::Capture).then_some(if is_shorter {
        "replaced"
    } else {
        "passed"
    })
}

/// Returns all events after a number, the oldest first. There may be more than one batch.
fn events_since(app: &App, after: i64) -> Result<Vec<RecordedEvent>, AppError> {
    let store = app.stores.own()?;
    let mut events: Vec<RecordedEvent> = Vec::new();
    loop {
        let before = events.last().map(|one| one.sequence);
        let batch = store.events(&EventPage { before, limit: BATCH, ..EventPage::default() })?;
        let is_last = batch.len() < BATCH;
        let known = batch.iter().position(|one| one.sequence <= after);
        let count = known.unwrap_or(batch.len());
        events.extend(batch.into_iter().take(count));
        if is_last || known.is_some() {
            events.reverse();
            return Ok(events);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_as_it_is_written() {
        let position = LivePosition { entry: 12, event: 7 };
        assert_eq!(LivePosition::parse(&position.to_string()), Some(position));
        assert_eq!(LivePosition::parse("x.1"), None);
    }
}
