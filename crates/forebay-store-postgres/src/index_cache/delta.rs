//! What was added to a project since somebody last looked.

use std::collections::HashMap;

use ::postgres::Row;

use super::super::connection::Work;
use super::super::error::Fault;
use super::chunk::Passage;
use super::snapshot::{Model, PAGE};

/// How far it was read.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// All of the transactions before this one was read.
    pub(super) since: Option<u64>,
    /// Of this one and later ones, the passages that were read, with their transactions.
    pub(super) read: HashMap<i64, u64>,
    pub(super) state: State,
}

/// What a project tells of itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct State {
    /// How often words were forgotten, and how often passages were indexed anew.
    pub(super) purges: i64,
    pub(super) renewals: i64,
    /// The newest passage.
    pub(super) newest: i64,
}

/// What tells whether there is anything new. It is asked before every search, so the server must be quick to say.
pub(super) struct Glance {
    pub(super) state: State,
    /// The first transaction that was still at work.
    pub(super) until: u64,
    /// The last transactions that have added passages and forgotten entries.
    added: Option<u64>,
    forgot: Option<u64>,
}

impl Glance {
    /// Nothing where the project is not there. Of both tables the last row of an index is read; in a server that was
    /// restored from a dump older rows tell of transactions that are yet to come.
    pub(super) fn read(work: &mut Work<'_>) -> Result<Option<Self>, Fault> {
        const LAST: &str = "written < pg_snapshot_xmax(pg_current_snapshot())
                 ORDER BY written DESC LIMIT 1";
        let sql = format!(
            "SELECT purges, renewals, pg_snapshot_xmin(pg_current_snapshot())::text,
                 coalesce((SELECT id FROM chunk WHERE workspace = $1 AND project = $2
                           ORDER BY id DESC LIMIT 1), 0),
                 (SELECT written FROM chunk WHERE workspace = $1 AND project = $2 AND {LAST})::text,
                 (SELECT written FROM gone WHERE workspace = $1 AND project = $2 AND {LAST})::text
             FROM project WHERE workspace = $1 AND id = $2"
        );
        let Some(row) = work.first(&sql, &[])? else { return Ok(None) };
        let last = |column| -> Result<Option<u64>, Fault> {
            let transaction: Option<&str> = row.try_get(column)?;
            transaction.map(|number| number.parse().map_err(Fault::content)).transpose()
        };
        Ok(Some(Self {
            state: State {
                purges: row.try_get(0)?,
                renewals: row.try_get(1)?,
                newest: row.try_get(3)?,
            },
            until: transaction(&row, 2)?,
            added: last(4)?,
            forgot: last(5)?,
        }))
    }

    /// Whether passages may have been added since.
    pub(super) fn has_added(&self, since: Option<u64>) -> bool {
        since.is_none() || self.added >= since
    }

    /// Whether entries may have been forgotten since.
    pub(super) fn has_forgotten(&self, since: Option<u64>) -> bool {
        since.is_none() || self.forgot >= since
    }
}

/// A page of passages that were added, in the order of their transactions.
pub(super) struct News {
    rows: Vec<Row>,
}

/// Where a page begins: behind a passage of a transaction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Behind {
    pub(super) transaction: Option<u64>,
    pub(super) passage: i64,
}

impl Behind {
    /// All of a transaction and of later ones; nothing where there is none.
    pub(super) fn all_of(transaction: Option<u64>) -> Self {
        Self { transaction, passage: -1 }
    }
}

impl News {
    /// Reads what was added behind a place, but for passages that were read before.
    pub(super) fn read(
        work: &mut Work<'_>,
        model: &Model,
        behind: Behind,
        read: &[i64],
    ) -> Result<Self, Fault> {
        let sql = format!(
            "SELECT {}, passage.written::text FROM
                 (SELECT * FROM chunk WHERE workspace = $1 AND project = $2
                      AND written >= $5::text::xid8 AND (written, id) > ($5::text::xid8, $6)
                      AND written < pg_snapshot_xmax(pg_current_snapshot()) AND id <> ALL ($7)
                  ORDER BY written, id LIMIT $8) AS passage
             ORDER BY passage.written, passage.id",
            Passage::COLUMNS
        );
        let transaction = behind.transaction.map(|transaction| transaction.to_string());
        let rows = work.query(
            &sql,
            &[&model.name, &model.width, &transaction, &behind.passage, &read, &PAGE],
        )?;
        Ok(Self { rows })
    }

    /// The passages, with their transactions.
    pub(super) fn passages(&self) -> Result<Vec<(Passage<'_>, u64)>, Fault> {
        self.rows.iter().map(|row| Ok((Passage::read(row)?, transaction(row, 6)?))).collect()
    }

    /// Whether there may be more than this page has.
    pub(super) fn go_on(&self) -> bool {
        self.rows.len() as i64 >= PAGE
    }
}

fn transaction(row: &Row, column: usize) -> Result<u64, Fault> {
    row.try_get::<_, &str>(column)?.parse().map_err(Fault::content)
}
