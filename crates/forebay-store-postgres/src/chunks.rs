//! Passages: written into every index at once, and brought up to date.

use forebay_store::{Embedding, NewChunk, ReindexedChunk, StaleChunk};

use super::connection::Work;
use super::error::Fault;
use super::lexemes::Lexemes;
use super::text::Text;
use super::vectors::vector;
use super::{entries, vocabulary};

/// How passages are indexed now; those of another form are renewed.
const FORM: i16 = 1;

/// Writes the passages of one entry.
pub(super) fn write_of(work: &mut Work<'_>, entry: i64, chunks: &[NewChunk]) -> Result<(), Fault> {
    let of_entry: Vec<(i64, &NewChunk)> = chunks.iter().map(|chunk| (entry, chunk)).collect();
    write(work, &of_entry)
}

/// Writes passages, each with its entry.
pub(super) fn write(work: &mut Work<'_>, all: &[(i64, &NewChunk)]) -> Result<(), Fault> {
    if all.is_empty() {
        return Ok(());
    }
    let project = work.place().project;
    let chunks = || all.iter().map(|(_, chunk)| *chunk);
    let lexemes: Vec<Lexemes> = chunks().map(|chunk| Lexemes::of(chunk, project)).collect();
    let numbers = |number: fn(&NewChunk) -> u64| -> Vec<i64> {
        chunks().map(|chunk| number(chunk) as i64).collect()
    };
    let rows = work.query(
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
            &FORM,
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
    work.purges = rows.first().map(|row| row.try_get(1)).transpose()?;
    let ids = rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Result<Vec<i64>, Fault>>()?;
    write_meanings(work, &ids, chunks())
}

fn write_meanings<'a>(
    work: &mut Work<'_>,
    ids: &[i64],
    chunks: impl Iterator<Item = &'a NewChunk>,
) -> Result<(), Fault> {
    let told =
        ids.iter().zip(chunks).filter_map(|(id, chunk)| Some((*id, chunk.embedding.as_ref()?)));
    let told: Vec<(i64, &Embedding)> =
        told.filter(|(_, meaning)| !meaning.vector.is_empty()).collect();
    let Some((_, first)) = told.first() else { return Ok(()) };
    let model = &first.model;
    make_model(work, model)?;
    let of_model = || told.iter().filter(|(_, meaning)| meaning.model == *model);
    let ids: Vec<i64> = of_model().map(|(id, _)| *id).collect();
    let vectors: Vec<String> = of_model().map(|(_, meaning)| vector(&meaning.vector)).collect();
    work.execute(
        "INSERT INTO meaning (workspace, project, chunk, model, vector)
         SELECT $1, $2, new.chunk, model.id, new.vector::halfvec
         FROM unnest($3::bigint[], $4::text[]) AS new (chunk, vector), model WHERE model.name = $5
         ON CONFLICT (workspace, project, chunk) DO UPDATE
             SET model = excluded.model, vector = excluded.vector",
        &[&ids, &vectors, &Text(model)],
    )?;
    Ok(())
}

/// Makes the model known; nearly always it is.
pub(super) fn make_model(work: &mut Work<'_>, name: &str) -> Result<(), Fault> {
    let known = "SELECT FROM model WHERE name = $3 AND $1::integer + $2::integer > 0";
    if work.first(known, &[&Text(name)])?.is_none() {
        let make = "INSERT INTO model (name) SELECT $3 WHERE $1::integer + $2::integer > 0 ON CONFLICT DO NOTHING";
        work.execute(make, &[&Text(name)])?;
    }
    Ok(())
}

/// The next passages that were stored before their index was what it is now.
pub(super) fn outdated(work: &mut Work<'_>, at_most: usize) -> Result<Vec<StaleChunk>, Fault> {
    let rows = work.query(
        "SELECT chunk.id, entry.ref, chunk.title, chunk.start, chunk.bytes
         FROM chunk JOIN entry ON entry.workspace = $1 AND entry.project = $2 AND entry.id = chunk.entry
         WHERE chunk.workspace = $1 AND chunk.project = $2 AND chunk.form < $3 AND entry.complete
         ORDER BY chunk.form, chunk.id LIMIT $4",
        &[&FORM, &(at_most as i64)],
    )?;
    rows.iter().map(read_outdated).collect()
}

/// A passage by its id, its entry's reference, its title, start and size.
pub(super) fn read_outdated(row: &postgres::Row) -> Result<StaleChunk, Fault> {
    Ok(StaleChunk {
        chunk_id: row.try_get(0)?,
        reference: entries::reference(row, 1)?,
        title: row.try_get(2)?,
        start: row.try_get::<_, i64>(3)? as u64,
        bytes: row.try_get::<_, i64>(4)? as u64,
    })
}

/// Indexes passages anew, unless another process was faster.
pub(super) fn renew(work: &mut Work<'_>, passages: &[ReindexedChunk]) -> Result<(), Fault> {
    for ReindexedChunk { chunk_id, chunk } in passages {
        let lexemes = Lexemes::of(chunk, work.place().project);
        let renewed = work.execute(
            "UPDATE chunk SET form = $4, length = $5, around_length = $6, words = $7::text::tsvector
             WHERE workspace = $1 AND project = $2 AND id = $3 AND form < $4",
            &[chunk_id, &FORM, &lexemes.length, &lexemes.around_length, &lexemes.vector],
        )?;
        if renewed > 0 {
            write_meanings(work, &[*chunk_id], [chunk].into_iter())?;
        }
    }
    vocabulary::count_renewal(work)
}
