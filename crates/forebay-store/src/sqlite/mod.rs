//! The embedded engine: one SQLite file, many processes, nothing to start.

mod adopting;
pub(crate) mod blobs;
mod conditions;
mod connection;
pub(crate) mod derived;
mod embeddings;
pub(crate) mod endings;
mod entries;
pub(crate) mod events;
pub(crate) mod files;
mod hits;
mod imports;
mod joining;
mod ledger;
mod lists;
mod merging;
mod migrate;
pub(crate) mod parts;
mod passages;
pub(crate) mod purge;
mod references;
pub(crate) mod search;
mod sessions;
mod sources;
mod tokens;
mod traits;
mod upload;
pub(crate) mod vectors;
pub(crate) mod words;
mod writing;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use forebay_domain::event::Recorded;
use forebay_domain::usage::{Answered, Totals};
use forebay_domain::{Entry, Hit, Reference, Timestamp};
use rusqlite::Transaction;

use self::connection::Pool;
pub(crate) use self::connection::patience;
pub use self::connection::{set_aside, wait_at_most, wants_tidying};
use self::search::Known;
use self::traits::Traits;
use self::vectors::Vectors;
use self::words::{Batch, Segments, Vocabulary};
use crate::StoreError;
use crate::contract::{
    Candidate, EventPage, Facts, Happened, Health, HistoryPage, Import, ImportStep, Imported,
    Purged, Query, Selection, SessionFacts, SimilarWord, Store, Upload,
};
use crate::files::{Derived, DerivedKey, FileAtWork, FilesAtWork};
use crate::packed::Packed;
use crate::passage::{Embedded, IndexState, IndexStep, NewChunk, Outdated, Renewed, Told};
use crate::sharing::{NotePage, SincePage};
use crate::source::{Item, NewSource, Reindex, Source, Stamp};
use crate::token::Token;

/// A store in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    pool: Pool,
    notices: Vec<String>,
    indexing: Mutex<()>,
    joining: joining::Joining,
    segments: Segments,
    vocabulary: Vocabulary,
    vectors: Vectors,
    traits: Traits,
    hits: hits::Held,
}

impl SqliteStore {
    /// Opens the store, making or migrating it as needed.
    ///
    /// A file that is damaged beyond opening is set aside under a new name and told in `health`.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        match Pool::open(path) {
            Err(StoreError::Corrupt { .. }) => Self::open_after_setting_aside(path),
            opened => Ok(Self::with(opened?, Vec::new())),
        }
    }

    /// Only one process at a time: the next must not set aside the sound file the first one made.
    fn open_after_setting_aside(path: &Path) -> Result<Self, StoreError> {
        let _only_me = connection::lock_beside(path, "repair")?;
        match Pool::open(path) {
            Err(StoreError::Corrupt { what, .. }) => {
                let aside = set_aside(path)?;
                let was = format!("{} was damaged ({what})", path.display());
                let notice = format!("{was} and is kept as {}", aside.display());
                Ok(Self::with(Pool::open(path)?, vec![notice]))
            }
            opened => Ok(Self::with(opened?, Vec::new())),
        }
    }

    fn with(pool: Pool, notices: Vec<String>) -> Self {
        Self {
            pool,
            notices,
            indexing: Mutex::default(),
            joining: joining::Joining::default(),
            segments: Segments::default(),
            vocabulary: Vocabulary::default(),
            vectors: Vectors::default(),
            traits: Traits::default(),
            hits: hits::Held::default(),
        }
    }

    /// Opens the store only when it is there already.
    pub fn open_existing(path: &Path) -> Result<Option<Self>, StoreError> {
        if path.is_file() { Self::open(path).map(Some) } else { Ok(None) }
    }

    /// The version of SQLite that is linked in, as `3_051_003` for 3.51.3.
    pub fn engine_version() -> i32 {
        rusqlite::version_number()
    }

    pub fn path(&self) -> &Path {
        self.pool.path()
    }

    fn reading<T>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.pool.with(|connection| work(connection))
    }

    /// Runs many small queries on the store as it is now.
    fn at_one_moment<T>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.reading(|connection| connection::at_one_moment(connection, work))
    }

    fn writing<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.pool.in_transaction(work)
    }
}

