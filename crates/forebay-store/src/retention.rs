//! Retention: deletes entries by selection or by age.

use std::time::Duration;

use forebay_domain::time::days;
use forebay_domain::{EntryKind, Reference, Timestamp};

use crate::StoreError;

/// Sessions used within this time are active; their entries do not expire.
pub const ACTIVE_SESSION: Duration = days(1);
/// Unfinished uploads older than this belong to a process that died.
pub const ABANDONED_UPLOAD: Duration = days(1);
/// Maximum number of examples in a report.
const MAX_EXAMPLES: usize = 5;

/// Deletes entries and events, by selection or by age.
pub trait Retention: Send + Sync {
    /// Returns what a purge would delete.
    fn preview_purge(
        &self,
        selection: &PurgeSelection,
        now: Timestamp,
    ) -> Result<PurgeReport, StoreError>;

    /// Deletes what a selection covers.
    fn purge(&self, selection: &PurgeSelection, now: Timestamp) -> Result<PurgeReport, StoreError>;
}

/// What to delete. Conditions are combined with AND; without any, nothing is selected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurgeSelection {
    pub references: Vec<Reference>,
    pub source: Option<String>,
    pub session: Option<String>,
    pub older_than: Option<Duration>,
    pub everything: bool,
    /// Only expired entries that are not in use.
    pub expired: Option<Expiry>,
}

impl PurgeSelection {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether it selects exactly one session.
    pub fn covers_whole_session(&self) -> bool {
        let others = Self { session: None, ..self.clone() };
        self.session.is_some() && others.is_empty()
    }

    /// Returns whether it may select events. They have no reference and no source.
    pub fn covers_events(&self) -> bool {
        let selects_entries = !self.references.is_empty() || self.source.is_some();
        let keeps_all_events = self.expired.as_ref().is_some_and(|expiry| expiry.events.is_none());
        !self.is_empty() && !selects_entries && !keeps_all_events
    }

    /// Returns the minimum ages of events to delete; all of them hold.
    pub fn event_ages(&self) -> impl Iterator<Item = Duration> {
        let expired = self.expired.as_ref().and_then(|expiry| expiry.events);
        [self.older_than, expired].into_iter().flatten()
    }
}

/// Retention per kind; kinds not listed never expire.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expiry {
    pub keep: Vec<(EntryKind, Duration)>,
    /// Retention of session events, of requests to the model and of usage.
    pub events: Option<Duration>,
    pub limit: usize,
}

/// What was, or would be, deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurgeReport {
    pub entries: u64,
    pub notes: u64,
    pub bytes: u64,
    /// Session events and requests to the model.
    pub events: u64,
    /// The first entries, for the reader to recognise.
    pub examples: Vec<(Reference, String)>,
    /// How it went on a full disk.
    pub low_space: Option<LowSpace>,
}

/// A purge that found the disk full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LowSpace {
    /// By how much the file shrank.
    pub returned_bytes: u64,
    /// False if the disk is still too full to delete the rest.
    pub is_finished: bool,
}

impl PurgeReport {
    /// Returns the number of deleted items.
    pub fn count(&self) -> u64 {
        self.entries + self.events
    }

    pub fn add(&mut self, other: Self) {
        self.entries += other.entries;
        self.notes += other.notes;
        self.bytes += other.bytes;
        self.events += other.events;
        self.examples.extend(other.examples);
        self.low_space = match (self.low_space, other.low_space) {
            (Some(one), Some(two)) => Some(one.and(two)),
            (one, two) => one.or(two),
        };
    }
}

impl LowSpace {
    fn and(self, other: Self) -> Self {
        Self {
            returned_bytes: self.returned_bytes + other.returned_bytes,
            is_finished: self.is_finished && other.is_finished,
        }
    }
}

/// An entry that a purge deletes.
pub struct PurgedEntry {
    pub entry: i64,
    pub reference: Reference,
    pub title: String,
    pub is_note: bool,
    pub bytes: u64,
}

pub fn reason(selection: &PurgeSelection) -> &'static str {
    if selection.expired.is_some() { "it expired" } else { "it was purged on request" }
}

pub fn summarize(entries_to_purge: &[PurgedEntry]) -> PurgeReport {
    PurgeReport {
        entries: entries_to_purge.len() as u64,
        notes: entries_to_purge.iter().filter(|entry| entry.is_note).count() as u64,
        bytes: entries_to_purge.iter().map(|entry| entry.bytes).sum(),
        events: 0,
        low_space: None,
        examples: entries_to_purge
            .iter()
            .take(MAX_EXAMPLES)
            .map(|entry| (entry.reference, entry.title.clone()))
            .collect(),
    }
}
