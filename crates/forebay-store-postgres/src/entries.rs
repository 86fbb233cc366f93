//! Entries: their text is written once; they are looked up by reference and listed in order.

use std::time::Duration;

use ::postgres::Row;
use forebay_domain::entry::Detail;
use forebay_domain::{
    Entry, EntryKind, Note, NoteKind, Reference, RunRecord, Spans, Timestamp, ticket,
};
use forebay_store::blob::writer::{BlobContent, EntryOrigin, StartedEntry};
use forebay_store::{IndexState, IndexStep, NewDetail, NewEntry, NewNote, run_ending};

use super::blobs;
use super::connection::ScopedConn;
use super::error::PgError;
use super::text::{Name, Text};
use super::{chunks, command_runs, purge, sessions};

/// Creates an entry that is not visible yet.
pub(super) fn start(conn: &mut ScopedConn<'_>) -> Result<StartedEntry, PgError> {
    let blob = blobs::create(conn)?;
    loop {
        let reference = random_reference()?;
        let inserted = conn.first(
            "INSERT INTO entry (workspace, project, ref, complete, kind, title, source, created, blob, digest)
             SELECT $1, $2, $3, false, '', '', '',
                 (extract(epoch FROM clock_timestamp()) * 1000)::bigint, $4, ''
             WHERE NOT EXISTS (SELECT FROM gone WHERE workspace = $1 AND project = $2 AND ref = $3)
             ON CONFLICT (workspace, project, ref) DO NOTHING RETURNING id",
            &[&reference.as_str(), &blob],
        )?;
        if let Some(row) = inserted {
            return Ok(StartedEntry { entry: row.try_get(0)?, reference, blob });
        }
    }
}

/// Writes the rest of an entry and makes it visible.
pub(super) fn complete(
    conn: &mut ScopedConn<'_>,
    started: Option<StartedEntry>,
    content: &BlobContent<'_>,
    new: &NewEntry,
    arrival: EntryOrigin,
) -> Result<Entry, PgError> {
    if new.replaces_source {
        purge::delete_source(conn, &new.source)?;
    }
    let blob = store_content(conn, started, content)?;
    // An entry without chunks needs no indexing.
    let is_searchable = new.has_all_chunks || content.bytes == 0;
    let (entry, reference) = match (started, arrival) {
        (Some(started), EntryOrigin::Created) => rewrite(conn, started, blob, new, is_searchable)?,
        (Some(started), EntryOrigin::Replicated(reference)) => {
            rewrite(conn, StartedEntry { reference, ..started }, blob, new, is_searchable)?
        }
        (None, EntryOrigin::Replicated(reference)) => {
            let inserted = insert(conn, reference, blob, new, is_searchable)?;
            (
                inserted.ok_or_else(|| {
                    PgError::invalid_data("the reference was taken by a concurrent write")
                })?,
                reference,
            )
        }
        (None, EntryOrigin::Created) => insert_under_new_reference(conn, blob, new, is_searchable)?,
    };
    chunks::write_for_entry(conn, entry, content.chunks)?;
    match &new.detail {
        NewDetail::Plain => {}
        NewDetail::Run(run) => write_run(conn, entry, run)?,
        NewDetail::Note(note) => {
            if let EntryOrigin::Created = arrival {
                replace_older(conn, entry, note)?;
            }
            write_note(conn, entry, note)?;
        }
    }
    if let Some(run) = &new.command {
        command_runs::write(conn, entry, run)?;
    }
    built_entry(conn, (entry, reference), content, new)
}

/// Builds the entry as a read would return it, from the values just written.
fn built_entry(
    conn: &mut ScopedConn<'_>,
    (sequence, reference): (i64, Reference),
    content: &BlobContent<'_>,
    new: &NewEntry,
) -> Result<Entry, PgError> {
    let is_note = matches!(new.detail, NewDetail::Note(_));
    let supersedes = if is_note { replaced_by(conn, sequence)? } else { None };
    Ok(new.to_entry(sequence, reference, content, supersedes))
}

