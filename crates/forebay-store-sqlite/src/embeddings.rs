//! Embeddings of remote models.

use forebay_store::{ChunkEmbedding, EmbeddingProgress, StaleChunk};
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::chunks::{ModelIds, read_stale};

/// Visible chunks with their embedding by a model, if it has one.
const CHUNKS_WITH_EMBEDDING: &str = "
    FROM chunk JOIN entry ON entry.id = chunk.entry AND entry.complete
    LEFT JOIN embedding ON embedding.chunk = chunk.id
        AND embedding.model = (SELECT id FROM model WHERE name = ?1)";

/// Returns the newest chunks that a model has not embedded yet.
pub(super) fn missing(
    connection: &Connection,
    model: &str,
    limit: usize,
) -> rusqlite::Result<Vec<StaleChunk>> {
    if is_complete(connection, model)? {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT chunk.id, entry.ref, chunk.title, chunk.start, chunk.bytes {CHUNKS_WITH_EMBEDDING}
         WHERE embedding.id IS NULL ORDER BY chunk.id DESC LIMIT ?2"
    );
    connection.prepare_cached(&sql)?.query_map((model, limit as i64), read_stale)?.collect()
}

/// Counts the chunks that a model has and has not embedded.
pub(super) fn progress(
    connection: &Connection,
    model: &str,
) -> rusqlite::Result<EmbeddingProgress> {
    let sql = format!(
        "SELECT count(embedding.id), count(*) - count(embedding.id) {CHUNKS_WITH_EMBEDDING}"
    );
    connection.prepare_cached(&sql)?.query_row([model], |row| {
        let number = |column| row.get::<_, i64>(column).map(|number| number as u64);
        Ok(EmbeddingProgress { embedded: number(0)?, pending: number(1)? })
    })
}

/// Returns whether every chunk is embedded. Every search asks, and counting is much faster than
/// joining.
fn is_complete(connection: &Connection, model: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT (SELECT count(*) FROM chunk) = (SELECT count(*) FROM embedding
                 WHERE embedding.model = (SELECT id FROM model WHERE name = ?1))",
        )?
        .query_row([model], |row| row.get(0))
}

/// Stores embeddings. Keeps those of the last two models per chunk, so that switching models, or an
/// older process still running, loses nothing; a third model replaces the older of the two.
pub(super) fn write(
    transaction: &Transaction<'_>,
    model: &str,
    embeddings: &[ChunkEmbedding],
) -> rusqlite::Result<()> {
    let model = ModelIds::default().id(transaction, model)?;
    let kept_model = last_other_model(transaction, model)?;
    let mut evict = transaction
        .prepare_cached("DELETE FROM embedding WHERE chunk = ?1 AND model NOT IN (?2, ?3)")?;
    let mut insert = transaction.prepare_cached(
        "INSERT OR IGNORE INTO embedding (model, chunk, vector)
         SELECT ?1, id, ?3 FROM chunk WHERE id = ?2",
    )?;
    for ChunkEmbedding { chunk_id, vector } in embeddings {
        evict.execute((chunk_id, model, kept_model))?;
        insert.execute((model, chunk_id, vector))?;
    }
    Ok(())
}

/// Returns the model last used besides this one.
fn last_other_model(transaction: &Transaction<'_>, model: i64) -> rusqlite::Result<i64> {
    let kept_model = transaction
        .prepare_cached(
            "SELECT id FROM
                 (SELECT id, (SELECT max(embedding.id) FROM embedding
                              WHERE embedding.model = model.id) AS last FROM model)
             WHERE id <> ?1 AND last IS NOT NULL ORDER BY last DESC LIMIT 1",
        )?
        .query_row([model], |row| row.get(0))
        .optional()?;
    Ok(kept_model.unwrap_or(model))
}
