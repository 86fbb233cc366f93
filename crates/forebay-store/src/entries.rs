//! Entries: writing, reading and listing them.

use forebay_domain::entry::Detail;
use forebay_domain::note::NoteKind;
use forebay_domain::{Entry, EntryKind, Note, Reference, RunRecord, Timestamp};

use crate::StoreError;
use crate::blob::writer::BlobContent;
use crate::chunk::NewChunk;
use crate::command_runs::NewCommandRun;
use crate::replication::{NotePage, ReplicaOrigin, ReplicateOutcome, SincePage};

/// Stores entries and reads them back.
pub trait Entries: Send + Sync {
    /// Starts an entry whose bytes arrive in pieces.
    fn upload(&self) -> Result<Box<dyn Upload + '_>, StoreError>;

    /// Stores an entry from bytes in memory; it is indexed later.
    fn put(&self, new: NewEntry, raw: &[u8]) -> Result<Entry, StoreError> {
        let mut upload = self.upload()?;
        upload.write(raw)?;
        upload.finish(new)
    }

    /// Returns an entry without its raw bytes.
    fn entry(&self, reference: Reference) -> Result<Entry, StoreError>;

    /// Passes the raw bytes from `start` on to `visit`, part by part, until it returns `false`.
    fn read(
        &self,
        reference: Reference,
        start: u64,
        visit: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), StoreError>;

    /// Returns the byte offset of a line, counted from 1; the entry's size if there is no such
    /// line.
    fn line_start(&self, reference: Reference, line: u64) -> Result<u64, StoreError>;

    /// Returns entries in order of creation, newest first.
    fn history(&self, page: &HistoryPage) -> Result<Vec<Entry>, StoreError>;

    /// Returns entries in order of creation, oldest first, up to the first one that is still being
    /// uploaded.
    fn entries_since(&self, page: &SincePage) -> Result<Vec<Entry>, StoreError>;

    /// Replaces the digest of an entry by the one that was delivered; returns whether the entry is stored.
    fn replace_digest(&self, reference: Reference, digest: &str) -> Result<bool, StoreError>;

    /// Returns the notes that a note superseded.
    fn notes_superseded_by(&self, note: Reference) -> Result<Vec<Reference>, StoreError>;

    /// Pins or unpins a note; returns whether that changed its state.
    fn set_pinned(&self, note: Reference, pinned: bool) -> Result<bool, StoreError>;

    /// Marks a note as superseded by another one; false unless both are in force.
    fn supersede(&self, note: Reference, by: Reference) -> Result<bool, StoreError>;

    /// Returns notes that are not superseded, newest first.
    fn notes(&self, page: &NotePage) -> Result<Vec<Entry>, StoreError>;
}

/// An entry under construction: invisible before `finish`, removed when dropped.
pub trait Upload {
    /// Appends raw bytes.
    fn write(&mut self, raw: &[u8]) -> Result<(), StoreError>;

    /// Adds a chunk of the bytes written.
    fn chunk(&mut self, chunk: NewChunk) -> Result<(), StoreError>;

    /// Completes and commits the entry.
    fn finish(self: Box<Self>, new: NewEntry) -> Result<Entry, StoreError>;

    /// Completes an entry copied from another store, under its reference there.
    fn finish_replica(
        self: Box<Self>,
        new: NewEntry,
        origin: &ReplicaOrigin,
    ) -> Result<ReplicateOutcome, StoreError>;
}

/// What the caller knows of a new entry.
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
    /// The command whose output it is, to compare its next run with this one.
    pub command: Option<NewCommandRun>,
    /// Whether the upload brought the chunks of all its bytes; otherwise they are made later.
    pub has_all_chunks: bool,
    /// Whether it replaces the entry of the same source in the same transaction.
    pub replaces_source: bool,
}

impl NewEntry {
    /// The entry as a read returns it once it is stored; `supersedes` is the note that it replaced.
    pub fn to_entry(
        &self,
        sequence: i64,
        reference: Reference,
        content: &BlobContent<'_>,
        supersedes: Option<Reference>,
    ) -> Entry {
        let detail = match &self.detail {
            NewDetail::Plain => Detail::Plain,
            NewDetail::Run(run) => Detail::Run(run.clone()),
            NewDetail::Note(note) => Detail::Note(Note {
                kind: note.kind,
                topic: note.topic.clone(),
                supersedes,
                superseded_by: None,
                pinned: note.pinned,
                personal: note.personal,
                author: note.author.clone(),
            }),
        };
        Entry {
            reference,
            kind: self.kind,
            title: self.title.clone(),
            source: self.source.clone(),
            session: self.session.clone(),
            branch: self.branch.clone(),
            created: self.created,
            sequence,
            bytes: content.bytes,
            lines: content.lines,
            digest: self.digest.clone(),
            conflicts: None,
            detail,
        }
    }
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
    /// References in its text.
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
    /// Without entries of this source.
    pub except_source: Option<String>,
    pub limit: usize,
}
