//! Hits: what candidates are, and what they say.

use forebay_domain::{EntryKind, Hit, NoteKind, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row};

use super::entries;
use super::parts::{Parts, Stretch};
use super::search::JOINS;
use crate::contract::Candidate;

/// What is known of each candidate; a note that was replaced is none.
pub(super) fn read(
    connection: &Connection,
    candidates: &[Candidate],
    parts: &Parts,
) -> rusqlite::Result<Vec<Option<Hit>>> {
    // One statement that is known, for each: a list of all would be read anew for every question.
    let sql = format!(
        "SELECT entry.ref, entry.kind, note.kind, chunk.title, entry.source, chunk.key,
                coalesce(chunk.created, entry.created), chunk.first_line, chunk.last_line,
                CASE WHEN note.entry IS NOT NULL THEN
                    (SELECT older.ref FROM note AS replaced
                     JOIN entry AS older ON older.id = replaced.entry
                     WHERE replaced.superseded_by = entry.id ORDER BY older.id DESC LIMIT 1) END,
                chunk.start, chunk.bytes, blob.id, blob.hash
         FROM chunk {JOINS} JOIN blob ON blob.id = entry.blob
         WHERE chunk.id = ?1 AND note.superseded_by IS NULL"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut hits = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let read = |row: &Row<'_>| Ok((read_hit(row, candidate)?, stretch(row)?));
        let found = statement.query_row([candidate.passage], read).optional()?;
        let hit = match found {
            Some((hit, stretch)) => Some(Hit { text: parts.text(connection, stretch)?, ..hit }),
            None => None,
        };
        hits.push(hit);
    }
    Ok(hits)
}

fn read_hit(row: &Row<'_>, candidate: &Candidate) -> rusqlite::Result<Hit> {
    Ok(Hit {
        reference: entries::parse_reference(row.get_ref(0)?.as_str()?)?,
        kind: EntryKind::from_word(row.get_ref(1)?.as_str()?).unwrap_or(EntryKind::Source),
        note: row.get_ref(2)?.as_str_or_null()?.and_then(NoteKind::from_word),
        title: row.get(3)?,
        source: row.get(4)?,
        key: row.get(5)?,
        created: Timestamp(row.get(6)?),
        lines: (row.get::<_, i64>(7)? as u64, row.get::<_, i64>(8)? as u64),
        supersedes: entries::optional_reference(row, 9)?,
        words: candidate.words,
        nearness: candidate.nearness,
        score: 0.0,
        text: String::new(),
        matched: Vec::new(),
        conflicts: None,
        alike: 0,
    })
}

/// Where the text of a passage stands.
fn stretch(row: &Row<'_>) -> rusqlite::Result<Stretch> {
    Ok(Stretch {
        start: row.get::<_, i64>(10)? as u64,
        bytes: row.get::<_, i64>(11)? as usize,
        blob: row.get(12)?,
        hash: row.get(13)?,
    })
}
