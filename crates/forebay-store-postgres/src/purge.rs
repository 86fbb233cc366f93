//! Purges entries and events, and records tombstones.

use ::postgres::Row;
use forebay_domain::{Reference, Timestamp};
use forebay_store::retention::{ABANDONED_UPLOAD, ACTIVE_SESSION, PurgedEntry, reason, summarize};
use forebay_store::{Expiry, PurgeReport, PurgeSelection};

use super::conditions::Conditions;
use super::connection::ScopedConn;
use super::error::PgError;
use super::text::Text;
use super::{derived, entries, files, sources, vocabulary};

/// The tables of what happened in a session, each with its time.
const EVENT_TABLES: [&str; 2] = ["event", "model_request"];

/// Counts of what sessions did. They are deleted with it, and a report does not list them.
const COUNTER_TABLES: [&str; 5] = ["usage", "asked", "compaction", "treatment", "switch_off"];

/// Returns what a selection matches.
pub(super) fn preview(
    conn: &mut ScopedConn<'_>,
    selection: &PurgeSelection,
    now: Timestamp,
) -> Result<PurgeReport, PgError> {
    let mut purged = summarize(&select(conn, selection, now)?);
    for table in EVENT_TABLES {
        purged.events += matching_events(conn, table, selection, now)?.len() as u64;
    }
    Ok(purged)
}

/// Deletes what a selection matches.
pub(super) fn purge(
    conn: &mut ScopedConn<'_>,
    selection: &PurgeSelection,
    now: Timestamp,
) -> Result<PurgeReport, PgError> {
    let doomed = select(conn, selection, now)?;
    let ids: Vec<i64> = doomed.iter().map(|victim| victim.entry).collect();
    let stems = stems_of(conn, &ids)?;
    let references: Vec<Reference> = doomed.iter().map(|victim| victim.reference).collect();
    write_tombstones(conn, &references, reason(selection), now)?;
    entries::delete(conn, &ids)?;
    let events = delete_events(conn, selection, now)?;
    delete_counters(conn, selection, now)?;
    delete_abandoned(conn, now)?;
    if selection.everything {
        derived::clear(conn)?;
    }
    if selection.everything || selection.covers_whole_session() {
        files::delete_session(conn, selection.session.as_deref())?;
    }
    if !doomed.is_empty() {
        sources::delete_empty(conn)?;
        vocabulary::delete_unused(conn, &stems)?;
    }
    if !doomed.is_empty() || events > 0 {
        delete_empty_sessions(conn)?;
    }
    Ok(PurgeReport { events, ..summarize(&doomed) })
}

/// Deletes what happened in sessions; returns how many rows that were.
fn delete_events(
    conn: &mut ScopedConn<'_>,
    selection: &PurgeSelection,
    now: Timestamp,
) -> Result<u64, PgError> {
    let mut count = 0;
    for table in EVENT_TABLES {
        let events = matching_events(conn, table, selection, now)?;
        count += conn.execute(
            &format!("DELETE FROM {table} WHERE workspace = $1 AND project = $2 AND id = ANY ($3)"),
            &[&events],
        )?;
    }
    Ok(count)
}

fn delete_counters(
    conn: &mut ScopedConn<'_>,
    selection: &PurgeSelection,
    now: Timestamp,
) -> Result<(), PgError> {
    if !selection.covers_events() {
        return Ok(());
    }
    let mut conditions = Conditions::default();
    conditions.add_name("session = ?", selection.session.as_deref());
    for age in selection.event_ages() {
        conditions.add("at < ?", now.minus(age).0);
    }
    for table in COUNTER_TABLES {
        let scope = "workspace = $1 AND project = $2";
        let sql = format!("DELETE FROM {table} WHERE {scope} {}", conditions.sql);
        conn.execute(&sql, &conditions.values())?;
    }
    Ok(())
}

