//! Entries: written once, found by reference.

use std::time::Duration;

use forebay_domain::entry::Detail;
use forebay_domain::{Entry, EntryKind, Note, NoteKind, Reference, RunRecord, Spans, Timestamp};
use forebay_store::blob::Damage;
use forebay_store::blob::writer::{BlobContent, EntryOrigin, StartedEntry};
use forebay_store::run_ending;
use forebay_store::{IndexState, IndexStep, NewDetail, NewEntry, NewNote};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, Transaction};

use super::inverted_index::{self, AssignedIds};
use super::references::{self, References};
use super::{blobs, chunks, command_runs, purge, sessions, usage};

const NEXT_ID: &str = "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'entry'";
const WRITE: &str =
    "INSERT INTO entry (id, ref, complete, kind, title, source, session, branch, created,
         blob, digest, searchable, ticket)
     VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
     ON CONFLICT (id) DO UPDATE SET ref = excluded.ref, complete = 1, kind = excluded.kind,
         title = excluded.title, source = excluded.source, session = excluded.session,
         branch = excluded.branch, created = excluded.created, blob = excluded.blob,
         digest = excluded.digest, searchable = excluded.searchable,
         ticket = excluded.ticket";
const WRITE_ITEM: &str =
    "INSERT INTO entry (ref, complete, kind, title, source, session, branch, created, blob, digest,
         searchable, ticket)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 1, ?11)";
const WRITE_RUN: &str =
    "INSERT INTO run (entry, ending, code, micros, cwd, spans) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

/// Returns the statements that store a run, expensive ones first.
pub(super) fn run_statements() -> impl Iterator<Item = &'static str> {
    let of_entry =
        [WRITE, sessions::TOUCH, WRITE_RUN, command_runs::WRITE, references::IS_USED, NEXT_ID];
    of_entry.into_iter().chain(blobs::WRITE_STATEMENTS.iter().copied()).chain([usage::RECORD])
}

/// Creates an invisible entry with an empty blob.
pub(super) fn start(transaction: &Transaction<'_>) -> rusqlite::Result<StartedEntry> {
    let blob = blobs::create(transaction)?;
    let reference = references::unused(transaction)?;
    transaction
        .prepare_cached(
            "INSERT INTO entry (ref, complete, kind, title, source, created, blob, digest)
             VALUES (?1, 0, '', '', '', unixepoch() * 1000, ?2, '')",
        )?
        .execute((reference.as_str(), blob))?;
    Ok(StartedEntry { entry: transaction.last_insert_rowid(), reference, blob })
}

/// When the items of a source become visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visibility {
    Immediate,
    Hidden,
}

/// Writes entries that are items of a source; the caller writes all their chunks.
pub(super) struct ItemWriter<'work> {
    transaction: &'work Transaction<'work>,
    visibility: Visibility,
    references: References<'work>,
    insert: CachedStatement<'work>,
}

impl<'work> ItemWriter<'work> {
    /// `entries` is the expected number.
    pub(super) fn with_expected(
        transaction: &'work Transaction<'work>,
        entries: usize,
        visibility: Visibility,
    ) -> rusqlite::Result<Self> {
        Ok(Self {
            transaction,
            visibility,
            references: References::with_expected(transaction, entries)?,
            insert: transaction.prepare_cached(WRITE_ITEM)?,
        })
    }

    pub(super) fn write(
        &mut self,
        blob: i64,
        session: i64,
        new: &NewEntry,
    ) -> rusqlite::Result<StartedEntry> {
        let reference = self.references.unused()?;
        self.insert.execute((
            reference.as_str(),
            self.visibility == Visibility::Immediate,
            new.kind.as_str(),
            &new.title,
            &new.source,
            session,
            &new.branch,
            new.created.0,
            blob,
            &new.digest,
            ticket_of(new.branch.as_deref()),
        ))?;
        Ok(StartedEntry { entry: self.transaction.last_insert_rowid(), reference, blob })
    }
}

