//! Sessions: their events, and marks set on them.

use forebay_domain::event::Recorded;
use forebay_domain::{Event, EventKind, Timestamp};

use crate::StoreError;

/// Maximum number of events kept for a session; the oldest of the lowest priority is dropped first.
pub const MAX_EVENTS_PER_SESSION: usize = 2_000;

/// Sessions, their events and their marks.
pub trait Sessions: Send + Sync {
    /// Sessions, most recently used first.
    fn sessions(&self, limit: usize) -> Result<Vec<SessionSummary>, StoreError>;

    /// Writes down what happened in a session; the least worthy of too many events go.
    fn remember(&self, happened: &EventBatch) -> Result<(), StoreError>;

    /// Events, the latest first.
    fn events(&self, page: &EventPage) -> Result<Vec<Recorded>, StoreError>;

    /// Marks a session with a topic; says whether it was not marked before.
    fn mark(&self, session: &str, topic: &str) -> Result<bool, StoreError>;

    /// Takes a mark away; says whether there was one.
    fn unmark(&self, session: &str, topic: &str) -> Result<bool, StoreError>;
}

/// What happened in a session at one moment.
#[derive(Debug, Clone, Default)]
pub struct EventBatch {
    pub session: String,
    pub client: String,
    pub branch: Option<String>,
    pub created: Timestamp,
    pub events: Vec<Event>,
    /// Events, by their sequence, that no longer stand.
    pub settled: Vec<i64>,
}

/// Which events are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventPage {
    pub session: Option<String>,
    /// Only these; empty for all.
    pub kinds: Vec<EventKind>,
    pub ticket: Option<String>,
    pub standing_only: bool,
    /// Only those before this sequence.
    pub before: Option<i64>,
    pub limit: usize,
    /// No more than these of each priority, so that many of one do not stand in the way of another.
    pub of_each_priority: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    pub key: String,
    pub client: String,
    pub started: Timestamp,
    pub last_used: Timestamp,
    pub entries: u64,
}
