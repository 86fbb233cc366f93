//! What happens: entries, events and hook calls after a position, in order of their numbers.
//!
//! An entry whose output is still arriving holds back those after it, so none is passed over; so does a result that was
//! stored a moment ago, until it is decided whether its digest replaces it.
//!
//! Hook calls are not in the store, so they are shown also while it cannot be read: that may be why they failed.

use std::collections::BTreeMap;
use std::fmt;
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
use crate::call_log::{CallLog, Latency, LogPosition, LoggedCall, LoggedFault};
use crate::guide::CONVERSATION_SOURCE;
use crate::hooks::FailedOutcome;
use crate::{App, AppError};

/// Rows read in one query, and returned by one call.
const BATCH: usize = 500;
/// Stands for a number that is not known.
const UNKNOWN: &str = "-";
/// A result without a decision by then stayed as it was.
const DECISION_TIMEOUT: Duration = Duration::from_secs(1);

/// How far the entries, events and hook calls of the project are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LivePosition {
    /// `None` while the store could not be read.
    stored: Option<StoredPosition>,
    calls: LogPosition,
}

/// How far the entries and events in the store are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct StoredPosition {
    entry: i64,
    event: i64,
}

impl LivePosition {
    /// Before everything.
    pub fn first() -> Self {
        Self { stored: Some(StoredPosition::default()), calls: LogPosition::default() }
    }

    /// Parses the position as it is written.
    pub fn parse(text: &str) -> Option<Self> {
        let (entry, rest) = text.split_once('.')?;
        let (event, calls) = rest.split_once('.')?;
        let stored = match (entry, event) {
            (UNKNOWN, UNKNOWN) => None,
            _ => Some(StoredPosition { entry: entry.parse().ok()?, event: event.parse().ok()? }),
        };
        Some(Self { stored, calls: LogPosition::parse(calls)? })
    }
}

impl fmt::Display for LivePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stored {
            Some(StoredPosition { entry, event }) => write!(f, "{entry}.{event}.{}", self.calls),
            None => write!(f, "{UNKNOWN}.{UNKNOWN}.{}", self.calls),
        }
    }
}

/// Reads the live view of a project from a position on.
#[derive(Clone)]
pub struct LiveReader {
    /// What is read before a position is known: the last entries, events and hook calls.
    backlog: usize,
    stored: Option<StoredPosition>,
    calls: Option<LogPosition>,
    /// The store that the position is about; `None` before the first read.
    store: Option<Weak<dyn Store>>,
}

/// What happened since the last time.
#[derive(Debug, Default)]
pub struct LiveBatch {
    /// The oldest first.
    pub items: Vec<Value>,
    /// Why there may be more that cannot be read now.
    pub fault: Option<AppError>,
    /// Whether nothing more is there.
    pub is_complete: bool,
}

impl LiveReader {
    /// Reads from the last entries, events and hook calls on.
    pub fn with_backlog(backlog: usize) -> Self {
        Self { backlog, stored: None, calls: None, store: None }
    }

    /// Reads from a position on; what it does not know begins with its last `backlog` ones.
    pub fn from_position(LivePosition { stored, calls }: LivePosition, backlog: usize) -> Self {
        Self { backlog, stored, calls: Some(calls), store: None }
    }

    /// How far the calls are known, and what is stored; `None` before the first read.
    pub fn position(&self) -> Option<LivePosition> {
        self.calls.map(|calls| LivePosition { stored: self.stored, calls })
    }

    /// Returns what happened since the last time. What cannot be read now is read later.
    pub fn read(&mut self, app: &App) -> LiveBatch {
        let before = (self.stored, self.calls);
        // Before the store: what a call refers to is stored before it is listed.
        let (calls, list_fault) = or_fault(self.read_calls(app));
        let (mut items, store_fault) = or_fault(self.read_store(app));
        // After what is stored in the same millisecond.
        items.extend(calls);
        // Lists with numbers of their own become one by time, each in its own order.
        items.sort_by_key(|item| item.0);
        LiveBatch {
            items: items.into_iter().map(|item| shown::data(item.1)).collect(),
            fault: store_fault.or(list_fault),
            is_complete: before == (self.stored, self.calls),
        }
    }

    fn read_calls(&mut self, app: &App) -> Result<Vec<(i64, Value)>, AppError> {
        let log = CallLog::for_app(app);
        let position = match self.calls {
            Some(position) => position,
            None => log.before_last(self.backlog).map_err(unreadable)?,
        };
        let (calls, next) = log.since(position).map_err(unreadable)?;
        self.calls = Some(next);
        // A fault may tell of the machine, which is not the team's.
        let has_faults = !app.is_shared();
        let items =
            |call| hook_items(call).filter(move |(_, item)| has_faults || item["is"] != "fault");
        Ok(calls.into_iter().flat_map(items).collect())
    }

