//! Chunks: written with their embeddings, and reindexed.

use forebay_store::{NewChunk, ReindexedChunk, StaleChunk};
use rusqlite::types::{ToSqlOutput, Value};
use rusqlite::{Connection, OptionalExtension, Row, Statement, Transaction, params_from_iter};

use super::entries::parse_reference;
use super::inverted_index::{self, AssignedIds};

const CHUNK_TABLE: InsertTable<9> = InsertTable {
    insert:
        "INSERT INTO chunk (id, entry, start, bytes, first_line, last_line, title, key, created)
         VALUES",
    row: "(?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
const EMBEDDING_TABLE: InsertTable<4> = InsertTable {
    insert: "INSERT INTO meaning (chunk, model, code, vector) VALUES",
    row: "(?, ?, ?, ?)",
};
const REPLACE_EMBEDDING: &str =
    "INSERT OR REPLACE INTO meaning (chunk, model, code, vector) VALUES (?1, ?2, ?3, ?4)";

pub(super) fn write(
    transaction: &Transaction<'_>,
    entry: i64,
    chunks: &[NewChunk],
    assigned: &mut AssignedIds,
) -> rusqlite::Result<()> {
    if chunks.is_empty() {
        return Ok(());
    }
    let mut writer = Writer::new(transaction)?;
    writer.write(entry, chunks, assigned)?;
    writer.finish()
}

/// Writes chunks of several entries. The transaction must be the only writer of chunks.
#[must_use = "`finish` writes the last chunks"]
pub(super) struct Writer<'work> {
    transaction: &'work Transaction<'work>,
    model: ModelIds,
    next: i64,
    pending: Vec<PendingChunk<'work>>,
}

impl<'work> Writer<'work> {
    pub(super) fn new(transaction: &'work Transaction<'work>) -> rusqlite::Result<Self> {
        let (model, next) = (ModelIds::default(), inverted_index::next_chunk_id(transaction)?);
        Ok(Self { transaction, model, next, pending: Vec::new() })
    }

