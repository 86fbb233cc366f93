//! Reads the chunks that were added to a project since the last sync.

use std::collections::HashMap;

use ::postgres::Row;

use super::super::connection::ScopedConn;
use super::super::error::PgError;
use super::chunk::ChunkRow;
use super::snapshot::{Model, PAGE_SIZE};

/// How far the project has been read.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// All transactions before this one have been read.
    pub(super) since: Option<u64>,
    /// Chunks already read from this and later transactions, with their transactions.
    pub(super) read: HashMap<i64, u64>,
    pub(super) state: ProjectState,
}

/// Change counters of a project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ProjectState {
    /// Number of purges, and number of reindexed batches.
    pub(super) purges: i64,
    pub(super) renewals: i64,
    /// The newest chunk.
    pub(super) newest: i64,
}

/// Cheap check for changes; runs before every search.
pub(super) struct ChangeProbe {
    pub(super) state: ProjectState,
    /// The oldest transaction still in progress.
    pub(super) until: u64,
    /// The last transactions that added chunks and that purged entries.
    added: Option<u64>,
    purged: Option<u64>,
}

impl ChangeProbe {
    /// Returns None if the project does not exist. Reads the last index entry of both tables; after a restore from a
    /// dump, old rows can carry transaction ids that lie in the future, which are ignored.
    pub(super) fn read(conn: &mut ScopedConn<'_>) -> Result<Option<Self>, PgError> {
        const LAST_WRITTEN: &str = "written < pg_snapshot_xmax(pg_current_snapshot())
                 ORDER BY written DESC LIMIT 1";
        let sql = format!(
            "SELECT purges, renewals, pg_snapshot_xmin(pg_current_snapshot())::text,
                 coalesce((SELECT id FROM chunk WHERE workspace = $1 AND project = $2
                           ORDER BY id DESC LIMIT 1), 0),
                 (SELECT written FROM chunk WHERE workspace = $1 AND project = $2 AND {LAST_WRITTEN})::text,
                 (SELECT written FROM gone WHERE workspace = $1 AND project = $2 AND {LAST_WRITTEN})::text
             FROM project WHERE workspace = $1 AND id = $2"
        );
        let Some(row) = conn.first(&sql, &[])? else { return Ok(None) };
        let last = |column| -> Result<Option<u64>, PgError> {
            let transaction: Option<&str> = row.try_get(column)?;
            transaction.map(|number| number.parse().map_err(PgError::invalid_data)).transpose()
        };
        Ok(Some(Self {
            state: ProjectState {
                purges: row.try_get(0)?,
                renewals: row.try_get(1)?,
                newest: row.try_get(3)?,
            },
            until: transaction(&row, 2)?,
            added: last(4)?,
            purged: last(5)?,
        }))
    }

    /// Returns whether chunks may have been added since.
    pub(super) fn has_added(&self, since: Option<u64>) -> bool {
        since.is_none() || self.added >= since
    }

    /// Returns whether entries may have been purged since.
    pub(super) fn has_purged(&self, since: Option<u64>) -> bool {
        since.is_none() || self.purged >= since
    }
}

/// A page of added chunks, ordered by transaction.
pub(super) struct Delta {
    rows: Vec<Row>,
}

/// Position before a page: a transaction and a chunk in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor {
    pub(super) transaction: Option<u64>,
    pub(super) chunk: i64,
}

impl Cursor {
    /// Starts at a transaction; matches no row if it is None.
    pub(super) fn from_transaction(transaction: Option<u64>) -> Self {
        Self { transaction, chunk: -1 }
    }
}

impl Delta {
    /// Reads the chunks added after `cursor`, except those in `read`.
    pub(super) fn read(
        conn: &mut ScopedConn<'_>,
        model: &Model,
        cursor: Cursor,
        read: &[i64],
    ) -> Result<Self, PgError> {
        let sql = format!(
            "SELECT {}, chunk.written::text FROM
                 (SELECT * FROM chunk WHERE workspace = $1 AND project = $2
                      AND written >= $5::text::xid8 AND (written, id) > ($5::text::xid8, $6)
                      AND written < pg_snapshot_xmax(pg_current_snapshot()) AND id <> ALL ($7)
                  ORDER BY written, id LIMIT $8) AS chunk
             ORDER BY chunk.written, chunk.id",
            ChunkRow::COLUMNS
        );
        let transaction = cursor.transaction.map(|transaction| transaction.to_string());
        let rows = conn.query(
            &sql,
            &[&model.name, &model.dimension, &transaction, &cursor.chunk, &read, &PAGE_SIZE],
        )?;
        Ok(Self { rows })
    }

    /// Returns the chunks with their transactions.
    pub(super) fn chunks(&self) -> Result<Vec<(ChunkRow<'_>, u64)>, PgError> {
        let read = |row| Ok((ChunkRow::read(row)?, transaction(row, ChunkRow::COLUMN_COUNT)?));
        self.rows.iter().map(read).collect()
    }

    /// Returns whether there may be another page.
    pub(super) fn has_more(&self) -> bool {
        self.rows.len() as i64 >= PAGE_SIZE
    }
}

fn transaction(row: &Row, column: usize) -> Result<u64, PgError> {
    row.try_get::<_, &str>(column)?.parse().map_err(PgError::invalid_data)
}
