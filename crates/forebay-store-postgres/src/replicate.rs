//! Adoption: entries that another store made, kept under the references they have there.
//!
//! Nothing is overwritten. The same content is kept once; another content under a reference that is taken
//! gets a new one; notes that were written apart from each other on the same stay in force, both marked.

use forebay_domain::{Entry, EntryKind, Reference};
use forebay_store::blob::writer::{BlobContent, EntryOrigin, StartedEntry};
use forebay_store::{NewDetail, NewEntry, NewNote, ReplicaOrigin, ReplicateOutcome};

use super::connection::Work;
use super::entries;
use super::error::Fault;
use super::purge;
use super::text::{Name, Text};
use super::vocabulary::count_change;

pub(super) fn adopt(
    work: &mut Work<'_>,
    begun: Option<StartedEntry>,
    content: &BlobContent<'_>,
    new: &NewEntry,
    origin: &ReplicaOrigin,
) -> Result<ReplicateOutcome, Fault> {
    let wanted = origin.reference;
    // Of two who bring the same the second waits, and finds it.
    work.lock(&format!("reference {}", wanted.as_str()))?;
    if let Some(known) = with_content(work, wanted, &content.hash)? {
        return Ok(ReplicateOutcome::AlreadyPresent(known));
    }
    if is_forgotten(work, wanted)? && !origin.restores_purged {
        return Ok(ReplicateOutcome::Purged);
    }
    let revived = work.execute(
        "DELETE FROM gone WHERE workspace = $1 AND project = $2 AND ref = $3",
        &[&wanted.as_str()],
    )?;
    if revived > 0 {
        // Who has not looked since it was forgotten would not see any more that it ever was.
        count_change(work)?;
    }
    let holder = holder(work, wanted)?;
    let reference = match holder {
        Some(_) => entries::random_reference()?,
        None => wanted,
    };
    let entry = entries::complete(work, begun, content, new, EntryOrigin::Replicated(reference))?;
    if let Some(holder) = holder {
        mark(work, entry.sequence, &[holder])?;
    }
    match (&new.detail, new.kind) {
        (NewDetail::Note(note), _) => take_place(work, entry.sequence, note, &origin.supersedes)?,
        (_, EntryKind::Source | EntryKind::Page) => replace_version(work, &entry)?,
        _ => {}
    }
    work.execute(
        "INSERT INTO adopted (workspace, project, ref, entry) VALUES ($1, $2, $3, $4)",
        &[&wanted.as_str(), &entry.sequence],
    )?;
    let entry = entries::find(work, reference)?.unwrap_or(entry);
    Ok(ReplicateOutcome::Added(Box::new(entry)))
}

/// The entry that came under this reference with this content.
fn with_content(
    work: &mut Work<'_>,
    reference: Reference,
    hash: &blake3::Hash,
) -> Result<Option<Reference>, Fault> {
    let row = work.first(
        "SELECT entry.ref FROM entry
         JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
         WHERE entry.workspace = $1 AND entry.project = $2 AND complete AND blob.hash = $4
             AND (entry.ref = $3 OR entry.id IN (SELECT entry FROM adopted
                 WHERE adopted.workspace = $1 AND adopted.project = $2 AND adopted.ref = $3))",
        &[&reference.as_str(), &hash.as_bytes().as_slice()],
    )?;
    row.map(|row| entries::reference(&row, 0)).transpose()
}

fn is_forgotten(work: &mut Work<'_>, reference: Reference) -> Result<bool, Fault> {
    let row = work.first(
        "SELECT FROM gone WHERE workspace = $1 AND project = $2 AND ref = $3",
        &[&reference.as_str()],
    )?;
    Ok(row.is_some())
}

/// The entry that has the reference here.
fn holder(work: &mut Work<'_>, reference: Reference) -> Result<Option<i64>, Fault> {
    let row = work.first(
        "SELECT id FROM entry WHERE workspace = $1 AND project = $2 AND ref = $3",
        &[&reference.as_str()],
    )?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

/// Takes the place of the older version of a source that came before; one that was indexed here stays.
fn replace_version(work: &mut Work<'_>, new: &Entry) -> Result<(), Fault> {
    let rows = work.query(
        "SELECT id, ref, created <= $6 AND id IN (SELECT adopted.entry FROM adopted
             WHERE adopted.workspace = $1 AND adopted.project = $2)
         FROM entry WHERE workspace = $1 AND project = $2 AND complete
             AND hashtextextended(source, 0) = hashtextextended($3, 0) AND source = $3 AND title = $4
             AND kind IN ('source', 'page') AND id <> $5",
        &[&Text(&new.source), &Text(&new.title), &new.sequence, &new.created.0],
    )?;
    let (mut replaced, mut stay) = (Vec::new(), Vec::new());
    for row in rows {
        if row.try_get(2)? {
            replaced.push(row);
        } else {
            stay.push(row.try_get(0)?);
        }
    }
    purge::replace(work, &replaced, &new.source, new.created)?;
    mark(work, new.sequence, &stay)
}

/// Puts a note where its own store had it; what it did not replace there stays in force beside it.
fn take_place(
    work: &mut Work<'_>,
    entry: i64,
    note: &NewNote,
    replaces: &[Reference],
) -> Result<(), Fault> {
    for older in replaces {
        work.execute(
            "UPDATE note SET superseded_by = $3
             WHERE workspace = $1 AND project = $2 AND superseded_by IS NULL AND entry <> $3
                 AND entry = (SELECT id FROM entry
                     WHERE workspace = $1 AND project = $2 AND ref = $4)",
            &[&entry, &older.as_str()],
        )?;
    }
    let rivals = rivals(work, entry, note)?;
    mark(work, entry, &rivals)
}

/// Notes in force that claim the same place: on the same topic, or in place of the same older note.
fn rivals(work: &mut Work<'_>, entry: i64, note: &NewNote) -> Result<Vec<i64>, Fault> {
    let rows = work.query(
        "SELECT entry FROM note
         WHERE workspace = $1 AND project = $2 AND entry <> $3 AND superseded_by IS NULL AND (
             topic = $4 OR entry = (SELECT replaced.superseded_by FROM note AS replaced
                 JOIN entry AS older ON older.workspace = $1 AND older.project = $2
                     AND older.id = replaced.entry
                 WHERE replaced.workspace = $1 AND replaced.project = $2 AND older.ref = $5))",
        &[
            &entry,
            &note.topic.as_deref().map(Name),
            &note.supersedes.as_ref().map(Reference::as_str),
        ],
    )?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Marks entries as saying something else than one does, of the same.
fn mark(work: &mut Work<'_>, one: i64, others: &[i64]) -> Result<(), Fault> {
    work.execute(
        "INSERT INTO conflict (workspace, project, entry, other)
         SELECT $1::integer, $2::integer, $3::bigint, other FROM unnest($4::bigint[]) AS other
         UNION ALL
         SELECT $1::integer, $2::integer, other, $3::bigint FROM unnest($4::bigint[]) AS other
         ON CONFLICT DO NOTHING",
        &[&one, &others],
    )?;
    Ok(())
}
