//! Entries: written once, found by reference, listed in order.

use std::time::Duration;

use ::postgres::Row;
use forebay_domain::entry::Detail;
use forebay_domain::{
    Entry, EntryKind, Note, NoteKind, Reference, RunRecord, Spans, Timestamp, ticket,
};
use forebay_store::blob::writer::{BlobContent, EntryOrigin, StartedEntry};
use forebay_store::{IndexState, IndexStep, NewDetail, NewEntry, NewNote, run_ending};

use super::blobs;
use super::connection::Work;
use super::error::Fault;
use super::text::{Name, Text};
use super::{chunks, purge, sessions};

/// Makes an entry that nobody sees yet.
pub(super) fn begin(work: &mut Work<'_>) -> Result<StartedEntry, Fault> {
    let blob = blobs::create(work)?;
    loop {
        let reference = random_reference()?;
        let made = work.first(
            "INSERT INTO entry (workspace, project, ref, complete, kind, title, source, created, blob, digest)
             SELECT $1, $2, $3, false, '', '', '',
                 (extract(epoch FROM clock_timestamp()) * 1000)::bigint, $4, ''
             WHERE NOT EXISTS (SELECT FROM gone WHERE workspace = $1 AND project = $2 AND ref = $3)
             ON CONFLICT (workspace, project, ref) DO NOTHING RETURNING id",
            &[&reference.as_str(), &blob],
        )?;
        if let Some(row) = made {
            return Ok(StartedEntry { entry: row.try_get(0)?, reference, blob });
        }
    }
}

/// Writes the rest of an entry and makes it visible.
pub(super) fn complete(
    work: &mut Work<'_>,
    begun: Option<StartedEntry>,
    content: &BlobContent<'_>,
    new: &NewEntry,
    arrival: EntryOrigin,
) -> Result<Entry, Fault> {
    if new.replaces_source {
        purge::forget_source(work, &new.source)?;
    }
    let blob = store_content(work, begun, content)?;
    // Nothing to index is indexed.
    let is_searchable = new.has_all_chunks || content.bytes == 0;
    let (entry, reference) = match (begun, arrival) {
        (Some(begun), EntryOrigin::Created) => rewrite(work, begun, blob, new, is_searchable)?,
        (Some(begun), EntryOrigin::Replicated(reference)) => {
            rewrite(work, StartedEntry { reference, ..begun }, blob, new, is_searchable)?
        }
        (None, EntryOrigin::Replicated(reference)) => {
            let made = insert(work, reference, blob, new, is_searchable)?;
            (made.ok_or_else(|| Fault::content("the reference was taken meanwhile"))?, reference)
        }
        (None, EntryOrigin::Created) => insert_under_new_reference(work, blob, new, is_searchable)?,
    };
    chunks::write_of(work, entry, content.chunks)?;
    match &new.detail {
        NewDetail::Plain => {}
        NewDetail::Run(run) => write_run(work, entry, run)?,
        NewDetail::Note(note) => {
            if let EntryOrigin::Created = arrival {
                replace_older(work, entry, note)?;
            }
            write_note(work, entry, note)?;
        }
    }
    as_read(work, (entry, reference), content, new)
}

/// The entry as reading it would give it, without reading what is known.
fn as_read(
    work: &mut Work<'_>,
    (sequence, reference): (i64, Reference),
    content: &BlobContent<'_>,
    new: &NewEntry,
) -> Result<Entry, Fault> {
    let detail = match &new.detail {
        NewDetail::Plain => Detail::Plain,
        NewDetail::Run(run) => Detail::Run(run.clone()),
        NewDetail::Note(note) => Detail::Note(Note {
            kind: note.kind,
            topic: note.topic.clone(),
            supersedes: replaced_by(work, sequence)?,
            superseded_by: None,
            pinned: note.pinned,
            personal: note.personal,
            author: note.author.clone(),
        }),
    };
    Ok(Entry {
        reference,
        kind: new.kind,
        title: new.title.clone(),
        source: new.source.clone(),
        session: new.session.clone(),
        branch: new.branch.clone(),
        created: new.created,
        sequence,
        bytes: content.bytes,
        lines: content.lines,
        digest: new.digest.clone(),
        conflicts: None,
        detail,
    })
}

/// The newest note that an entry replaced.
fn replaced_by(work: &mut Work<'_>, entry: i64) -> Result<Option<Reference>, Fault> {
    let row = work.first(
        "SELECT older.ref FROM note JOIN entry AS older ON older.id = note.entry
             AND older.workspace = $1 AND older.project = $2
         WHERE note.workspace = $1 AND note.project = $2 AND note.superseded_by = $3
         ORDER BY older.id DESC LIMIT 1",
        &[&entry],
    )?;
    row.map(|row| reference(&row, 0)).transpose()
}

