//! Checks that the index can be read and covers all chunks.

use foldhash::HashSet;
use rusqlite::Connection;

use super::segment::Segment;
use super::{Field, tombstones};

/// Returns what is wrong with the index; empty if nothing is.
pub(in super::super) fn problems(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut problems = Vec::new();
    let mut indexed = HashSet::default();
    let ids: Vec<(i64, i64, i64)> = connection
        .prepare("SELECT id, side, passages FROM word_segment ORDER BY id")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    for (id, side, chunks) in ids {
        let segment = Segment::read(connection, id)?;
        if segment.chunk_ids.len() as i64 != chunks || !segment.has_readable_pages(connection)? {
            problems.push(format!("segment {id} of the search index is damaged"));
        }
        if side == Field::Text as i64 {
            indexed.extend(segment.chunk_ids);
        }
    }
    for gone in tombstones(connection, Field::Text)? {
        indexed.remove(&gone);
    }
    let missing = chunks_to_index(connection)?.filter(|chunk| !indexed.contains(chunk)).count();
    if missing > 0 {
        problems.push(format!("{missing} chunks are missing in the search index"));
    }
    Ok(problems)
}

/// Returns the chunks that the index must contain: all but those that wait to be indexed again.
fn chunks_to_index(connection: &Connection) -> rusqlite::Result<impl Iterator<Item = i64>> {
    let chunks: Vec<i64> = connection
        .prepare(
            "SELECT chunk.id FROM chunk
             WHERE NOT EXISTS (SELECT 1 FROM renewal WHERE chunk.id BETWEEN next AND last)",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    Ok(chunks.into_iter())
}
