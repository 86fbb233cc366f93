//! Store engine for teams: one PostgreSQL server, any number of stateless processes.
//!
//! Rows belong to a project of a workspace; every statement is bound to both (`connection`), and row-level security
//! hides the rows of other workspaces. Words are found by the server's full-text index and ranked here (`lexemes`,
//! `ranking`), embeddings by `pgvector`, substrings and typos by `pg_trgm`.
//!
//! - `store` implements the traits of `forebay-store` by delegating to the other modules.
//! - `address`, `tls`, `pool`, `connection`: from a URL to statements; `migrate` upgrades the schema.
//! - `entries`, `blobs`, `upload`: writing and reading entries; many at once: `staging`, `reindex`, `sources`,
//!   `imports`.
//! - `chunks`, `lexemes`, `vectors`, `embeddings`, `vocabulary`: what search needs of a chunk.
//! - `search`, `ranking`, `counts`: candidates by words and by embedding; `hits`, `parts`: their texts.
//! - `index_cache`: words and vectors in the memory of a process that searches often.
//! - `single_flight` shares equal queries, `auto_analyze` keeps the planner's statistics current.
//! - `purge` deletes entries, `replicate` adds those of other stores.
//! - `events`, `sessions`, `files`, `usage`, `model_requests`, `ledger`, `tokens`, `derived`, `lists`:
//!   one concern each.

mod address;
mod auto_analyze;
mod blobs;
mod chunks;
mod command_runs;
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
mod ledger;
mod lexemes;
mod lists;
mod migrate;
mod model_requests;
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
mod treatments;
mod upload;
mod usage;
mod vectors;
mod vocabulary;

use std::sync::{Arc, Mutex};

use forebay_domain::Reference;
use forebay_domain::event::RecordedEvent;
use forebay_store::{EventPage, IndexState, NewChunk, StoreError};

pub use self::address::Address;
use self::auto_analyze::AutoAnalyze;
use self::connection::{ProjectScope, ScopedConn};
use self::counts::Counts;
use self::error::PgError;
use self::hits::Caches;
pub use self::pool::MAX_CONNECTIONS;
use self::pool::{Pool, PurgeLock};
use self::single_flight::KeyedSingleFlight;
use self::text::Name;
use self::vocabulary::Vocabulary;

/// A project's store on a PostgreSQL server.
#[derive(Debug)]
pub struct PostgresStore {
    pool: Arc<Pool>,
    scope: ProjectScope,
    project: String,
    counts: Counts,
    vocabulary: Vocabulary,
    caches: Caches,
    auto_analyze: AutoAnalyze,
    indexing: Mutex<()>,
    /// Queries that every search sends, keyed by their limit or page.
    unindexed: KeyedSingleFlight<usize, Vec<IndexState>>,
    events: KeyedSingleFlight<EventPage, Vec<RecordedEvent>>,
}

impl PostgresStore {
    /// Opens a project's store, creating the project and the tables as needed.
    pub fn open(address: &Address, project: &str) -> Result<Self, StoreError> {
        let pool = Pool::for_address(address)?;
        let number = loop {
            if let Some(number) = pool.find_project(project)? {
                break number;
            }
            pool.with_connection(pool.workspace_scope(), |conn| {
                conn.execute(
                    "INSERT INTO project (workspace, name) SELECT $1, $3 WHERE $2::integer = 0
                     ON CONFLICT DO NOTHING",
                    &[&Name(project)],
                )
            })?;
        };
        Ok(Self::new(pool, number, project))
    }

    /// Opens a project's store if the project exists.
    pub fn open_existing(address: &Address, project: &str) -> Result<Option<Self>, StoreError> {
        let pool = Pool::for_address(address)?;
        let number = pool.find_project(project)?;
        Ok(number.map(|number| Self::new(pool, number, project)))
    }

    /// Returns the projects of a workspace, by name.
    pub fn projects(address: &Address) -> Result<Vec<String>, StoreError> {
        let pool = Pool::for_address(address)?;
        pool.with_connection(pool.workspace_scope(), |conn| {
            let rows = conn.query(
                "SELECT name FROM project WHERE workspace = $1 AND $2::integer = 0 ORDER BY name COLLATE \"C\"",
                &[],
            )?;
            rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
        })
    }

    fn new(pool: Arc<Pool>, number: i32, project: &str) -> Self {
        let scope = ProjectScope { workspace: pool.workspace(), project: number };
        Self {
            pool,
            scope,
            project: project.to_owned(),
            counts: Counts::default(),
            vocabulary: Vocabulary::default(),
            caches: Caches::default(),
            auto_analyze: AutoAnalyze::default(),
            indexing: Mutex::default(),
            unindexed: KeyedSingleFlight::default(),
            events: KeyedSingleFlight::default(),
        }
    }

    fn name(&self) -> &str {
        self.pool.store()
    }

    fn with_connection<T>(
        &self,
        body: impl FnMut(&mut ScopedConn<'_>) -> Result<T, PgError>,
    ) -> Result<T, StoreError> {
        self.pool.with_connection(self.scope, body)
    }

    fn transaction<T>(
        &self,
        mut body: impl FnMut(&mut ScopedConn<'_>) -> Result<T, PgError>,
    ) -> Result<T, StoreError> {
        let mut purges = None;
        let value = self.pool.transaction(self.scope, PurgeLock::Shared, |conn| {
            let value = body(conn)?;
            purges = conn.purges;
            Ok(value)
        })?;
        if let Some(purges) = purges {
            self.vocabulary.set_purges(purges);
        }
        Ok(value)
    }

    /// Records the words of stored chunks for typo correction; a failure is only logged.
    fn record_words<'a>(&self, chunks: impl IntoIterator<Item = &'a NewChunk>) {
        let chunks: Vec<&NewChunk> = chunks.into_iter().collect();
        self.auto_analyze.add(&self.pool, self.scope, chunks.len());
        let Some(words) = self.vocabulary.new_words(&chunks) else { return };
        match self.with_connection(|conn| vocabulary::write(conn, &words)) {
            Ok(()) => self.vocabulary.mark_written(words),
            Err(error) => tracing::warn!(%error, "cannot record the words of an entry"),
        }
    }

    fn blob_of(&self, reference: Reference) -> Result<i64, StoreError> {
        self.with_connection(|conn| entries::blob_of(conn, reference))?
            .map_or_else(|| Err(self.missing_error(reference)), Ok)
    }

    fn blob_info(&self, reference: Reference) -> Result<blobs::BlobInfo, StoreError> {
        let blob = self.blob_of(reference)?;
        self.with_connection(|conn| blobs::info(conn, blob))?
            .ok_or_else(|| self.missing_error(reference))
    }

    fn missing_error(&self, reference: Reference) -> StoreError {
        match self.with_connection(|conn| purge::tombstone(conn, reference)) {
            Ok(Some((why, at))) => StoreError::Gone { reference, why, at },
            Ok(None) => StoreError::NotFound(reference),
            Err(error) => error,
        }
    }
}
