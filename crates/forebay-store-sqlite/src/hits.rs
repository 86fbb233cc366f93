//! Hits: what candidates are, and what they say.

use std::collections::HashMap;
use std::sync::Arc;

use forebay_domain::{EntryKind, Hit, NoteKind, Reference, Timestamp};
use forebay_store::Candidate;
use forebay_store::lru::{Bytes, LruCache};
use forebay_text::excerpt::Excerpt;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row};

use super::entries;
use super::parts::{Parts, Stretch};

/// Bytes of passages' rows that are held: those of some ten thousand passages.
const HELD_BYTES: usize = 3 * 1024 * 1024;

/// What is held in memory of what hits are made of.
#[derive(Debug)]
pub(super) struct Held {
    passages: LruCache<i64, Arc<Passage>>,
    parts: Parts,
}

impl Default for Held {
    fn default() -> Self {
        Self { passages: LruCache::new(HELD_BYTES), parts: Parts::default() }
    }
}

/// What is known of each candidate; a note that was replaced is none.
pub(super) fn read(
    connection: &Connection,
    candidates: &[Candidate],
    held: &Held,
) -> rusqlite::Result<Vec<Option<Hit>>> {
    // Statements that are known, for each: a list of all would be read anew for every question.
    let mut reader = Reader {
        connection,
        held,
        passages: connection.prepare_cached(PASSAGE)?,
        owners: Owners { statement: connection.prepare_cached(OWNER)?, known: HashMap::new() },
    };
    let passages: Vec<i64> = candidates.iter().map(|candidate| candidate.passage).collect();
    let known = held.passages.get_each(&passages);
    let mut hits = Vec::with_capacity(candidates.len());
    for (candidate, known) in candidates.iter().zip(known) {
        hits.push(reader.hit(candidate, known)?);
    }
    Ok(hits)
}

struct Reader<'a> {
    connection: &'a Connection,
    held: &'a Held,
    passages: CachedStatement<'a>,
    owners: Owners<'a>,
}

impl Reader<'_> {
    fn hit(
        &mut self,
        candidate: &Candidate,
        known: Option<Arc<Passage>>,
    ) -> rusqlite::Result<Option<Hit>> {
        // A passage stays as it is for as long as its entry is there. What was forgotten may have left its number
        // to another passage, and that one is of another entry.
        if let Some(known) = known
            && let Some(hit) = self.hit_of(candidate, &known)?
        {
            return Ok(Some(hit));
        }
        let found = self.passages.query_row([candidate.passage], Passage::read).optional()?;
        let Some(passage) = found.map(Arc::new) else { return Ok(None) };
        self.held.passages.put(candidate.passage, Arc::clone(&passage));
        self.hit_of(candidate, &passage)
    }

    /// The hit that a passage makes, unless its entry is not there, or not in force.
    fn hit_of(
        &mut self,
        candidate: &Candidate,
        passage: &Passage,
    ) -> rusqlite::Result<Option<Hit>> {
        let Some(owner) = self.owners.of(passage.entry)? else { return Ok(None) };
        let text = self.held.parts.text(self.connection, passage.stretch(owner))?;
        Ok(Some(hit(candidate, passage, owner, text)))
    }
}

const PASSAGE: &str = "
    SELECT entry, title, key, created, first_line, last_line, start, bytes
    FROM chunk WHERE id = ?1";

/// What a passage alone has.
#[derive(Debug)]
struct Passage {
    entry: i64,
    title: Arc<str>,
    key: Option<Arc<str>>,
    created: Option<i64>,
    lines: (u64, u64),
    start: u64,
    bytes: usize,
}

impl Bytes for Passage {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.title.len() + self.key.as_ref().map_or(0, |key| key.len())
    }
}

impl Passage {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            entry: row.get(0)?,
            title: row.get(1)?,
            key: row.get(2)?,
            created: row.get(3)?,
            lines: (row.get::<_, i64>(4)? as u64, row.get::<_, i64>(5)? as u64),
            start: row.get::<_, i64>(6)? as u64,
            bytes: row.get::<_, i64>(7)? as usize,
        })
    }

    /// Where its text stands.
    fn stretch(&self, owner: &Owner) -> Stretch {
        let Owner { blob, hash, .. } = *owner;
        Stretch { blob, hash, start: self.start, bytes: self.bytes }
    }
}

const OWNER: &str = "
    SELECT entry.ref, entry.kind, note.kind, entry.source, entry.created,
           CASE WHEN note.entry IS NOT NULL THEN
               (SELECT older.ref FROM note AS replaced
                JOIN entry AS older ON older.id = replaced.entry
                WHERE replaced.superseded_by = entry.id ORDER BY replaced.entry DESC LIMIT 1) END,
           blob.id, blob.hash
    FROM entry LEFT JOIN note ON note.entry = entry.id JOIN blob ON blob.id = entry.blob
    WHERE entry.id = ?1 AND entry.complete AND note.superseded_by IS NULL";

/// What all passages of an entry have.
struct Owner {
    reference: Reference,
    kind: EntryKind,
    note: Option<NoteKind>,
    source: Arc<str>,
    created: i64,
    supersedes: Option<Reference>,
    blob: i64,
    hash: [u8; 32],
}

impl Owner {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            reference: entries::parse_reference(row.get_ref(0)?.as_str()?)?,
            kind: EntryKind::from_word(row.get_ref(1)?.as_str()?).unwrap_or(EntryKind::Source),
            note: row.get_ref(2)?.as_str_or_null()?.and_then(NoteKind::from_word),
            source: row.get(3)?,
            created: row.get(4)?,
            supersedes: entries::optional_reference(row, 5)?,
            blob: row.get(6)?,
            hash: row.get(7)?,
        })
    }
}

/// The entries of the candidates, each read once: the best passages are often of few.
struct Owners<'connection> {
    statement: CachedStatement<'connection>,
    known: HashMap<i64, Option<Owner>>,
}

impl Owners<'_> {
    /// None for what is not there, or not in force.
    fn of(&mut self, entry: i64) -> rusqlite::Result<Option<&Owner>> {
        use std::collections::hash_map::Entry::{Occupied, Vacant};
        let known = match self.known.entry(entry) {
            Occupied(known) => known.into_mut(),
            Vacant(place) => {
                place.insert(self.statement.query_row([entry], Owner::read).optional()?)
            }
        };
        Ok(known.as_ref())
    }
}

fn hit(candidate: &Candidate, passage: &Passage, owner: &Owner, text: Excerpt) -> Hit {
    Hit {
        reference: owner.reference,
        kind: owner.kind,
        note: owner.note,
        title: Arc::clone(&passage.title),
        source: Arc::clone(&owner.source),
        key: passage.key.clone(),
        created: Timestamp(passage.created.unwrap_or(owner.created)),
        lines: passage.lines,
        supersedes: owner.supersedes,
        words: candidate.words,
        similarity: candidate.similarity,
        score: 0.0,
        text,
        matched: Vec::new(),
        conflicts: None,
        near_duplicates: 0,
    }
}