/// Returns the newest note that an entry superseded.
fn replaced_by(conn: &mut ScopedConn<'_>, entry: i64) -> Result<Option<Reference>, PgError> {
    let row = conn.first(
        "SELECT older.ref FROM note JOIN entry AS older ON older.id = note.entry
             AND older.workspace = $1 AND older.project = $2
         WHERE note.workspace = $1 AND note.project = $2 AND note.superseded_by = $3
         ORDER BY older.id DESC LIMIT 1",
        &[&entry],
    )?;
    row.map(|row| reference(&row, 0)).transpose()
}

/// Deletes entries with their chunks, and their blobs unless still referenced.
pub(super) fn delete(conn: &mut ScopedConn<'_>, entries: &[i64]) -> Result<(), PgError> {
    if entries.is_empty() {
        return Ok(());
    }
    let rows = conn.query(
        "DELETE FROM entry WHERE workspace = $1 AND project = $2 AND id = ANY ($3) RETURNING blob",
        &[&entries],
    )?;
    let blob_ids =
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Result<Vec<i64>, PgError>>()?;
    blobs::delete_unreferenced(conn, &blob_ids)
}

/// Returns the blob of the content, creating it if it is missing.
fn store_content(
    conn: &mut ScopedConn<'_>,
    started: Option<StartedEntry>,
    content: &BlobContent<'_>,
) -> Result<i64, PgError> {
    // Concurrent writers of the same content serialize here; the second one finds the blob.
    conn.lock(&content.hash.to_hex())?;
    if let Some(same) = blobs::with_hash(conn, &content.hash)? {
        if let Some(started) = started {
            conn.execute(
                "UPDATE entry SET blob = $4 WHERE workspace = $1 AND project = $2 AND id = $3",
                &[&started.entry, &same],
            )?;
            blobs::delete_unreferenced(conn, &[started.blob])?;
        }
        return Ok(same);
    }
    let blob = match started {
        Some(started) => started.blob,
        None => blobs::create(conn)?,
    };
    blobs::write_parts(conn, blob, content.parts)?;
    blobs::complete(conn, blob, &content.hash, content.bytes, content.lines)?;
    Ok(blob)
}

/// Inserts a row under a reference that neither an entry nor a tombstone has.
fn insert_under_new_reference(
    conn: &mut ScopedConn<'_>,
    blob: i64,
    new: &NewEntry,
    is_searchable: bool,
) -> Result<(i64, Reference), PgError> {
    loop {
        let reference = random_reference()?;
        if let Some(entry) = insert(conn, reference, blob, new, is_searchable)? {
            return Ok((entry, reference));
        }
    }
}

/// Inserts a row; returns None if the reference is taken.
fn insert(
    conn: &mut ScopedConn<'_>,
    reference: Reference,
    blob: i64,
    new: &NewEntry,
    is_searchable: bool,
) -> Result<Option<i64>, PgError> {
    let at = new.created;
    let session = sessions::touch(conn, &new.session, &new.client, (at, at))?;
    let inserted = conn.first(
        "INSERT INTO entry (workspace, project, ref, complete, kind, title, source, session, branch,
             created, blob, digest, searchable, ticket)
         SELECT $1, $2, $3, true, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13
         WHERE NOT EXISTS (SELECT FROM gone WHERE workspace = $1 AND project = $2 AND ref = $3)
         ON CONFLICT (workspace, project, ref) DO NOTHING RETURNING id",
        &[
            &reference.as_str(),
            &new.kind.as_str(),
            &Text(&new.title),
            &Text(&new.source),
            &session,
            &new.branch.as_deref().map(Text),
            &new.created.0,
            &blob,
            &Text(&new.digest),
            &is_searchable,
            &ticket_of(new.branch.as_deref()).as_deref().map(Text),
        ],
    )?;
    Ok(inserted.map(|row| row.try_get(0)).transpose()?)
}