/// Writes the rest of an entry and makes it visible.
pub(super) fn complete(
    transaction: &Transaction<'_>,
    started: Option<StartedEntry>,
    content: &BlobContent<'_>,
    new: &NewEntry,
    origin: EntryOrigin,
    assigned: &mut AssignedIds,
) -> rusqlite::Result<Entry> {
    if new.replaces_source {
        purge::delete_source(transaction, &new.source)?;
    }
    let blob = store_content(transaction, started, content)?;
    let entry = started.map_or_else(|| next_id(transaction), |started| Ok(started.entry))?;
    let reference = match (origin, started) {
        (EntryOrigin::Replicated(reference), _) => reference,
        (EntryOrigin::Created, Some(started)) => started.reference,
        (EntryOrigin::Created, None) => references::unused(transaction)?,
    };
    // An empty entry has nothing to index.
    let is_searchable = new.has_all_chunks || content.bytes == 0;
    write_entry(transaction, (entry, reference), blob, new, is_searchable)?;
    chunks::write(transaction, entry, content.chunks, assigned)?;
    match &new.detail {
        NewDetail::Plain => {}
        NewDetail::Run(run) => write_run(transaction, entry, run)?,
        NewDetail::Note(note) => {
            if let EntryOrigin::Created = origin {
                supersede_older(transaction, entry, note)?;
            }
            write_note(transaction, entry, note)?;
        }
    }
    if let Some(run) = &new.command {
        command_runs::write(transaction, entry, run)?;
    }
    to_entry(transaction, (entry, reference), content, new)
}

/// Returns the entry as [`find`] would read it, from the values at hand.
fn to_entry(
    transaction: &Transaction<'_>,
    (sequence, reference): (i64, Reference),
    content: &BlobContent<'_>,
    new: &NewEntry,
) -> rusqlite::Result<Entry> {
    let is_note = matches!(new.detail, NewDetail::Note(_));
    let supersedes = if is_note { find_superseded(transaction, sequence)? } else { None };
    Ok(new.to_entry(sequence, reference, content, supersedes))
}

/// Returns the newest note that an entry superseded.
fn find_superseded(connection: &Connection, entry: i64) -> rusqlite::Result<Option<Reference>> {
    connection
        .prepare_cached(
            "SELECT older.ref FROM note JOIN entry AS older ON older.id = note.entry
             WHERE note.superseded_by = ?1 ORDER BY older.id DESC LIMIT 1",
        )?
        .query_row([entry], |row| parse_reference(&row.get::<_, String>(0)?))
        .optional()
}

/// Deletes an entry with its chunks, and its blob if no other entry uses it.
pub(super) fn delete(transaction: &Transaction<'_>, entry: i64) -> rusqlite::Result<()> {
    inverted_index::unindex(transaction, entry)?;
    let blob: Option<i64> = transaction
        .prepare_cached("DELETE FROM entry WHERE id = ?1 RETURNING blob")?
        .query_row([entry], |row| row.get(0))
        .optional()?;
    blob.map_or(Ok(()), |blob| blobs::delete_if_unused(transaction, blob))
}

/// Returns the blob of the content, an existing one if there is one.
fn store_content(
    transaction: &Transaction<'_>,
    started: Option<StartedEntry>,
    content: &BlobContent<'_>,
) -> rusqlite::Result<i64> {
    let Some(started) = started else { return blobs::Writer::new(transaction)?.write(content) };
    if let Some(same) = blobs::find_by_hash(transaction, &content.hash)? {
        return share_blob(transaction, started, content, same);
    }
    blobs::complete(transaction, started.blob, content)?;
    Ok(started.blob)
}

/// Makes an upload and the entries of a known blob with the same content share one of the two.
fn share_blob(
    transaction: &Transaction<'_>,
    started: StartedEntry,
    content: &BlobContent<'_>,
    known: i64,
) -> rusqlite::Result<i64> {
    let is_whole = blobs::read(transaction, known, 0, &mut |_| true).is_ok();
    let (kept, dropped) = if is_whole { (known, started.blob) } else { (started.blob, known) };
    transaction.execute("UPDATE entry SET blob = ?2 WHERE blob = ?1", (dropped, kept))?;
    blobs::delete_if_unused(transaction, dropped)?;
    if !is_whole {
        blobs::complete(transaction, kept, content)?;
    }
    Ok(kept)
}

/// Writes the entry's row, replacing the one created at the start.
fn write_entry(
    transaction: &Transaction<'_>,
    (entry, reference): (i64, Reference),
    blob: i64,
    new: &NewEntry,
    is_searchable: bool,
) -> rusqlite::Result<()> {
    let at = new.created;
    let session = sessions::touch(transaction, &new.session, &new.client, (at, at))?;
    transaction
        .prepare_cached(WRITE)?
        .execute((
            entry,
            reference.as_str(),
            new.kind.as_str(),
            &new.title,
            &new.source,
            session,
            &new.branch,
            new.created.0,
            blob,
            &new.digest,
            is_searchable,
            ticket_of(new.branch.as_deref()),
        ))
        .map(drop)
}

