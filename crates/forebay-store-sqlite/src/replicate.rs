//! Adoption: entries that another store made, kept under the references they have there.
//!
//! Nothing is overwritten. The same content is kept once; another content under a reference that is taken
//! gets a new one; notes that were written apart from each other on the same stay in force, both marked.

use forebay_domain::{Entry, EntryKind, Reference};
use forebay_store::blob::writer::{BlobContent, EntryOrigin, StartedEntry};
use forebay_store::{NewDetail, NewEntry, NewNote, ReplicaOrigin, ReplicateOutcome};
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::inverted_index::Placed;
use super::{entries, purge, references};

pub(super) fn adopt(
    transaction: &Transaction<'_>,
    begun: Option<StartedEntry>,
    content: &BlobContent<'_>,
    new: &NewEntry,
    origin: &ReplicaOrigin,
    placed: &mut Placed,
) -> rusqlite::Result<ReplicateOutcome> {
    let wanted = origin.reference;
    if let Some(known) = with_content(transaction, wanted, &content.hash)? {
        return Ok(ReplicateOutcome::Known(known));
    }
    if is_forgotten(transaction, wanted)? && !origin.revives {
        return Ok(ReplicateOutcome::Forgotten);
    }
    transaction.execute("DELETE FROM gone WHERE ref = ?1", [wanted.as_str()])?;
    let holder = holder(transaction, wanted)?;
    let reference = match holder {
        Some(_) => references::unused(transaction)?,
        None => wanted,
    };
    let arrival = EntryOrigin::Replicated(reference);
    let entry = entries::complete(transaction, begun, content, new, arrival, placed)?;
    if let Some(holder) = holder {
        mark(transaction, holder, entry.sequence)?;
    }
    match (&new.detail, new.kind) {
        (NewDetail::Note(note), _) => {
            take_place(transaction, entry.sequence, note, &origin.replaces)?;
        }
        (_, EntryKind::Source | EntryKind::Page) => replace_version(transaction, &entry)?,
        _ => {}
    }
    // Whatever came is known by the reference it came under, also where that is its own.
    transaction.execute(
        "INSERT INTO twin (ref, entry) VALUES (?1, ?2)",
        (wanted.as_str(), entry.sequence),
    )?;
    let entry = entries::find(transaction, reference)?.unwrap_or(entry);
    Ok(ReplicateOutcome::Added(Box::new(entry)))
}

/// The entry that came under this reference with this content.
fn with_content(
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

fn is_forgotten(connection: &Connection, reference: Reference) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM gone WHERE ref = ?1)")?
        .query_row([reference.as_str()], |row| row.get(0))
}

/// The entry that has the reference here.
fn holder(connection: &Connection, reference: Reference) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM entry WHERE ref = ?1")?
        .query_row([reference.as_str()], |row| row.get(0))
        .optional()
}

/// Takes the place of the older version of a source that came before; one that was indexed here stays.
fn replace_version(transaction: &Transaction<'_>, new: &Entry) -> rusqlite::Result<()> {
    let versions: Vec<(i64, String, bool)> = transaction
        .prepare_cached(
            "SELECT id, ref, created <= ?4 AND id IN (SELECT entry FROM twin) FROM entry
             WHERE complete AND source = ?1 AND title = ?2 AND kind IN ('source', 'page') AND id <> ?3",
        )?
        .query_map((&new.source, &new.title, new.sequence, new.created.0), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?
        .collect::<Result<_, _>>()?;
    for (version, reference, is_replaced) in versions {
        if is_replaced {
            let reference = entries::parse_reference(&reference)?;
            purge::replace(transaction, version, reference, &new.source, new.created)?;
        } else {
            mark(transaction, version, new.sequence)?;
        }
    }
    Ok(())
}

/// Puts a note where its own store had it; what it did not replace there stays in force beside it.
fn take_place(
    transaction: &Transaction<'_>,
    entry: i64,
    note: &NewNote,
    replaces: &[Reference],
) -> rusqlite::Result<()> {
    for older in replaces {
        transaction.execute(
            "UPDATE note SET superseded_by = ?1 WHERE superseded_by IS NULL AND entry <> ?1
                 AND entry = (SELECT id FROM entry WHERE ref = ?2)",
            (entry, older.as_str()),
        )?;
    }
    for rival in rivals(transaction, entry, note)? {
        mark(transaction, entry, rival)?;
    }
    Ok(())
}

/// Notes in force that claim the same place: on the same topic, or in place of the same older note.
fn rivals(transaction: &Transaction<'_>, entry: i64, note: &NewNote) -> rusqlite::Result<Vec<i64>> {
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

/// Marks two entries as saying different things of the same.
fn mark(transaction: &Transaction<'_>, one: i64, other: i64) -> rusqlite::Result<()> {
    transaction
        .execute(
            "INSERT OR IGNORE INTO conflict (entry, other) VALUES (?1, ?2), (?2, ?1)",
            (one, other),
        )
        .map(drop)
}
