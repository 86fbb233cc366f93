//! The engine for many machines: one PostgreSQL server, any number of processes, none of which keeps anything.
//!
//! Rows belong to a project of a workspace; every statement is handed both (`connection`), and the server itself
//! shows a connection no row of another workspace. Words are found by the server's full text index and ranked
//! here (`lexemes`, `ranking`), meanings by `pgvector`, parts of words and slips by `pg_trgm`.

mod address;
mod adopting;
mod blobs;
mod conditions;
mod connection;
mod counts;
mod derived;
mod embeddings;
mod entries;
mod events;
mod fault;
mod files;
mod growth;
mod held;
mod hits;
mod imports;
mod in_turn;
mod ledger;
mod lexemes;
mod lists;
mod migrate;
mod parts;
mod passages;
mod pool;
mod purge;
mod ranking;
mod reindex;
mod search;
mod sessions;
mod sources;
mod text;
mod tls;
mod tokens;
mod unseen;
mod upload;
mod vectors;
mod vocabulary;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use forebay_domain::event::Recorded;
use forebay_domain::usage::{Answered, Totals};
use forebay_domain::{Entry, Hit, Reference, Timestamp};

pub use self::address::Address;
use self::connection::{Place, Work};
use self::counts::Counts;
use self::fault::Fault;
use self::growth::Growth;
use self::hits::Memory;
use self::in_turn::Shared;
pub use self::pool::MOST_CONNECTIONS;
use self::pool::{Pool, Writing};
use self::text::Name;
use self::vocabulary::Vocabulary;
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

/// A project's store on a PostgreSQL server.
#[derive(Debug)]
pub struct PostgresStore {
    pool: Arc<Pool>,
    place: Place,
    project: String,
    counts: Counts,
    vocabulary: Vocabulary,
    memory: Memory,
    growth: Growth,
    indexing: Mutex<()>,
    /// What every search asks, with how many or which are wanted.
    unindexed: Shared<usize, Vec<IndexState>>,
    events: Shared<EventPage, Vec<Recorded>>,
}

impl PostgresStore {
    /// Opens a project's store, making the project and the tables as needed.
    pub fn open(address: &Address, project: &str) -> Result<Self, StoreError> {
        let pool = Pool::of(address)?;
        let number = loop {
            if let Some(number) = pool.find_project(project)? {
                break number;
            }
            pool.reading(pool.nowhere(), |work| {
                work.execute(
                    "INSERT INTO project (workspace, name) SELECT $1, $3 WHERE $2::integer = 0
                     ON CONFLICT DO NOTHING",
                    &[&Name(project)],
                )
            })?;
        };
        Ok(Self::with(pool, number, project))
    }

    /// Opens a project's store only when it is there already.
    pub fn open_existing(address: &Address, project: &str) -> Result<Option<Self>, StoreError> {
        let pool = Pool::of(address)?;
        let number = pool.find_project(project)?;
        Ok(number.map(|number| Self::with(pool, number, project)))
    }

    /// The projects of a workspace, by name.
    pub fn projects(address: &Address) -> Result<Vec<String>, StoreError> {
        let pool = Pool::of(address)?;
        pool.reading(pool.nowhere(), |work| {
            let rows = work.query(
                "SELECT name FROM project WHERE workspace = $1 AND $2::integer = 0 ORDER BY name COLLATE \"C\"",
                &[],
            )?;
            rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
        })
    }

    fn with(pool: Arc<Pool>, number: i32, project: &str) -> Self {
        let place = Place { workspace: pool.workspace(), project: number };
        Self {
            pool,
            place,
            project: project.to_owned(),
            counts: Counts::default(),
            vocabulary: Vocabulary::default(),
            memory: Memory::default(),
            growth: Growth::default(),
            indexing: Mutex::default(),
            unindexed: Shared::default(),
            events: Shared::default(),
        }
    }

    fn name(&self) -> &str {
        self.pool.store()
    }

