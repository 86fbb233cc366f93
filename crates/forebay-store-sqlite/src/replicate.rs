//! Adds entries copied from another store, under their references there.
//!
//! Nothing is overwritten. The same content is added once; other content under a used reference
//! gets a new one; notes written independently on one topic stay active, both marked as
//! conflicting.

use forebay_domain::{Entry, EntryKind, Reference};
use forebay_store::blob::writer::{BlobContent, EntryOrigin, StartedEntry};
use forebay_store::{NewDetail, NewEntry, NewNote, ReplicaOrigin, ReplicateOutcome};
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::inverted_index::AssignedIds;
use super::{entries, purge, references};

pub(super) fn complete(
    transaction: &Transaction<'_>,
    started: Option<StartedEntry>,
    content: &BlobContent<'_>,
    new: &NewEntry,
    origin: &ReplicaOrigin,
    assigned: &mut AssignedIds,
) -> rusqlite::Result<ReplicateOutcome> {
    let requested = origin.reference;
    if let Some(known) = find_with_content(transaction, requested, &content.hash)? {
        return Ok(ReplicateOutcome::AlreadyPresent(known));
    }
    if is_purged(transaction, requested)? && !origin.restores_purged {
        return Ok(ReplicateOutcome::Purged);
    }
    transaction.execute("DELETE FROM gone WHERE ref = ?1", [requested.as_str()])?;
    let owner = owner(transaction, requested)?;
    let reference = match owner {
        Some(_) => references::unused(transaction)?,
        None => requested,
    };
    let entry_origin = EntryOrigin::Replicated(reference);
    let entry = entries::complete(transaction, started, content, new, entry_origin, assigned)?;
    if let Some(owner) = owner {
        mark_conflict(transaction, owner, entry.sequence)?;
    }
    match (&new.detail, new.kind) {
        (NewDetail::Note(note), _) => {
            supersede(transaction, entry.sequence, note, &origin.supersedes)?;
        }
        (_, EntryKind::Source | EntryKind::Page) => replace_older_version(transaction, &entry)?,
        _ => {}
    }
    // Records the original reference, even if it is unchanged.
    transaction.execute(
        "INSERT INTO twin (ref, entry) VALUES (?1, ?2)",
        (requested.as_str(), entry.sequence),
    )?;
    let entry = entries::find(transaction, reference)?.unwrap_or(entry);
    Ok(ReplicateOutcome::Added(Box::new(entry)))
}

/// Returns the entry that was added under this reference with this content.
fn find_with_content(
    connection: &Connection,
    reference: Reference,
    hash: &blake3::Hash,
) -> rusqlite::Result<Option<Reference>> {
    connection
        .prepare_cached(
            "SELECT entry.ref FROM entry JOIN blob ON blob.id = entry.blob
             WHERE complete AND blob.hash = ?2
                 AND (entry.ref = ?1 OR entry.id IN (SELECT entry FROM twin WHERE ref = ?1))",
        )?
        .query_row((reference.as_str(), hash.as_bytes()), |row| {
            entries::parse_reference(&row.get::<_, String>(0)?)
        })
        .optional()
}

fn is_purged(connection: &Connection, reference: Reference) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM gone WHERE ref = ?1)")?
        .query_row([reference.as_str()], |row| row.get(0))
}

/// Returns the entry that uses the reference here.
fn owner(connection: &Connection, reference: Reference) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM entry WHERE ref = ?1")?
        .query_row([reference.as_str()], |row| row.get(0))
        .optional()
}

/// Replaces an older copied version of a source; a version indexed here stays.
fn replace_older_version(transaction: &Transaction<'_>, new: &Entry) -> rusqlite::Result<()> {
    let versions: Vec<(i64, String, bool)> = transaction
        .prepare_cached(
            "SELECT id, ref, created <= ?4 AND id IN (SELECT entry FROM twin) FROM entry
             WHERE complete AND source = ?1 AND title = ?2 AND kind IN ('source', 'page') AND id <> ?3",
        )?
        .query_map((&new.source, &new.title, new.sequence, new.created.0), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?
        .collect::<Result<_, _>>()?;
    for (version, reference, is_superseded) in versions {
        if is_superseded {
            let reference = entries::parse_reference(&reference)?;
            purge::replace(transaction, version, reference, &new.source, new.created)?;
        } else {
            mark_conflict(transaction, version, new.sequence)?;
        }
    }
    Ok(())
}

/// Supersedes the notes it superseded in its own store; others on the same topic stay active.
fn supersede(
    transaction: &Transaction<'_>,
    entry: i64,
    note: &NewNote,
    supersedes: &[Reference],
) -> rusqlite::Result<()> {
    for older in supersedes {
        transaction.execute(
            "UPDATE note SET superseded_by = ?1 WHERE superseded_by IS NULL AND entry <> ?1
                 AND entry = (SELECT id FROM entry WHERE ref = ?2)",
            (entry, older.as_str()),
        )?;
    }
    for conflicting in conflicting_notes(transaction, entry, note)? {
        mark_conflict(transaction, entry, conflicting)?;
    }
    Ok(())
}

/// Returns active notes on the same topic, or that supersede the same note.
fn conflicting_notes(
    transaction: &Transaction<'_>,
    entry: i64,
    note: &NewNote,
) -> rusqlite::Result<Vec<i64>> {
    transaction
        .prepare_cached(
            "SELECT entry FROM note WHERE entry <> ?1 AND superseded_by IS NULL AND (
                 topic = ?2
                 OR entry = (SELECT replaced.superseded_by FROM note AS replaced
                             JOIN entry AS older ON older.id = replaced.entry
                             WHERE older.ref = ?3))",
        )?
        .query_map((entry, &note.topic, note.supersedes.as_ref().map(Reference::as_str)), |row| {
            row.get(0)
        })?
        .collect()
}

/// Marks two entries as conflicting.
fn mark_conflict(transaction: &Transaction<'_>, one: i64, other: i64) -> rusqlite::Result<()> {
    transaction
        .execute(
            "INSERT OR IGNORE INTO conflict (entry, other) VALUES (?1, ?2), (?2, ?1)",
            (one, other),
        )
        .map(drop)
}
