//! Sessions: their events and marks.

use forebay_domain::event::RecordedEvent;
use forebay_domain::{Event, EventKind, Timestamp};

use crate::StoreError;

/// Maximum number of events kept for a session; the oldest of the lowest priority is deleted first.
pub const MAX_EVENTS_PER_SESSION: usize = 2_000;

/// Sessions, their events and their marks.
pub trait Sessions: Send + Sync {
    /// Sessions, most recently used first.
    fn sessions(&self, limit: usize) -> Result<Vec<SessionSummary>, StoreError>;

    /// Records events of a session; beyond the maximum the least important are deleted.
    fn record_events(&self, batch: &EventBatch) -> Result<(), StoreError>;

    /// Returns events, latest first.
    fn events(&self, page: &EventPage) -> Result<Vec<RecordedEvent>, StoreError>;

    /// Marks a session with a topic; returns whether the mark is new.
    fn mark(&self, session: &str, topic: &str) -> Result<bool, StoreError>;

    /// Returns the topics that a session is marked with, in alphabetical order.
    fn marks(&self, session: &str) -> Result<Vec<String>, StoreError>;

    /// Whether a session is marked with a topic.
    fn is_marked(&self, session: &str, topic: &str) -> Result<bool, StoreError>;

    /// Removes a mark; returns whether there was one.
    fn unmark(&self, session: &str, topic: &str) -> Result<bool, StoreError>;
}

/// Events of a session at one time.
#[derive(Debug, Clone, Default)]
pub struct EventBatch {
    pub session: String,
    pub client: String,
    pub branch: Option<String>,
    pub created: Timestamp,
    pub events: Vec<Event>,
    /// Sequence numbers of earlier events that are resolved now.
    pub resolved: Vec<i64>,
}

/// Selects events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventPage {
    pub session: Option<String>,
    /// Only these kinds; empty for all.
    pub kinds: Vec<EventKind>,
    pub ticket: Option<String>,
    pub active_only: bool,
    /// Only events before this sequence number.
    pub before: Option<i64>,
    pub limit: usize,
    /// Maximum per priority, so that many of one priority do not crowd out others.
    pub max_per_priority: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    pub key: String,
    pub client: String,
    pub started: Timestamp,
    pub last_used: Timestamp,
    pub entries: u64,
}
