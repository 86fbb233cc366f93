//! What happens: entries, events and hook calls after a position, in order of their numbers.
//!
//! An entry whose output is still arriving holds back those after it, so none is passed over; so does a result that was
//! stored a moment ago, until it is decided whether its digest replaces it.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use forebay_domain::event::RecordedEvent;
use forebay_domain::session::conversation;
use forebay_domain::tokens::estimate;
use forebay_domain::treatment::{Shown, Treatment};
use forebay_domain::{Entry, EntryKind, Reference, Timestamp, usage};
use forebay_store::{EventPage, HistoryPage, SincePage, Store};
use serde_json::{Value, json};

use super::{entry, sessions, shown};
use crate::call_log::{CallLog, Latency, LogPosition, LoggedCall};
use crate::guide::CONVERSATION_SOURCE;
use crate::{App, AppError};

/// Rows read in one query, and returned by one call.
const BATCH: usize = 500;
/// A result without a decision by then stayed as it was.
const DECISION_TIMEOUT: Duration = Duration::from_secs(1);

/// How far the entries, events and hook calls of the project are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LivePosition {
    entry: i64,
    event: i64,
    calls: LogPosition,
}

impl LivePosition {
    /// Parses the position as it is written.
    pub fn parse(text: &str) -> Option<Self> {
        let (entry, rest) = text.split_once('.')?;
        let (event, calls) = rest.split_once('.')?;
        Some(Self {
            entry: entry.parse().ok()?,
            event: event.parse().ok()?,
            calls: LogPosition::parse(calls)?,
        })
    }
}

impl std::fmt::Display for LivePosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.entry, self.event, self.calls)
    }
}

/// Returns the position after everything that happened, less the last `backlog` entries, events and hook calls.
pub fn now(app: &App, backlog: usize) -> Result<LivePosition, AppError> {
    let store = app.stores.own()?;
    let limit = backlog + 1;
    let entries = store.history(&HistoryPage { limit, ..HistoryPage::default() })?;
    let events = store.events(&EventPage { limit, ..EventPage::default() })?;
    let entry = entries.get(backlog).map(|one| one.sequence);
    let event = events.get(backlog).map(|one| one.sequence);
    Ok(LivePosition {
        entry: entry.unwrap_or_default(),
        event: event.unwrap_or_default(),
        calls: CallLog::for_app(app).before_last(backlog).map_err(unreadable)?,
    })
}

/// Reads the live view of a project from a position on.
#[derive(Clone)]
pub struct LiveReader {
    position: LivePosition,
    /// The store that the position is about; `None` before the first read.
    store: Option<Weak<dyn Store>>,
}

impl LiveReader {
    pub fn new(position: LivePosition) -> Self {
        Self { position, store: None }
    }

    pub fn position(&self) -> LivePosition {
        self.position
    }

    /// Returns what happened since the last time, the oldest first.
    pub fn read(&mut self, app: &App) -> Result<Vec<Value>, AppError> {
        let store = app.stores.own()?;
        let is_other =
            self.store.as_ref().is_some_and(|known| !Weak::ptr_eq(known, &Arc::downgrade(&store)));
        if is_other {
            self.position = self.position.in_other_store(&*store)?;
        }
        self.store = Some(Arc::downgrade(&store));
        let (items, next) = since(app, self.position)?;
        self.position = next;
        Ok(items)
    }
}

impl LivePosition {
    /// The position in a store that took the place of the one that this is about. A new store begins again with its numbers.
    fn in_other_store(self, store: &dyn Store) -> Result<Self, AppError> {
        let entries = store.history(&HistoryPage { limit: 1, ..HistoryPage::default() })?;
        let events = store.events(&EventPage { limit: 1, ..EventPage::default() })?;
        let last_entry = entries.first().map_or(0, |one| one.sequence);
        let last_event = events.first().map_or(0, |one| one.sequence);
        Ok(Self {
            entry: if last_entry < self.entry { 0 } else { self.entry },
            event: if last_event < self.event { 0 } else { self.event },
            ..self
        })
    }
}

/// Returns what happened after a position, the oldest first, and the position after it.
fn since(app: &App, position: LivePosition) -> Result<(Vec<Value>, LivePosition), AppError> {
    let store = app.stores.own()?;
    // Before the store: what a call refers to is stored before it is listed.
    let (calls, calls_next) = CallLog::for_app(app).since(position.calls).map_err(unreadable)?;
    let after = SincePage { after: position.entry, kinds: Vec::new(), limit: BATCH };
    let entries = store.entries_since(&after)?;
    let treatments = treatments(&*store, &entries)?;
    let entries = decided(&entries, &treatments, app.now());
    let events = events_since(app, position.event)?;
    let next = LivePosition {
        entry: entries.last().map_or(position.entry, |one| one.sequence),
        event: events.last().map_or(position.event, |one| one.sequence),
        calls: calls_next,
    };
    let mut items: Vec<(i64, Value)> = entries
        .iter()
        // What was said is an event, too.
        .filter(|one| one.source != CONVERSATION_SOURCE)
        .map(|one| {
            let mut data = entry::summary(app, one);
            data["is"] = json!("entry");
            data["millis"] = json!(one.run().map(|run| run.duration.as_millis() as u64));
            add_outcome(&mut data, one, treatments.get(&one.reference));
            (one.created.0, data)
        })
        .chain(events.iter().map(|one| {
            let mut data = sessions::event(app, one);
            data["is"] = json!("event");
            (one.created.0, data)
        }))
        .chain(calls.into_iter().map(|one| (one.at, hook_call(one))))
        .collect();
    // Lists with numbers of their own become one by time, each in its own order.
    items.sort_by_key(|item| item.0);
    Ok((items.into_iter().map(|item| shown::data(item.1)).collect(), next))
}

