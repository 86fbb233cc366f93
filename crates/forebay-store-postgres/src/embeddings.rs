//! Embeddings by a server's model, in addition to the built-in one.

use forebay_store::{ChunkEmbedding, EmbeddingProgress, StaleChunk};

use super::connection::ScopedConn;
use super::error::PgError;
use super::text::Text;
use super::{chunks, vectors};

/// Visible chunks, joined with their embedding by this model.
const EMBEDDED: &str = "
    FROM chunk JOIN entry ON entry.workspace = $1 AND entry.project = $2 AND entry.id = chunk.entry
        AND entry.complete
    LEFT JOIN embedding ON embedding.workspace = $1 AND embedding.project = $2
        AND embedding.chunk = chunk.id AND embedding.model = (SELECT id FROM model WHERE name = $3)
    WHERE chunk.workspace = $1 AND chunk.project = $2";

/// Returns the newest chunks that a model has not embedded yet.
pub(super) fn missing(
    conn: &mut ScopedConn<'_>,
    model: &str,
    at_most: usize,
) -> Result<Vec<StaleChunk>, PgError> {
    if is_complete(conn, model)? {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT chunk.id, entry.ref, chunk.title, chunk.start, chunk.bytes {EMBEDDED}
             AND embedding.chunk IS NULL ORDER BY chunk.id DESC LIMIT $4"
    );
    let rows = conn.query(&sql, &[&Text(model), &(at_most as i64)])?;
    rows.iter().map(chunks::read_stale).collect()
}

/// Counts the chunks that a model has and has not embedded.
pub(super) fn progress(
    conn: &mut ScopedConn<'_>,
    model: &str,
) -> Result<EmbeddingProgress, PgError> {
    let sql =
        format!("SELECT count(embedding.chunk), count(*) - count(embedding.chunk) {EMBEDDED}");
    let row = conn.one(&sql, &[&Text(model)])?;
    let number = |column| row.try_get::<_, i64>(column).map(|number| number as u64);
    Ok(EmbeddingProgress { embedded: number(0)?, pending: number(1)? })
}

/// Returns whether every chunk is embedded. Every search asks; comparing counts is faster than an anti-join.
fn is_complete(conn: &mut ScopedConn<'_>, model: &str) -> Result<bool, PgError> {
    let row = conn.one(
        "SELECT (SELECT count(*) FROM chunk WHERE workspace = $1 AND project = $2) =
             (SELECT count(*) FROM embedding WHERE workspace = $1 AND project = $2
                 AND model = (SELECT id FROM model WHERE name = $3))",
        &[&Text(model)],
    )?;
    Ok(row.try_get(0)?)
}

/// Writes a model's embeddings; those of other models stay.
pub(super) fn write(
    conn: &mut ScopedConn<'_>,
    model: &str,
    embeddings: &[ChunkEmbedding],
) -> Result<(), PgError> {
    chunks::ensure_model(conn, model)?;
    let ids: Vec<i64> = embeddings.iter().map(|embedding| embedding.chunk_id).collect();
    let vector = |embeddings: &ChunkEmbedding| embeddings.vector.as_deref().map(vectors::vector);
    let vectors: Vec<Option<String>> = embeddings.iter().map(vector).collect();
    conn.execute(
        "INSERT INTO embedding (workspace, project, chunk, model, vector)
         SELECT $1, $2, chunk.id, model.id, new.vector::halfvec
         FROM unnest($3::bigint[], $4::text[]) AS new (chunk, vector)
         JOIN chunk ON chunk.workspace = $1 AND chunk.project = $2 AND chunk.id = new.chunk
         JOIN model ON model.name = $5
         ON CONFLICT (workspace, project, chunk, model) DO NOTHING",
        &[&ids, &vectors, &Text(model)],
    )?;
    Ok(())
}