    pub(super) fn write(
        &mut self,
        entry: i64,
        chunks: &'work [NewChunk],
        assigned: &mut AssignedIds,
    ) -> rusqlite::Result<()> {
        for chunk in chunks {
            let id = self.next;
            self.next += 1;
            let model = self.model.id_for(self.transaction, chunk)?;
            self.pending.push(PendingChunk { id, entry, chunk, model });
            assigned.add(id);
            if self.pending.len() == ROWS_PER_INSERT {
                self.flush()?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> rusqlite::Result<()> {
        self.flush()
    }

    fn flush(&mut self) -> rusqlite::Result<()> {
        CHUNK_TABLE.write(self.transaction, self.pending.iter().map(PendingChunk::chunk_row))?;
        EMBEDDING_TABLE
            .write(self.transaction, self.pending.iter().filter_map(PendingChunk::embedding_row))?;
        self.pending.clear();
        Ok(())
    }
}

/// A chunk to be written with others.
struct PendingChunk<'work> {
    id: i64,
    entry: i64,
    chunk: &'work NewChunk,
    model: Option<i64>,
}

impl<'work> PendingChunk<'work> {
    fn chunk_row(&self) -> [ToSqlOutput<'work>; 9] {
        let Self { id, entry, chunk, .. } = self;
        let null = ToSqlOutput::Owned(Value::Null);
        [
            (*id).into(),
            (*entry).into(),
            (chunk.start as i64).into(),
            (chunk.bytes as i64).into(),
            (chunk.lines.0 as i64).into(),
            (chunk.lines.1 as i64).into(),
            chunk.title.as_str().into(),
            chunk.key.as_deref().map_or_else(|| null.clone(), Into::into),
            chunk.created.map_or(null, |created| created.0.into()),
        ]
    }

    fn embedding_row(&self) -> Option<[ToSqlOutput<'work>; 4]> {
        let embedding = self.chunk.embedding.as_ref()?;
        let vector = embedding.vector.as_slice().into();
        Some([self.id.into(), self.model?.into(), self.chunk.is_code.into(), vector])
    }
}

/// Rows per INSERT statement: executing one costs about as much as writing a row.
const ROWS_PER_INSERT: usize = 16;

/// A table with rows of this many values.
struct InsertTable<const VALUES: usize> {
    insert: &'static str,
    row: &'static str,
}

impl<const VALUES: usize> InsertTable<VALUES> {
    fn write<'work>(
        &self,
        transaction: &Transaction<'_>,
        rows: impl Iterator<Item = [ToSqlOutput<'work>; VALUES]>,
    ) -> rusqlite::Result<()> {
        let rows: Vec<_> = rows.collect();
        if rows.is_empty() {
            return Ok(());
        }
        let rows_per_statement = if rows.len() == ROWS_PER_INSERT { ROWS_PER_INSERT } else { 1 };
        let sql = [self.insert, &vec![self.row; rows_per_statement].join(",")].concat();
        let mut insert = transaction.prepare_cached(&sql)?;
        for rows in rows.chunks(rows_per_statement) {
            insert.execute(params_from_iter(rows.as_flattened()))?;
        }
        Ok(())
    }
}

/// Returns the next chunks whose index entries are out of date.
pub(super) fn stale(connection: &Connection, limit: usize) -> rusqlite::Result<Vec<StaleChunk>> {
    connection
        .prepare_cached(
            "SELECT chunk.id, entry.ref, chunk.title, chunk.start, chunk.bytes
             FROM renewal
             JOIN chunk ON chunk.id BETWEEN renewal.next AND renewal.last
             JOIN entry ON entry.id = chunk.entry AND entry.complete
             ORDER BY chunk.id LIMIT ?1",
        )?
        .query_map([limit as i64], read_stale)?
        .collect()
}

/// Reads chunk id, entry reference, title, start and size.
pub(super) fn read_stale(row: &Row<'_>) -> rusqlite::Result<StaleChunk> {
    Ok(StaleChunk {
        chunk_id: row.get(0)?,
        reference: parse_reference(&row.get::<_, String>(1)?)?,
        title: row.get(2)?,
        start: row.get::<_, i64>(3)? as u64,
        bytes: row.get::<_, i64>(4)? as u64,
    })
}

/// Reindexes chunks, unless another process has done so.
pub(super) fn reindex(
    transaction: &Transaction<'_>,
    chunks: &[ReindexedChunk],
    assigned: &mut AssignedIds,
) -> rusqlite::Result<()> {
    let (Some(first), Some(last)) = (chunks.first(), chunks.last()) else { return Ok(()) };
    let is_claimed = transaction.execute(
        "UPDATE renewal SET next = ?2 + 1 WHERE next <= ?1 AND ?2 <= last",
        (first.chunk_id, last.chunk_id),
    )?;
    if is_claimed == 0 {
        return Ok(());
    }
    let mut replace_embedding = transaction.prepare_cached(REPLACE_EMBEDDING)?;
    let mut model = ModelIds::default();
    for ReindexedChunk { chunk_id, chunk } in chunks {
        // It may have been deleted since it was read.
        let is_there = transaction
            .prepare_cached("SELECT 1 FROM chunk WHERE id = ?1")?
            .query_row([chunk_id], |_| Ok(()))
            .optional()?;
        if is_there.is_some() {
            assigned.add(*chunk_id);
            write_embedding(
                &mut replace_embedding,
                *chunk_id,
                chunk,
                model.id_for(transaction, chunk)?,
            )?;
        } else {
            assigned.skip(1);
        }
    }
    Ok(())
}

fn write_embedding(
    statement: &mut Statement<'_>,
    id: i64,
    chunk: &NewChunk,
    model: Option<i64>,
) -> rusqlite::Result<()> {
    let Some((embedding, model)) = chunk.embedding.as_ref().zip(model) else { return Ok(()) };
    statement.execute((id, model, chunk.is_code, &embedding.vector)).map(drop)
}

/// Caches the id of the last model, which chunks written together share.
#[derive(Default)]
pub(super) struct ModelIds(Option<(String, i64)>);

impl ModelIds {
    /// Returns the id of the model that embedded a chunk.
    fn id_for(
        &mut self,
        transaction: &Transaction<'_>,
        chunk: &NewChunk,
    ) -> rusqlite::Result<Option<i64>> {
        chunk.embedding.as_ref().map(|embedding| self.id(transaction, &embedding.model)).transpose()
    }

    pub(super) fn id(
        &mut self,
        transaction: &Transaction<'_>,
        name: &str,
    ) -> rusqlite::Result<i64> {
        if let Some((_, id)) = self.0.as_ref().filter(|(known, _)| known == name) {
            return Ok(*id);
        }
        let known = transaction
            .prepare_cached("SELECT id FROM model WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        let id = known.map_or_else(|| add_model(transaction, name), Ok)?;
        self.0 = Some((name.to_owned(), id));
        Ok(id)
    }
}

fn add_model(transaction: &Transaction<'_>, name: &str) -> rusqlite::Result<i64> {
    transaction.prepare_cached("INSERT INTO model (name) VALUES (?1)")?.execute([name])?;
    Ok(transaction.last_insert_rowid())
}
