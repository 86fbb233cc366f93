//! Forgetting: by name, never by accident, and for good.

use ::postgres::Row;
use forebay_domain::{Reference, Timestamp};
use forebay_store::retention::{ABANDONED_UPLOAD, ACTIVE_SESSION, PurgedEntry, reason, summarize};
use forebay_store::{Expiry, PurgeReport, PurgeSelection};

use super::conditions::Conditions;
use super::connection::Work;
use super::error::Fault;
use super::text::Text;
use super::{derived, entries, files, sources, vocabulary};

/// What a selection covers.
pub(super) fn survey(
    work: &mut Work<'_>,
    selection: &PurgeSelection,
    now: Timestamp,
) -> Result<PurgeReport, Fault> {
    let mut purged = summarize(&select(work, selection, now)?);
    purged.events = doomed_events(work, selection, now)?.len() as u64;
    Ok(purged)
}

/// Forgets what a selection covers.
pub(super) fn purge(
    work: &mut Work<'_>,
    selection: &PurgeSelection,
    now: Timestamp,
) -> Result<PurgeReport, Fault> {
    let doomed = select(work, selection, now)?;
    let ids: Vec<i64> = doomed.iter().map(|victim| victim.entry).collect();
    let stems = stems_of(work, &ids)?;
    let references: Vec<Reference> = doomed.iter().map(|victim| victim.reference).collect();
    bury(work, &references, reason(selection), now)?;
    entries::delete(work, &ids)?;
    let events = doomed_events(work, selection, now)?;
    work.execute(
        "DELETE FROM event WHERE workspace = $1 AND project = $2 AND id = ANY ($3)",
        &[&events],
    )?;
    if selection.expired.is_some() {
        delete_abandoned(work, now)?;
    }
    if selection.everything {
        derived::forget_all(work)?;
    }
    if selection.everything || selection.covers_whole_session() {
        files::forget_session(work, selection.session.as_deref())?;
    }
    if !doomed.is_empty() {
        sources::drop_empty(work)?;
        vocabulary::forget_unused(work, &stems)?;
    }
    if !doomed.is_empty() || !events.is_empty() {
        delete_empty_sessions(work)?;
    }
    Ok(PurgeReport { events: events.len() as u64, ..summarize(&doomed) })
}

