//! Hits: what candidates are, and what they say.
//!
//! What a passage is never changes once its entry is complete, as long as it is there; so it is remembered, and where
//! entries were forgotten since, the server is asked whether it is still there. A note may be replaced, so it is read
//! each time.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ::postgres::Row;
use forebay_domain::{EntryKind, Hit, NoteKind, Reference, Timestamp};
use parking_lot::Mutex;

use super::connection::Work;
use super::entries;
use super::fault::Fault;
use super::held::Held;
use super::parts::{Parts, Stretch};
use super::search::{JOINS, these};
use crate::contract::Candidate;

/// Passages that are remembered; beyond that all are read anew.
const MOST_SEEN: usize = 150_000;

/// A passage as its rows tell.
#[derive(Debug)]
struct Seen {
    reference: Reference,
    kind: EntryKind,
    note: Option<NoteKind>,
    is_note: bool,
    title: String,
    source: String,
    key: Option<String>,
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

/// Passages by their numbers.
type Found = HashMap<i64, Arc<Seen>>;

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
    let mut ids: Vec<i64> = candidates.iter().map(|candidate| candidate.passage).collect();
    let doubts = memory.held.doubts();
    let mut found = memory.seen.still_there(work, &ids, doubts)?;
    ids.retain(|id| !found.contains_key(id));
    found.extend(memory.seen.read(work, &ids, doubts)?);
    let (passages, all): (Vec<i64>, Vec<Arc<Seen>>) = found.into_iter().unzip();
    let stretches: Vec<Stretch> = all.iter().map(|seen| seen.stretch).collect();
    let texts = super::parts::texts(work, &memory.parts, &stretches)?;
    let mut read: HashMap<i64, (Arc<Seen>, String)> =
        passages.into_iter().zip(all.into_iter().zip(texts)).collect();
    let passages = candidates.iter().map(|candidate| candidate.passage);
    memory.held.doubt(passages.filter(|passage| !read.contains_key(passage)));
    let hit = |candidate: &Candidate| {
        read.remove(&candidate.passage).map(|(seen, text)| hit(&seen, text, candidate))
    };
    Ok(candidates.iter().map(hit).collect())
}

impl SeenBefore {
    /// Those of the passages that were hits before and are still there.
    fn still_there(
        &self,
        work: &mut Work<'_>,
        wanted: &[i64],
        doubts: u64,
    ) -> Result<Found, Fault> {
        let (mut sure, unsure) = self.known(wanted, doubts);
        if !unsure.is_empty() {
            sure.extend(self.ask_for(work, unsure, doubts)?);
        }
        Ok(sure)
    }

    /// Those that were hits before: which are surely there, and which may be gone.
    fn known(&self, wanted: &[i64], doubts: u64) -> (Found, Found) {
        let all = self.0.lock();
        let (mut sure, mut unsure) = (Found::new(), Found::new());
        for passage in wanted {
            let Some(sighting) = all.get(passage) else { continue };
            let known = if sighting.doubts == doubts { &mut sure } else { &mut unsure };
            known.insert(*passage, Arc::clone(&sighting.seen));
        }
        (sure, unsure)
    }

    /// Those that the server still has; the others are forgotten.
    fn ask_for(&self, work: &mut Work<'_>, mut known: Found, doubts: u64) -> Result<Found, Fault> {
        let asked: Vec<i64> = known.keys().copied().collect();
        let rows = work.query(
            "SELECT passage.id FROM unnest($3::bigint[]) AS wanted (id) JOIN chunk AS passage
                 ON passage.workspace = $1 AND passage.project = $2 AND passage.id = wanted.id",
            &[&asked],
        )?;
        let there = rows.iter().map(|row| Ok(row.try_get(0)?));
        let there = there.collect::<Result<HashSet<i64>, Fault>>()?;
        known.retain(|passage, _| there.contains(passage));
        let mut all = self.0.lock();
        for passage in asked {
            if !there.contains(&passage) {
                all.remove(&passage);
            } else if let Some(sighting) = all.get_mut(&passage) {
                sighting.doubts = doubts;
            }
        }
        Ok(known)
    }

    /// Reads passages, and remembers those that stay as they are.
    fn read(
        &self,
        work: &mut Work<'_>,
        ids: &[i64],
        doubts: u64,
    ) -> Result<Vec<(i64, Arc<Seen>)>, Fault> {
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
        let read = |row: &Row| Ok((row.try_get(10)?, Arc::new(Seen::read(row)?)));
        let read = rows.iter().map(read).collect::<Result<Vec<(i64, Arc<Seen>)>, Fault>>()?;
        let stays = |(_, seen): &&(i64, Arc<Seen>)| !seen.is_note;
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
            title: row.try_get(3)?,
            source: row.try_get(4)?,
            key: row.try_get(5)?,
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

fn hit(seen: &Seen, text: String, candidate: &Candidate) -> Hit {
    Hit {
        reference: seen.reference,
        kind: seen.kind,
        note: seen.note,
        title: seen.title.clone(),
        source: seen.source.clone(),
        key: seen.key.clone(),
        created: seen.created,
        lines: seen.lines,
        supersedes: seen.supersedes,
        words: candidate.words,
        nearness: candidate.nearness,
        score: 0.0,
        text,
        matched: Vec::new(),
        conflicts: None,
        alike: 0,
    }
}