/// Replaces the digest of an entry; returns whether there is one.
pub(super) fn replace_digest(
    transaction: &Transaction<'_>,
    reference: Reference,
    digest: &str,
) -> rusqlite::Result<bool> {
    transaction
        .prepare_cached("UPDATE entry SET digest = ?2 WHERE ref = ?1 AND complete")?
        .execute((reference.as_str(), digest))
        .map(|count| count > 0)
}

/// Returns the id after the highest one ever used.
fn next_id(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction.prepare_cached(NEXT_ID)?.query_row([], |row| row.get(0))
}

/// Returns the ticket that a branch is named after.
pub(super) fn ticket_of(branch: Option<&str>) -> Option<String> {
    branch.and_then(forebay_domain::ticket::from_branch)
}

fn write_run(transaction: &Transaction<'_>, entry: i64, run: &RunRecord) -> rusqlite::Result<()> {
    let (ending, code) = run_ending::to_words(run.ending);
    transaction
        .prepare_cached(WRITE_RUN)?
        .execute((
            entry,
            ending,
            code,
            run.duration.as_micros() as i64,
            &run.cwd,
            run.spans.to_bytes(),
        ))
        .map(drop)
}

/// Marks older notes as superseded: those on its topic and the one it names.
fn supersede_older(
    transaction: &Transaction<'_>,
    entry: i64,
    note: &NewNote,
) -> rusqlite::Result<()> {
    if let Some(topic) = &note.topic {
        transaction
            .prepare_cached(
                "UPDATE note SET superseded_by = ?1 WHERE topic = ?2 AND superseded_by IS NULL",
            )?
            .execute((entry, topic))?;
    }
    if let Some(old) = note.supersedes {
        transaction
            .prepare_cached(
                "UPDATE note SET superseded_by = ?1
                 WHERE entry = (SELECT id FROM entry WHERE ref = ?2)",
            )?
            .execute((entry, old.as_str()))?;
    }
    Ok(())
}

fn write_note(transaction: &Transaction<'_>, entry: i64, note: &NewNote) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO note (entry, kind, topic, pinned, personal, author)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute((
            entry,
            note.kind.as_str(),
            &note.topic,
            note.pinned,
            note.personal,
            &note.author,
        ))?;
    let mut link = transaction.prepare_cached(
        "INSERT OR IGNORE INTO link (note, entry) SELECT ?1, id FROM entry WHERE ref = ?2",
    )?;
    note.links.iter().try_for_each(|linked| link.execute((entry, linked.as_str())).map(drop))
}

/// Selects complete entries as [`read_entry`] reads them.
macro_rules! entries {
    ($from:literal, $with_notes:literal) => {
        concat!(
            "
    SELECT entry.ref, entry.kind, entry.title, entry.source, session.key, entry.branch,
           entry.created, entry.id, blob.bytes, blob.lines, entry.digest,
           run.ending, run.code, run.micros, run.cwd, run.spans,
           note.kind, note.topic, newer.ref,
           (SELECT older.ref FROM note AS replaced JOIN entry AS older ON older.id = replaced.entry
            WHERE replaced.superseded_by = entry.id ORDER BY replaced.entry DESC LIMIT 1),
           note.pinned, note.personal, note.author,
           (SELECT other.ref FROM conflict JOIN entry AS other ON other.id = conflict.other
            LEFT JOIN note AS said ON said.entry = other.id
            WHERE conflict.entry = entry.id AND said.superseded_by IS NULL
            ORDER BY conflict.other DESC LIMIT 1)
    FROM ",
            $from,
            "
    JOIN session ON session.id = entry.session
    JOIN blob ON blob.id = entry.blob
    LEFT JOIN run ON run.entry = entry.id ",
            $with_notes,
            "
    LEFT JOIN entry AS newer ON newer.id = note.superseded_by
    WHERE entry.complete"
        )
    };
}

/// All entries; conditions can be appended.
pub(super) const ENTRIES: &str = entries!("entry", "LEFT JOIN note ON note.entry = entry.id");

/// Notes only, without scanning other entries; conditions can be appended.
pub(super) const NOTES: &str = entries!("note CROSS JOIN entry ON entry.id = note.entry", "");

pub(super) fn find(
    connection: &Connection,
    reference: Reference,
) -> rusqlite::Result<Option<Entry>> {
    connection
        .prepare_cached(&format!("{ENTRIES} AND entry.ref = ?1"))?
        .query_row([reference.as_str()], read_entry)
        .optional()
}

