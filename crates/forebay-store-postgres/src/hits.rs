//! Hits: what candidates are, and what they say.
//!
//! What a passage is never changes once its entry is complete, as long as it is there; so it is remembered, and where
//! entries were forgotten since, the server is asked whether it is still there. A note may be replaced, so it is read
//! each time.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ::postgres::Row;
use forebay_domain::{EntryKind, Hit, NoteKind, Reference, Timestamp};
use forebay_store::Candidate;
use forebay_text::excerpt::Excerpt;
use parking_lot::Mutex;

use super::connection::Work;
use super::entries;
use super::error::Fault;
use super::index_cache::Held;
use super::parts::{Parts, Stretch};
use super::search::{JOINS, these};

/// Passages that are remembered; beyond that all are read anew.
const MOST_SEEN: usize = 150_000;

/// A passage as its rows tell.
#[derive(Debug)]
struct Seen {
    reference: Reference,
    kind: EntryKind,
    note: Option<NoteKind>,
    is_note: bool,
    title: Arc<str>,
    source: Arc<str>,
    key: Option<Arc<str>>,
    created: Timestamp,
    lines: (u64, u64),
    supersedes: Option<Reference>,
    stretch: Stretch,
}

/// Passages that were hits before; none of them is a note.
#[derive(Debug, Default)]
struct SeenBefore(Mutex<HashMap<i64, Sighting>>);

#[derive(Debug)]
struct Sighting {
    seen: Arc<Seen>,
    /// What was in doubt when it was last known to be there.
    doubts: u64,
}

/// Each of the wanted passages, where it is there.
type Found = Vec<Option<Arc<Seen>>>;

/// What a process remembers of what it has read.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) held: Arc<Held>,
    parts: Parts,
    seen: SeenBefore,
}

/// What is known of each candidate; a note that was replaced is none.
pub(super) fn read(
    work: &mut Work<'_>,
    candidates: &[Candidate],
    memory: &Memory,
) -> Result<Vec<Option<Hit>>, Fault> {
    let ids: Vec<i64> = candidates.iter().map(|candidate| candidate.chunk_id).collect();
    let seen = memory.seen.find(work, &ids, memory.held.doubts())?;
    let stretches: Vec<Stretch> = seen.iter().flatten().map(|seen| seen.stretch).collect();
    let mut texts = super::parts::texts(work, &memory.parts, &stretches)?.into_iter();
    let missing = ids.iter().zip(&seen).filter(|(_, seen)| seen.is_none());
    memory.held.doubt(missing.map(|(passage, _)| *passage));
    let hit = |(candidate, seen): (&Candidate, &Option<Arc<Seen>>)| {
        Some(hit(seen.as_ref()?, texts.next()?, candidate))
    };
    Ok(candidates.iter().zip(&seen).map(hit).collect())
}

impl SeenBefore {
    /// What is known of each of the passages, and what the server tells of the others.
    fn find(&self, work: &mut Work<'_>, wanted: &[i64], doubts: u64) -> Result<Found, Fault> {
        let mut found = self.still_there(work, wanted, doubts)?;
        let missing = wanted.iter().zip(&found).filter(|(_, seen)| seen.is_none());
        let missing: Vec<i64> = missing.map(|(passage, _)| *passage).collect();
        let read = self.read(work, &missing, doubts)?;
        if !read.is_empty() {
            for (passage, seen) in wanted.iter().zip(&mut found) {
                *seen = seen.take().or_else(|| read.get(passage).cloned());
            }
        }
        Ok(found)
    }

    /// Those of the passages that were hits before and are still there.
    fn still_there(
        &self,
        work: &mut Work<'_>,
        wanted: &[i64],
        doubts: u64,
    ) -> Result<Found, Fault> {
        let (mut known, mut unsure) = (Found::with_capacity(wanted.len()), Vec::new());
        {
            let all = self.0.lock();
            for passage in wanted {
                let sighting = all.get(passage);
                if sighting.is_some_and(|sighting| sighting.doubts != doubts) {
                    unsure.push(*passage);
                }
                known.push(sighting.map(|sighting| Arc::clone(&sighting.seen)));
            }
        }
        if !unsure.is_empty() {
            let gone = self.ask_for_gone(work, &unsure, doubts)?;
            let are_gone = wanted.iter().zip(&mut known).filter(|(one, _)| gone.contains(one));
            are_gone.for_each(|(_, seen)| *seen = None);
        }
        Ok(known)
    }

