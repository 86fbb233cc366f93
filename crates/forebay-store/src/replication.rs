//! Replication: entries copied from one store to another, and pages of entries and notes.

use forebay_domain::{Entry, EntryKind, Reference};

/// The origin of an entry copied from another store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicaOrigin {
    pub reference: Reference,
    /// Notes that it superseded there.
    pub supersedes: Vec<Reference>,
    /// Whether it is added although it was purged here.
    pub restores_purged: bool,
}

/// The result of copying an entry.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplicateOutcome {
    Added(Box<Entry>),
    /// The store has it already, under this reference.
    AlreadyPresent(Reference),
    /// It was purged here and is not added.
    Purged,
}

/// Selects entries, oldest first.
#[derive(Debug, Clone, Default)]
pub struct SincePage {
    /// Only entries after this sequence number.
    pub after: i64,
    /// Any of these kinds; empty for all.
    pub kinds: Vec<EntryKind>,
    pub limit: usize,
}

/// Selects notes.
#[derive(Debug, Clone, Default)]
pub struct NotePage {
    /// Only pinned notes, or only others.
    pub pinned: Option<bool>,
    pub session: Option<String>,
    pub branch: Option<String>,
    pub ticket: Option<String>,
    pub limit: usize,
}
