//! The store contract: what any engine must do, in the product's own words.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use forebay_domain::event::Recorded;
use forebay_domain::note::NoteKind;
use forebay_domain::usage::{Answered, Totals};
use forebay_domain::{Entry, EntryKind, Event, EventKind, Hit, Reference, RunRecord, Timestamp};

use crate::StoreError;
use crate::files::{Derived, DerivedKey, FileAtWork, FilesAtWork};
use crate::passage::{Embedded, IndexState, IndexStep, Meaning, NewChunk, Outdated, Renewed, Told};
use crate::sharing::{Adopted, NotePage, Origin, SincePage};
use crate::source::{Item, NewSource, Reindex, Source, Stamp};
use crate::token::Token;

/// A place that keeps entries whole and finds them again.
///
/// Every method is one short transaction or none; many processes use one store at once.
pub trait Store: Send + Sync {
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

    /// Held by the thread that makes entries searchable; two at once would do the same work.
    fn indexing(&self) -> &Mutex<()>;

    /// Entries whose raw bytes are not all searchable yet, oldest first.
    fn unindexed(&self, at_most: usize) -> Result<Vec<IndexState>, StoreError>;

    /// The raw bytes that are not searchable yet.
    fn unindexed_bytes(&self) -> Result<u64, StoreError>;

    /// Makes more of some entries searchable; a step that another process was faster with is skipped.
    fn extend_index(&self, steps: &[IndexStep]) -> Result<(), StoreError>;

    /// The best passages by words and the best by meaning, before anything else is read of them.
    fn candidates(&self, query: &Query) -> Result<Vec<Candidate>, StoreError>;

    /// What candidates are and say, in their order; none for a note that was replaced, and for what was
    /// forgotten meanwhile.
    fn hits(&self, candidates: &[Candidate]) -> Result<Vec<Option<Hit>>, StoreError>;

    /// Those of the words that stand in no passage.
    fn unknown_words(&self, words: &[String]) -> Result<Vec<String>, StoreError>;

    /// Words of the store that one it does not have may be a part of, or else a slip for; best first.
    fn similar_words(&self, word: &str) -> Result<Vec<SimilarWord>, StoreError>;

    /// Counts one more question of a session; tells how many it asked within that time.
    fn count_question(
        &self,
        session: &str,
        now: Timestamp,
        within: Duration,
    ) -> Result<u64, StoreError>;

    /// The next passages that were stored before their index was what it is now; none when all are up to date.
    fn outdated(&self, at_most: usize) -> Result<Vec<Outdated>, StoreError>;

    /// Indexes them anew; what another process was faster with is skipped.
    fn renew(&self, renewed: &[Renewed]) -> Result<(), StoreError>;

    /// Passages that a server's model was not asked about yet, the newest first.
    fn unembedded(&self, model: &str, at_most: usize) -> Result<Vec<Outdated>, StoreError>;

    /// How many passages a server's model was asked about, and how many not.
    fn embedded(&self, model: &str) -> Result<Embedded, StoreError>;

    /// Keeps what a server's model told of passages, beside what the built-in one tells. What was forgotten
    /// meanwhile is skipped, and what is known stays.
    fn embed(&self, model: &str, told: &[Told]) -> Result<(), StoreError>;

    /// Starts to index a source anew.
    fn reindex(&self) -> Result<Box<dyn Reindex + '_>, StoreError>;

    /// What was indexed, by name.
    fn sources(&self) -> Result<Vec<Source>, StoreError>;

    /// The source of this name; documents have none.
    fn source(&self, name: &str) -> Result<Option<Source>, StoreError>;

    /// Files and folders that were last looked at outside of these two moments, as of the later one.
    fn unchecked_sources(
        &self,
        between: (Timestamp, Timestamp),
    ) -> Result<Vec<NewSource>, StoreError>;

    /// What tells whether a file of a source has changed, for each by its path.
    fn source_stamps(&self, name: &str) -> Result<Vec<(String, Stamp)>, StoreError>;

    /// The entries of a source in the order of their paths.
    fn source_items(&self, name: &str) -> Result<Vec<Item>, StoreError>;