pub(super) fn blob_of(
    connection: &Connection,
    reference: Reference,
) -> rusqlite::Result<Option<i64>> {
    // The row is read by its own id and compared with both indexes, so that a damaged row or index
    // does not lead to the content of another entry.
    connection
        .prepare_cached(
            "SELECT entry.blob, entry.ref = ?1 AND EXISTS
                 (SELECT 1 FROM entry AS shared INDEXED BY entry_blob
                  WHERE shared.blob = entry.blob AND shared.id = entry.id)
             FROM entry AS indexed CROSS JOIN entry ON entry.id = indexed.id
             WHERE indexed.ref = ?1 AND entry.complete",
        )?
        .query_row([reference.as_str()], |row| {
            if row.get(1)? { row.get(0) } else { Err(blobs::damage_error(Damage::SOMEWHERE)) }
        })
        .optional()
}

pub(super) fn unindexed_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    connection
        .prepare_cached(
            "SELECT coalesce(sum(blob.bytes - indexed_to), 0)
             FROM entry JOIN blob ON blob.id = entry.blob WHERE searchable = 0 AND complete",
        )?
        .query_row([], |row| Ok(row.get::<_, i64>(0)? as u64))
}

pub(super) fn unindexed(
    connection: &Connection,
    limit: usize,
) -> rusqlite::Result<Vec<IndexState>> {
    connection
        .prepare_cached(
            "SELECT entry.ref, entry.title, indexed_to, indexed_line, blob.bytes
             FROM entry JOIN blob ON blob.id = entry.blob
             WHERE searchable = 0 AND complete ORDER BY entry.id LIMIT ?1",
        )?
        .query_map([limit as i64], |row| {
            Ok(IndexState {
                reference: parse_reference(&row.get::<_, String>(0)?)?,
                title: row.get(1)?,
                offset: row.get::<_, i64>(2)? as u64,
                line: row.get::<_, i64>(3)? as u64,
                bytes: row.get::<_, i64>(4)? as u64,
            })
        })?
        .collect()
}

pub(super) fn extend_index(
    transaction: &Transaction<'_>,
    step: &IndexStep,
    assigned: &mut AssignedIds,
) -> rusqlite::Result<()> {
    let (from, to) = (&step.from, step.to);
    let entry: Option<i64> = transaction
        .prepare_cached(
            "UPDATE entry SET indexed_to = ?3, indexed_line = ?4,
                 searchable = ?3 >= (SELECT bytes FROM blob WHERE blob.id = entry.blob)
             WHERE ref = ?1 AND indexed_to = ?2 AND NOT searchable RETURNING id",
        )?
        .query_row((from.reference.as_str(), from.offset as i64, to.0 as i64, to.1 as i64), |row| {
            row.get(0)
        })
        .optional()?;
    let Some(entry) = entry else {
        assigned.skip(step.chunks.len());
        return Ok(());
    };
    chunks::write(transaction, entry, &step.chunks, assigned)
}

pub(super) fn read_entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        reference: parse_reference(&row.get::<_, String>(0)?)?,
        kind: EntryKind::parse(&row.get::<_, String>(1)?).unwrap_or(EntryKind::Source),
        title: row.get(2)?,
        source: row.get(3)?,
        session: row.get(4)?,
        branch: row.get(5)?,
        created: Timestamp(row.get(6)?),
        sequence: row.get(7)?,
        bytes: row.get::<_, i64>(8)? as u64,
        lines: row.get::<_, i64>(9)? as u64,
        digest: row.get(10)?,
        conflicts: optional_reference(row, 23)?,
        detail: read_detail(row)?,
    })
}

fn read_detail(row: &Row<'_>) -> rusqlite::Result<Detail> {
    if let Some(ending) = row.get::<_, Option<String>>(11)? {
        return Ok(Detail::Run(RunRecord {
            ending: run_ending::from_words(&ending, row.get(12)?),
            duration: Duration::from_micros(row.get::<_, i64>(13)? as u64),
            cwd: row.get(14)?,
            spans: Spans::from_bytes(&row.get::<_, Vec<u8>>(15)?),
        }));
    }
    if let Some(kind) = row.get::<_, Option<String>>(16)? {
        return Ok(Detail::Note(Note {
            kind: NoteKind::parse(&kind).unwrap_or(NoteKind::Note),
            topic: row.get(17)?,
            superseded_by: optional_reference(row, 18)?,
            supersedes: optional_reference(row, 19)?,
            pinned: row.get(20)?,
            personal: row.get(21)?,
            author: row.get(22)?,
        }));
    }
    Ok(Detail::Plain)
}

pub(super) fn optional_reference(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<Reference>> {
    row.get::<_, Option<String>>(column)?.map(|text| parse_reference(&text)).transpose()
}

pub(super) fn parse_reference(text: &str) -> rusqlite::Result<Reference> {
    Reference::parse(text).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}
