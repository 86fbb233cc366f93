//! In-memory vector indexes of all chunks, loaded on the first search.

use forebay_store::Embedding;
use forebay_store::query_batcher::{self, QueryBatcher};
use forebay_store::top_k::by_score_descending;
use forebay_store::vector_index::{
    MIN_SIMILARITY, Neighbours, VectorIndex, VectorQuery, exceeds_limits,
};
use forebay_text::vector::similarity;
use parking_lot::RwLock;
use rusqlite::{Connection, OptionalExtension};

/// A short-lived process reads at most this many vectors, a few milliseconds' worth.
const MAX_EXHAUSTIVE_READ: i64 = 4_000;

/// The vectors of the built-in model and those of a remote one.
#[derive(Debug)]
pub(super) struct Vectors {
    built_in: VectorTable,
    remote: VectorTable,
}

impl Default for Vectors {
    fn default() -> Self {
        let new = |table| VectorTable {
            table,
            loaded: RwLock::default(),
            batcher: QueryBatcher::default(),
        };
        Self { built_in: new(BUILT_IN), remote: new(REMOTE) }
    }
}

impl Vectors {
    /// Returns the table with vectors of the same origin.
    pub(super) fn table_for(&self, query: &Embedding) -> &VectorTable {
        if query.is_remote() { &self.remote } else { &self.built_in }
    }
}

/// The table and the column that orders its rows by age.
#[derive(Debug, Clone, Copy)]
struct TableColumns {
    name: &'static str,
    order: &'static str,
}

const BUILT_IN: TableColumns = TableColumns { name: "meaning", order: "chunk" };
const REMOTE: TableColumns = TableColumns { name: "embedding", order: "id" };

/// The loaded vectors of one table; new ones are added before each search.
#[derive(Debug)]
pub(super) struct VectorTable {
    table: TableColumns,
    loaded: RwLock<LoadedVectors>,
    batcher: QueryBatcher<VectorQuery<i64>, Neighbours>,
}

/// An announced vector search.
pub(super) type PendingQuery<'a> = query_batcher::PendingQuery<'a, VectorQuery<i64>, Neighbours>;

#[derive(Debug, Default)]
struct LoadedVectors {
    model: i64,
    /// The last row loaded, by the order column.
    last: i64,
    index: VectorIndex,
}

impl VectorTable {
    pub(super) fn announce(&self) -> PendingQuery<'_> {
        self.batcher.announce()
    }

    /// Loads new vectors for a query; None if its model has none.
    pub(super) fn prepare(
        &self,
        connection: &Connection,
        Embedding { model, vector }: &Embedding,
        limit: usize,
    ) -> rusqlite::Result<Option<VectorQuery<i64>>> {
        let Some((model, last)) = self.table.model_extent(connection, model)? else {
            return Ok(None);
        };
        if !self.loaded.read().is_current(model, last) {
            self.loaded.write().update(connection, self.table, (model, last), vector.len())?;
        }
        Ok(Some(VectorQuery { model, vector: vector.clone(), limit }))
    }

    /// Returns the most similar chunks, in a batch with concurrent queries.
    pub(super) fn search(&self, pending: PendingQuery<'_>, query: VectorQuery<i64>) -> Neighbours {
        let neighbours =
            pending.run(query, |queries| self.loaded.read().search_batch(queries, |_| true));
        neighbours.unwrap_or_default()
    }

    /// Returns the most similar chunks that `accepts` lets pass.
    pub(super) fn search_filtered(
        &self,
        query: &VectorQuery<i64>,
        accepts: impl Fn(i64) -> bool,
    ) -> Neighbours {
        let neighbours = self.loaded.read().search_batch(&[query], accepts).pop();
        neighbours.flatten().unwrap_or_default()
    }
}

/// Returns whether loading all vectors would be noticeably slow.
pub(super) fn is_large(connection: &Connection) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT coalesce(max(chunk), 0) > ?1 FROM meaning")?
        .query_row([MAX_EXHAUSTIVE_READ], |row| row.get(0))
}

/// Returns the similarity of each of these chunks above the minimum, best first.
pub(super) fn similarities<'a>(
    connection: &Connection,
    query: &Embedding,
    chunk_ids: impl Iterator<Item = &'a i64>,
) -> rusqlite::Result<Neighbours> {
    // Only built-in vectors: a remote model is configured to find what words do not, so it is
    // always searched in full.
    let mut statement = connection.prepare_cached(
        "SELECT vector FROM meaning JOIN model ON model.id = meaning.model
         WHERE meaning.chunk = ?1 AND model.name = ?2",
    )?;
    let mut neighbours = Vec::new();
    for chunk_id in chunk_ids {
        let read =
            |row: &rusqlite::Row<'_>| Ok(similarity(&query.vector, row.get_ref(0)?.as_blob()?));
        let similarity = statement.query_row((chunk_id, &query.model), read).optional()?;
        neighbours.extend(
            similarity
                .filter(|similarity| *similarity >= MIN_SIMILARITY)
                .map(|similarity| (*chunk_id, similarity)),
        );
    }
    neighbours.sort_unstable_by(by_score_descending);
    Ok(neighbours)
}

impl TableColumns {
    /// Returns the model's id and its last row.
    fn model_extent(
        self,
        connection: &Connection,
        name: &str,
    ) -> rusqlite::Result<Option<(i64, i64)>> {
        let Self { name: table, order } = self;
        connection
            .prepare_cached(&format!(
                "SELECT id, (SELECT coalesce(max({table}.{order}), 0) FROM {table}
                             WHERE {table}.model = model.id)
                 FROM model WHERE name = ?1",
            ))?
            .query_row([name], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
    }
}

impl LoadedVectors {
    fn search_batch(
        &self,
        query: &[&VectorQuery<i64>],
        accepts: impl Fn(i64) -> bool,
    ) -> Vec<Option<Neighbours>> {
        self.index.search_batch(&self.model, query, accepts)
    }

    fn is_current(&self, model: i64, last: i64) -> bool {
        self.model == model && self.last == last
    }

    /// Loads new vectors, or all if many of the loaded ones were deleted.
    fn update(
        &mut self,
        connection: &Connection,
        table: TableColumns,
        (model, last): (i64, i64),
        width: usize,
    ) -> rusqlite::Result<()> {
        if self.is_current(model, last) {
            return Ok(());
        }
        // Counting reads the whole table, so it is done only after a change. Deleted vectors stay
        // loaded until then; their chunks are not found in the store.
        let count: i64 = connection
            .prepare_cached(&format!("SELECT count(*) FROM {} WHERE model = ?1", table.name))?
            .query_row([model], |row| row.get(0))?;
        let has_many_deleted = self.index.count() as i64 > count + count / 4 + 100;
        if self.model != model || last < self.last || has_many_deleted {
            *self = Self { model, last: 0, index: VectorIndex::new(width) };
        }
        // Too many: the search is by words only.
        if exceeds_limits(count, width) {
            *self = Self { model, last, index: VectorIndex::new(width) };
            return Ok(());
        }
        self.read_new(connection, table)
    }

    fn read_new(
        &mut self,
        connection: &Connection,
        TableColumns { name, order }: TableColumns,
    ) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {order}, chunk, vector FROM {name}
             WHERE {order} > ?1 AND model = ?2 ORDER BY {order}",
        ))?;
        let mut rows = statement.query((self.last, self.model))?;
        while let Some(row) = rows.next()? {
            self.last = row.get(0)?;
            let vector = row.get_ref(2)?.as_blob_or_null()?.unwrap_or_default();
            self.index.add(row.get(1)?, vector);
        }
        Ok(())
    }
}