    /// Notes that a source was looked at, and until when it need not be again.
    fn mark_checked(
        &self,
        name: &str,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<(), StoreError>;

    /// Entries in order of creation, newest first.
    fn history(&self, page: &HistoryPage) -> Result<Vec<Entry>, StoreError>;

    /// Entries in order of creation, oldest first, as far as none before them is still on its way.
    fn since(&self, page: &SincePage) -> Result<Vec<Entry>, StoreError>;

    /// The notes that a note replaced.
    fn replaced_by(&self, note: Reference) -> Result<Vec<Reference>, StoreError>;

    /// Notes in force, newest first.
    fn notes(&self, page: &NotePage) -> Result<Vec<Entry>, StoreError>;

    /// Sessions, most recently used first.
    fn sessions(&self, limit: usize) -> Result<Vec<SessionFacts>, StoreError>;

    /// Writes down what happened in a session; the least worthy of too many events go.
    fn remember(&self, happened: &Happened) -> Result<(), StoreError>;

    /// Events, the latest first.
    fn events(&self, page: &EventPage) -> Result<Vec<Recorded>, StoreError>;

    /// Marks a session with a topic; says whether it was not marked before.
    fn mark(&self, session: &str, topic: &str) -> Result<bool, StoreError>;

    /// Takes a mark away; says whether there was one.
    fn unmark(&self, session: &str, topic: &str) -> Result<bool, StoreError>;

    /// What a selection covers, without touching it.
    fn would_purge(&self, selection: &Selection, now: Timestamp) -> Result<Purged, StoreError>;

    /// Forgets what a selection covers.
    fn purge(&self, selection: &Selection, now: Timestamp) -> Result<Purged, StoreError>;

    /// Writes answers into the usage ledger, all or none.
    fn record(&self, answers: &[(Answered, Timestamp)]) -> Result<(), StoreError>;

    /// The ledger's sums by tool, of all sessions or of one.
    fn usage(&self, session: Option<&str>) -> Result<BTreeMap<String, Totals>, StoreError>;

    /// The files a session works on, the most recently used first.
    fn files_at_work(&self, session: &str) -> Result<FilesAtWork, StoreError>;

    /// Keeps what a session has of a file, as the most recently used one. Where it is active, the
    /// one that was active becomes a skeleton; beyond `most` files the least recently used goes.
    fn keep_file(&self, session: &str, file: &FileAtWork, most: usize) -> Result<(), StoreError>;

    /// The model's context has started over: nothing that a session was handed counts any more, and
    /// from here on it is known that such moments are told.
    fn forget_deliveries(&self, session: &str) -> Result<(), StoreError>;

    /// What was made from files before, in the order of the keys.
    fn derived(&self, keys: &[DerivedKey]) -> Result<Vec<Option<Vec<u8>>>, StoreError>;

    /// Keeps what was made from files; beyond `most_bytes` the least recently used goes.
    fn keep_derived(&self, made: &[Derived], most_bytes: u64) -> Result<(), StoreError>;

    /// Counts and sizes.
    fn facts(&self) -> Result<Facts, StoreError>;

    /// How far a transcript was imported.
    fn imported(&self, transcript: &str) -> Result<Option<Imported>, StoreError>;

    /// Stores entries of a transcript and how far it is read with them, all or none.
    ///
    /// Answers `false`, and stores nothing, if another process went on with it meanwhile.
    fn import(&self, entries: &[Import], step: &ImportStep) -> Result<bool, StoreError> {
        self.import_in_turn(entries, step, &|| ())
    }

    /// The same for who has several steps in work: `turn` returns when the ones before are stored.
    fn import_in_turn(
        &self,
        entries: &[Import],
        step: &ImportStep,
        turn: &dyn Fn(),
    ) -> Result<bool, StoreError>;

    /// Keeps a new token.
    fn keep_token(&self, token: &Token) -> Result<(), StoreError>;

    /// Every token, the oldest first.
    fn tokens(&self) -> Result<Vec<Token>, StoreError>;

    /// The token of this id.
    fn token(&self, id: &str) -> Result<Option<Token>, StoreError>;

    /// Ends a token; says whether there was one that had not been ended.
    fn revoke_token(&self, id: &str, at: Timestamp) -> Result<bool, StoreError>;

    /// Does beforehand what storing a run would have to do first, where there is such a thing.
    fn get_ready(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Does what keeps the store quick and small, when nobody waits for an answer.
    fn tidy(&self) -> Result<(), StoreError>;

    /// What the user must know of how the store was opened: a damaged file that was set aside, say.
    fn notices(&self) -> &[String];

    /// Checks the store by using it.
    fn health(&self) -> Result<Health, StoreError>;
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
    fn adopt(self: Box<Self>, new: NewEntry, origin: &Origin) -> Result<Adopted, StoreError>;
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

/// A word of the store that may have been meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimilarWord {
    pub word: String,
    /// 0 where the word asked for is a part of it.
    pub slips: usize,
    /// Passages that have it, as far as they were counted.
    pub passages: u64,
}

/// How far a transcript was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Bytes of a file, rows of a database.
    pub position: u64,
    /// What tells the transcript from another one of the same name.
    pub mark: String,
}

/// An entry made from a transcript, with all its bytes.
#[derive(Debug, Clone)]
pub struct Import {
    pub new: NewEntry,
    pub raw: Vec<u8>,
    pub chunks: Vec<NewChunk>,
}

/// A step through a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportStep {
    pub transcript: String,
    pub mark: String,
    pub from: u64,
    pub to: u64,
}

