//! Passages: written into every index at once, taken out of all of them, and brought up to date.

use forebay_store::{NewChunk, ReindexedChunk, StaleChunk};
use rusqlite::types::{ToSqlOutput, Value};
use rusqlite::{Connection, OptionalExtension, Row, Statement, Transaction, params_from_iter};

use super::entries::parse_reference;
use super::inverted_index::{self, Placed};

const PLACES: Table<9> = Table {
    insert:
        "INSERT INTO chunk (id, entry, start, bytes, first_line, last_line, title, key, created)
         VALUES",
    row: "(?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
const MEANINGS: Table<4> = Table {
    insert: "INSERT INTO meaning (chunk, model, code, vector) VALUES",
    row: "(?, ?, ?, ?)",
};
const RENEW_MEANING: &str =
    "INSERT OR REPLACE INTO meaning (chunk, model, code, vector) VALUES (?1, ?2, ?3, ?4)";

pub(super) fn write(
    transaction: &Transaction<'_>,
    entry: i64,
    chunks: &[NewChunk],
    placed: &mut Placed,
) -> rusqlite::Result<()> {
    if chunks.is_empty() {
        return Ok(());
    }
    let mut writer = Writer::new(transaction)?;
    writer.write(entry, chunks, placed)?;
    writer.finish()
}

/// Writes the passages of one entry after the other. Nobody else writes any in the meantime.
#[must_use = "the last passages are written when it is finished"]
pub(super) struct Writer<'work> {
    transaction: &'work Transaction<'work>,
    model: Model,
    next: i64,
    waiting: Vec<Waiting<'work>>,
}

impl<'work> Writer<'work> {
    pub(super) fn new(transaction: &'work Transaction<'work>) -> rusqlite::Result<Self> {
        let (model, next) = (Model::default(), inverted_index::next_passage(transaction)?);
        Ok(Self { transaction, model, next, waiting: Vec::new() })
    }

    pub(super) fn write(
        &mut self,
        entry: i64,
        chunks: &'work [NewChunk],
        placed: &mut Placed,
    ) -> rusqlite::Result<()> {
        for chunk in chunks {
            let id = self.next;
            self.next += 1;
            let model = self.model.of(self.transaction, chunk)?;
            self.waiting.push(Waiting { id, entry, chunk, model });
            placed.add(id);
            if self.waiting.len() == TOGETHER {
                self.write_waiting()?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> rusqlite::Result<()> {
        self.write_waiting()
    }

    fn write_waiting(&mut self) -> rusqlite::Result<()> {
        PLACES.write(self.transaction, self.waiting.iter().map(Waiting::place))?;
        MEANINGS.write(self.transaction, self.waiting.iter().filter_map(Waiting::meaning))?;
        self.waiting.clear();
        Ok(())
    }
}

/// A passage that is written together with others.
struct Waiting<'work> {
    id: i64,
    entry: i64,
    chunk: &'work NewChunk,
    model: Option<i64>,
}

impl<'work> Waiting<'work> {
    fn place(&self) -> [ToSqlOutput<'work>; 9] {
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

    fn meaning(&self) -> Option<[ToSqlOutput<'work>; 4]> {
        let meaning = self.chunk.meaning.as_ref()?;
        let vector = meaning.vector.as_slice().into();
        Some([self.id.into(), self.model?.into(), self.chunk.is_code.into(), vector])
    }
}

/// Rows that one statement writes where there are so many: to begin and end one takes as long as to write a row.
const TOGETHER: usize = 16;

/// A table into which rows of so many values are inserted.
struct Table<const VALUES: usize> {
    insert: &'static str,
    row: &'static str,
}

impl<const VALUES: usize> Table<VALUES> {
    fn write<'work>(
        &self,
        transaction: &Transaction<'_>,
        rows: impl Iterator<Item = [ToSqlOutput<'work>; VALUES]>,
    ) -> rusqlite::Result<()> {
        let rows: Vec<_> = rows.collect();
        if rows.is_empty() {
            return Ok(());
        }
        let rows_at_once = if rows.len() == TOGETHER { TOGETHER } else { 1 };
        let sql = [self.insert, &vec![self.row; rows_at_once].join(",")].concat();
        let mut insert = transaction.prepare_cached(&sql)?;
        for rows in rows.chunks(rows_at_once) {
            insert.execute(params_from_iter(rows.as_flattened()))?;
        }
        Ok(())
    }
}

/// The next passages that were stored before their index was what it is now.
pub(super) fn outdated(
    connection: &Connection,
    at_most: usize,
) -> rusqlite::Result<Vec<StaleChunk>> {
    connection
        .prepare_cached(
            "SELECT chunk.id, entry.ref, chunk.title, chunk.start, chunk.bytes
             FROM renewal
             JOIN chunk ON chunk.id BETWEEN renewal.next AND renewal.last
             JOIN entry ON entry.id = chunk.entry AND entry.complete
             ORDER BY chunk.id LIMIT ?1",
        )?
        .query_map([at_most as i64], read_outdated)?
        .collect()
}

/// A passage by its id, its entry's reference, its title, start and size.
pub(super) fn read_outdated(row: &Row<'_>) -> rusqlite::Result<StaleChunk> {
    Ok(StaleChunk {
        passage: row.get(0)?,
        reference: parse_reference(&row.get::<_, String>(1)?)?,
        title: row.get(2)?,
        start: row.get::<_, i64>(3)? as u64,
        bytes: row.get::<_, i64>(4)? as u64,
    })
}

/// Indexes passages anew, unless another process was faster.
pub(super) fn renew(
    transaction: &Transaction<'_>,
    passages: &[ReindexedChunk],
    placed: &mut Placed,
) -> rusqlite::Result<()> {
    let (Some(first), Some(last)) = (passages.first(), passages.last()) else { return Ok(()) };
    let is_next = transaction.execute(
        "UPDATE renewal SET next = ?2 + 1 WHERE next <= ?1 AND ?2 <= last",
        (first.passage, last.passage),
    )?;
    if is_next == 0 {
        return Ok(());
    }
    let mut meant = transaction.prepare_cached(RENEW_MEANING)?;
    let mut model = Model::default();
    for ReindexedChunk { passage, chunk } in passages {
        // It may have been forgotten since it was read.
        let is_there = transaction
            .prepare_cached("SELECT 1 FROM chunk WHERE id = ?1")?
            .query_row([passage], |_| Ok(()))
            .optional()?;
        if is_there.is_some() {
            placed.add(*passage);
            write_meaning(&mut meant, *passage, chunk, model.of(transaction, chunk)?)?;
        } else {
            placed.skip(1);
        }
    }
    Ok(())
}

fn write_meaning(
    statement: &mut Statement<'_>,
    id: i64,
    chunk: &NewChunk,
    model: Option<i64>,
) -> rusqlite::Result<()> {
    let Some((meaning, model)) = chunk.meaning.as_ref().zip(model) else { return Ok(()) };
    statement.execute((id, model, chunk.is_code, &meaning.vector)).map(drop)
}

/// The model that made the last meaning; passages that are written together share theirs.
#[derive(Default)]
pub(super) struct Model(Option<(String, i64)>);

impl Model {
    /// The model that tells what a passage means, if one does.
    fn of(
        &mut self,
        transaction: &Transaction<'_>,
        chunk: &NewChunk,
    ) -> rusqlite::Result<Option<i64>> {
        chunk.meaning.as_ref().map(|meaning| self.id(transaction, &meaning.model)).transpose()
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
