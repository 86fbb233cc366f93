//! What a server's model tells of passages, beside the built-in one.

use forebay_store::{ChunkEmbedding, EmbeddingProgress, StaleChunk};

use super::connection::Work;
use super::error::Fault;
use super::text::Text;
use super::{chunks, vectors};

/// Passages that people see, and what this model told of each, if it was asked.
const ASKED: &str = "
    FROM chunk JOIN entry ON entry.workspace = $1 AND entry.project = $2 AND entry.id = chunk.entry
        AND entry.complete
    LEFT JOIN embedding ON embedding.workspace = $1 AND embedding.project = $2
        AND embedding.chunk = chunk.id AND embedding.model = (SELECT id FROM model WHERE name = $3)
    WHERE chunk.workspace = $1 AND chunk.project = $2";

/// The newest passages that a model was not asked about yet.
pub(super) fn missing(
    work: &mut Work<'_>,
    model: &str,
    at_most: usize,
) -> Result<Vec<StaleChunk>, Fault> {
    if is_complete(work, model)? {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT chunk.id, entry.ref, chunk.title, chunk.start, chunk.bytes {ASKED}
             AND embedding.chunk IS NULL ORDER BY chunk.id DESC LIMIT $4"
    );
    let rows = work.query(&sql, &[&Text(model), &(at_most as i64)])?;
    rows.iter().map(chunks::read_outdated).collect()
}

/// How many passages a model was asked about, and how many not.
pub(super) fn extent(work: &mut Work<'_>, model: &str) -> Result<EmbeddingProgress, Fault> {
    let sql = format!("SELECT count(embedding.chunk), count(*) - count(embedding.chunk) {ASKED}");
    let row = work.one(&sql, &[&Text(model)])?;
    let number = |column| row.try_get::<_, i64>(column).map(|number| number as u64);
    Ok(EmbeddingProgress { embedded: number(0)?, pending: number(1)? })
}

/// Whether it was asked about every passage. Counting is quick, looking at each of them is not, and every search
/// wants to know.
fn is_complete(work: &mut Work<'_>, model: &str) -> Result<bool, Fault> {
    let row = work.one(
        "SELECT (SELECT count(*) FROM chunk WHERE workspace = $1 AND project = $2) =
             (SELECT count(*) FROM embedding WHERE workspace = $1 AND project = $2
                 AND model = (SELECT id FROM model WHERE name = $3))",
        &[&Text(model)],
    )?;
    Ok(row.try_get(0)?)
}

/// Keeps what a model told; members of a team who use other models lose nothing by it.
pub(super) fn write(
    work: &mut Work<'_>,
    model: &str,
    told: &[ChunkEmbedding],
) -> Result<(), Fault> {
    chunks::make_model(work, model)?;
    let ids: Vec<i64> = told.iter().map(|told| told.chunk_id).collect();
    let vector = |told: &ChunkEmbedding| told.vector.as_deref().map(vectors::vector);
    let vectors: Vec<Option<String>> = told.iter().map(vector).collect();
    work.execute(
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