/// Removes entries with their passages, and their blobs unless others hold them.
pub(super) fn delete(work: &mut Work<'_>, entries: &[i64]) -> Result<(), Fault> {
    if entries.is_empty() {
        return Ok(());
    }
    let rows = work.query(
        "DELETE FROM entry WHERE workspace = $1 AND project = $2 AND id = ANY ($3) RETURNING blob",
        &[&entries],
    )?;
    let held = rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Result<Vec<i64>, Fault>>()?;
    blobs::delete_unless_held(work, &held)
}

/// The blob of the content: the one that is there already, or the one now written.
fn store_content(
    work: &mut Work<'_>,
    begun: Option<StartedEntry>,
    content: &BlobContent<'_>,
) -> Result<i64, Fault> {
    // Of two who write the same the second waits, and finds it.
    work.lock(&content.hash.to_hex())?;
    if let Some(same) = blobs::with_hash(work, &content.hash)? {
        if let Some(begun) = begun {
            work.execute(
                "UPDATE entry SET blob = $4 WHERE workspace = $1 AND project = $2 AND id = $3",
                &[&begun.entry, &same],
            )?;
            blobs::delete_unless_held(work, &[begun.blob])?;
        }
        return Ok(same);
    }
    let blob = match begun {
        Some(begun) => begun.blob,
        None => blobs::create(work)?,
    };
    blobs::write_parts(work, blob, content.parts)?;
    blobs::complete(work, blob, &content.hash, content.bytes, content.lines)?;
    Ok(blob)
}

/// Writes a new row under a reference that neither an entry nor a forgotten one has.
fn insert_under_new_reference(
    work: &mut Work<'_>,
    blob: i64,
    new: &NewEntry,
    is_searchable: bool,
) -> Result<(i64, Reference), Fault> {
    loop {
        let reference = random_reference()?;
        if let Some(entry) = insert(work, reference, blob, new, is_searchable)? {
            return Ok((entry, reference));
        }
    }
}

/// Writes a new row; none where the reference is taken.
fn insert(
    work: &mut Work<'_>,
    reference: Reference,
    blob: i64,
    new: &NewEntry,
    is_searchable: bool,
) -> Result<Option<i64>, Fault> {
    let at = new.created;
    let session = sessions::touch(work, &new.session, &new.client, (at, at))?;
    let made = work.first(
        "INSERT INTO entry (workspace, project, ref, complete, kind, title, source, session, branch,
             created, blob, digest, searchable, ticket)
         SELECT $1, $2, $3, true, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13
         WHERE NOT EXISTS (SELECT FROM gone WHERE workspace = $1 AND project = $2 AND ref = $3)
         ON CONFLICT (workspace, project, ref) DO NOTHING RETURNING id",
        &[
            &reference.as_str(),
            &new.kind.word(),
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
    Ok(made.map(|row| row.try_get(0)).transpose()?)
}

/// Completes the row that was begun.
fn rewrite(
    work: &mut Work<'_>,
    begun: StartedEntry,
    blob: i64,
    new: &NewEntry,
    is_searchable: bool,
) -> Result<(i64, Reference), Fault> {
    let at = new.created;
    let session = sessions::touch(work, &new.session, &new.client, (at, at))?;
    let written = work.execute(
        "UPDATE entry SET complete = true, kind = $4, title = $5, source = $6, session = $7, branch = $8,
             created = $9, blob = $10, digest = $11, searchable = $12, ticket = $13, ref = $14
         WHERE workspace = $1 AND project = $2 AND id = $3",
        &[
            &begun.entry,
            &new.kind.word(),
            &Text(&new.title),
            &Text(&new.source),
            &session,
            &new.branch.as_deref().map(Text),
            &new.created.0,
            &blob,
            &Text(&new.digest),
            &is_searchable,
            &ticket_of(new.branch.as_deref()).as_deref().map(Text),
            &begun.reference.as_str(),
        ],
    )?;
    if written == 0 {
        return Err(Fault::content("the entry was swept away while its bytes arrived"));
    }
    Ok((begun.entry, begun.reference))
}

/// The ticket that a branch is about.
pub(super) fn ticket_of(branch: Option<&str>) -> Option<String> {
    branch.and_then(ticket::from_branch)
}

pub(super) fn random_reference() -> Result<Reference, Fault> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(Fault::content)?;
    Ok(Reference::from_random(random))
}