    fn reading<T>(
        &self,
        work: impl FnMut(&mut Work<'_>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.pool.reading(self.place, work)
    }

    fn writing<T>(
        &self,
        mut work: impl FnMut(&mut Work<'_>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let mut purges = None;
        let value = self.pool.writing(self.place, Writing::Adds, |at_work| {
            let value = work(at_work)?;
            purges = at_work.purges;
            Ok(value)
        })?;
        if let Some(purges) = purges {
            self.vocabulary.follow(purges);
        }
        Ok(value)
    }

    /// Learns the words of passages that were stored. Without them slips are not set right, nothing more.
    fn learn<'a>(&self, chunks: impl IntoIterator<Item = &'a NewChunk>) {
        let chunks: Vec<&NewChunk> = chunks.into_iter().collect();
        self.growth.add(&self.pool, self.place, chunks.len());
        let Some(lesson) = self.vocabulary.lesson(&chunks) else { return };
        match self.reading(|work| vocabulary::write(work, &lesson)) {
            Ok(()) => self.vocabulary.keep(lesson),
            Err(error) => tracing::warn!(%error, "the words of an entry were not learned"),
        }
    }

    fn blob_of(&self, reference: Reference) -> Result<i64, StoreError> {
        self.reading(|work| entries::blob_of(work, reference))?
            .map_or_else(|| Err(self.why_missing(reference)), Ok)
    }

    fn why_missing(&self, reference: Reference) -> StoreError {
        match self.reading(|work| purge::tombstone(work, reference)) {
            Ok(Some((why, at))) => StoreError::Gone { reference, why, at },
            Ok(None) => StoreError::Unknown(reference),
            Err(error) => error,
        }
    }
}

impl Store for PostgresStore {
    fn upload(&self) -> Result<Box<dyn Upload + '_>, StoreError> {
        Ok(Box::new(upload::PostgresUpload::new(self)))
    }

    fn entry(&self, reference: Reference) -> Result<Entry, StoreError> {
        self.reading(|work| entries::find(work, reference))?
            .map_or_else(|| Err(self.why_missing(reference)), Ok)
    }

    /// Each part is a query of its own, so that a slow reader holds nothing on the server.
    fn read(
        &self,
        reference: Reference,
        start: u64,
        take: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let blob = self.blob_of(reference)?;
        let size = self.reading(|work| blobs::size(work, blob))?;
        let mut offset = start;
        while offset < size {
            let part = self.reading(|work| blobs::part_at(work, blob, offset))?;
            let piece = part.as_ref().and_then(|(from, raw)| raw.get((offset - from) as usize..));
            let Some(piece) = piece.filter(|piece| !piece.is_empty()) else {
                return Err(self.why_missing(reference));
            };
            offset += piece.len() as u64;
            if !take(piece) {
                break;
            }
        }
        Ok(())
    }

    fn line_start(&self, reference: Reference, line: u64) -> Result<u64, StoreError> {
        let blob = self.blob_of(reference)?;
        self.reading(|work| blobs::line_start(work, blob, line))
    }

    fn indexing(&self) -> &Mutex<()> {
        &self.indexing
    }

    fn unindexed(&self, at_most: usize) -> Result<Vec<IndexState>, StoreError> {
        let ask = || self.reading(|work| entries::unindexed(work, at_most));
        self.unindexed.answer(&at_most, ask)
    }

    fn unindexed_bytes(&self) -> Result<u64, StoreError> {
        self.reading(entries::unindexed_bytes)
    }

    fn extend_index(&self, steps: &[IndexStep]) -> Result<(), StoreError> {
        self.writing(|work| steps.iter().try_for_each(|step| entries::extend_index(work, step)))?;
        self.learn(steps.iter().flat_map(|step| &step.chunks));
        Ok(())
    }

    fn outdated(&self, at_most: usize) -> Result<Vec<Outdated>, StoreError> {
        self.reading(|work| passages::outdated(work, at_most))
    }

    fn renew(&self, renewed: &[Renewed]) -> Result<(), StoreError> {
        self.writing(|work| passages::renew(work, renewed))?;
        self.learn(renewed.iter().map(|renewed| &renewed.chunk));
        Ok(())
    }

