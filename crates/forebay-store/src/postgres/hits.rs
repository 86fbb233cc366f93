//! Hits: what candidates are, and what they say.

use std::collections::HashMap;

use ::postgres::Row;
use forebay_domain::{EntryKind, Hit, NoteKind, Timestamp};

use super::connection::Work;
use super::entries;
use super::fault::Fault;
use super::held::Held;
use super::parts::{Parts, Stretch};
use super::search::{JOINS, these};
use crate::contract::Candidate;

/// What is known of each candidate; a note that was replaced is none.
pub(super) fn read(
    work: &mut Work<'_>,
    candidates: &[Candidate],
    (parts, held): (&Parts, &Held),
) -> Result<Vec<Option<Hit>>, Fault> {
    let ids: Vec<i64> = candidates.iter().map(|candidate| candidate.passage).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT entry.ref, entry.kind, note.kind, chunk.title, entry.source, chunk.key,
                coalesce(chunk.created, entry.created), chunk.first_line, chunk.last_line,
                CASE WHEN note.entry IS NOT NULL THEN
                    (SELECT older.ref FROM note AS replaced
                     JOIN entry AS older ON older.workspace = $1 AND older.project = $2
                         AND older.id = replaced.entry
                     WHERE replaced.workspace = $1 AND replaced.project = $2
                         AND replaced.superseded_by = entry.id ORDER BY older.id DESC LIMIT 1) END,
                chunk.id, chunk.start, chunk.bytes, entry.blob
         FROM {} {JOINS}
         WHERE note.superseded_by IS NULL",
        these(3)
    );
    let rows = work.query(&sql, &[&ids])?;
    let stretches: Vec<Stretch> = rows.iter().map(stretch).collect::<Result<_, _>>()?;
    let texts = super::parts::texts(work, parts, &stretches)?;
    let mut read: HashMap<i64, (&Row, String)> = HashMap::with_capacity(rows.len());
    for (row, text) in rows.iter().zip(texts) {
        read.insert(row.try_get(10)?, (row, text));
    }
    let passages = candidates.iter().map(|candidate| candidate.passage);
    held.doubt(passages.filter(|passage| !read.contains_key(passage)));
    let hit = |candidate: &Candidate| {
        let found = read.remove(&candidate.passage);
        found.map(|(row, text)| hit(row, text, candidate)).transpose()
    };
    candidates.iter().map(hit).collect()
}

fn hit(row: &Row, text: String, candidate: &Candidate) -> Result<Hit, Fault> {
    Ok(Hit {
        reference: entries::reference(row, 0)?,
        kind: EntryKind::from_word(row.try_get(1)?).unwrap_or(EntryKind::Source),
        note: row.try_get::<_, Option<&str>>(2)?.and_then(NoteKind::from_word),
        title: row.try_get(3)?,
        source: row.try_get(4)?,
        key: row.try_get(5)?,
        created: Timestamp(row.try_get(6)?),
        lines: (row.try_get::<_, i64>(7)? as u64, row.try_get::<_, i64>(8)? as u64),
        supersedes: entries::optional_reference(row, 9)?,
        words: candidate.words,
        nearness: candidate.nearness,
        score: 0.0,
        text,
        matched: Vec::new(),
        conflicts: None,
        alike: 0,
    })
}

/// Where the text of a passage stands.
fn stretch(row: &Row) -> Result<Stretch, Fault> {
    Ok(Stretch {
        start: row.try_get::<_, i64>(11)? as u64,
        bytes: row.try_get::<_, i64>(12)? as usize,
        blob: row.try_get(13)?,
    })
}
