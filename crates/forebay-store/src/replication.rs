//! Sharing: entries that go from one store to another, and the notes a project is told by.

use forebay_domain::{Entry, EntryKind, Reference};

/// Where an entry comes from that another store made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicaOrigin {
    pub reference: Reference,
    /// Notes that it replaced there.
    pub replaces: Vec<Reference>,
    /// Whether it comes back where it was forgotten.
    pub revives: bool,
}

/// What became of an entry that another store made.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplicateOutcome {
    Added(Box<Entry>),
    /// It was here already, under this reference.
    Known(Reference),
    /// It was forgotten here, and stays so.
    Forgotten,
}

/// Which entries are asked for, from the oldest on.
#[derive(Debug, Clone, Default)]
pub struct SincePage {
    /// Only entries after this sequence number.
    pub after: i64,
    /// Any of these kinds; empty for all.
    pub kinds: Vec<EntryKind>,
    pub limit: usize,
}

/// Which notes are asked for.
#[derive(Debug, Clone, Default)]
pub struct NotePage {
    /// Only those that are pinned, or only those that are not.
    pub pinned: Option<bool>,
    pub session: Option<String>,
    pub branch: Option<String>,
    pub ticket: Option<String>,
    pub limit: usize,
}