    fn unembedded(&self, model: &str, at_most: usize) -> Result<Vec<Outdated>, StoreError> {
        self.reading(|work| embeddings::missing(work, model, at_most))
    }

    fn embedded(&self, model: &str) -> Result<Embedded, StoreError> {
        self.reading(|work| embeddings::extent(work, model))
    }

    fn embed(&self, model: &str, told: &[Told]) -> Result<(), StoreError> {
        self.writing(|work| embeddings::write(work, model, told))
    }

    fn candidates(&self, query: &Query) -> Result<Vec<Candidate>, StoreError> {
        let held = &self.memory.held;
        // Before a connection is taken, which whoever reads may need.
        let _one = held.join();
        let found = self.reading(|work| search::candidates(work, query, &self.counts, held))?;
        held.after_question(query, (&self.pool, self.place), &self.counts);
        Ok(found)
    }

    fn hits(&self, candidates: &[Candidate]) -> Result<Vec<Option<Hit>>, StoreError> {
        self.reading(|work| hits::read(work, candidates, &self.memory))
    }

    fn reindex(&self) -> Result<Box<dyn Reindex + '_>, StoreError> {
        Ok(Box::new(reindex::PostgresReindex::new(self)))
    }

    fn sources(&self) -> Result<Vec<Source>, StoreError> {
        self.reading(sources::list)
    }

    fn source(&self, name: &str) -> Result<Option<Source>, StoreError> {
        self.reading(|work| sources::find(work, name))
    }

    fn unchecked_sources(
        &self,
        between: (Timestamp, Timestamp),
    ) -> Result<Vec<NewSource>, StoreError> {
        self.reading(|work| sources::unchecked(work, between))
    }

    fn source_stamps(&self, name: &str) -> Result<Vec<(String, Stamp)>, StoreError> {
        self.reading(|work| sources::stamps(work, name))
    }

    fn source_items(&self, name: &str) -> Result<Vec<Item>, StoreError> {
        self.reading(|work| sources::items(work, name))
    }

    fn mark_checked(
        &self,
        name: &str,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.writing(|work| sources::mark_checked(work, name, at, expires))
    }

    fn unknown_words(&self, words: &[String]) -> Result<Vec<String>, StoreError> {
        self.reading(|work| self.counts.unknown(work, words, &self.memory.held))
    }

    fn similar_words(&self, word: &str) -> Result<Vec<SimilarWord>, StoreError> {
        self.reading(|work| vocabulary::similar(work, word))
    }

    fn count_question(
        &self,
        session: &str,
        now: Timestamp,
        within: Duration,
    ) -> Result<u64, StoreError> {
        self.writing(|work| ledger::count_question(work, session, now, within))
    }

    fn history(&self, page: &HistoryPage) -> Result<Vec<Entry>, StoreError> {
        self.reading(|work| lists::history(work, page))
    }

    fn since(&self, page: &SincePage) -> Result<Vec<Entry>, StoreError> {
        self.pool.writing(self.place, Writing::Forgets, |work| lists::since(work, page))
    }

    fn replaced_by(&self, note: Reference) -> Result<Vec<Reference>, StoreError> {
        self.reading(|work| lists::replaced_by(work, note))
    }

    fn notes(&self, page: &NotePage) -> Result<Vec<Entry>, StoreError> {
        self.reading(|work| lists::notes(work, page))
    }

    fn sessions(&self, limit: usize) -> Result<Vec<SessionFacts>, StoreError> {
        self.reading(|work| sessions::list(work, limit))
    }

    fn remember(&self, happened: &Happened) -> Result<(), StoreError> {
        self.writing(|work| events::remember(work, happened))
    }

    fn events(&self, page: &EventPage) -> Result<Vec<Recorded>, StoreError> {
        self.events.answer(page, || self.reading(|work| events::events(work, page)))
    }

    fn mark(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        self.writing(|work| events::mark(work, session, topic))
    }

    fn unmark(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        self.writing(|work| events::unmark(work, session, topic))
    }

    fn would_purge(&self, selection: &Selection, now: Timestamp) -> Result<Purged, StoreError> {
        self.reading(|work| purge::survey(work, selection, now))
    }

    fn purge(&self, selection: &Selection, now: Timestamp) -> Result<Purged, StoreError> {
        let purge = |work: &mut Work<'_>| purge::purge(work, selection, now);
        let purged = self.pool.writing(self.place, Writing::Forgets, purge)?;
        self.memory.held.doubt_after(&purged);
        Ok(purged)
    }

    fn record(&self, answers: &[(Answered, Timestamp)]) -> Result<(), StoreError> {
        self.writing(|work| ledger::record(work, answers))
    }

    fn usage(&self, session: Option<&str>) -> Result<BTreeMap<String, Totals>, StoreError> {
        self.reading(|work| ledger::by_tool(work, session))
    }

    fn files_at_work(&self, session: &str) -> Result<FilesAtWork, StoreError> {
        self.reading(|work| files::of_session(work, session))
    }

    fn keep_file(&self, session: &str, file: &FileAtWork, most: usize) -> Result<(), StoreError> {
        self.writing(|work| files::keep(work, session, file, most))
    }

    fn forget_deliveries(&self, session: &str) -> Result<(), StoreError> {
        self.writing(|work| files::forget_deliveries(work, session))
    }

    fn derived(&self, keys: &[DerivedKey]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.reading(|work| derived::get(work, keys))
    }

    fn keep_derived(&self, made: &[Derived], most_bytes: u64) -> Result<(), StoreError> {
        let packed = crate::sqlite::derived::packed(made);
        self.writing(|work| derived::keep(work, &packed, most_bytes))
    }

    fn facts(&self) -> Result<Facts, StoreError> {
        self.reading(ledger::facts)
    }

    fn imported(&self, transcript: &str) -> Result<Option<Imported>, StoreError> {
        self.reading(|work| imports::state(work, transcript))
    }

    fn import_in_turn(
        &self,
        entries: &[Import],
        step: &ImportStep,
        turn: &dyn Fn(),
    ) -> Result<bool, StoreError> {
        // Compressed first, so that the transaction is short.
        let ready = Packed::of_each(entries)?;
        turn();
        let is_written = self.writing(|work| imports::write(work, &ready, step))?;
        if is_written {
            self.learn(entries.iter().flat_map(|import| &import.chunks));
        }
        Ok(is_written)
    }

    fn keep_token(&self, token: &Token) -> Result<(), StoreError> {
        self.writing(|work| tokens::keep(work, token))
    }

    fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.reading(tokens::list)
    }

    fn token(&self, id: &str) -> Result<Option<Token>, StoreError> {
        self.reading(|work| tokens::find(work, id))
    }

    fn revoke_token(&self, id: &str, at: Timestamp) -> Result<bool, StoreError> {
        self.writing(|work| tokens::revoke(work, id, at))
    }

    /// Sorts new words into the index; the server does the rest itself.
    fn tidy(&self) -> Result<(), StoreError> {
        let sorted = self.reading(|work| {
            work.first(
                "SELECT gin_clean_pending_list('chunk_words') WHERE $1::integer + $2::integer > 0",
                &[],
            )
        });
        match sorted {
            // Only the owner of the tables may; the server does it when it next looks after them.
            Err(StoreError::Refused { .. }) => Ok(()),
            sorted => sorted.map(drop),
        }
    }

    fn notices(&self) -> &[String] {
        &[]
    }

    fn health(&self) -> Result<Health, StoreError> {
        let engine = self.reading(ledger::engine)?;
        // A transaction that writes nothing still tells whether one can be begun.
        let faults = self.writing(|_| Ok(())).err().map(|error| error.to_string());
        Ok(Health {
            engine,
            location: PathBuf::from(format!(
                "{}?workspace={} project {}",
                self.name(),
                self.pool.workspace_name(),
                self.project
            )),
            schema: migrate::VERSION,
            faults: faults.into_iter().collect(),
        })
    }
}