/// Completes the row of a started entry.
fn rewrite(
    conn: &mut ScopedConn<'_>,
    started: StartedEntry,
    blob: i64,
    new: &NewEntry,
    is_searchable: bool,
) -> Result<(i64, Reference), PgError> {
    let at = new.created;
    let session = sessions::touch(conn, &new.session, &new.client, (at, at))?;
    let written = conn.execute(
        "UPDATE entry SET complete = true, kind = $4, title = $5, source = $6, session = $7, branch = $8,
             created = $9, blob = $10, digest = $11, searchable = $12, ticket = $13, ref = $14
         WHERE workspace = $1 AND project = $2 AND id = $3",
        &[
            &started.entry,
            &new.kind.as_str(),
            &Text(&new.title),
            &Text(&new.source),
            &session,
            &new.branch.as_deref().map(Text),
            &new.created.0,
            &blob,
            &Text(&new.digest),
            &is_searchable,
            &ticket_of(new.branch.as_deref()).as_deref().map(Text),
            &started.reference.as_str(),
        ],
    )?;
    if written == 0 {
        return Err(PgError::invalid_data("the entry was swept during its upload"));
    }
    Ok((started.entry, started.reference))
}

/// Returns the ticket that a branch name contains.
pub(super) fn ticket_of(branch: Option<&str>) -> Option<String> {
    branch.and_then(ticket::from_branch)
}

pub(super) fn random_reference() -> Result<Reference, PgError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(PgError::invalid_data)?;
    Ok(Reference::from_random(random))
}

fn write_run(conn: &mut ScopedConn<'_>, entry: i64, run: &RunRecord) -> Result<(), PgError> {
    let (ending, code) = run_ending::to_words(run.ending);
    conn.execute(
        "INSERT INTO run (workspace, project, entry, ending, code, micros, cwd, spans)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        &[
            &entry,
            &ending,
            &code,
            &(run.duration.as_micros() as i64),
            &Text(&run.cwd),
            &run.spans.to_bytes(),
        ],
    )?;
    Ok(())
}

/// Supersedes older notes: those on the same topic, and the one it names.
fn replace_older(conn: &mut ScopedConn<'_>, entry: i64, note: &NewNote) -> Result<(), PgError> {
    if let Some(topic) = &note.topic {
        // Concurrent writers on one topic serialize here; the second one supersedes the first.
        conn.lock(&format!("topic {topic}"))?;
        conn.execute(
            "UPDATE note SET superseded_by = $3
             WHERE workspace = $1 AND project = $2 AND topic = $4 AND superseded_by IS NULL",
            &[&entry, &Name(topic)],
        )?;
    }
    if let Some(old) = note.supersedes {
        conn.execute(
            "UPDATE note SET superseded_by = $3 WHERE workspace = $1 AND project = $2 AND entry =
                 (SELECT id FROM entry WHERE workspace = $1 AND project = $2 AND ref = $4)",
            &[&entry, &old.as_str()],
        )?;
    }
    Ok(())
}

/// Replaces the digest of an entry; returns whether there is one.
pub(super) fn replace_digest(
    conn: &mut ScopedConn<'_>,
    reference: Reference,
    digest: &str,
) -> Result<bool, PgError> {
    let update = "UPDATE entry SET digest = $4
        WHERE workspace = $1 AND project = $2 AND ref = $3 AND complete";
    Ok(conn.execute(update, &[&reference.as_str(), &Text(digest)])? > 0)
}

/// Sets whether a note is pinned; returns whether that was a change.
pub(super) fn set_pinned(
    conn: &mut ScopedConn<'_>,
    note: Reference,
    pinned: bool,
) -> Result<bool, PgError> {
    let count = conn.execute(
        "UPDATE note SET pinned = $4 WHERE workspace = $1 AND project = $2 AND pinned <> $4
             AND entry = (SELECT id FROM entry WHERE workspace = $1 AND project = $2 AND ref = $3)",
        &[&note.as_str(), &pinned],
    )?;
    Ok(count > 0)
}

