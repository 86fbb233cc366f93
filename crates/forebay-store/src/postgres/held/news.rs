//! What was added to a project since somebody last looked.

use std::collections::HashMap;

use ::postgres::Row;

use super::super::connection::Work;
use super::super::fault::Fault;
use super::passage::Passage;
use super::whole::{Model, PAGE};

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
    /// Reads what was added behind a place, but for passages that were read before. In a server that was restored
    /// from a dump older rows tell of transactions that are yet to come.
    pub(super) fn read(
        work: &mut Work<'_>,
        model: &Model,
        behind: Behind,
        read: &[i64],
    ) -> Result<Self, Fault> {
        let sql = format!(
            "SELECT {}, passage.written::text, pg_snapshot_xmin(pg_current_snapshot())::text,
                 project.purges, project.renewals,
                 coalesce((SELECT id FROM chunk WHERE workspace = $1 AND project = $2
                           ORDER BY id DESC LIMIT 1), 0)
             FROM project
             LEFT JOIN LATERAL
                 (SELECT * FROM chunk WHERE workspace = $1 AND project = $2
                      AND written >= $5::text::xid8 AND (written, id) > ($5::text::xid8, $6)
                      AND written < pg_snapshot_xmax(pg_current_snapshot()) AND id <> ALL ($7)
                  ORDER BY written, id LIMIT $8) AS passage ON true
             WHERE project.workspace = $1 AND project.id = $2 ORDER BY passage.written, passage.id",
            Passage::COLUMNS
        );
        let transaction = behind.transaction.map(|transaction| transaction.to_string());
        let rows = work.query(
            &sql,
            &[&model.name, &model.width, &transaction, &behind.passage, &read, &PAGE],
        )?;
        Ok(Self { rows })
    }

    /// What the project told of itself, and the first transaction that was still at work.
    pub(super) fn state(&self) -> Result<Option<(State, u64)>, Fault> {
        let Some(row) = self.rows.first() else { return Ok(None) };
        let state =
            State { purges: row.try_get(8)?, renewals: row.try_get(9)?, newest: row.try_get(10)? };
        Ok(Some((state, transaction(row, 7)?)))
    }

    /// The passages, with their transactions.
    pub(super) fn passages(&self) -> Result<Vec<(Passage<'_>, u64)>, Fault> {
        let mut passages = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            if row.try_get::<_, Option<i64>>(0)?.is_some() {
                passages.push((Passage::read(row)?, transaction(row, 6)?));
            }
        }
        Ok(passages)
    }

    /// Whether there may be more than this page has.
    pub(super) fn go_on(&self) -> bool {
        self.rows.len() as i64 >= PAGE
    }
}

fn transaction(row: &Row, column: usize) -> Result<u64, Fault> {
    row.try_get::<_, &str>(column)?.parse().map_err(Fault::content)
}