impl Store for SqliteStore {
    fn upload(&self) -> Result<Box<dyn Upload + '_>, StoreError> {
        Ok(Box::new(upload::SqliteUpload::new(self)))
    }

    fn entry(&self, reference: Reference) -> Result<Entry, StoreError> {
        self.reading(|connection| entries::find(connection, reference))?
            .map_or_else(|| Err(self.why_missing(reference)), Ok)
    }

    fn read(
        &self,
        reference: Reference,
        start: u64,
        take: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let blob = self.blob_of(reference)?;
        self.reading(|connection| blobs::read(connection, blob, start, take))
    }

    fn line_start(&self, reference: Reference, line: u64) -> Result<u64, StoreError> {
        let blob = self.blob_of(reference)?;
        self.reading(|connection| blobs::line_start(connection, blob, line))
    }

    fn indexing(&self) -> &Mutex<()> {
        &self.indexing
    }

    fn unindexed(&self, at_most: usize) -> Result<Vec<IndexState>, StoreError> {
        self.reading(|connection| entries::unindexed(connection, at_most))
    }

    fn unindexed_bytes(&self) -> Result<u64, StoreError> {
        self.reading(entries::unindexed_bytes)
    }

    fn extend_index(&self, steps: &[IndexStep]) -> Result<(), StoreError> {
        let chunks: Vec<&NewChunk> = steps.iter().flat_map(|step| &step.chunks).collect();
        self.writing_words(&chunks, |transaction, placed| {
            steps.iter().try_for_each(|step| entries::extend_index(transaction, step, placed))
        })
    }

    fn outdated(&self, at_most: usize) -> Result<Vec<Outdated>, StoreError> {
        self.reading(|connection| passages::outdated(connection, at_most))
    }

    fn renew(&self, renewed: &[Renewed]) -> Result<(), StoreError> {
        let chunks: Vec<&NewChunk> = renewed.iter().map(|renewed| &renewed.chunk).collect();
        self.writing_words(&chunks, |transaction, placed| {
            passages::renew(transaction, renewed, placed)
        })
    }

    fn unembedded(&self, model: &str, at_most: usize) -> Result<Vec<Outdated>, StoreError> {
        self.reading(|connection| embeddings::missing(connection, model, at_most))
    }

    fn embedded(&self, model: &str) -> Result<Embedded, StoreError> {
        self.reading(|connection| embeddings::extent(connection, model))
    }

    fn embed(&self, model: &str, told: &[Told]) -> Result<(), StoreError> {
        self.writing(|transaction| embeddings::write(transaction, model, told))
    }

    fn candidates(&self, query: &Query) -> Result<Vec<Candidate>, StoreError> {
        if query.limit == 0 {
            return Ok(Vec::new());
        }
        let Self { segments, vectors, traits, .. } = self;
        let known = Known { segments, vectors, traits };
        let announced = query.meaning.as_ref().map(|meaning| vectors.of(meaning).announce());
        let mut found = self.at_one_moment(|connection| search::look(connection, query, &known))?;
        found.compare(announced);
        self.reading(|connection| found.candidates(connection, traits))
    }

    fn hits(&self, candidates: &[Candidate]) -> Result<Vec<Option<Hit>>, StoreError> {
        self.at_one_moment(|connection| hits::read(connection, candidates, &self.hits))
    }

    fn reindex(&self) -> Result<Box<dyn Reindex + '_>, StoreError> {
        Ok(Box::new(sources::SqliteReindex::new(self)))
    }

    fn sources(&self) -> Result<Vec<Source>, StoreError> {
        self.reading(sources::list)
    }

    fn source(&self, name: &str) -> Result<Option<Source>, StoreError> {
        self.reading(|connection| sources::find(connection, name))
    }

    fn unchecked_sources(
        &self,
        between: (Timestamp, Timestamp),
    ) -> Result<Vec<NewSource>, StoreError> {
        self.reading(|connection| sources::unchecked(connection, between))
    }

    fn source_stamps(&self, name: &str) -> Result<Vec<(String, Stamp)>, StoreError> {
        self.reading(|connection| sources::stamps(connection, name))
    }

    fn source_items(&self, name: &str) -> Result<Vec<Item>, StoreError> {
        self.reading(|connection| sources::items(connection, name))
    }

    fn mark_checked(
        &self,
        name: &str,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.writing(|transaction| sources::mark_checked(transaction, name, at, expires))
    }

    fn unknown_words(&self, words: &[String]) -> Result<Vec<String>, StoreError> {
        self.at_one_moment(|connection| words::unknown(connection, &self.segments, words))
    }

    fn similar_words(&self, word: &str) -> Result<Vec<SimilarWord>, StoreError> {
        let known = (&self.segments, &self.vocabulary);
        self.at_one_moment(|connection| words::similar(connection, known, word))
    }

    fn count_question(
        &self,
        session: &str,
        now: Timestamp,
        within: Duration,
    ) -> Result<u64, StoreError> {
        let count = |transaction: &Transaction<'_>| {
            ledger::count_question(transaction, session, now, within)
        };
        // Nobody who reads waits for who writes: one question uncounted does no harm.
        Ok(self.pool.in_transaction_unless_busy(count)?.unwrap_or_default())
    }

    fn history(&self, page: &HistoryPage) -> Result<Vec<Entry>, StoreError> {
        self.reading(|connection| lists::history(connection, page))
    }

    fn since(&self, page: &SincePage) -> Result<Vec<Entry>, StoreError> {
        self.reading(|connection| lists::since(connection, page))
    }

    fn replaced_by(&self, note: Reference) -> Result<Vec<Reference>, StoreError> {
        self.reading(|connection| lists::replaced_by(connection, note))
    }

    fn notes(&self, page: &NotePage) -> Result<Vec<Entry>, StoreError> {
        self.reading(|connection| lists::notes(connection, page))
    }

    fn sessions(&self, limit: usize) -> Result<Vec<SessionFacts>, StoreError> {
        self.reading(|connection| sessions::list(connection, limit))
    }

    fn remember(&self, happened: &Happened) -> Result<(), StoreError> {
        self.writing(|transaction| events::remember(transaction, happened))
    }

    fn events(&self, page: &EventPage) -> Result<Vec<Recorded>, StoreError> {
        self.reading(|connection| events::events(connection, page))
    }

    fn mark(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        self.writing(|transaction| events::mark(transaction, session, topic))
    }

    fn unmark(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        self.reading(|connection| events::unmark(connection, session, topic))
    }

    fn would_purge(&self, selection: &Selection, now: Timestamp) -> Result<Purged, StoreError> {
        self.reading(|connection| purge::survey(connection, selection, now))
    }

    fn purge(&self, selection: &Selection, now: Timestamp) -> Result<Purged, StoreError> {
        self.pool.with(|connection| purge::purge(connection, selection, now))
    }

    fn record(&self, answers: &[(Answered, Timestamp)]) -> Result<(), StoreError> {
        self.writing(|transaction| {
            answers.iter().try_for_each(|(answered, at)| ledger::record(transaction, answered, *at))
        })
    }

    fn usage(&self, session: Option<&str>) -> Result<BTreeMap<String, Totals>, StoreError> {
        self.reading(|connection| ledger::by_tool(connection, session))
    }

    fn files_at_work(&self, session: &str) -> Result<FilesAtWork, StoreError> {
        self.reading(|connection| files::of_session(connection, session))
    }

    fn keep_file(&self, session: &str, file: &FileAtWork, most: usize) -> Result<(), StoreError> {
        self.writing(|transaction| files::keep(transaction, session, file, most))
    }

    fn forget_deliveries(&self, session: &str) -> Result<(), StoreError> {
        self.writing(|transaction| files::forget_deliveries(transaction, session))
    }

    fn derived(&self, keys: &[DerivedKey]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.reading(|connection| derived::get(connection, keys))
    }

    fn keep_derived(&self, made: &[Derived], most_bytes: u64) -> Result<(), StoreError> {
        let packed = derived::packed(made);
        self.writing(|transaction| derived::keep(transaction, &packed, most_bytes))
    }

    fn facts(&self) -> Result<Facts, StoreError> {
        let mut facts = self.reading(ledger::facts)?;
        facts.disk_bytes = self.pool.disk_bytes();
        Ok(facts)
    }

    fn imported(&self, transcript: &str) -> Result<Option<Imported>, StoreError> {
        self.reading(|connection| imports::state(connection, transcript))
    }

    fn import_in_turn(
        &self,
        entries: &[Import],
        step: &ImportStep,
        turn: &dyn Fn(),
    ) -> Result<bool, StoreError> {
        let chunks: Vec<&NewChunk> = entries.iter().flat_map(|import| &import.chunks).collect();
        // All that needs no database comes first, so that the transaction is short.
        let ready = Packed::of_each(entries)?;
        let words = Batch::of(&chunks);
        turn();
        self.writing_batch(words, &chunks, |transaction, placed| {
            imports::write(transaction, &ready, step, placed)
        })
    }

    fn keep_token(&self, token: &Token) -> Result<(), StoreError> {
        self.writing(|transaction| tokens::keep(transaction, token))
    }

    fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.reading(tokens::list)
    }

    fn token(&self, id: &str) -> Result<Option<Token>, StoreError> {
        self.reading(|connection| tokens::find(connection, id))
    }

    fn revoke_token(&self, id: &str, at: Timestamp) -> Result<bool, StoreError> {
        self.writing(|transaction| tokens::revoke(transaction, id, at))
    }

    fn get_ready(&self) -> Result<(), StoreError> {
        self.pool.get_ready(entries::statements_of_a_run())
    }

    fn tidy(&self) -> Result<(), StoreError> {
        if self.reading(words::wants_tidying)? {
            self.tidy_words()?;
        }
        self.pool.tidy()
    }

    fn notices(&self) -> &[String] {
        &self.notices
    }

    fn health(&self) -> Result<Health, StoreError> {
        Ok(Health {
            engine: format!("SQLite {}", rusqlite::version()),
            location: self.pool.path().to_owned(),
            schema: self.reading(migrate::version)?,
            faults: self.faults()?,
        })
    }
}

impl SqliteStore {
    fn blob_of(&self, reference: Reference) -> Result<i64, StoreError> {
        self.reading(|connection| entries::blob_of(connection, reference))?
            .map_or_else(|| Err(self.why_missing(reference)), Ok)
    }

    fn why_missing(&self, reference: Reference) -> StoreError {
        match self.reading(|connection| purge::tombstone(connection, reference)) {
            Ok(Some((why, at))) => StoreError::Gone { reference, why, at },
            Ok(None) => StoreError::Unknown(reference),
            Err(error) => error,
        }
    }

    /// Reads the whole file for damage and tries whether it can be written.
    fn faults(&self) -> Result<Vec<String>, StoreError> {
        let mut faults = self.reading(connection::integrity_faults)?;
        if let Err(error) = self.writing(|_| Ok(())) {
            faults.push(error.to_string());
        }
        Ok(faults)
    }
}

/// The folder next to a database where backups are kept.
fn backup_folder(database: &Path) -> PathBuf {
    database.with_file_name("backups")
}
