//! Lists of entries: newest first, oldest first, and the notes in force.

use forebay_domain::{Entry, Reference};
use forebay_store::{HistoryPage, NotePage, SincePage};

use super::conditions::Conditions;
use super::connection::ScopedConn;
use super::entries::{self, ENTRY_COLUMNS, read_entry};
use super::error::PgError;

pub(super) fn history(
    conn: &mut ScopedConn<'_>,
    page: &HistoryPage,
) -> Result<Vec<Entry>, PgError> {
    // A condition that is true for every session would make the server read all of them.
    let mut conditions = Conditions::default();
    conditions.add_name("session.key = ?", page.session.as_deref());
    if let Some(before) = page.before {
        conditions.add("entry.id < ?", before);
    }
    conditions.add_name("entry.source <> ?", page.except_source.as_deref());
    newest_first(conn, conditions, page.limit)
}

/// Requires the exclusive purge lock: a reader that continues after the last entry must not skip one that commits
/// later.
pub(super) fn entries_since(
    conn: &mut ScopedConn<'_>,
    page: &SincePage,
) -> Result<Vec<Entry>, PgError> {
    let mut conditions = Conditions::default();
    conditions.add("entry.id > ?", page.after);
    conditions.add_one_of("entry.kind", page.kinds.iter().map(|kind| kind.as_str()));
    let sql = conditions.sql.clone();
    let limit = conditions.bind(page.limit as i64);
    let sql = format!(
        "{ENTRY_COLUMNS}{sql} AND entry.id < coalesce((SELECT min(id) FROM entry AS unfinished
             WHERE unfinished.workspace = $1 AND unfinished.project = $2 AND NOT unfinished.complete),
             {})
         ORDER BY entry.id LIMIT {limit}",
        i64::MAX
    );
    conn.query(&sql, &conditions.values())?.iter().map(read_entry).collect()
}

pub(super) fn notes(conn: &mut ScopedConn<'_>, page: &NotePage) -> Result<Vec<Entry>, PgError> {
    let mut conditions = Conditions::default();
    conditions.add_raw("note.superseded_by IS NULL AND entry.kind = 'note'");
    conditions.add_name("session.key = ?", page.session.as_deref());
    conditions.add_name("entry.branch = ?", page.branch.as_deref());
    conditions.add_name("entry.ticket = ?", page.ticket.as_deref());
    if let Some(pinned) = page.pinned {
        conditions.add("note.pinned = ?", pinned);
    }
    newest_first(conn, conditions, page.limit)
}

fn newest_first(
    conn: &mut ScopedConn<'_>,
    mut conditions: Conditions,
    limit: usize,
) -> Result<Vec<Entry>, PgError> {
    let sql = conditions.sql.clone();
    let limit = conditions.bind(limit as i64);
    let sql = format!("{ENTRY_COLUMNS}{sql} ORDER BY entry.id DESC LIMIT {limit}");
    conn.query(&sql, &conditions.values())?.iter().map(read_entry).collect()
}

pub(super) fn replaced_by(
    conn: &mut ScopedConn<'_>,
    note: Reference,
) -> Result<Vec<Reference>, PgError> {
    let rows = conn.query(
        "SELECT older.ref FROM note JOIN entry AS older ON older.workspace = $1
             AND older.project = $2 AND older.id = note.entry
         WHERE note.workspace = $1 AND note.project = $2 AND note.superseded_by =
             (SELECT id FROM entry WHERE workspace = $1 AND project = $2 AND ref = $3)
         ORDER BY older.id",
        &[&note.as_str()],
    )?;
    rows.iter().map(|row| entries::reference(row, 0)).collect()
}