/// A passage that may answer a question, by its number in the store.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    pub passage: i64,
    /// How well its words fit; 0 if none does.
    pub words: f64,
    /// How near its meaning is, from 0 to 1.
    pub nearness: f32,
    /// It is source code, in which names matter less than what is done.
    pub is_code: bool,
}

/// What is searched for, and where.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Words, any of which may match.
    pub words: Vec<String>,
    /// A passage with fewer of the words need not be found.
    pub least_words: usize,
    /// Beginnings of words, any of which may match.
    pub beginnings: Vec<String>,
    /// All of these must stand in a passage, word by word.
    pub phrases: Vec<String>,
    /// None of these may.
    pub without: Vec<String>,
    /// What is meant; without it only words find.
    pub meaning: Option<Meaning>,
    /// In a large store only what was found by words is compared by meaning: for a process that asks once.
    pub compares_found_only: bool,
    /// So many by words, and so many by meaning.
    pub limit: usize,
    pub session: Option<String>,
    pub branch: Option<String>,
    /// What was made for this ticket.
    pub ticket: Option<String>,
    /// Any of these kinds, or of these notes; empty for all.
    pub kinds: Vec<EntryKind>,
    pub notes: Vec<NoteKind>,
    /// Only these; empty for all.
    pub entries: Vec<Reference>,
    /// Globs over the source, all of which must match: `docs/*`.
    pub sources: Vec<String>,
    pub after: Option<Timestamp>,
    pub before: Option<Timestamp>,
    /// Nothing is searched for: the newest that fit the rest are listed.
    pub lists_newest: bool,
}

#[derive(Debug, Clone, Default)]
pub struct HistoryPage {
    pub session: Option<String>,
    /// Only entries older than this sequence number.
    pub before: Option<i64>,
    pub limit: usize,
}

/// What happened in a session at one moment.
#[derive(Debug, Clone, Default)]
pub struct Happened {
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
pub struct SessionFacts {
    pub key: String,
    pub client: String,
    pub started: Timestamp,
    pub last_used: Timestamp,
    pub entries: u64,
}

/// What to forget. Conditions narrow each other; without any, nothing is selected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    pub references: Vec<Reference>,
    pub source: Option<String>,
    pub session: Option<String>,
    pub older_than: Option<Duration>,
    pub everything: bool,
    /// Only what has outlived its kind's time and is not in use; at most so many at once.
    pub expired: Option<Expiry>,
}

/// How long each kind is kept; a kind that is not named is kept for ever.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expiry {
    pub keep: Vec<(EntryKind, Duration)>,
    /// The same for the events of sessions.
    pub events: Option<Duration>,
    pub at_most: usize,
}

impl Selection {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether all of one session is meant.
    pub fn is_a_whole_session(&self) -> bool {
        let others = Self { session: None, ..self.clone() };
        self.session.is_some() && others.is_empty()
    }
}

/// What was, or would be, forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Purged {
    pub entries: u64,
    pub notes: u64,
    pub bytes: u64,
    pub events: u64,
    /// The first of them, for the reader to recognise.
    pub examples: Vec<(Reference, String)>,
}

impl Purged {
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

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    pub entries: BTreeMap<String, u64>,
    pub chunks: u64,
    /// Bytes as they were handed in, each entry counted.
    pub raw_bytes: u64,
    /// Bytes the store takes on disk.
    pub disk_bytes: u64,
    pub sessions: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    pub engine: String,
    pub location: PathBuf,
    pub schema: u32,
    /// What an integrity check complained of; empty when sound.
    pub faults: Vec<String>,
}
