//! Chunks: written to every index at once, and reindexed when the index format changes.

use forebay_store::{Embedding, NewChunk, ReindexedChunk, StaleChunk};

use super::connection::ScopedConn;
use super::error::PgError;
use super::lexemes::Lexemes;
use super::text::Text;
use super::vectors::vector;
use super::{entries, vocabulary};

/// Current index format; chunks with another one are reindexed.
const INDEX_FORMAT: i16 = 1;

/// Writes the chunks of one entry.
pub(super) fn write_for_entry(
    conn: &mut ScopedConn<'_>,
    entry: i64,
    chunks: &[NewChunk],
) -> Result<(), PgError> {
    let of_entry: Vec<(i64, &NewChunk)> = chunks.iter().map(|chunk| (entry, chunk)).collect();
    write(conn, &of_entry)
}

/// Writes chunks, each with its entry.
pub(super) fn write(conn: &mut ScopedConn<'_>, all: &[(i64, &NewChunk)]) -> Result<(), PgError> {
    if all.is_empty() {
        return Ok(());
    }
    let project = conn.scope().project;
    let chunks = || all.iter().map(|(_, chunk)| *chunk);
    let lexemes: Vec<Lexemes> = chunks().map(|chunk| Lexemes::new(chunk, project)).collect();
    let numbers = |number: fn(&NewChunk) -> u64| -> Vec<i64> {
        chunks().map(|chunk| number(chunk) as i64).collect()
    };
    let rows = conn.query(
        "INSERT INTO chunk (workspace, project, entry, form, start, bytes, first_line, last_line, title, key,
             created, code, length, around_length, words)
         SELECT $1, $2, entry, $3, start, bytes, first_line, last_line, title, key, created, code, length,
             around_length, words::tsvector
         FROM unnest($4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[],
             $10::text[], $11::bigint[], $12::boolean[], $13::integer[], $14::integer[], $15::text[])
             AS new (entry, start, bytes, first_line, last_line, title, key, created, code, length,
                 around_length, words)
         RETURNING id, (SELECT purges FROM project WHERE workspace = $1 AND id = $2)",
        &[
            &INDEX_FORMAT,
            &all.iter().map(|(entry, _)| *entry).collect::<Vec<_>>(),
            &numbers(|chunk| chunk.start),
            &numbers(|chunk| chunk.bytes),
            &numbers(|chunk| chunk.lines.0),
            &numbers(|chunk| chunk.lines.1),
            &chunks().map(|chunk| Text(&chunk.title)).collect::<Vec<_>>(),
            &chunks().map(|chunk| chunk.key.as_deref().map(Text)).collect::<Vec<_>>(),
            &chunks().map(|chunk| chunk.created.map(|at| at.0)).collect::<Vec<_>>(),
            &chunks().map(|chunk| chunk.is_code).collect::<Vec<_>>(),
            &lexemes.iter().map(|lexemes| lexemes.length).collect::<Vec<_>>(),
            &lexemes.iter().map(|lexemes| lexemes.around_length).collect::<Vec<_>>(),
            &lexemes.iter().map(|lexemes| lexemes.vector.as_str()).collect::<Vec<_>>(),
        ],
    )?;
    conn.purges = rows.first().map(|row| row.try_get(1)).transpose()?;
    let ids = rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Result<Vec<i64>, PgError>>()?;
    write_embeddings(conn, &ids, chunks())
}

fn write_embeddings<'a>(
    conn: &mut ScopedConn<'_>,
    ids: &[i64],
    chunks: impl Iterator<Item = &'a NewChunk>,
) -> Result<(), PgError> {
    let embeddings =
        ids.iter().zip(chunks).filter_map(|(id, chunk)| Some((*id, chunk.embedding.as_ref()?)));
    let embeddings: Vec<(i64, &Embedding)> =
        embeddings.filter(|(_, embedding)| !embedding.vector.is_empty()).collect();
    let Some((_, first)) = embeddings.first() else { return Ok(()) };
    let model = &first.model;
    ensure_model(conn, model)?;
    let of_model = || embeddings.iter().filter(|(_, embedding)| embedding.model == *model);
    let ids: Vec<i64> = of_model().map(|(id, _)| *id).collect();
    let vectors: Vec<String> = of_model().map(|(_, embedding)| vector(&embedding.vector)).collect();
    conn.execute(
        "INSERT INTO meaning (workspace, project, chunk, model, vector)
         SELECT $1, $2, new.chunk, model.id, new.vector::halfvec
         FROM unnest($3::bigint[], $4::text[]) AS new (chunk, vector), model WHERE model.name = $5
         ON CONFLICT (workspace, project, chunk) DO UPDATE
             SET model = excluded.model, vector = excluded.vector",
        &[&ids, &vectors, &Text(model)],
    )?;
    Ok(())
}

/// Inserts the model unless it exists, which it nearly always does.
pub(super) fn ensure_model(conn: &mut ScopedConn<'_>, name: &str) -> Result<(), PgError> {
    let find = "SELECT FROM model WHERE name = $3 AND $1::integer + $2::integer > 0";
    if conn.first(find, &[&Text(name)])?.is_none() {
        let insert = "INSERT INTO model (name) SELECT $3 WHERE $1::integer + $2::integer > 0 ON CONFLICT DO NOTHING";
        conn.execute(insert, &[&Text(name)])?;
    }
    Ok(())
}

/// Returns the next chunks whose index format is out of date.
pub(super) fn stale(conn: &mut ScopedConn<'_>, at_most: usize) -> Result<Vec<StaleChunk>, PgError> {
    let rows = conn.query(
        "SELECT chunk.id, entry.ref, chunk.title, chunk.start, chunk.bytes
         FROM chunk JOIN entry ON entry.workspace = $1 AND entry.project = $2 AND entry.id = chunk.entry
         WHERE chunk.workspace = $1 AND chunk.project = $2 AND chunk.form < $3 AND entry.complete
         ORDER BY chunk.form, chunk.id LIMIT $4",
        &[&INDEX_FORMAT, &(at_most as i64)],
    )?;
    rows.iter().map(read_stale).collect()
}

/// Reads a chunk's id, its entry's reference, title, start and size.
pub(super) fn read_stale(row: &postgres::Row) -> Result<StaleChunk, PgError> {
    Ok(StaleChunk {
        chunk_id: row.try_get(0)?,
        reference: entries::reference(row, 1)?,
        title: row.try_get(2)?,
        start: row.try_get::<_, i64>(3)? as u64,
        bytes: row.try_get::<_, i64>(4)? as u64,
    })
}

/// Reindexes chunks unless another process already has.
pub(super) fn reindex(conn: &mut ScopedConn<'_>, chunks: &[ReindexedChunk]) -> Result<(), PgError> {
    for ReindexedChunk { chunk_id, chunk } in chunks {
        let lexemes = Lexemes::new(chunk, conn.scope().project);
        let updated = conn.execute(
            "UPDATE chunk SET form = $4, length = $5, around_length = $6, words = $7::text::tsvector
             WHERE workspace = $1 AND project = $2 AND id = $3 AND form < $4",
            &[chunk_id, &INDEX_FORMAT, &lexemes.length, &lexemes.around_length, &lexemes.vector],
        )?;
        if updated > 0 {
            write_embeddings(conn, &[*chunk_id], [chunk].into_iter())?;
        }
    }
    vocabulary::bump_renewals(conn)
}
