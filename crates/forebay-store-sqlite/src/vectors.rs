//! VectorIndex of all passages, held in memory by whoever searches more than once.

use forebay_store::Embedding;
use forebay_store::query_batcher::{self, QueryBatcher};
use forebay_store::top_k::better;
use forebay_store::vector_index::{NEAR, Neighbours, VectorIndex, VectorQuery, are_too_many};
use forebay_text::vector::similarity;
use parking_lot::RwLock;
use rusqlite::{Connection, OptionalExtension};

/// A process that asks once reads so many, some milliseconds' worth.
const READ_AT_ONCE: i64 = 4_000;

/// The meanings that the built-in model told, and those of a server's model.
#[derive(Debug)]
pub(super) struct Vectors {
    built_in: OfTable,
    remote: OfTable,
}

impl Default for Vectors {
    fn default() -> Self {
        let of =
            |table| OfTable { table, known: RwLock::default(), together: QueryBatcher::default() };
        Self { built_in: of(BUILT_IN), remote: of(REMOTE) }
    }
}

impl Vectors {
    /// The meanings that this one is compared with.
    pub(super) fn of(&self, wanted: &Embedding) -> &OfTable {
        if wanted.is_remote() { &self.remote } else { &self.built_in }
    }
}

/// Where meanings are kept, and the column that tells which of them are new.
#[derive(Debug, Clone, Copy)]
struct Table {
    name: &'static str,
    order: &'static str,
}

const BUILT_IN: Table = Table { name: "meaning", order: "chunk" };
const REMOTE: Table = Table { name: "embedding", order: "id" };

/// The meanings of one table as far as they were read; new ones are added when they are next asked for.
#[derive(Debug)]
pub(super) struct OfTable {
    table: Table,
    known: RwLock<Known>,
    together: QueryBatcher<VectorQuery<i64>, Neighbours>,
}

/// Somebody who will want to know what is near, if he does not find out before that nothing is.
pub(super) type PendingQuery<'a> = query_batcher::PendingQuery<'a, VectorQuery<i64>, Neighbours>;

#[derive(Debug, Default)]
struct Known {
    model: i64,
    /// The last that was read, by the table's order.
    last: i64,
    meanings: VectorIndex,
}

impl OfTable {
    pub(super) fn announce(&self) -> PendingQuery<'_> {
        self.together.announce()
    }

    /// Reads what is new, so that a meaning can be compared with all; none where its model told none.
    pub(super) fn prepare(
        &self,
        connection: &Connection,
        Embedding { model, vector }: &Embedding,
        most: usize,
    ) -> rusqlite::Result<Option<VectorQuery<i64>>> {
        let Some((model, last)) = self.table.extent(connection, model)? else { return Ok(None) };
        if !self.known.read().is_current(model, last) {
            self.known.write().keep_up(connection, self.table, (model, last), vector.len())?;
        }
        Ok(Some(VectorQuery { model, vector: vector.clone(), most }))
    }

    /// The passages whose meaning is nearest, best first.
    pub(super) fn nearest(
        &self,
        announced: PendingQuery<'_>,
        wanted: VectorQuery<i64>,
    ) -> Neighbours {
        let near = announced.ask(wanted, |each| self.known.read().nearest_to_each(each, |_| true));
        near.unwrap_or_default()
    }

    /// The same; only those that `allows` lets through.
    pub(super) fn nearest_of(
        &self,
        wanted: &VectorQuery<i64>,
        allows: impl Fn(i64) -> bool,
    ) -> Neighbours {
        let near = self.known.read().nearest_to_each(&[wanted], allows).pop();
        near.flatten().unwrap_or_default()
    }
}

/// Whether reading all meanings takes longer than a person notices.
pub(super) fn are_many(connection: &Connection) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT coalesce(max(chunk), 0) > ?1 FROM meaning")?
        .query_row([READ_AT_ONCE], |row| row.get(0))
}

/// How near the meaning of each of these passages is, where it is near at all; nearest first.
pub(super) fn nearness_of<'a>(
    connection: &Connection,
    wanted: &Embedding,
    passages: impl Iterator<Item = &'a i64>,
) -> rusqlite::Result<Neighbours> {
    // A server's model is asked because it finds what words do not: its meanings are all compared.
    let mut statement = connection.prepare_cached(
        "SELECT vector FROM meaning JOIN model ON model.id = meaning.model
         WHERE meaning.chunk = ?1 AND model.name = ?2",
    )?;
    let mut near = Vec::new();
    for passage in passages {
        let read =
            |row: &rusqlite::Row<'_>| Ok(similarity(&wanted.vector, row.get_ref(0)?.as_blob()?));
        let similarity = statement.query_row((passage, &wanted.model), read).optional()?;
        near.extend(
            similarity
                .filter(|similarity| *similarity >= NEAR)
                .map(|similarity| (*passage, similarity)),
        );
    }
    near.sort_unstable_by(better);
    Ok(near)
}

impl Table {
    /// The model's number, and the last meaning it made.
    fn extent(self, connection: &Connection, name: &str) -> rusqlite::Result<Option<(i64, i64)>> {
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

impl Known {
    fn nearest_to_each(
        &self,
        wanted: &[&VectorQuery<i64>],
        allows: impl Fn(i64) -> bool,
    ) -> Vec<Option<Neighbours>> {
        self.meanings.nearest_to_each(&self.model, wanted, allows)
    }

    fn is_current(&self, model: i64, last: i64) -> bool {
        self.model == model && self.last == last
    }

    /// Reads what is new, or everything where much of what was read is gone.
    fn keep_up(
        &mut self,
        connection: &Connection,
        table: Table,
        (model, last): (i64, i64),
        width: usize,
    ) -> rusqlite::Result<()> {
        if self.is_current(model, last) {
            return Ok(());
        }
        // Counting reads them all, so it is done only when something has changed. Until then those that
        // were forgotten stay; nothing finds them.
        let count: i64 = connection
            .prepare_cached(&format!("SELECT count(*) FROM {} WHERE model = ?1", table.name))?
            .query_row([model], |row| row.get(0))?;
        let many_are_gone = self.meanings.len() as i64 > count + count / 4 + 100;
        if self.model != model || last < self.last || many_are_gone {
            *self = Self { model, last: 0, meanings: VectorIndex::new(width) };
        }
        // Words alone find then.
        if are_too_many(count, width) {
            *self = Self { model, last, meanings: VectorIndex::new(width) };
            return Ok(());
        }
        self.read_new(connection, table)
    }

    fn read_new(
        &mut self,
        connection: &Connection,
        Table { name, order }: Table,
    ) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {order}, chunk, vector FROM {name}
             WHERE {order} > ?1 AND model = ?2 ORDER BY {order}",
        ))?;
        let mut rows = statement.query((self.last, self.model))?;
        while let Some(row) = rows.next()? {
            self.last = row.get(0)?;
            let vector = row.get_ref(2)?.as_blob_or_null()?.unwrap_or_default();
            self.meanings.add(row.get(1)?, vector);
        }
        Ok(())
    }
}