/// What became of the results among the entries, by their reference.
fn treatments(
    store: &dyn Store,
    entries: &[Entry],
) -> Result<BTreeMap<Reference, Treatment>, AppError> {
    let mut since: BTreeMap<&str, Timestamp> = BTreeMap::new();
    for one in entries.iter().filter(|one| is_result(one)) {
        let earliest = since.entry(conversation(&one.session)).or_insert(one.created);
        *earliest = one.created.min(*earliest);
    }
    let mut found = BTreeMap::new();
    for (session, since) in since {
        let treatments = store.treatments(session, since)?;
        found.extend(treatments.into_iter().map(|one| (one.reference, one)));
    }
    Ok(found)
}

/// The entries before the first result of which it is not decided yet what the model gets.
fn decided<'a>(
    entries: &'a [Entry],
    treatments: &BTreeMap<Reference, Treatment>,
    now: Timestamp,
) -> &'a [Entry] {
    let is_pending = |one: &Entry| {
        let age = now.0 - one.created.0;
        is_result(one)
            && !treatments.contains_key(&one.reference)
            && (0..DECISION_TIMEOUT.as_millis() as i64).contains(&age)
    };
    &entries[..entries.iter().position(is_pending).unwrap_or(entries.len())]
}

/// Whether an entry is the captured result of a call: not a version of a file, what a subagent said, a text about a
/// compaction, or part of an imported conversation.
fn is_result(entry: &Entry) -> bool {
    let Entry { kind, title, source, .. } = entry;
    *kind == EntryKind::Capture
        && title.strip_prefix("file ") != Some(source)
        && !title.starts_with("subagent: ")
        && !sessions::is_of_compaction(source)
        && !source.contains(':')
}

/// Tokens that the host would have shown of a result: what the ledger credits.
pub(super) fn host_tokens(entry: &Entry, treatment: Option<&Treatment>) -> u64 {
    treatment.map_or_else(|| usage::host_tokens(entry.bytes), |one| one.host_tokens)
}

/// What became of a result, if it was decided about.
pub(super) fn treatment(store: &dyn Store, entry: &Entry) -> Result<Option<Treatment>, AppError> {
    Ok(treatments(store, std::slice::from_ref(entry))?.remove(&entry.reference))
}

/// Adds what became of a call: what the model got of its result, and how long that is. Null for what is none.
fn add_outcome(data: &mut Value, entry: &Entry, treatment: Option<&Treatment>) {
    let (before, digest) = (host_tokens(entry, treatment), estimate(&entry.digest));
    let is_run = entry.kind == EntryKind::Run;
    let after = match treatment {
        Some(one) => one.shown_tokens(),
        None if is_run => digest,
        None => before,
    };
    let outcome = match treatment.map(|one| one.shown) {
        Some(Shown::Digest) => Some("replaced"),
        Some(Shown::HeldOut | Shown::Raw) => Some("passed"),
        None if is_run => Some(if after < before { "replaced" } else { "passed" }),
        None => is_result(entry).then_some("passed"),
    };
    data["outcome"] = json!(outcome);
    data["host_tokens"] = json!(before);
    data["delivered_tokens"] = json!(after);
    data["tool"] = json!(if is_run { "run" } else { &entry.source });
    let Some(treatment) = treatment else { return };
    data["tool"] = json!(treatment.tool);
    data["session"] = json!(treatment.session);
    let is_long = treatment.shown != Shown::Digest;
    data["passed_because"] = json!(is_long.then(|| treatment.shown.as_str()));
}

fn hook_call(call: LoggedCall) -> Value {
    let tool = call.tool.as_ref();
    json!({
        "is": "call",
        "created": call.at,
        "session": call.session,
        "event": call.event,
        "outcome": call.outcome,
        "micros": call.micros,
        "tool": tool.map(|tool| &tool.name),
        "title": tool.map(|tool| &tool.title),
        "call": tool.and_then(|tool| tool.call.as_ref()),
        "ref": tool.and_then(|tool| tool.reference.as_ref()),
    })
}

/// Returns how long the latest hook calls took, by what the host reported.
pub fn latency(app: &App) -> Result<Value, AppError> {
    let times = CallLog::for_app(app).times().map_err(unreadable)?;
    let data = |times: Vec<u64>| {
        Latency::from_micros(times).map(|Latency { calls, median, p95, max }| {
            json!({ "calls": calls, "median_micros": median, "p95_micros": p95, "max_micros": max })
        })
    };
    let all = data(times.values().flatten().copied().collect());
    let events =
        times.into_iter().map(|(event, times)| json!({ "event": event, "time": data(times) }));
    Ok(shown::data(json!({ "all": all, "events": events.collect::<Vec<_>>() })))
}

fn unreadable(error: std::io::Error) -> AppError {
    AppError::unavailable(format!("cannot read the list of hook calls: {error}"), None)
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
        let calls = LogPosition::parse("20776.512").unwrap();
        let position = LivePosition { entry: 12, event: 7, calls };
        assert_eq!(LivePosition::parse(&position.to_string()), Some(position));
        assert_eq!(LivePosition::parse("x.1.2.3"), None);
        assert_eq!(LivePosition::parse("1.2"), None);
    }
}