/// Marks a note as superseded by another one; returns whether both were in force.
pub(super) fn supersede(
    conn: &mut ScopedConn<'_>,
    note: Reference,
    by: Reference,
) -> Result<bool, PgError> {
    // Two that supersede each other at the same time would leave neither in force.
    conn.lock("notes supersede each other")?;
    let count = conn.execute(
        "UPDATE note SET superseded_by = newer.entry
         FROM note AS newer JOIN entry AS newer_entry ON newer_entry.id = newer.entry
             AND newer_entry.workspace = newer.workspace AND newer_entry.project = newer.project
         WHERE note.workspace = $1 AND note.project = $2
             AND newer.workspace = $1 AND newer.project = $2
             AND newer_entry.ref = $4 AND newer.superseded_by IS NULL AND newer.entry <> note.entry
             AND note.superseded_by IS NULL AND note.entry =
                 (SELECT id FROM entry WHERE workspace = $1 AND project = $2 AND ref = $3)",
        &[&note.as_str(), &by.as_str()],
    )?;
    Ok(count > 0)
}

fn write_note(conn: &mut ScopedConn<'_>, entry: i64, note: &NewNote) -> Result<(), PgError> {
    conn.execute(
        "INSERT INTO note (workspace, project, entry, kind, topic, pinned, personal, author)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        &[
            &entry,
            &note.kind.as_str(),
            &note.topic.as_deref().map(Name),
            &note.pinned,
            &note.personal,
            &Text(&note.author),
        ],
    )?;
    if note.links.is_empty() {
        return Ok(());
    }
    let links: Vec<&str> = note.links.iter().map(Reference::as_str).collect();
    conn.execute(
        "INSERT INTO link (workspace, project, note, entry)
         SELECT $1, $2, $3, id FROM entry WHERE workspace = $1 AND project = $2 AND ref = ANY ($4)
         ON CONFLICT DO NOTHING",
        &[&entry, &links],
    )?;
    Ok(())
}

/// Selects complete entries in the column order of [`read_entry`]; more conditions can follow.
pub(super) const ENTRY_COLUMNS: &str = "
    SELECT entry.ref, entry.kind, entry.title, entry.source, session.key, entry.branch,
           entry.created, entry.id, blob.bytes, blob.lines, entry.digest,
           run.ending, run.code, run.micros, run.cwd, run.spans,
           note.kind, note.topic, newer.ref,
           (SELECT older.ref FROM note AS replaced JOIN entry AS older ON older.id = replaced.entry
                AND older.workspace = $1 AND older.project = $2
            WHERE replaced.workspace = $1 AND replaced.project = $2 AND replaced.superseded_by = entry.id
            ORDER BY older.id DESC LIMIT 1),
           note.pinned, note.personal, note.author,
           (SELECT other.ref FROM conflict
            JOIN entry AS other ON other.workspace = $1 AND other.project = $2
                AND other.id = conflict.other
            LEFT JOIN note AS said ON said.workspace = $1 AND said.project = $2 AND said.entry = other.id
            WHERE conflict.workspace = $1 AND conflict.project = $2 AND conflict.entry = entry.id
                AND said.superseded_by IS NULL
            ORDER BY other.id DESC LIMIT 1)
    FROM entry
    JOIN session ON session.workspace = $1 AND session.project = $2 AND session.id = entry.session
    JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
    LEFT JOIN run ON run.workspace = $1 AND run.project = $2 AND run.entry = entry.id
    LEFT JOIN note ON note.workspace = $1 AND note.project = $2 AND note.entry = entry.id
    LEFT JOIN entry AS newer
        ON newer.workspace = $1 AND newer.project = $2 AND newer.id = note.superseded_by
    WHERE entry.workspace = $1 AND entry.project = $2 AND entry.complete";

pub(super) fn find(
    conn: &mut ScopedConn<'_>,
    reference: Reference,
) -> Result<Option<Entry>, PgError> {
    let row = conn.first(&format!("{ENTRY_COLUMNS} AND entry.ref = $3"), &[&reference.as_str()])?;
    row.as_ref().map(read_entry).transpose()
}

