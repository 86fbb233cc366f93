//! The embedded engine: one SQLite file, shared by many processes without a server.
//!
//! - `store` implements the traits of `forebay-store` by delegating to the other modules.
//! - `connection` opens the file and pools connections; `migrate` upgrades the schema in `migrations/`.
//! - `database_files` notices files that are missing, foreign or replaced; `salvage` copies what is whole of a damaged
//!   database.
//! - `entries` writes and reads entries, `blobs` their bytes (`part_cache` caches decompressed parts), `references`
//!   generates their names.
//! - An entry arrives through `upload`: a small one shares a transaction with others (`group_commit`), a large one is
//!   written in several transactions and invisible until the last. `sources` and `imports` write many entries at once.
//! - `chunks` are the searchable parts. `index_writer` adds them to the `inverted_index`, whose segments `segment_merge`
//!   merges; `vectors` and `embeddings` hold their vectors.
//! - `search` finds candidate chunks, `hits` loads them; `chunk_attributes` caches what filters need.
//! - `events`, `sessions`, `working_set`, `usage`, `notes`, `model_requests`, `ledger`, `treatments`, `tokens`, `derived`,
//!   `lists`: one concern each.
//! - `purge` deletes entries and leaves tombstones; `replicate` adds entries of other stores.
//! - [`peek`] counts entries without writing anything.
//! - [`transcript_db`] has nothing to do with the store: it reads conversations from hosts' SQLite databases.

mod blobs;
mod chunk_attributes;
mod chunks;
mod command_runs;
mod conditions;
mod connection;
mod database_files;
mod derived;
mod embeddings;
mod entries;
mod error;
mod events;
mod group_commit;
mod hits;
mod imports;
mod index_writer;
mod inverted_index;
mod ledger;
mod lists;
mod migrate;
mod model_requests;
mod notes;
mod part_cache;
pub mod peek;
mod purge;
mod references;
mod replicate;
mod salvage;
mod search;
mod segment_merge;
mod sessions;
mod sources;
mod store;
mod tokens;
pub mod transcript_db;
mod treatments;
mod upload;
mod usage;
mod vectors;
mod working_set;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use forebay_domain::Reference;
use forebay_store::StoreError;
use rusqlite::Transaction;

use self::chunk_attributes::ChunkAttributes;
use self::connection::Pool;
pub use self::connection::needs_maintenance;
pub use self::database_files::quarantine;
use self::inverted_index::{SegmentCache, Vocabulary};
pub use self::salvage::{Salvage, install, salvage};
use self::vectors::Vectors;

/// A store in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    pool: Pool,
    notices: Vec<String>,
    indexing: Mutex<()>,
    group_commit: group_commit::GroupCommit,
    segments: SegmentCache,
    vocabulary: Vocabulary,
    vectors: Vectors,
    attributes: ChunkAttributes,
    hit_cache: hits::HitCache,
}

impl SqliteStore {
    /// Opens the store, creating or migrating it as needed.
    ///
    /// A file too damaged to open is renamed; [`forebay_store::Maintenance::notices`] reports it.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        match Pool::open(path) {
            Err(StoreError::Corrupt { .. }) => Self::open_after_quarantine(path),
            opened => Ok(Self::new(opened?, Vec::new())),
        }
    }

    /// Locked, so that another process does not move the new file aside again.
    fn open_after_quarantine(path: &Path) -> Result<Self, StoreError> {
        let _repair_lock = connection::lock_beside(path, "repair")?;
        match Pool::open(path) {
            Err(StoreError::Corrupt { what, .. }) => {
                let renamed = quarantine(path)?;
                let damaged = format!("{} was damaged ({what})", path.display());
                let notice = format!("{damaged} and was renamed to {}", renamed.display());
                Ok(Self::new(Pool::open(path)?, vec![notice]))
            }
            opened => Ok(Self::new(opened?, Vec::new())),
        }
    }

    fn new(pool: Pool, mut notices: Vec<String>) -> Self {
        notices.extend_from_slice(pool.notices());
        Self {
            pool,
            notices,
            indexing: Mutex::default(),
            group_commit: group_commit::GroupCommit::default(),
            segments: SegmentCache::default(),
            vocabulary: Vocabulary::default(),
            vectors: Vectors::default(),
            attributes: ChunkAttributes::default(),
            hit_cache: hits::HitCache::default(),
        }
    }

    /// Opens the store if the file exists.
    pub fn open_existing(path: &Path) -> Result<Option<Self>, StoreError> {
        if path.is_file() { Self::open(path).map(Some) } else { Ok(None) }
    }

    /// Returns the linked SQLite version, as `3_051_003` for 3.51.3.
    pub fn engine_version() -> i32 {
        rusqlite::version_number()
    }

    pub fn path(&self) -> &Path {
        self.pool.path()
    }

    fn query<T>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.pool.with(|connection| work(connection))
    }

    /// Runs several queries on one snapshot.
    fn in_snapshot<T>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.query(|connection| connection::in_snapshot(connection, work))
    }

    fn transaction<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.pool.transaction(work)
    }
}

impl SqliteStore {
    /// Reads content of an entry; damage is reported with the entry's name.
    fn query_content<T>(
        &self,
        reference: Reference,
        work: impl FnOnce(&rusqlite::Connection, i64) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut damage = None;
        let result = self.query(|connection| {
            let blob = entries::blob_of(connection, reference);
            let found = blob.and_then(|blob| blob.map(|blob| work(connection, blob)).transpose());
            found.inspect_err(|error| damage = blobs::damage_in(error))
        });
        match damage {
            Some(damage) => Err(StoreError::Damaged { reference, damage }),
            None => result?.ok_or_else(|| self.why_missing(reference)),
        }
    }

    fn why_missing(&self, reference: Reference) -> StoreError {
        match self.query(|connection| purge::tombstone(connection, reference)) {
            Ok(Some((why, at))) => StoreError::Gone { reference, why, at },
            Ok(None) => StoreError::NotFound(reference),
            Err(error) => error,
        }
    }

    /// Checks the file's integrity, and that it is writable.
    fn problems(&self) -> Result<Vec<String>, StoreError> {
        let mut problems =
            self.query(|connection| connection::integrity_problems(connection, "quick_check"))?;
        if let Err(error) = self.transaction(|_| Ok(())) {
            problems.push(error.to_string());
        }
        Ok(problems)
    }
}

impl SqliteStore {
    /// Checks the file, the references between rows, and the search index.
    fn all_problems(&self) -> Result<Vec<String>, StoreError> {
        let mut problems =
            self.query(|connection| connection::integrity_problems(connection, "integrity_check"))?;
        let dangling = "SELECT count(*) FROM pragma_foreign_key_check";
        let dangling: i64 =
            self.query(|connection| connection.query_row(dangling, [], |row| row.get(0)))?;
        if dangling > 0 {
            problems.push(format!("{dangling} rows refer to rows that do not exist"));
        }
        problems.extend(self.in_snapshot(inverted_index::problems)?);
        Ok(problems)
    }
}

/// Returns the folder for backups, next to the database.
fn backup_folder(database: &Path) -> PathBuf {
    database.with_file_name("backups")
}
