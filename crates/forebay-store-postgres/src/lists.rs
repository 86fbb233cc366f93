//! Lists of entries: the newest first, the oldest first, and the notes in force.

use forebay_domain::{Entry, Reference};
use forebay_store::{HistoryPage, NotePage, SincePage};

use super::conditions::Conditions;
use super::connection::Work;
use super::entries::{self, ENTRY_COLUMNS, read_entry};
use super::error::Fault;

pub(super) fn history(work: &mut Work<'_>, page: &HistoryPage) -> Result<Vec<Entry>, Fault> {
    // A condition that holds for every session would have all of them read for the entries of one.
    let mut conditions = Conditions::default();
    conditions.add_name("session.key = ?", page.session.as_deref());
    if let Some(before) = page.before {
        conditions.add("entry.id < ?", before);
    }
    newest_first(work, conditions, page.limit)
}

/// Nobody may be writing meanwhile: whoever goes on after the last of these must not have passed one that
/// becomes visible later.
pub(super) fn entries_since(work: &mut Work<'_>, page: &SincePage) -> Result<Vec<Entry>, Fault> {
    let mut conditions = Conditions::default();
    conditions.add("entry.id > ?", page.after);
    conditions.add_one_of("entry.kind", page.kinds.iter().map(|kind| kind.word()));
    let sql = conditions.sql.clone();
    let limit = conditions.number(page.limit as i64);
    let sql = format!(
        "{ENTRY_COLUMNS}{sql} AND entry.id < coalesce((SELECT min(id) FROM entry AS unfinished
             WHERE unfinished.workspace = $1 AND unfinished.project = $2 AND NOT unfinished.complete),
             {})
         ORDER BY entry.id LIMIT {limit}",
        i64::MAX
    );
    work.query(&sql, &conditions.values())?.iter().map(read_entry).collect()
}

pub(super) fn notes(work: &mut Work<'_>, page: &NotePage) -> Result<Vec<Entry>, Fault> {
    let mut conditions = Conditions::default();
    conditions.add_plain("note.superseded_by IS NULL AND entry.kind = 'note'");
    conditions.add_name("session.key = ?", page.session.as_deref());
    conditions.add_name("entry.branch = ?", page.branch.as_deref());
    conditions.add_name("entry.ticket = ?", page.ticket.as_deref());
    if let Some(pinned) = page.pinned {
        conditions.add("note.pinned = ?", pinned);
    }
    newest_first(work, conditions, page.limit)
}

fn newest_first(
    work: &mut Work<'_>,
    mut conditions: Conditions,
    most: usize,
) -> Result<Vec<Entry>, Fault> {
    let sql = conditions.sql.clone();
    let limit = conditions.number(most as i64);
    let sql = format!("{ENTRY_COLUMNS}{sql} ORDER BY entry.id DESC LIMIT {limit}");
    work.query(&sql, &conditions.values())?.iter().map(read_entry).collect()
}

pub(super) fn replaced_by(work: &mut Work<'_>, note: Reference) -> Result<Vec<Reference>, Fault> {
    let rows = work.query(
        "SELECT older.ref FROM note JOIN entry AS older ON older.workspace = $1
             AND older.project = $2 AND older.id = note.entry
         WHERE note.workspace = $1 AND note.project = $2 AND note.superseded_by =
             (SELECT id FROM entry WHERE workspace = $1 AND project = $2 AND ref = $3)
         ORDER BY older.id",
        &[&note.as_str()],
    )?;
    rows.iter().map(|row| entries::reference(row, 0)).collect()
}
