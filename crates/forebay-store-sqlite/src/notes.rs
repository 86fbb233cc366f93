//! The state of notes: pinned, and superseded by others.

use forebay_domain::Reference;
use rusqlite::Transaction;

/// Sets whether a note is pinned; returns whether that was a change.
pub(super) fn set_pinned(
    transaction: &Transaction<'_>,
    note: Reference,
    pinned: bool,
) -> rusqlite::Result<bool> {
    transaction
        .prepare_cached(
            "UPDATE note SET pinned = ?2
             WHERE entry = (SELECT id FROM entry WHERE ref = ?1) AND pinned <> ?2",
        )?
        .execute((note.as_str(), pinned))
        .map(|count| count > 0)
}

/// Marks a note as superseded by another one; returns whether both were in force.
pub(super) fn supersede(
    transaction: &Transaction<'_>,
    note: Reference,
    by: Reference,
) -> rusqlite::Result<bool> {
    transaction
        .prepare_cached(
            "UPDATE note SET superseded_by = newer.entry
             FROM entry AS newer_entry JOIN note AS newer ON newer.entry = newer_entry.id
             WHERE newer_entry.ref = ?2 AND newer.superseded_by IS NULL AND newer.entry <> note.entry
                 AND note.superseded_by IS NULL
                 AND note.entry = (SELECT id FROM entry WHERE ref = ?1)",
        )?
        .execute((note.as_str(), by.as_str()))
        .map(|count| count > 0)
}
