//! The engine for many machines: one PostgreSQL server, any number of processes, none of which keeps anything.
//!
//! Rows belong to a project of a workspace; every statement is handed both (`connection`), and the server itself
//! shows a connection no row of another workspace. Words are found by the server's full text index and ranked
//! here (`lexemes`, `ranking`), meanings by `pgvector`, parts of words and slips by `pg_trgm`.

mod address;
mod auto_analyze;
mod blobs;
mod chunks;
mod conditions;
mod connection;
mod counts;
mod derived;
mod embeddings;
mod entries;
mod error;
mod events;
mod files;
mod hits;
mod imports;
mod index_cache;
mod lexemes;
mod lists;
mod migrate;
mod parts;
mod pool;
mod purge;
mod ranking;
mod reindex;
mod replicate;
mod search;
mod sessions;
mod single_flight;
mod sources;
mod staging;
mod store;
mod text;
mod tls;
mod tokens;
mod upload;
mod usage;
mod vectors;
mod vocabulary;

use std::sync::{Arc, Mutex};

use forebay_domain::Reference;
use forebay_domain::event::Recorded;
use forebay_store::{EventPage, IndexState, NewChunk, StoreError};

pub use self::address::Address;
use self::auto_analyze::Growth;
use self::connection::{Place, Work};
use self::counts::Counts;
use self::error::Fault;
use self::hits::Memory;
pub use self::pool::MOST_CONNECTIONS;
use self::pool::{Pool, Writing};
use self::single_flight::Shared;
use self::text::Name;
use self::vocabulary::Vocabulary;

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
            Ok(None) => StoreError::NotFound(reference),
            Err(error) => error,
        }
    }
}