pub(super) fn blob_of(
    conn: &mut ScopedConn<'_>,
    reference: Reference,
) -> Result<Option<i64>, PgError> {
    let row = conn.first(
        "SELECT blob FROM entry WHERE workspace = $1 AND project = $2 AND ref = $3 AND complete",
        &[&reference.as_str()],
    )?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

pub(super) fn unindexed_bytes(conn: &mut ScopedConn<'_>) -> Result<u64, PgError> {
    let row = conn.one(
        "SELECT coalesce(sum(blob.bytes - indexed_to), 0)::bigint
         FROM entry JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
         WHERE entry.workspace = $1 AND entry.project = $2 AND NOT searchable AND complete",
        &[],
    )?;
    Ok(row.try_get::<_, i64>(0)? as u64)
}

pub(super) fn unindexed(
    conn: &mut ScopedConn<'_>,
    at_most: usize,
) -> Result<Vec<IndexState>, PgError> {
    let rows = conn.query(
        "SELECT entry.ref, entry.title, indexed_to, indexed_line, blob.bytes
         FROM entry JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
         WHERE entry.workspace = $1 AND entry.project = $2 AND NOT searchable AND complete
         ORDER BY entry.id LIMIT $3",
        &[&(at_most as i64)],
    )?;
    let read = |row: &Row| {
        Ok(IndexState {
            reference: reference(row, 0)?,
            title: row.try_get(1)?,
            offset: row.try_get::<_, i64>(2)? as u64,
            line: row.try_get::<_, i64>(3)? as u64,
            bytes: row.try_get::<_, i64>(4)? as u64,
        })
    };
    rows.iter().map(read).collect()
}

pub(super) fn extend_index(conn: &mut ScopedConn<'_>, step: &IndexStep) -> Result<(), PgError> {
    let (from, to) = (&step.from, step.to);
    let row = conn.first(
        "UPDATE entry SET indexed_to = $5, indexed_line = $6,
             searchable = $5 >= (SELECT bytes FROM blob
                 WHERE blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob)
         WHERE workspace = $1 AND project = $2 AND ref = $3 AND indexed_to = $4 AND NOT searchable
         RETURNING id",
        &[&from.reference.as_str(), &(from.offset as i64), &(to.0 as i64), &(to.1 as i64)],
    )?;
    match row {
        Some(row) => chunks::write_for_entry(conn, row.try_get(0)?, &step.chunks),
        None => Ok(()),
    }
}

pub(super) fn read_entry(row: &Row) -> Result<Entry, PgError> {
    Ok(Entry {
        reference: reference(row, 0)?,
        kind: EntryKind::parse(row.try_get(1)?).unwrap_or(EntryKind::Source),
        title: row.try_get(2)?,
        source: row.try_get(3)?,
        session: row.try_get(4)?,
        branch: row.try_get(5)?,
        created: Timestamp(row.try_get(6)?),
        sequence: row.try_get(7)?,
        bytes: row.try_get::<_, i64>(8)? as u64,
        lines: row.try_get::<_, i64>(9)? as u64,
        digest: row.try_get(10)?,
        conflicts: optional_reference(row, 23)?,
        detail: read_detail(row)?,
    })
}

fn read_detail(row: &Row) -> Result<Detail, PgError> {
    if let Some(ending) = row.try_get::<_, Option<&str>>(11)? {
        return Ok(Detail::Run(RunRecord {
            ending: run_ending::from_words(ending, row.try_get(12)?),
            duration: Duration::from_micros(row.try_get::<_, i64>(13)? as u64),
            cwd: row.try_get(14)?,
            spans: Spans::from_bytes(row.try_get(15)?),
        }));
    }
    if let Some(kind) = row.try_get::<_, Option<&str>>(16)? {
        return Ok(Detail::Note(Note {
            kind: NoteKind::parse(kind).unwrap_or(NoteKind::Note),
            topic: row.try_get(17)?,
            superseded_by: optional_reference(row, 18)?,
            supersedes: optional_reference(row, 19)?,
            pinned: row.try_get(20)?,
            personal: row.try_get(21)?,
            author: row.try_get(22)?,
        }));
    }
    Ok(Detail::Plain)
}

pub(super) fn optional_reference(row: &Row, column: usize) -> Result<Option<Reference>, PgError> {
    let text: Option<&str> = row.try_get(column)?;
    text.map(|text| Reference::parse(text).map_err(PgError::invalid_data)).transpose()
}

pub(super) fn reference(row: &Row, column: usize) -> Result<Reference, PgError> {
    Reference::parse(row.try_get(column)?).map_err(PgError::invalid_data)
}