/// The stems that stand in passages of these entries.
fn stems_of(work: &mut Work<'_>, entries: &[i64]) -> Result<Vec<String>, Fault> {
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let rows = work.query(
        "SELECT DISTINCT substr(lexeme, length($2::integer::text) + 2)
         FROM chunk, unnest(tsvector_to_array(words)) AS lexeme
         WHERE workspace = $1 AND project = $2 AND entry = ANY ($3)
             AND starts_with(lexeme, $2::integer::text || ':')",
        &[&entries],
    )?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

fn delete_empty_sessions(work: &mut Work<'_>) -> Result<(), Fault> {
    work.execute(
        "DELETE FROM session WHERE workspace = $1 AND project = $2
             AND NOT EXISTS (SELECT FROM entry WHERE entry.workspace = $1 AND entry.project = $2
                 AND entry.session = session.id)
             AND NOT EXISTS (SELECT FROM event WHERE event.workspace = $1 AND event.project = $2
                 AND event.session = session.id)",
        &[],
    )?;
    work.execute(
        "DELETE FROM mark WHERE workspace = $1 AND project = $2 AND NOT EXISTS
             (SELECT FROM session WHERE session.workspace = $1 AND session.project = $2
              AND session.key = mark.session)",
        &[],
    )?;
    Ok(())
}

/// Events have no reference and no source: a selection by these covers none.
fn doomed_events(
    work: &mut Work<'_>,
    selection: &PurgeSelection,
    now: Timestamp,
) -> Result<Vec<i64>, Fault> {
    let names_entries = !selection.references.is_empty() || selection.source.is_some();
    let keeps_all = selection.expired.as_ref().is_some_and(|expiry| expiry.events.is_none());
    if selection.is_empty() || names_entries || keeps_all {
        return Ok(Vec::new());
    }
    let mut conditions = Conditions::default();
    conditions.add_name("session.key = ?", selection.session.as_deref());
    let expired = selection.expired.as_ref().and_then(|expiry| expiry.events);
    for age in [selection.older_than, expired].into_iter().flatten() {
        conditions.add("event.created < ?", now.minus(age).0);
    }
    if selection.expired.is_some() {
        conditions.add("session.last_used < ?", now.minus(ACTIVE_SESSION).0);
    }
    let sql = format!(
        "SELECT event.id FROM event JOIN session
             ON session.workspace = $1 AND session.project = $2 AND session.id = event.session
         WHERE event.workspace = $1 AND event.project = $2 {}",
        conditions.sql
    );
    work.query(&sql, &conditions.values())?.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Removes the entry of a source that is about to be stored anew; its old reference is explained.
pub(super) fn forget_source(work: &mut Work<'_>, source: &str) -> Result<(), Fault> {
    work.lock(&format!("source {source}"))?;
    let rows = work.query(
        "SELECT id, ref FROM entry WHERE workspace = $1 AND project = $2 AND complete
             AND hashtextextended(source, 0) = hashtextextended($3, 0) AND source = $3
             AND kind = 'source'",
        &[&Text(source)],
    )?;
    replace(work, &rows, source, Timestamp::default())?;
    sources::drop_empty(work)
}

/// Removes entries (rows of id and reference) that newer ones take the place of; their references are explained.
pub(super) fn replace(
    work: &mut Work<'_>,
    rows: &[Row],
    source: &str,
    at: Timestamp,
) -> Result<(), Fault> {
    let mut ids: Vec<i64> = Vec::new();
    let mut references = Vec::new();
    for row in rows {
        ids.push(row.try_get(0)?);
        references.push(entries::reference(row, 1)?);
    }
    bury(work, &references, &format!("the source `{source}` was indexed again"), at)?;
    entries::delete(work, &ids)
}

pub(super) fn tombstone(
    work: &mut Work<'_>,
    reference: Reference,
) -> Result<Option<(String, Timestamp)>, Fault> {
    let row = work.first(
        "SELECT why, at FROM gone WHERE workspace = $1 AND project = $2 AND ref = $3",
        &[&reference.as_str()],
    )?;
    row.map(|row| Ok((row.try_get(0)?, Timestamp(row.try_get(1)?)))).transpose()
}

fn select(
    work: &mut Work<'_>,
    selection: &PurgeSelection,
    now: Timestamp,
) -> Result<Vec<PurgedEntry>, Fault> {
    if selection.is_empty() {
        return Ok(Vec::new());
    }
    let conditions = conditions(selection, now);
    let limit = selection.expired.as_ref().map_or(i64::MAX, |expiry| expiry.limit as i64);
    let sql = format!(
        "SELECT entry.id, entry.ref, entry.title, entry.kind = 'note', blob.bytes FROM entry
         JOIN blob ON blob.workspace = $1 AND blob.project = $2 AND blob.id = entry.blob
         JOIN session ON session.workspace = $1 AND session.project = $2 AND session.id = entry.session
         WHERE entry.workspace = $1 AND entry.project = $2 AND entry.complete {}
         ORDER BY entry.id LIMIT {limit}",
        conditions.sql
    );
    let read = |row: &Row| {
        Ok(PurgedEntry {
            entry: row.try_get(0)?,
            reference: entries::reference(row, 1)?,
            title: row.try_get(2)?,
            is_note: row.try_get(3)?,
            bytes: row.try_get::<_, i64>(4)? as u64,
        })
    };
    work.query(&sql, &conditions.values())?.iter().map(read).collect()
}

fn conditions(selection: &PurgeSelection, now: Timestamp) -> Conditions {
    let mut conditions = Conditions::default();
    conditions.add_one_of("entry.ref", selection.references.iter().map(Reference::as_str));
    if let Some(source) = &selection.source {
        conditions.add_glob("entry.source", source);
    }
    conditions.add_name("session.key = ?", selection.session.as_deref());
    if let Some(age) = selection.older_than {
        conditions.add("entry.created < ?", now.minus(age).0);
    }
    if let Some(expiry) = &selection.expired {
        add_expiry(&mut conditions, expiry, now);
    }
    conditions
}

/// Outlived, of no session at work, named by no note, and no note that is pinned.
fn add_expiry(conditions: &mut Conditions, expiry: &Expiry, now: Timestamp) {
    let mut outlived = vec!["false".to_owned()];
    for (kind, keep) in &expiry.keep {
        let moment = conditions.number(now.minus(*keep).0);
        outlived.push(format!("(entry.kind = '{}' AND entry.created < {moment})", kind.word()));
    }
    conditions.add_plain(&format!("({})", outlived.join(" OR ")));
    conditions.add("session.last_used < ?", now.minus(ACTIVE_SESSION).0);
    conditions.add_plain(
        "NOT EXISTS (SELECT FROM link
             WHERE link.workspace = $1 AND link.project = $2 AND link.entry = entry.id)
         AND NOT EXISTS (SELECT FROM note WHERE note.workspace = $1 AND note.project = $2
             AND note.entry = entry.id AND pinned AND superseded_by IS NULL)",
    );
}

fn delete_abandoned(work: &mut Work<'_>, now: Timestamp) -> Result<(), Fault> {
    let rows = work.query(
        "SELECT id FROM entry WHERE workspace = $1 AND project = $2 AND NOT complete AND created < $3",
        &[&now.minus(ABANDONED_UPLOAD).0],
    )?;
    let abandoned =
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Result<Vec<i64>, Fault>>()?;
    entries::delete(work, &abandoned)
}

fn bury(
    work: &mut Work<'_>,
    references: &[Reference],
    why: &str,
    at: Timestamp,
) -> Result<(), Fault> {
    let references: Vec<&str> = references.iter().map(Reference::as_str).collect();
    work.execute(
        "INSERT INTO gone (workspace, project, ref, why, at) SELECT $1, $2, ref, $4, $5
         FROM unnest($3::text[]) AS ref
         ON CONFLICT (workspace, project, ref) DO UPDATE SET why = excluded.why, at = excluded.at,
             written = excluded.written",
        &[&references, &Text(why), &at.0],
    )?;
    Ok(())
}