fn write_run(work: &mut Work<'_>, entry: i64, run: &RunRecord) -> Result<(), Fault> {
    let (ending, code) = run_ending::to_words(run.ending);
    work.execute(
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

/// Takes the place of older notes: of those on its topic, and of the one it names.
fn replace_older(work: &mut Work<'_>, entry: i64, note: &NewNote) -> Result<(), Fault> {
    if let Some(topic) = &note.topic {
        // Of two who write on one topic the second waits, and replaces the first.
        work.lock(&format!("topic {topic}"))?;
        work.execute(
            "UPDATE note SET superseded_by = $3
             WHERE workspace = $1 AND project = $2 AND topic = $4 AND superseded_by IS NULL",
            &[&entry, &Name(topic)],
        )?;
    }
    if let Some(old) = note.supersedes {
        work.execute(
            "UPDATE note SET superseded_by = $3 WHERE workspace = $1 AND project = $2 AND entry =
                 (SELECT id FROM entry WHERE workspace = $1 AND project = $2 AND ref = $4)",
            &[&entry, &old.as_str()],
        )?;
    }
    Ok(())
}

fn write_note(work: &mut Work<'_>, entry: i64, note: &NewNote) -> Result<(), Fault> {
    work.execute(
        "INSERT INTO note (workspace, project, entry, kind, topic, pinned, personal, author)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        &[
            &entry,
            &note.kind.word(),
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
    work.execute(
        "INSERT INTO link (workspace, project, note, entry)
         SELECT $1, $2, $3, id FROM entry WHERE workspace = $1 AND project = $2 AND ref = ANY ($4)
         ON CONFLICT DO NOTHING",
        &[&entry, &links],
    )?;
    Ok(())
}

/// Entries that are complete, as [`read_entry`] takes them; more conditions can follow.
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

pub(super) fn find(work: &mut Work<'_>, wanted: Reference) -> Result<Option<Entry>, Fault> {
    let row = work.first(&format!("{ENTRY_COLUMNS} AND entry.ref = $3"), &[&wanted.as_str()])?;
    row.as_ref().map(read_entry).transpose()
}

pub(super) fn blob_of(work: &mut Work<'_>, wanted: Reference) -> Result<Option<i64>, Fault> {
    let row = work.first(
        "SELECT blob FROM entry WHERE workspace = $1 AND project = $2 AND ref = $3 AND complete",
        &[&wanted.as_str()],
    )?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

pub(super) fn unindexed_bytes(work: &mut Work<'_>) -> Result<u64, Fault> {
    let row = work.one(
        "SELECT coalesce(sum(blob.bytes - indexed_to), 0)::bigint
         FROM entry JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
         WHERE entry.workspace = $1 AND entry.project = $2 AND NOT searchable AND complete",
        &[],
    )?;
    Ok(row.try_get::<_, i64>(0)? as u64)
}

pub(super) fn unindexed(work: &mut Work<'_>, at_most: usize) -> Result<Vec<IndexState>, Fault> {
    let rows = work.query(
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

pub(super) fn extend_index(work: &mut Work<'_>, step: &IndexStep) -> Result<(), Fault> {
    let (from, to) = (&step.from, step.to);
    let row = work.first(
        "UPDATE entry SET indexed_to = $5, indexed_line = $6,
             searchable = $5 >= (SELECT bytes FROM blob
                 WHERE blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob)
         WHERE workspace = $1 AND project = $2 AND ref = $3 AND indexed_to = $4 AND NOT searchable
         RETURNING id",
        &[&from.reference.as_str(), &(from.offset as i64), &(to.0 as i64), &(to.1 as i64)],
    )?;
    match row {
        Some(row) => chunks::write_of(work, row.try_get(0)?, &step.chunks),
        None => Ok(()),
    }
}

pub(super) fn read_entry(row: &Row) -> Result<Entry, Fault> {
    Ok(Entry {
        reference: reference(row, 0)?,
        kind: EntryKind::from_word(row.try_get(1)?).unwrap_or(EntryKind::Source),
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

fn read_detail(row: &Row) -> Result<Detail, Fault> {
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
            kind: NoteKind::from_word(kind).unwrap_or(NoteKind::Note),
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

pub(super) fn optional_reference(row: &Row, column: usize) -> Result<Option<Reference>, Fault> {
    let text: Option<&str> = row.try_get(column)?;
    text.map(|text| Reference::parse(text).map_err(Fault::content)).transpose()
}

pub(super) fn reference(row: &Row, column: usize) -> Result<Reference, Fault> {
    Reference::parse(row.try_get(column)?).map_err(Fault::content)
}