/// Returns the stems that occur in chunks of these entries.
fn stems_of(conn: &mut ScopedConn<'_>, entries: &[i64]) -> Result<Vec<String>, PgError> {
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let rows = conn.query(
        "SELECT DISTINCT substr(lexeme, length($2::integer::text) + 2)
         FROM chunk, unnest(tsvector_to_array(words)) AS lexeme
         WHERE workspace = $1 AND project = $2 AND entry = ANY ($3)
             AND starts_with(lexeme, $2::integer::text || ':')",
        &[&entries],
    )?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

fn delete_empty_sessions(conn: &mut ScopedConn<'_>) -> Result<(), PgError> {
    conn.execute(
        "DELETE FROM session WHERE workspace = $1 AND project = $2
             AND NOT EXISTS (SELECT FROM entry WHERE entry.workspace = $1 AND entry.project = $2
                 AND entry.session = session.id)
             AND NOT EXISTS (SELECT FROM event WHERE event.workspace = $1 AND event.project = $2
                 AND event.session = session.id)
             AND NOT EXISTS (SELECT FROM model_request WHERE model_request.workspace = $1
                 AND model_request.project = $2 AND model_request.session = session.id)",
        &[],
    )?;
    conn.execute(
        "DELETE FROM mark WHERE workspace = $1 AND project = $2 AND NOT EXISTS
             (SELECT FROM session WHERE session.workspace = $1 AND session.project = $2
              AND session.key = mark.session)",
        &[],
    )?;
    Ok(())
}

fn matching_events(
    conn: &mut ScopedConn<'_>,
    table: &str,
    selection: &PurgeSelection,
    now: Timestamp,
) -> Result<Vec<i64>, PgError> {
    if !selection.covers_events() {
        return Ok(Vec::new());
    }
    let mut conditions = Conditions::default();
    conditions.add_name("session.key = ?", selection.session.as_deref());
    for age in selection.event_ages() {
        conditions.add(&format!("{table}.created < ?"), now.minus(age).0);
    }
    if selection.expired.is_some() {
        conditions.add("session.last_used < ?", now.minus(ACTIVE_SESSION).0);
    }
    let sql = format!(
        "SELECT {table}.id FROM {table} JOIN session
             ON session.workspace = $1 AND session.project = $2 AND session.id = {table}.session
         WHERE {table}.workspace = $1 AND {table}.project = $2 {}",
        conditions.sql
    );
    conn.query(&sql, &conditions.values())?.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Deletes the entry of a source that is about to be indexed again; its reference gets a tombstone.
pub(super) fn delete_source(conn: &mut ScopedConn<'_>, source: &str) -> Result<(), PgError> {
    conn.lock(&format!("source {source}"))?;
    let rows = conn.query(
        "SELECT id, ref FROM entry WHERE workspace = $1 AND project = $2 AND complete
             AND hashtextextended(source, 0) = hashtextextended($3, 0) AND source = $3
             AND kind = 'source'",
        &[&Text(source)],
    )?;
    replace(conn, &rows, source, Timestamp::default())?;
    sources::delete_empty(conn)
}

/// Deletes entries (rows of id and reference) that newer ones replace; their references get tombstones.
pub(super) fn replace(
    conn: &mut ScopedConn<'_>,
    rows: &[Row],
    source: &str,
    at: Timestamp,
) -> Result<(), PgError> {
    let mut ids: Vec<i64> = Vec::new();
    let mut references = Vec::new();
    for row in rows {
        ids.push(row.try_get(0)?);
        references.push(entries::reference(row, 1)?);
    }
    write_tombstones(conn, &references, &format!("the source `{source}` was indexed again"), at)?;
    entries::delete(conn, &ids)
}

pub(super) fn tombstone(
    conn: &mut ScopedConn<'_>,
    reference: Reference,
) -> Result<Option<(String, Timestamp)>, PgError> {
    let row = conn.first(
        "SELECT why, at FROM gone WHERE workspace = $1 AND project = $2 AND ref = $3",
        &[&reference.as_str()],
    )?;
    row.map(|row| Ok((row.try_get(0)?, Timestamp(row.try_get(1)?)))).transpose()
}

fn select(
    conn: &mut ScopedConn<'_>,
    selection: &PurgeSelection,
    now: Timestamp,
) -> Result<Vec<PurgedEntry>, PgError> {
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
    conn.query(&sql, &conditions.values())?.iter().map(read).collect()
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

/// Matches entries that are expired, not of an active session, not referenced by a note, and not pinned notes.
fn add_expiry(conditions: &mut Conditions, expiry: &Expiry, now: Timestamp) {
    let mut expired = vec!["false".to_owned()];
    for (kind, keep) in &expiry.keep {
        let moment = conditions.bind(now.minus(*keep).0);
        expired.push(format!("(entry.kind = '{}' AND entry.created < {moment})", kind.as_str()));
    }
    conditions.add_raw(&format!("({})", expired.join(" OR ")));
    conditions.add("session.last_used < ?", now.minus(ACTIVE_SESSION).0);
    conditions.add_raw(
        "NOT EXISTS (SELECT FROM link
             WHERE link.workspace = $1 AND link.project = $2 AND link.entry = entry.id)
         AND NOT EXISTS (SELECT FROM note WHERE note.workspace = $1 AND note.project = $2
             AND note.entry = entry.id AND pinned AND superseded_by IS NULL)",
    );
}

fn delete_abandoned(conn: &mut ScopedConn<'_>, now: Timestamp) -> Result<(), PgError> {
    let rows = conn.query(
        "SELECT id FROM entry WHERE workspace = $1 AND project = $2 AND NOT complete AND created < $3",
        &[&now.minus(ABANDONED_UPLOAD).0],
    )?;
    let abandoned =
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Result<Vec<i64>, PgError>>()?;
    entries::delete(conn, &abandoned)
}

fn write_tombstones(
    conn: &mut ScopedConn<'_>,
    references: &[Reference],
    why: &str,
    at: Timestamp,
) -> Result<(), PgError> {
    let references: Vec<&str> = references.iter().map(Reference::as_str).collect();
    conn.execute(
        "INSERT INTO gone (workspace, project, ref, why, at) SELECT $1, $2, ref, $4, $5
         FROM unnest($3::text[]) AS ref
         ON CONFLICT (workspace, project, ref) DO UPDATE SET why = excluded.why, at = excluded.at,
             written = excluded.written",
        &[&references, &Text(why), &at.0],
    )?;
    Ok(())
}
