//! Lists of entries and notes.

use forebay_domain::{Entry, Reference};
use forebay_store::{HistoryPage, NotePage, SincePage};
use rusqlite::{Connection, params_from_iter};

use super::conditions::Conditions;
use super::entries::{ENTRIES, NOTES, parse_reference, read_entry};

pub(super) fn history(connection: &Connection, page: &HistoryPage) -> rusqlite::Result<Vec<Entry>> {
    // The condition is left out without a session: an always-true one would prevent using the
    // index.
    let mut conditions = Conditions::default();
    conditions.add_text("session.key = ?", page.session.as_deref());
    if let Some(before) = page.before {
        conditions.add("entry.id < ?", [before.into()]);
    }
    conditions.add_text("entry.source <> ?", page.except_source.as_deref());
    let Conditions { sql, mut values } = conditions;
    values.push((page.limit as i64).into());
    connection
        .prepare_cached(&format!("{ENTRIES}{sql} ORDER BY entry.id DESC LIMIT ?"))?
        .query_map(params_from_iter(values), read_entry)?
        .collect()
}

pub(super) fn entries_since(
    connection: &Connection,
    page: &SincePage,
) -> rusqlite::Result<Vec<Entry>> {
    let mut conditions = Conditions::default();
    conditions.add("entry.id > ?", [page.after.into()]);
    conditions.add_one_of("entry.kind", page.kinds.iter().map(|kind| kind.as_str()));
    let Conditions { sql, mut values } = conditions;
    values.push((page.limit as i64).into());
    // Stops before incomplete entries: a caller that continues after the last entry would miss
    // them.
    connection
        .prepare_cached(&format!(
            "{ENTRIES}{sql} AND entry.id <
                 coalesce((SELECT min(id) FROM entry WHERE complete = 0), {})
             ORDER BY entry.id LIMIT ?",
            i64::MAX
        ))?
        .query_map(params_from_iter(values), read_entry)?
        .collect()
}

pub(super) fn notes(connection: &Connection, page: &NotePage) -> rusqlite::Result<Vec<Entry>> {
    // Preparing the main query takes longer than this check, and most projects have no pinned
    // notes.
    if page.pinned == Some(true) && !has_pinned_note(connection)? {
        return Ok(Vec::new());
    }
    let mut conditions = Conditions::default();
    conditions.add("note.superseded_by IS NULL AND entry.kind = 'note'", []);
    conditions.add_text("session.key = ?", page.session.as_deref());
    conditions.add_text("entry.branch = ?", page.branch.as_deref());
    conditions.add_text("entry.ticket = ?", page.ticket.as_deref());
    if let Some(pinned) = page.pinned {
        // Must match the condition of the partial index.
        conditions.add(if pinned { "note.pinned" } else { "NOT note.pinned" }, []);
    }
    let Conditions { sql, mut values } = conditions;
    values.push((page.limit as i64).into());
    connection
        .prepare_cached(&format!("{NOTES}{sql} ORDER BY note.entry DESC LIMIT ?"))?
        .query_map(params_from_iter(values), read_entry)?
        .collect()
}

fn has_pinned_note(connection: &Connection) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM note WHERE pinned)")?
        .query_row([], |row| row.get(0))
}

pub(super) fn notes_superseded_by(
    connection: &Connection,
    note: Reference,
) -> rusqlite::Result<Vec<Reference>> {
    connection
        .prepare_cached(
            "SELECT older.ref FROM note JOIN entry AS older ON older.id = note.entry
             WHERE note.superseded_by = (SELECT id FROM entry WHERE ref = ?1) ORDER BY older.id",
        )?
        .query_map([note.as_str()], |row| parse_reference(&row.get::<_, String>(0)?))?
        .collect()
}
