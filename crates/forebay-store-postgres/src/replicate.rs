//! Replication: stores entries of another store under their original references.
//!
//! Nothing is overwritten. Identical content is stored once; different content under a taken reference gets a new
//! one; notes written independently on the same topic stay in force and are marked as conflicting.

use forebay_domain::{Entry, EntryKind, Reference};
use forebay_store::blob::writer::{BlobContent, EntryOrigin, StartedEntry};
use forebay_store::{NewDetail, NewEntry, NewNote, ReplicaOrigin, ReplicateOutcome};

use super::connection::ScopedConn;
use super::entries;
use super::error::PgError;
use super::purge;
use super::text::{Name, Text};
use super::vocabulary::bump_purges;

pub(super) fn replicate(
    conn: &mut ScopedConn<'_>,
    started: Option<StartedEntry>,
    content: &BlobContent<'_>,
    new: &NewEntry,
    origin: &ReplicaOrigin,
) -> Result<ReplicateOutcome, PgError> {
    let wanted = origin.reference;
    // Concurrent replications of the same entry serialize here; the second one finds it.
    conn.lock(&format!("reference {}", wanted.as_str()))?;
    if let Some(known) = with_content(conn, wanted, &content.hash)? {
        return Ok(ReplicateOutcome::AlreadyPresent(known));
    }
    if has_tombstone(conn, wanted)? && !origin.restores_purged {
        return Ok(ReplicateOutcome::Purged);
    }
    let revived = conn.execute(
        "DELETE FROM gone WHERE workspace = $1 AND project = $2 AND ref = $3",
        &[&wanted.as_str()],
    )?;
    if revived > 0 {
        // A cache that has not synced since the purge would miss it, as the tombstone is deleted.
        bump_purges(conn)?;
    }
    let existing = entry_with_reference(conn, wanted)?;
    let reference = match existing {
        Some(_) => entries::random_reference()?,
        None => wanted,
    };
    let entry = entries::complete(conn, started, content, new, EntryOrigin::Replicated(reference))?;
    if let Some(existing) = existing {
        mark(conn, entry.sequence, &[existing])?;
    }
    match (&new.detail, new.kind) {
        (NewDetail::Note(note), _) => supersede(conn, entry.sequence, note, &origin.supersedes)?,
        (_, EntryKind::Source | EntryKind::Page) => replace_version(conn, &entry)?,
        _ => {}
    }
    conn.execute(
        "INSERT INTO adopted (workspace, project, ref, entry) VALUES ($1, $2, $3, $4)",
        &[&wanted.as_str(), &entry.sequence],
    )?;
    let entry = entries::find(conn, reference)?.unwrap_or(entry);
    Ok(ReplicateOutcome::Added(Box::new(entry)))
}

/// Returns the entry that was replicated under this reference with this content.
fn with_content(
    conn: &mut ScopedConn<'_>,
    reference: Reference,
    hash: &blake3::Hash,
) -> Result<Option<Reference>, PgError> {
    let row = conn.first(
        "SELECT entry.ref FROM entry
         JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
         WHERE entry.workspace = $1 AND entry.project = $2 AND complete AND blob.hash = $4
             AND (entry.ref = $3 OR entry.id IN (SELECT entry FROM adopted
                 WHERE adopted.workspace = $1 AND adopted.project = $2 AND adopted.ref = $3))",
        &[&reference.as_str(), &hash.as_bytes().as_slice()],
    )?;
    row.map(|row| entries::reference(&row, 0)).transpose()
}

fn has_tombstone(conn: &mut ScopedConn<'_>, reference: Reference) -> Result<bool, PgError> {
    let row = conn.first(
        "SELECT FROM gone WHERE workspace = $1 AND project = $2 AND ref = $3",
        &[&reference.as_str()],
    )?;
    Ok(row.is_some())
}

/// Returns the local entry with this reference.
fn entry_with_reference(
    conn: &mut ScopedConn<'_>,
    reference: Reference,
) -> Result<Option<i64>, PgError> {
    let row = conn.first(
        "SELECT id FROM entry WHERE workspace = $1 AND project = $2 AND ref = $3",
        &[&reference.as_str()],
    )?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

/// Replaces an older replicated version of a source; one that was indexed here stays.
fn replace_version(conn: &mut ScopedConn<'_>, new: &Entry) -> Result<(), PgError> {
    let rows = conn.query(
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
    purge::replace(conn, &replaced, &new.source, new.created)?;
    mark(conn, new.sequence, &stay)
}

/// Applies a note's supersessions from its own store; others stay in force beside it.
fn supersede(
    conn: &mut ScopedConn<'_>,
    entry: i64,
    note: &NewNote,
    replaces: &[Reference],
) -> Result<(), PgError> {
    for older in replaces {
        conn.execute(
            "UPDATE note SET superseded_by = $3
             WHERE workspace = $1 AND project = $2 AND superseded_by IS NULL AND entry <> $3
                 AND entry = (SELECT id FROM entry
                     WHERE workspace = $1 AND project = $2 AND ref = $4)",
            &[&entry, &older.as_str()],
        )?;
    }
    let conflicting_notes = conflicting_notes(conn, entry, note)?;
    mark(conn, entry, &conflicting_notes)
}

/// Returns conflicting notes in force: on the same topic, or superseding the same older note.
fn conflicting_notes(
    conn: &mut ScopedConn<'_>,
    entry: i64,
    note: &NewNote,
) -> Result<Vec<i64>, PgError> {
    let rows = conn.query(
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

/// Marks entries as conflicting with one.
fn mark(conn: &mut ScopedConn<'_>, one: i64, others: &[i64]) -> Result<(), PgError> {
    conn.execute(
        "INSERT INTO conflict (workspace, project, entry, other)
         SELECT $1::integer, $2::integer, $3::bigint, other FROM unnest($4::bigint[]) AS other
         UNION ALL
         SELECT $1::integer, $2::integer, other, $3::bigint FROM unnest($4::bigint[]) AS other
         ON CONFLICT DO NOTHING",
        &[&one, &others],
    )?;
    Ok(())
}
