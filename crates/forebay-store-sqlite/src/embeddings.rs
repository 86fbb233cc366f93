//! What a server's model tells of passages, beside the built-in one.

use forebay_store::{ChunkEmbedding, EmbeddingProgress, StaleChunk};
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::chunks::{Model, read_outdated};

/// Passages that people see, and what this model told of each, if it was asked.
const ASKED: &str = "
    FROM chunk JOIN entry ON entry.id = chunk.entry AND entry.complete
    LEFT JOIN embedding ON embedding.chunk = chunk.id
        AND embedding.model = (SELECT id FROM model WHERE name = ?1)";

/// The newest passages that a model was not asked about yet.
pub(super) fn missing(
    connection: &Connection,
    model: &str,
    at_most: usize,
) -> rusqlite::Result<Vec<StaleChunk>> {
    if is_complete(connection, model)? {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT chunk.id, entry.ref, chunk.title, chunk.start, chunk.bytes {ASKED}
         WHERE embedding.id IS NULL ORDER BY chunk.id DESC LIMIT ?2"
    );
    connection.prepare_cached(&sql)?.query_map((model, at_most as i64), read_outdated)?.collect()
}

/// How many passages a model was asked about, and how many not.
pub(super) fn extent(connection: &Connection, model: &str) -> rusqlite::Result<EmbeddingProgress> {
    let sql = format!("SELECT count(embedding.id), count(*) - count(embedding.id) {ASKED}");
    connection.prepare_cached(&sql)?.query_row([model], |row| {
        let number = |column| row.get::<_, i64>(column).map(|number| number as u64);
        Ok(EmbeddingProgress { passages: number(0)?, waiting: number(1)? })
    })
}

/// Whether it was asked about every passage. Counting is quick, looking at each of them is not, and every search
/// wants to know.
fn is_complete(connection: &Connection, model: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT (SELECT count(*) FROM chunk) = (SELECT count(*) FROM embedding
                 WHERE embedding.model = (SELECT id FROM model WHERE name = ?1))",
        )?
        .query_row([model], |row| row.get(0))
}

/// Keeps what a model told. Of each passage the last two models' words are kept: who tries another model, or
/// has an older process still at work, loses nothing, and a third takes the place of the first.
pub(super) fn write(
    transaction: &Transaction<'_>,
    model: &str,
    told: &[ChunkEmbedding],
) -> rusqlite::Result<()> {
    let model = Model::default().id(transaction, model)?;
    let other = last_other(transaction, model)?;
    let mut clear = transaction
        .prepare_cached("DELETE FROM embedding WHERE chunk = ?1 AND model NOT IN (?2, ?3)")?;
    let mut keep = transaction.prepare_cached(
        "INSERT OR IGNORE INTO embedding (model, chunk, vector)
         SELECT ?1, id, ?3 FROM chunk WHERE id = ?2",
    )?;
    for ChunkEmbedding { passage, vector } in told {
        clear.execute((passage, model, other))?;
        keep.execute((model, passage, vector))?;
    }
    Ok(())
}

/// The model that was asked last, beside this one.
fn last_other(transaction: &Transaction<'_>, model: i64) -> rusqlite::Result<i64> {
    let other = transaction
        .prepare_cached(
            "SELECT id FROM
                 (SELECT id, (SELECT max(embedding.id) FROM embedding
                              WHERE embedding.model = model.id) AS last FROM model)
             WHERE id <> ?1 AND last IS NOT NULL ORDER BY last DESC LIMIT 1",
        )?
        .query_row([model], |row| row.get(0))
        .optional()?;
    Ok(other.unwrap_or(model))
}
