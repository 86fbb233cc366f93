//! The embedded engine: one SQLite file, many processes, nothing to start.

mod blobs;
mod chunk_attributes;
mod chunks;
mod compaction;
mod conditions;
mod connection;
mod derived;
mod embeddings;
mod entries;
mod error;
mod events;
mod files;
mod group_commit;
mod hits;
mod imports;
mod index_writer;
mod inverted_index;
mod lists;
mod migrate;
mod parts;
mod purge;
mod references;
mod replicate;
mod search;
mod sessions;
mod sources;
mod store;
mod tokens;
pub mod transcript_db;
mod upload;
mod usage;
mod vectors;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use forebay_domain::Reference;
use forebay_store::StoreError;
use rusqlite::Transaction;

use self::chunk_attributes::Traits;
use self::connection::Pool;
pub use self::connection::{set_aside, wants_tidying};
use self::inverted_index::{Batch, Segments, Vocabulary};
use self::search::Known;
use self::vectors::Vectors;

/// A store in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    pool: Pool,
    notices: Vec<String>,
    indexing: Mutex<()>,
    joining: group_commit::Joining,
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
            joining: group_commit::Joining::default(),
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
