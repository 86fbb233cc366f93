//! Retention: what is deleted, by selection or because it expired.

use std::time::Duration;

use forebay_domain::time::days;
use forebay_domain::{EntryKind, Reference, Timestamp};

use crate::StoreError;

/// A session that was used within this time is active; none of its entries expire.
pub const ACTIVE_SESSION: Duration = days(1);
/// An unfinished upload older than this was left behind by a process that died.
pub const ABANDONED_UPLOAD: Duration = days(1);
/// Examples listed in a report.
const MAX_EXAMPLES: usize = 5;

/// Deletes entries and events, by selection or because they expired.
pub trait Retention: Send + Sync {
    /// What a selection covers, without touching it.
    fn preview_purge(
        &self,
        selection: &PurgeSelection,
        now: Timestamp,
    ) -> Result<PurgeReport, StoreError>;

    /// Forgets what a selection covers.
    fn purge(&self, selection: &PurgeSelection, now: Timestamp) -> Result<PurgeReport, StoreError>;
}

/// What to forget. Conditions narrow each other; without any, nothing is selected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurgeSelection {
    pub references: Vec<Reference>,
    pub source: Option<String>,
    pub session: Option<String>,
    pub older_than: Option<Duration>,
    pub everything: bool,
    /// Only what has outlived its kind's time and is not in use; at most so many at once.
    pub expired: Option<Expiry>,
}

impl PurgeSelection {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether all of one session is meant.
    pub fn is_a_whole_session(&self) -> bool {
        let others = Self { session: None, ..self.clone() };
        self.session.is_some() && others.is_empty()
    }
}

/// How long each kind is kept; a kind that is not named is kept for ever.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expiry {
    pub keep: Vec<(EntryKind, Duration)>,
    /// The same for the events of sessions.
    pub events: Option<Duration>,
    pub at_most: usize,
}

/// What was, or would be, forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurgeReport {
    pub entries: u64,
    pub notes: u64,
    pub bytes: u64,
    pub events: u64,
    /// The first of them, for the reader to recognise.
    pub examples: Vec<(Reference, String)>,
}

impl PurgeReport {
    /// How many things there are to confirm.
    pub fn count(&self) -> u64 {
        self.entries + self.events
    }

    pub fn add(&mut self, other: Self) {
        self.entries += other.entries;
        self.notes += other.notes;
        self.bytes += other.bytes;
        self.events += other.events;
        self.examples.extend(other.examples);
    }
}

/// An entry that a purge deletes.
pub struct DoomedEntry {
    pub entry: i64,
    pub reference: Reference,
    pub title: String,
    pub is_note: bool,
    pub bytes: u64,
}

pub fn reason(selection: &PurgeSelection) -> &'static str {
    if selection.expired.is_some() {
        "it had outlived its time"
    } else {
        "it was purged on request"
    }
}

pub fn sum_up(doomed: &[DoomedEntry]) -> PurgeReport {
    PurgeReport {
        entries: doomed.len() as u64,
        notes: doomed.iter().filter(|victim| victim.is_note).count() as u64,
        bytes: doomed.iter().map(|victim| victim.bytes).sum(),
        events: 0,
        examples: doomed
            .iter()
            .take(MAX_EXAMPLES)
            .map(|victim| (victim.reference, victim.title.clone()))
            .collect(),
    }
}
