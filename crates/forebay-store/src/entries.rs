//! Entries: how they are written, read back and listed.

use forebay_domain::note::NoteKind;
use forebay_domain::{Entry, EntryKind, Reference, RunRecord, Timestamp};

use crate::StoreError;
use crate::chunk::NewChunk;
use crate::replication::{NotePage, ReplicaOrigin, ReplicateOutcome, SincePage};

/// Stores entries whole and reads them back.
pub trait Entries: Send + Sync {
    /// Starts an entry whose bytes arrive in pieces.
    fn upload(&self) -> Result<Box<dyn Upload + '_>, StoreError>;

    /// Stores an entry whose bytes are at hand; it becomes searchable later.
    fn put(&self, new: NewEntry, raw: &[u8]) -> Result<Entry, StoreError> {
        let mut upload = self.upload()?;
        upload.write(raw)?;
        upload.finish(new)
    }

    /// What is known of an entry.
    fn entry(&self, reference: Reference) -> Result<Entry, StoreError>;

    /// Hands the raw bytes from `start` on to `take`, piece by piece, until it answers `false`.
    fn read(
        &self,
        reference: Reference,
        start: u64,
        take: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), StoreError>;

    /// The byte offset at which a line starts; lines count from 1. Beyond the end: the size.
    fn line_start(&self, reference: Reference, line: u64) -> Result<u64, StoreError>;

    /// Entries in order of creation, newest first.
    fn history(&self, page: &HistoryPage) -> Result<Vec<Entry>, StoreError>;

    /// Entries in order of creation, oldest first, as far as none before them is still on its way.
    fn since(&self, page: &SincePage) -> Result<Vec<Entry>, StoreError>;

    /// The notes that a note replaced.
    fn replaced_by(&self, note: Reference) -> Result<Vec<Reference>, StoreError>;

    /// Notes in force, newest first.
    fn notes(&self, page: &NotePage) -> Result<Vec<Entry>, StoreError>;
}

/// An entry under construction. Nobody sees it before `finish`; dropped, it leaves nothing.
pub trait Upload {
    /// Appends raw bytes.
    fn write(&mut self, raw: &[u8]) -> Result<(), StoreError>;

    /// Makes a passage of what was written searchable.
    fn chunk(&mut self, chunk: NewChunk) -> Result<(), StoreError>;

    /// Completes the entry; from here on it is never lost.
    fn finish(self: Box<Self>, new: NewEntry) -> Result<Entry, StoreError>;

    /// Completes an entry that another store made, under the reference it has there.
    fn adopt(
        self: Box<Self>,
        new: NewEntry,
        origin: &ReplicaOrigin,
    ) -> Result<ReplicateOutcome, StoreError>;
}

/// What the caller knows of an entry that it stores.
#[derive(Debug, Clone)]
pub struct NewEntry {
    pub kind: EntryKind,
    pub title: String,
    pub source: String,
    pub session: String,
    pub client: String,
    pub branch: Option<String>,
    pub created: Timestamp,
    pub digest: String,
    pub detail: NewDetail,
    /// Whether the upload brought the chunks of all its bytes; else they are made later.
    pub chunks_are_complete: bool,
    /// Replaces the entry of the same source, in the same moment.
    pub replaces_source: bool,
}

#[derive(Debug, Clone)]
pub enum NewDetail {
    Plain,
    Run(RunRecord),
    Note(NewNote),
}

#[derive(Debug, Clone)]
pub struct NewNote {
    pub kind: NoteKind,
    pub topic: Option<String>,
    pub supersedes: Option<Reference>,
    /// References that stand in its text.
    pub links: Vec<Reference>,
    pub pinned: bool,
    pub personal: bool,
    pub author: String,
}

#[derive(Debug, Clone, Default)]
pub struct HistoryPage {
    pub session: Option<String>,
    /// Only entries older than this sequence number.
    pub before: Option<i64>,
    pub limit: usize,
}