    /// Those that the server no longer has; they are forgotten.
    fn ask_for_gone(
        &self,
        work: &mut Work<'_>,
        asked: &[i64],
        doubts: u64,
    ) -> Result<HashSet<i64>, Fault> {
        let rows = work.query(
            "SELECT passage.id FROM unnest($3::bigint[]) AS wanted (id) JOIN chunk AS passage
                 ON passage.workspace = $1 AND passage.project = $2 AND passage.id = wanted.id",
            &[&asked],
        )?;
        let mut gone: HashSet<i64> = asked.iter().copied().collect();
        for row in &rows {
            gone.remove(&row.try_get(0)?);
        }
        let mut all = self.0.lock();
        for passage in asked {
            if gone.contains(passage) {
                all.remove(passage);
            } else if let Some(sighting) = all.get_mut(passage) {
                sighting.doubts = doubts;
            }
        }
        Ok(gone)
    }

    /// Reads passages, and remembers those that stay as they are.
    fn read(
        &self,
        work: &mut Work<'_>,
        ids: &[i64],
        doubts: u64,
    ) -> Result<HashMap<i64, Arc<Seen>>, Fault> {
        if ids.is_empty() {
            return Ok(HashMap::new());
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
        let read = |row: &Row| Ok((row.try_get(10)?, Arc::new(Seen::read(row)?)));
        let read = rows.iter().map(read).collect::<Result<HashMap<i64, Arc<Seen>>, Fault>>()?;
        let stays = |(_, seen): &(&i64, &Arc<Seen>)| !seen.is_note;
        let mut all = self.0.lock();
        if all.len() + read.len() > MOST_SEEN {
            all.clear();
        }
        let sighting = |seen: &Arc<Seen>| Sighting { seen: Arc::clone(seen), doubts };
        all.extend(read.iter().filter(stays).map(|(id, seen)| (*id, sighting(seen))));
        Ok(read)
    }
}

impl Seen {
    fn read(row: &Row) -> Result<Self, Fault> {
        Ok(Self {
            reference: entries::reference(row, 0)?,
            kind: EntryKind::from_word(row.try_get(1)?).unwrap_or(EntryKind::Source),
            note: row.try_get::<_, Option<&str>>(2)?.and_then(NoteKind::from_word),
            is_note: row.try_get::<_, Option<&str>>(2)?.is_some(),
            title: row.try_get::<_, &str>(3)?.into(),
            source: row.try_get::<_, &str>(4)?.into(),
            key: row.try_get::<_, Option<&str>>(5)?.map(Arc::from),
            created: Timestamp(row.try_get(6)?),
            lines: (row.try_get::<_, i64>(7)? as u64, row.try_get::<_, i64>(8)? as u64),
            supersedes: entries::optional_reference(row, 9)?,
            stretch: Stretch {
                start: row.try_get::<_, i64>(11)? as u64,
                bytes: row.try_get::<_, i64>(12)? as usize,
                blob: row.try_get(13)?,
            },
        })
    }
}

fn hit(seen: &Seen, text: Excerpt, candidate: &Candidate) -> Hit {
    Hit {
        reference: seen.reference,
        kind: seen.kind,
        note: seen.note,
        title: Arc::clone(&seen.title),
        source: Arc::clone(&seen.source),
        key: seen.key.clone(),
        created: seen.created,
        lines: seen.lines,
        supersedes: seen.supersedes,
        words: candidate.word_score,
        similarity: candidate.similarity,
        score: 0.0,
        text,
        matched: Vec::new(),
        conflicts: None,
        near_duplicates: 0,
    }
}