    fn read_store(&mut self, app: &App) -> Result<Vec<(i64, Value)>, AppError> {
        let store = app.stores.own()?;
        let is_other =
            self.store.as_ref().is_some_and(|known| !Weak::ptr_eq(known, &Arc::downgrade(&store)));
        let position = match self.stored {
            Some(position) if is_other => position.in_other_store(&*store)?,
            Some(position) => position,
            None => StoredPosition::before_last(&*store, self.backlog)?,
        };
        self.store = Some(Arc::downgrade(&store));
        let (items, next) = stored_since(app, &*store, position)?;
        self.stored = Some(next);
        Ok(items)
    }
}

fn or_fault<T: Default>(read: Result<T, AppError>) -> (T, Option<AppError>) {
    match read {
        Ok(read) => (read, None),
        Err(error) => (T::default(), Some(error)),
    }
}

impl StoredPosition {
    /// The position after everything in a store, less the last `backlog` entries and events.
    fn before_last(store: &dyn Store, backlog: usize) -> Result<Self, AppError> {
        let limit = backlog + 1;
        let entries = store.history(&HistoryPage { limit, ..HistoryPage::default() })?;
        let events = store.events(&EventPage { limit, ..EventPage::default() })?;
        let entry = entries.get(backlog).map(|one| one.sequence);
        let event = events.get(backlog).map(|one| one.sequence);
        Ok(Self { entry: entry.unwrap_or_default(), event: event.unwrap_or_default() })
    }

    /// The position in a store that took the place of the one that this is about. A new store begins again with its numbers.
    fn in_other_store(self, store: &dyn Store) -> Result<Self, AppError> {
        let entries = store.history(&HistoryPage { limit: 1, ..HistoryPage::default() })?;
        let events = store.events(&EventPage { limit: 1, ..EventPage::default() })?;
        let last_entry = entries.first().map_or(0, |one| one.sequence);
        let last_event = events.first().map_or(0, |one| one.sequence);
        Ok(Self {
            entry: if last_entry < self.entry { 0 } else { self.entry },
            event: if last_event < self.event { 0 } else { self.event },
        })
    }
}

/// Returns what was stored after a position with its time, entries before events, and the position after it.
fn stored_since(
    app: &App,
    store: &dyn Store,
    position: StoredPosition,
) -> Result<(Vec<(i64, Value)>, StoredPosition), AppError> {
    let after = SincePage { after: position.entry, kinds: Vec::new(), limit: BATCH };
    let entries = store.entries_since(&after)?;
    let treatments = treatments(store, &entries)?;
    let entries = decided(&entries, &treatments, app.now());
    let events = events_since(store, position.event)?;
    let next = StoredPosition {
        entry: entries.last().map_or(position.entry, |one| one.sequence),
        event: events.last().map_or(position.event, |one| one.sequence),
    };
    let entries = entries
        .iter()
        // What was said is an event, too.
        .filter(|one| one.source != CONVERSATION_SOURCE)
        .map(|one| {
            let mut data = entry::summary(app, one);
            data["is"] = json!("entry");
            data["millis"] = json!(one.run().map(|run| run.duration.as_millis() as u64));
            add_outcome(&mut data, one, treatments.get(&one.reference));
            (one.created.0, data)
        });
    let events = events.iter().map(|one| {
        let mut data = sessions::event(app, one);
        data["is"] = json!("event");
        (one.created.0, data)
    });
    Ok((entries.chain(events).collect(), next))
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

/// What a hook call is to a reader: what became of a tool's call, what went wrong, or both.
fn hook_items(call: LoggedCall) -> impl Iterator<Item = (i64, Value)> {
    let fault = call.fault.as_ref().map(|fault| (call.at, fault_item(&call, fault)));
    let is_answered = !FailedOutcome::has_name(&call.outcome);
    let answered = is_answered.then(|| (call.at, hook_call(call)));
    fault.into_iter().chain(answered)
}

fn fault_item(call: &LoggedCall, fault: &LoggedFault) -> Value {
    json!({
        "is": "fault",
        "created": call.at,
        "session": call.session,
        "event": call.event,
        "outcome": call.outcome,
        "micros": call.micros,
        "tool": call.tool.as_ref().map(|tool| &tool.name),
        "title": call.tool.as_ref().map(|tool| &tool.title),
        "error": fault.message,
        "hint": fault.hint,
    })
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
fn events_since(store: &dyn Store, after: i64) -> Result<Vec<RecordedEvent>, AppError> {
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
        for stored in [Some(StoredPosition { entry: 12, event: 7 }), None] {
            let position = LivePosition { stored, calls };
            assert_eq!(LivePosition::parse(&position.to_string()), Some(position));
        }
        assert_eq!(LivePosition::parse("-.7.1.2"), None);
        assert_eq!(LivePosition::parse("x.1.2.3"), None);
        assert_eq!(LivePosition::parse("1.2"), None);
    }
}
